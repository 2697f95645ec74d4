/**
 * Handles a file that comes again with different content. Unsent rows that it now lacks are not sent unless a person
 * decides so (H27). A row at which an upload broke off is now complete. An invalid row that was corrected at its source
 * is recognised by its cells, or by place and time (docs/decisions/mended-in-the-source.md); rows with a known key need
 * none of this.
 */
import type { LedgerDatabase } from "../ledger-database.js";
import { describeRow, EVENTS_OF_ROWS, inputOf, rowNumberOf, rowsOfInput } from "../rows.js";
import { Writer } from "../writer.js";
import { KNOWN_OF_INPUT } from "../known-rows.js";
import { isReferenceHeader } from "./corrections.js";
import { createCells, eachOnce } from "./row-cells.js";
import type { KeyedEvent } from "./event-keys.js";
import type { References } from "./references.js";

/** Earlier states of the same mapping's input, except corrected files and files of this import. */
export function createFileStates(database: LedgerDatabase, input: number, inputsOfImport: ReadonlySet<number>) {
  const found = database
    .rows<{ id: number; header: string; mine: string; isSame: number }>(
      `SELECT i.id, i.header, mine.header AS mine, i.name = mine.name AND i.sheet IS mine.sheet AS isSame
       FROM inputs mine JOIN inputs i USING (namespace, mapping_input) WHERE mine.id = @input AND i.id <> @input`,
      { input },
    )
    .filter(
      ({ id, header, mine }) => !inputsOfImport.has(id) && !isReferenceHeader(header) && !isReferenceHeader(mine),
    );
  const sameName = found.flatMap(({ id, isSame }) => (isSame === 1 ? [id] : []));
  const common = new Map<string, boolean>();
  return {
    earlier: found.map(({ id }) => id),
    /** With the same name and sheet. */
    sameName,
    isSameName: (earlier: number) => sameName.includes(earlier),
    /** Call when the whole file is staged. `inPlace`: in the same row of both. */
    haveEventsInCommon(earlier: number, inPlace = false) {
      const name = `${earlier} ${inPlace}`;
      const known = common.get(name) ?? haveEventsInCommon(database, earlier, input, inPlace);
      common.set(name, known);
      return known;
    },
  };
}

export type FileStates = ReturnType<typeof createFileStates>;

/**
 * Holds unsent events of rows that the file no longer has. A file with nothing in common with the earlier one is a
 * different file of that name. Call when the whole file is staged.
 */
export function stopGoneRows(database: LedgerDatabase, states: FileStates, now: number): void {
  const writer = new Writer(database);
  for (const earlier of states.sameName) {
    const gone = database.rows<{ event: number; row: number }>(
      `SELECT e.id AS event, min(re.row_id) AS "row" FROM ${EVENTS_OF_ROWS} AND e.input_id = @earlier AND e.state IN ('planned', 'held', 'deferred')
       GROUP BY e.id`,
      { ...rowsOfInput(earlier), earlier },
    );
    if (gone.length === 0 || !states.haveEventsInCommon(earlier)) continue;
    for (const { event, row } of gone) {
      const message = `${describeRow(database, row)}, was not sent yet, and the file has come again without it.`;
      writer.rowGone(event, row, message, now);
    }
  }
}

function haveEventsInCommon(database: LedgerDatabase, one: number, other: number, inPlace: boolean) {
  // `row`: the number of the row in its file; 0 for all if the place does not matter.
  const mask = inPlace ? 2 ** 32 - 1 : 0;
  const links = `SELECT event_id, row_id & @mask AS row FROM (SELECT row_id, event_id FROM row_events
    WHERE row_id BETWEEN @first AND @last UNION ALL SELECT row_id, event_id FROM ${KNOWN_OF_INPUT})`;
  database.exec(
    `CREATE TEMP TABLE IF NOT EXISTS events_of_file (event_id INTEGER, row INTEGER, PRIMARY KEY (event_id, row)) WITHOUT ROWID;
     DELETE FROM temp.events_of_file`,
  );
  database.run(`INSERT OR IGNORE INTO temp.events_of_file ${links}`, { ...rowsOfInput(one), mask });
  return database.has(`${links} WHERE (event_id, row) IN temp.events_of_file`, { ...rowsOfInput(other), mask });
}

/**
 * The row in which an earlier state of the file broke off: its last one, invalid and not settled. It is the same row if
 * its cells begin like the present ones.
 */
export function createCutRows(database: LedgerDatabase, states: FileStates) {
  const cells = createCells(database);
  const cut = states.sameName.flatMap((earlier) => {
    const id = database.value<number>(
      `SELECT r.id FROM invalid_rows r WHERE r.id BETWEEN @first AND @last AND r.lead IS NULL
         AND NOT EXISTS (SELECT 1 FROM rows WHERE id > r.id AND id <= @last)
         AND NOT EXISTS (SELECT 1 FROM row_events WHERE row_id > r.id AND row_id <= @last)
         AND NOT EXISTS (SELECT 1 FROM pages WHERE kind = 'known' AND last_id > r.id AND first_id <= @last)`,
      rowsOfInput(earlier),
    );
    const kept = id === null ? null : cells.of(id);
    return id === null || kept === null ? [] : [{ id, cells: kept.cells }];
  });
  return {
    /** The broken rows that this one completes. */
    completedBy: (row: { number: number; cells: readonly string[] }) =>
      cut
        .filter(({ id, cells: begun }) => rowNumberOf(id) === row.number && isBegunBy(row.cells, begun))
        .map(({ id }) => id),
  };
}

function isBegunBy(whole: readonly string[], begun: readonly string[]) {
  const last = begun.findLastIndex((cell) => cell !== "");
  if (last < 0 || !begun.slice(0, last).every((cell, position) => cell === whole[position])) return false;
  const rest = whole.slice(last);
  return (
    rest[0]?.startsWith(begun[last] ?? "") === true &&
    (rest[0] !== begun[last] || rest.slice(1).some((cell) => cell !== ""))
  );
}

export function createMendedRows(database: LedgerDatabase, states: FileStates, references: References) {
  database.exec(
    `CREATE TEMP TABLE IF NOT EXISTS open_by_number (number INTEGER, id INTEGER, PRIMARY KEY (number, id)) WITHOUT ROWID;
     DELETE FROM temp.open_by_number`,
  );
  const open = database.run(
    `INSERT INTO temp.open_by_number SELECT r.id & 4294967295, r.id FROM rows r INDEXED BY rows_invalid
     WHERE r.fate = 'invalid' AND r.settled IS NULL AND r.lead IS NULL AND (r.id >> 32) IN @inputs`,
    { inputs: states.earlier },
  );
  const matches: { before: number; after: number; events: readonly number[] }[] = [];

  /** The place of the earlier row; `at` null: its time could not be read. */
  const placedBy = (row: number) =>
    database.rows<{ document_id: number; at: number | null }>(
      "SELECT document_id, at FROM placements WHERE row_id = @row AND NOT makes",
      { row },
    );

  const isInPlaceOf = (before: number, fresh: readonly KeyedEvent[]) => {
    const placed = placedBy(before);
    if (placed.length === 0) return states.isSameName(inputOf(before));
    return fresh.some(({ record }) => {
      const document = references.findDocument(record.document.kind, record.document.key);
      return placed.some((one) => one.document_id === document && (one.at === null || one.at === record.at));
    });
  };

  return {
    /** Without open rows nothing is looked up. */
    any: open > 0,

    /** The open row with exactly these cells, whose fault was elsewhere. Null: none. */
    sameCells: eachOnce((hash, after) =>
      database.value<number>(
        `SELECT r.id FROM invalid_rows r JOIN temp.open_by_number o ON o.number = r.id & 4294967295 AND o.id = r.id
         WHERE r.cell_hash = @hash AND r.id > @after ORDER BY r.id LIMIT 1`,
        { hash, after },
      ),
    ),

    /**
     * Notes that `after`, a valid row, may be the corrected version of an open row of a file that was first read before its own.
     * `settledIn`: inputs of which it is another row's version already.
     */
    note(after: number, keyed: readonly KeyedEvent[], events: readonly number[], settledIn: ReadonlySet<number>) {
      const fresh = keyed.filter(({ stored }) => stored === null);
      if (fresh.length === 0) return;
      const candidates = database.values<number>(
        `SELECT r.id FROM temp.open_by_number o JOIN rows r ON r.id = o.id
         WHERE o.number = @number AND r.settled IS NULL AND r.id < @after
           AND NOT EXISTS (SELECT 1 FROM placements WHERE row_id = r.id AND deduplication_id IS NOT NULL)`,
        { number: rowNumberOf(after), after },
      );
      for (const before of candidates)
        if (!settledIn.has(inputOf(before)) && isInPlaceOf(before, fresh)) matches.push({ before, after, events });
    },

    /**
     * Call when the whole file is staged. Returns matches in files with the same name or with an event in common; without a
     * time both, or an event in the same row.
     */
    end: () =>
      matches.filter(({ before }) => {
        if (!database.has("SELECT 1 FROM rows WHERE id = @before AND settled IS NULL", { before })) return false;
        const isTimed = placedBy(before).some(({ at }) => at !== null);
        const isSameName = states.isSameName(inputOf(before));
        return (isSameName && isTimed) || states.haveEventsInCommon(inputOf(before), !isSameName && !isTimed);
      }),
  };
}
