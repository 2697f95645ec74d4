/**
 * Rows that were mended where they came from: an invalid row whose event could not be told is known again by its cells, or by
 * its place and its time (docs/decisions/mended-in-the-source.md). Rows whose event could be told are known by its key.
 */
import type { LedgerDatabase } from "../ledger-database.js";
import { inputOf, rowNumberOf } from "../rows.js";
import type { KeyedEvent } from "./event-keys.js";
import type { References } from "./references.js";
import type { FileStates } from "./same-file.js";

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
