/** Copies of texts that are kept: a cell is a slice of its chunk of the file, and would keep all of it in memory. */

/** Shorter texts are copied by the engine anyway. */
const SHORTEST_SLICE = 13;

/** The same text, in memory of its own. */
export function detachText(text: string): string {
  return text.length < SHORTEST_SLICE ? text : Buffer.from(text, "utf16le").toString("utf16le");
}
