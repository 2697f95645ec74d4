/** Remembers the values of a pure function of a text, as long as texts repeat. */
import { detachText } from "./detach.js";

const CAPACITY = 1000;
/** After so many calls the share of repeats decides whether remembering goes on. */
const TRIAL = 4000;

/** `compute` may throw; then nothing is remembered. Bounded, and gives up where fewer than half of the texts repeat. */
export function recall<V>(compute: (text: string) => V): (text: string) => V {
  const known = new Map<string, V>();
  let calls = 0;
  let hits = 0;
  let useful = true;
  return (text) => {
    if (!useful) return compute(text);
    calls++;
    const remembered = known.get(text);
    if (remembered !== undefined) {
      hits++;
      return remembered;
    }
    if (calls >= TRIAL) {
      useful = hits * 2 >= calls;
      calls = 0;
      hits = 0;
      if (!useful) known.clear();
    }
    const value = compute(text);
    if (known.size >= CAPACITY) known.clear();
    known.set(detachText(text), value);
    return value;
  };
}
