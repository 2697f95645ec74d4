/**
 * A file that comes again under its name with other bytes: rows of its earlier state that were not sent and are gone are
 * not sent without a person's word (HARD-CASES H27), and a row at which an upload had broken off is there whole now.
 */
import type { LedgerDatabase } from "../ledger-database.js";
import { describeRow, rowNumberOf, rowsOfInput } from "../rows.js";
import { Writer } from "../writer.js";
import { createKnownRows } from "./known-rows.js";
import { isReferenceHeader } from "./own-columns.js";
import { createCells } from "./row-cells.js";

/** What was staged before of the same mapping's input, but for corrected files, which hold parts of others, and files of this import. */
export function createFileStates(database: LedgerDatabase, input: number, inputsOfImport: ReadonlySet<number>) {
  const found = database
    .rows<{ id: number; header: string; mine: string; isSame: number }>(
      `SELECT i.id, i.header, mine.header AS mine, i.name = mine.name AND i.sheet IS mine.sheet AS isSame
       FROM inputs mine JOIN inputs i ON i.namespace = mine.namespace AND i.mapping_input = mine.mapping_input AND i.id <> mine.id
       WHERE mine.id = @input`,
      { input },
    )
    .filter(
      ({ id, header, mine }) => !inputsOfImport.has(id) && !isReferenceHeader(header) && !isReferenceHeader(mine),
    );
  const sameName = found.flatMap(({ id, isSame }) => (isSame === 1 ? [id] : []));
  const common = new Map<number, boolean>();
  return {
    earlier: found.map(({ id }) => id),
    /** Earlier states of a file of this name and sheet. */
    sameName,
    isSameName: (earlier: number): boolean => sameName.includes(earlier),
    /** To be asked when all of the file is staged. */
    haveEventsInCommon(earlier: number): boolean {
      const known = common.get(earlier) ?? haveEventsInCommon(database, earlier, input);
      common.set(earlier, known);
      return known;
    },
  };
}

export type FileStates = ReturnType<typeof createFileStates>;

/**
 * Stops the events of rows that an earlier state of the file had, that were never sent, and that it has no longer. A file
 * that has nothing in common with the earlier one is another file of that name. To be called when all of it is staged.
 */
export function stopGoneRows(database: LedgerDatabase, states: FileStates, run: number, now: number): void {
  const writer = new Writer(database);
  for (const earlier of states.sameName) {
    const gone = database.rows<{ event: number; row: number }>(
      `SELECT e.id AS event, min(re.row_id) AS "row" FROM row_events re JOIN events_now e ON e.id = re.event_id
       WHERE re.row_id BETWEEN @first AND @last AND e.input_id = @earlier AND e.state IN ('planned', 'held', 'deferred')
       GROUP BY e.id`,
      { ...rowsOfInput(earlier), earlier },
    );
    if (gone.length === 0 || !states.haveEventsInCommon(earlier)) continue;
    for (const { event, row } of gone) {
      const message = `${describeRow(database, row)}, was not sent yet, and the file has come again without it.`;
      writer.rowGone(event, row, message, run, now);
    }
  }
}

function haveEventsInCommon(database: LedgerDatabase, one: number, other: number): boolean {
  const [its, theirs] = [rowsOfInput(one), rowsOfInput(other)];
  database.exec(
    "CREATE TEMP TABLE IF NOT EXISTS events_of_file (event_id INTEGER PRIMARY KEY); DELETE FROM temp.events_of_file",
  );
  database.run(
    "INSERT OR IGNORE INTO temp.events_of_file SELECT event_id FROM row_events WHERE row_id BETWEEN @first AND @last",
    its,
  );
  const knownRows = createKnownRows(database);
  for (const { event } of knownRows.links(its.first, its.last))
    database.run("INSERT OR IGNORE INTO temp.events_of_file VALUES (@event)", { event });
  const isThere = database.has(
    "SELECT 1 FROM row_events WHERE row_id BETWEEN @first AND @last AND event_id IN (SELECT event_id FROM temp.events_of_file)",
    theirs,
  );
  if (isThere) return true;
  for (const { event } of knownRows.links(theirs.first, theirs.last))
    if (database.has("SELECT 1 FROM temp.events_of_file WHERE event_id = @event", { event })) return true;
  return false;
}

/**
 * The row that an earlier state of the file broke off in, by its number: invalid, its last, and not yet settled. It is the
 * same row where its cells are the beginning of the cells that are there now.
 */
export function createCutRows(database: LedgerDatabase, states: FileStates) {
  const cells = createCells(database);
  const cut = states.sameName.flatMap((earlier) => {
    const id = database.value<number>(
      `SELECT r.id FROM rows r WHERE r.id BETWEEN @first AND @last AND r.fate = 'invalid' AND r.settled IS NULL AND r.lead IS NULL
         AND NOT EXISTS (SELECT 1 FROM rows WHERE id > r.id AND id <= @last)
         AND NOT EXISTS (SELECT 1 FROM row_events WHERE row_id > r.id AND row_id <= @last)
         AND NOT EXISTS (SELECT 1 FROM row_pages WHERE kind = 'known' AND last_row > r.id AND first_row <= @last)`,
      rowsOfInput(earlier),
    );
    const kept = id === undefined ? null : cells.of(id);
    return id === undefined || kept === null ? [] : [{ id, cells: kept.cells }];
  });
  return {
    /** Ids of the rows that have come whole as this one. */
    completedBy: (row: { number: number; cells: readonly string[] }): number[] =>
      cut
        .filter(({ id, cells: begun }) => rowNumberOf(id) === row.number && isBegunBy(row.cells, begun))
        .map(({ id }) => id),
  };
}

function isBegunBy(whole: readonly string[], begun: readonly string[]): boolean {
  const last = begun.findLastIndex((cell) => cell !== "");
  if (last < 0 || !begun.slice(0, last).every((cell, position) => cell === whole[position])) return false;
  const rest = whole.slice(last);
  return (
    rest[0]?.startsWith(begun[last] ?? "") === true &&
    (rest[0] !== begun[last] || rest.slice(1).some((cell) => cell !== ""))
  );
}
