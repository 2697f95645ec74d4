/** Rows are numbered `input * 2^32 + row number`: one integer names a row of any input. */
const ROWS = 2 ** 32;

export const rowId = (input: number, row: number): number => input * ROWS + row;
export const inputOf = (id: number): number => Math.floor(id / ROWS);
export const rowNumberOf = (id: number): number => id % ROWS;

/** The text that binds a row of a rejected file to its input: `a1b2c3d4-3:17`. Excel leaves it alone. */
export function rowReference(contentHash: string, id: number): string {
  return `${contentHash.slice(0, 8)}-${inputOf(id)}:${rowNumberOf(id)}`;
}

/** Reads `rowReference`'s text; null when it is something else. */
export function parseRowReference(text: string): { hashPrefix: string; row: number } | null {
  const match = /^([0-9a-f]{8})-(\d{1,6}):(\d{1,9})$/.exec(text.trim());
  if (match === null) return null;
  const [, hashPrefix = "", input = "", row = ""] = match;
  return { hashPrefix, row: rowId(Number(input), Number(row)) };
}
