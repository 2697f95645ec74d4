/** Ids and names of rows, and their groups. */
import type { LedgerDatabase } from "./ledger-database.js";

/** A row's id is `input * 2^32 + row number`. */
const ROWS = 2 ** 32;

export const rowId = (input: number, row: number): number => input * ROWS + row;
export const inputOf = (id: number): number => Math.floor(id / ROWS);
export const rowNumberOf = (id: number): number => id % ROWS;

export const rowsOfInput = (input: number): { first: number; last: number } => ({
  first: rowId(input, 0),
  last: rowId(input + 1, 0) - 1,
});

/** In SQL, the events of rows from @first to @last. */
export const EVENTS_OF_ROWS =
  "row_events re JOIN events_now e ON e.id = re.event_id WHERE re.row_id BETWEEN @first AND @last";

/** In SQL, of a row and the input `i`. */
export const isInInput = (id: string): string => `${id} >= i.id << 32 AND ${id} < (i.id + 1) << 32`;

/** Links a row of a rejected file to its input: `a1b2c3d4-3:17`. Excel does not change it. */
export function rowReference(contentHash: string, id: number): string {
  return `${contentHash.slice(0, 8)}-${inputOf(id)}:${rowNumberOf(id)}`;
}

/** In SQL, of a row of the input `i`. */
export const referenceOf = (id: string): string =>
  `substr(i.content_hash, 1, 8) || '-' || i.id || ':' || (${id} & 4294967295)`;

/** Null: not such a reference. */
export function parseRowReference(text: string): { hashPrefix: string; row: number } | null {
  const match = /^([0-9a-f]{8})-(\d{1,6}):(\d{1,9})$/.exec(text.trim());
  if (match === null) return null;
  const [, hashPrefix = "", input = "", row = ""] = match;
  return { hashPrefix, row: rowId(Number(input), Number(row)) };
}

/** SQL for `manifests.csv, row 17`; for an unknown row, `an earlier import`. */
export const rowName = (id: string): string =>
  `coalesce((SELECT place_of(name, sheet, ${id} & 4294967295) FROM inputs WHERE id = ${id} >> 32), 'an earlier import')`;

/** The same; null: no row. */
export const rowNameOrNull = (id: string): string => `iif(${id} IS NULL, NULL, ${rowName(id)})`;

export const describeRow = (database: LedgerDatabase, id: number | null): string =>
  database.value<string>(`SELECT ${rowName("@id")}`, { id }) ?? "";

/** In `dismissals`: the row was corrected, and only a journal knows by what. */
export const UNKNOWN_ROW = 0;

/** Of the row's file; null: the ledger does not know the file. */
export function headerBeside(database: LedgerDatabase, row: number): string[] | null {
  const header = database.value<string>("SELECT header FROM inputs WHERE id = @input", { input: inputOf(row) });
  return header === null ? null : (JSON.parse(header) as string[]);
}

/** In SQL, of a row: its file was read by the same input of the same mapping as input @input. */
export const ofSameMapping = (id: string): string =>
  `(${id} >> 32) IN (SELECT i.id FROM inputs mine JOIN inputs i USING (namespace, mapping_input) WHERE mine.id = @input)`;

/** The row and, if it begins a group, the rest of the group; in row order. Skipped rows may lie in between. */
export function groupOf(database: LedgerDatabase, lead: number): number[] {
  const group = [lead];
  const after = "SELECT id, lead FROM rows WHERE id > @lead AND NOT (fate = 'skipped' AND lead IS NULL) ORDER BY id";
  for (const row of database.each<{ id: number; lead: number | null }>(after, { lead })) {
    if (row.lead !== lead) break;
    group.push(row.id);
  }
  return group;
}

/** By the first rows of groups: how many rows they have. */
export const sizeOfGroups = (database: LedgerDatabase, leads: readonly number[]): number =>
  leads.reduce((sum, lead) => sum + groupOf(database, lead).length, 0);

/** Without a group, the row itself. */
export function leadOf(database: LedgerDatabase, id: number): number {
  return database.value<number>("SELECT coalesce(lead, id) FROM rows WHERE id = @id", { id }) ?? id;
}

/**
 * The newest version of a row that was corrected or came again; in a group, the row in the same place. Versions of the
 * input `except` do not count.
 */
export function latestOf(database: LedgerDatabase, row: number, except: number | null = null): number {
  const lead = leadOf(database, row);
  const seen = new Set<number>();
  let latest = lead;
  for (;;) {
    seen.add(latest);
    const by = "SELECT settled_by FROM rows WHERE id = @latest";
    const next: number | null = database.value<number>(by, { latest });
    if (next === null || inputOf(next) === except || seen.has(next)) break;
    latest = next;
  }
  return groupOf(database, leadOf(database, latest))[groupOf(database, lead).indexOf(row)] ?? row;
}

/** Nobody corrects a row more often than that. */
const MOST_TURNS = 20;

/** By row of a file with corrections from the page: the row that it corrects, as it came first. */
export function correctedHere(database: LedgerDatabase, rows: readonly number[]): Map<number, number> {
  const firsts = new Map(rows.map((row) => [row, row]));
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    const before = database.rows<{ id: number; by: number }>(
      `SELECT r.id, r.settled_by AS "by" FROM rows r JOIN inputs i ON i.id = r.settled_by >> 32
       WHERE r.settled_by IN @rows AND i.name GLOB '*.corrected-*'`,
      { rows: [...firsts.values()] },
    );
    if (before.length === 0) break;
    const earlier = new Map(before.map(({ id, by }) => [by, id]));
    for (const [row, first] of firsts) firsts.set(row, earlier.get(first) ?? first);
  }
  return firsts;
}

/** With the rest of the group that the row begins. A row without an entry of its own gets one. */
export function settleGroup(database: LedgerDatabase, lead: number, how: "corrected" | "superseded", by: number): void {
  for (const row of groupOf(database, lead))
    database.run(
      `INSERT INTO rows (id, fate, settled, settled_by) VALUES (@row, 'staged', @how, @by)
       ON CONFLICT (id) DO UPDATE SET settled = @how, settled_by = @by`,
      { row, how, by },
    );
}
