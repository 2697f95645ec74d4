/** Rows of inputs: their ids, how they are named, and the groups that they form. */
import type { LedgerDatabase } from "./ledger-database.js";

/** Rows are numbered `input * 2^32 + row number`: one integer names a row of any input. */
const ROWS = 2 ** 32;

export const rowId = (input: number, row: number): number => input * ROWS + row;
export const inputOf = (id: number): number => Math.floor(id / ROWS);
export const rowNumberOf = (id: number): number => id % ROWS;

/** The first and the last id that a row of this input can have. */
export const rowsOfInput = (input: number): { first: number; last: number } => ({
  first: rowId(input, 0),
  last: rowId(input + 1, 0) - 1,
});

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

/** Selects `manifests.csv, row 17`; for a row that is not known, `an earlier import`. */
export const rowName = (id: string): string =>
  `coalesce((SELECT place_of(name, sheet, ${id} & 4294967295) FROM inputs WHERE id = ${id} >> 32), 'an earlier import')`;

/** The same text. */
export const describeRow = (database: LedgerDatabase, id: number | null): string =>
  database.value<string>(`SELECT ${rowName("@id")}`, { id }) ?? "";

/** The further rows of a group, which come right after its first: ids in row order; none where the row is no group's first. */
export function membersOf(database: LedgerDatabase, lead: number): number[] {
  const members: number[] = [];
  const after = "SELECT id, lead FROM rows WHERE id > @lead ORDER BY id";
  for (const row of database.each<{ id: number; lead: number | null }>(after, { lead })) {
    if (row.lead !== lead) break;
    members.push(row.id);
  }
  return members;
}

/** The first row of its group; without one, the row itself. */
export function leadOf(database: LedgerDatabase, id: number): number {
  return database.value<number>("SELECT coalesce(lead, id) FROM rows WHERE id = @id", { id }) ?? id;
}
