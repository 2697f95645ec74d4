/**
 * A file that comes again under its name with other bytes: rows of its earlier state that were not sent and are gone are
 * not sent without a person's word (HARD-CASES H27), and a row at which an upload had broken off is there whole now.
 */
import type { Database } from "better-sqlite3";
import { isReferenceHeader } from "./own-columns.js";
import { describeRow } from "../views/describe-row.js";
import { createKnownRows, type KnownRows } from "./known-rows.js";
import { createCellReader } from "./row-cells.js";
import { rowId, rowNumberOf } from "../row-id.js";

/** What was staged before of the same mapping's input, but for corrected files, which hold parts of others, and files of this import. */
export function createFileStates(database: Database, input: number, inputsOfImport: ReadonlySet<number>) {
  const found = database
    .prepare<[number], { id: number; header: string; mine: string; isSame: number }>(
      `SELECT i.id, i.header, mine.header AS mine, i.name = mine.name AND i.sheet IS mine.sheet AS isSame
       FROM inputs mine JOIN inputs i ON i.namespace = mine.namespace AND i.mapping_input = mine.mapping_input AND i.id <> mine.id
       WHERE mine.id = ?`,
    )
    .all(input)
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
      const known = common.get(earlier) ?? haveEventsInCommon(database, createKnownRows(database), earlier, input);
      common.set(earlier, known);
      return known;
    },
  };
}

const rangeOf = (input: number) => [rowId(input, 0), rowId(input + 1, 0) - 1] as const;

/**
 * Stops the events of rows that an earlier state of the file had, that were never sent, and that it has no longer. A file
 * that has nothing in common with the earlier one is another file of that name. To be called when all of it is staged.
 */
export function stopGoneRows(
  database: Database,
  {
    inputId,
    runId,
    inputsOfImport,
    now,
  }: { inputId: number; runId: number; inputsOfImport: ReadonlySet<number>; now: number },
): void {
  const unsent = database.prepare<[number, number, number], { document: number; event: number; row: number }>(
    `SELECT e.document_id AS document, e.id AS event, min(re.row_id) AS "row" FROM row_events re JOIN events_now e ON e.id = re.event_id
     WHERE re.row_id BETWEEN ? AND ? AND e.input_id = ? AND e.state IN ('planned', 'held', 'deferred')
     GROUP BY e.id`,
  );
  const stop = database.prepare<[number, number, number]>(
    `INSERT INTO event_states (document_id, event_id, state, reason, changed_at) VALUES (?, ?, 'rejected', 'row-gone', ?)
     ON CONFLICT (document_id, event_id) DO UPDATE SET state = 'rejected', reason = 'row-gone', waits_for = NULL,
       changed_at = excluded.changed_at`,
  );
  const say = database.prepare<[number, number, number, string, number]>(
    `INSERT INTO problems (run_id, row_id, subject, subject_id, stage, severity, code, message, at)
     VALUES (?, ?, 'event', ?, 'staging', 'error', 'row-gone', ?, ?)`,
  );
  const states = createFileStates(database, inputId, inputsOfImport);
  for (const earlier of states.sameName) {
    const gone = unsent.all(...rangeOf(earlier), earlier);
    if (gone.length === 0 || !states.haveEventsInCommon(earlier)) continue;
    for (const { document, event, row } of gone) {
      stop.run(document, event, now);
      say.run(
        runId,
        row,
        event,
        `${describeRow(database, row)}, was not sent yet, and the file has come again without it.`,
        now,
      );
    }
  }
}

function haveEventsInCommon(database: Database, knownRows: KnownRows, one: number, other: number): boolean {
  const both = database
    .prepare<[number, number, number, number], number>(
      `SELECT EXISTS (SELECT 1 FROM row_events a JOIN row_events b ON b.event_id = a.event_id
       WHERE a.row_id BETWEEN ? AND ? AND b.row_id BETWEEN ? AND ?)`,
    )
    .pluck();
  if (both.get(...rangeOf(one), ...rangeOf(other)) === 1) return true;
  database.exec("CREATE TEMP TABLE IF NOT EXISTS events_of_file (event_id INTEGER PRIMARY KEY)");
  database.exec("DELETE FROM temp.events_of_file");
  database
    .prepare<[number, number]>(
      "INSERT OR IGNORE INTO temp.events_of_file SELECT event_id FROM row_events WHERE row_id BETWEEN ? AND ?",
    )
    .run(...rangeOf(one));
  const add = database.prepare<[number]>("INSERT OR IGNORE INTO temp.events_of_file VALUES (?)");
  for (const { event } of knownRows.links(...rangeOf(one))) add.run(event);
  const has = database
    .prepare<[number], number>("SELECT EXISTS (SELECT 1 FROM temp.events_of_file WHERE event_id = ?)")
    .pluck();
  for (const { event } of knownRows.links(...rangeOf(other))) if (has.get(event) === 1) return true;
  return false;
}

/**
 * The row that an earlier state of the file broke off in, by its number: invalid, its last, and not yet settled. It is the
 * same row where its cells are the beginning of the cells that stand there now.
 */
export function createCutRows(database: Database, input: number, inputsOfImport: ReadonlySet<number>) {
  const lastInvalid = database
    .prepare<{ first: number; last: number }, number>(
      `SELECT r.id FROM rows r WHERE r.id BETWEEN @first AND @last AND r.fate = 'invalid' AND r.settled IS NULL AND r.lead IS NULL
         AND NOT EXISTS (SELECT 1 FROM rows WHERE id > r.id AND id <= @last)
         AND NOT EXISTS (SELECT 1 FROM row_events WHERE row_id > r.id AND row_id <= @last)
         AND NOT EXISTS (SELECT 1 FROM known_rows WHERE last_row > r.id AND first_row <= @last)`,
    )
    .pluck();
  const cells = createCellReader(database);
  const cut = new Map<number, { id: number; cells: string[] }[]>();
  for (const earlier of createFileStates(database, input, inputsOfImport).sameName) {
    const [first, last] = rangeOf(earlier);
    const id = lastInvalid.get({ first, last });
    const kept = id === undefined ? null : cells.of(id);
    if (id === undefined || kept === null) continue;
    const there = cut.get(rowNumberOf(id)) ?? [];
    cut.set(rowNumberOf(id), [...there, { id, cells: kept.cells }]);
  }
  return {
    /** Ids of the rows that have come whole as this one. */
    completedBy: (row: { number: number; cells: readonly string[] }): number[] =>
      (cut.get(row.number) ?? []).flatMap(({ id, cells: begun }) => (isBegunBy(row.cells, begun) ? [id] : [])),
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
