/**
 * Rows that were mended where they came from: an invalid row whose event could not be told is known again by its cells, or by
 * its place and its time (docs/decisions/mended-in-the-source.md). Rows whose event could be told are known by its key.
 */
import type { Database } from "better-sqlite3";
import type { KeyedEvent } from "./event-keys.js";
import type { References } from "./references.js";
import { inputOf, rowNumberOf } from "../row-id.js";
import { createFileStates } from "./same-file.js";

interface OpenRow {
  id: number;
  cell_hash: Buffer | null;
}

interface Match {
  before: number;
  after: number;
  events: readonly number[];
}

/** What the row before would have put where; `at` null: at a time that could not be read. */
interface Placed {
  document_id: number;
  at: number | null;
}

export function createMendedRows(
  database: Database,
  input: number,
  inputsOfImport: ReadonlySet<number>,
  references: Pick<References, "findDocument">,
) {
  const states = createFileStates(database, input, inputsOfImport);
  database.exec(
    `CREATE TEMP TABLE IF NOT EXISTS open_by_number (number INTEGER, id INTEGER, PRIMARY KEY (number, id)) WITHOUT ROWID;
     DELETE FROM temp.open_by_number`,
  );
  const { changes } = database
    .prepare(
      `INSERT INTO temp.open_by_number SELECT r.id & 4294967295, r.id FROM rows r INDEXED BY rows_invalid
       WHERE r.fate = 'invalid' AND r.settled IS NULL AND r.lead IS NULL AND (r.id >> 32) IN (SELECT value FROM json_each(?))`,
    )
    .run(JSON.stringify(states.earlier));
  const openAt = database.prepare<[number], OpenRow>(
    `SELECT r.id, r.cell_hash FROM temp.open_by_number o JOIN rows r ON r.id = o.id
     WHERE o.number = ? AND r.settled IS NULL AND NOT EXISTS (
       SELECT 1 FROM placements WHERE row_id = r.id AND deduplication_id IS NOT NULL)`,
  );
  const sameCells = database
    .prepare<[Buffer], number>(
      `SELECT r.id FROM rows r JOIN temp.open_by_number o ON o.number = r.id & 4294967295 AND o.id = r.id
       WHERE r.cell_hash = ? AND r.fate = 'invalid' AND r.settled IS NULL ORDER BY r.id LIMIT 1`,
    )
    .pluck();
  const placedBy = database.prepare<[number], Placed>("SELECT document_id, at FROM placements WHERE row_id = ?");
  const isOpen = database.prepare<[number], number>("SELECT settled IS NULL FROM rows WHERE id = ?").pluck();
  const matches: Match[] = [];

  const isInPlaceOf = (before: number, fresh: readonly KeyedEvent[]): boolean => {
    const placed = placedBy.all(before);
    const isCertain = states.isSameName(inputOf(before));
    if (placed.length === 0) return isCertain;
    return fresh.some(({ record }) => {
      const document = references.findDocument(record.document.kind, record.document.key);
      return placed.some((one) => one.document_id === document && (one.at === null || one.at === record.at));
    });
  };

  return {
    /** Whether any row of an earlier file is open; without one, nothing is looked up. */
    any: changes > 0,

    /** The open row of just these cells: what was wrong was not in it. Null: none. */
    sameCells: (hash: Buffer): number | null => sameCells.get(hash) ?? null,

    /** Notes that `after`, a valid row, may be what an open row of its number was mended to. */
    note(after: number, keyed: readonly KeyedEvent[], events: readonly number[]): void {
      const fresh = keyed.filter(({ known, stored }) => known === null && stored === undefined);
      if (fresh.length === 0) return;
      for (const { id } of openAt.all(rowNumberOf(after)))
        if (isInPlaceOf(id, fresh)) matches.push({ before: id, after, events });
    },

    /** When all of the file is staged: those whose file had more than this row in common with it, or was of its name. */
    end(): Match[] {
      return matches.filter(({ before }) => {
        if (isOpen.get(before) !== 1) return false;
        const placed = placedBy.all(before);
        const isTimed = placed.some(({ at }) => at !== null);
        return (states.isSameName(inputOf(before)) && isTimed) || states.haveEventsInCommon(inputOf(before));
      });
    },
  };
}
