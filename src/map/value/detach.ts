/** Copies for what is kept: a cell is a slice of its chunk of the file, and would keep all of it in memory. */

/** Shorter texts are copied by the engine anyway. */
const SHORTEST_SLICE = 13;

/** The same text, in memory of its own. */
export function detachText(text: string): string {
  return text.length < SHORTEST_SLICE ? text : Buffer.from(text, "utf16le").toString("utf16le");
}

/** Plain data whose texts, at any depth, are detached. */
export function detach<T>(value: T): T {
  if (typeof value === "string") return detachText(value) as T;
  if (Array.isArray(value)) return value.map((entry: unknown) => detach(entry)) as T;
  if (value === null || typeof value !== "object") return value;
  const copy: { [name: string]: unknown } = {};
  for (const name of Object.keys(value)) copy[name] = detach((value as { [name: string]: unknown })[name]);
  return copy as T;
}
