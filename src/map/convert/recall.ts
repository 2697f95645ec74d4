/** Remembers the values of a pure function of a text: files repeat a few texts over and over. */
import { detachText } from "../../model/detach.js";

const CAPACITY = 5000;

/** `compute` may throw; then nothing is remembered. */
export function recall<V>(compute: (text: string) => V): (text: string) => V {
  const known = new Map<string, V>();
  return (text) => {
    const remembered = known.get(text);
    if (remembered !== undefined) return remembered;
    const value = compute(text);
    if (known.size >= CAPACITY) known.clear();
    known.set(detachText(text), value);
    return value;
  };
}
