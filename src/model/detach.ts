/** Copies texts that are kept: a cell is a slice that keeps its whole chunk of the file in memory. */

/** The engine copies shorter texts anyway. */
const SHORTEST_SLICE = 13;

export function detachText(text: string): string {
  return text.length < SHORTEST_SLICE ? text : Buffer.from(text, "utf16le").toString("utf16le");
}
