/**
 * A file that comes again under its name with other bytes: rows of its earlier state that were not sent and are gone are
 * not sent without a person's word (HARD-CASES H27), and a row at which an upload had broken off is there whole now. Rows that
 * were mended where they came from: an invalid row whose event could not be told is known again by its cells, or by its place and
 * its time (docs/decisions/mended-in-the-source.md). Rows whose event could be told are known by its key.
 */
import type { LedgerDatabase } from "../ledger-database.js";
import { describeRow, inputOf, rowNumberOf, rowsOfInput } from "../rows.js";
import { Writer } from "../writer.js";
import { createKnownRows } from "../known-rows.js";
import { isReferenceHeader } from "./corrections.js";
import { createCells } from "./row-cells.js";
import type { KeyedEvent } from "./event-keys.js";
import type { References } from "./references.js";

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

interface Match {
  before: number;
  after: number;
  events: readonly number[];
}

export function createMendedRows(database: LedgerDatabase, states: FileStates, references: References) {
  database.exec(
    `CREATE TEMP TABLE IF NOT EXISTS open_by_number (number INTEGER, id INTEGER, PRIMARY KEY (number, id)) WITHOUT ROWID;
     DELETE FROM temp.open_by_number`,
  );
  const open = database.run(
    `INSERT INTO temp.open_by_number SELECT r.id & 4294967295, r.id FROM rows r INDEXED BY rows_invalid
     WHERE r.fate = 'invalid' AND r.settled IS NULL AND r.lead IS NULL AND (r.id >> 32) IN (SELECT value FROM json_each(@inputs))`,
    { inputs: JSON.stringify(states.earlier) },
  );
  const matches: Match[] = [];

  /** What the row before would have put where; `at` null: at a time that could not be read. */
  const placedBy = (row: number) =>
    database.rows<{ document_id: number; at: number | null }>(
      "SELECT document_id, at FROM placements WHERE row_id = @row",
      { row },
    );

  const isInPlaceOf = (before: number, fresh: readonly KeyedEvent[]): boolean => {
    const placed = placedBy(before);
    if (placed.length === 0) return states.isSameName(inputOf(before));
    return fresh.some(({ record }) => {
      const document = references.findDocument(record.document.kind, record.document.key);
      return placed.some((one) => one.document_id === document && (one.at === null || one.at === record.at));
    });
  };

  return {
    /** Whether any row of an earlier file is open; without one, nothing is looked up. */
    any: open > 0,

    /** The open row of just these cells: what was wrong was not in it. Null: none. */
    sameCells: (hash: Buffer): number | null =>
      database.value<number>(
        `SELECT r.id FROM rows r JOIN temp.open_by_number o ON o.number = r.id & 4294967295 AND o.id = r.id
         WHERE r.cell_hash = @hash AND r.fate = 'invalid' AND r.settled IS NULL ORDER BY r.id LIMIT 1`,
        { hash },
      ) ?? null,

    /** Notes that `after`, a valid row, may be what an open row of its number was mended to. */
    note(after: number, keyed: readonly KeyedEvent[], events: readonly number[]): void {
      const fresh = keyed.filter(({ stored }) => stored === undefined);
      if (fresh.length === 0) return;
      const candidates = database.values<number>(
        `SELECT r.id FROM temp.open_by_number o JOIN rows r ON r.id = o.id
         WHERE o.number = @number AND r.settled IS NULL
           AND NOT EXISTS (SELECT 1 FROM placements WHERE row_id = r.id AND deduplication_id IS NOT NULL)`,
        { number: rowNumberOf(after) },
      );
      for (const before of candidates) if (isInPlaceOf(before, fresh)) matches.push({ before, after, events });
    },

    /** When all of the file is staged: those whose file had more than this row in common with it, or was of its name. */
    end: (): Match[] =>
      matches.filter(({ before }) => {
        if (!database.has("SELECT 1 FROM rows WHERE id = @before AND settled IS NULL", { before })) return false;
        const isTimed = placedBy(before).some(({ at }) => at !== null);
        return (states.isSameName(inputOf(before)) && isTimed) || states.haveEventsInCommon(inputOf(before));
      }),
  };
}
