/** Copies for what is kept: a cell is a slice of its chunk of the file, and would keep all of it in memory. */
import { isExactNumber } from "../../model/json.js";
import { detachText } from "../../model/detach.js";

export { detachText };

/** Plain data whose texts, at any depth, are detached. */
export function detach<T>(value: T): T {
  if (typeof value === "string") return detachText(value) as T;
  if (Array.isArray(value)) return value.map((entry: unknown) => detach(entry)) as T;
  if (value === null || typeof value !== "object" || isExactNumber(value)) return value;
  const copy: { [name: string]: unknown } = {};
  for (const name of Object.keys(value)) copy[name] = detach((value as { [name: string]: unknown })[name]);
  return copy as T;
}
