/** Writes down what became of a row when it was staged, and of the further rows of its group (P7). */
import type { Database } from "better-sqlite3";
import type { MappedRow } from "../../model/mapped-row.js";
import { rowId } from "../row-id.js";

export interface RowFate {
  fate: "skipped" | "invalid" | "known" | "staged";
  reason?: string | null;
  /** Of the row's, or the whole group's, cells. */
  cellHash?: Buffer;
  settled?: Settled | null;
}

export interface Settled {
  how: "corrected" | "dismissed";
  /** The row that has come instead; null: none has, or it is not known. */
  by: number | null;
}

export function createRowFates(database: Database, inputId: number) {
  const add = database.prepare<
    [number, string, string | null, string | null, number | null, Buffer | null, string | null, number | null]
  >(
    `INSERT INTO rows (id, fate, reason, row_key, lead, cell_hash, settled, settled_by)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const settledBefore = database.prepare<[Buffer, number], Settled>(
    `SELECT iif(row_id IS NULL, 'dismissed', 'corrected') AS how, row_id AS "by" FROM dismissals
     WHERE cell_hash = ? AND row_id IS NOT ? ORDER BY id DESC LIMIT 1`,
  );
  const tell = database.prepare<[Buffer]>("UPDATE dismissals SET told = 1 WHERE cell_hash = ? AND told = 0");
  /** How many rows of this input had cells that were corrected: of twins as many are settled as were corrected. */
  const seen = new Map<string, number>();
  const corrections = database.prepare<[Buffer, number], Settled>(
    `SELECT 'corrected' AS how, row_id AS "by" FROM dismissals WHERE cell_hash = ? AND row_id <> ? ORDER BY id`,
  );
  return {
    /** Whether any row was ever corrected; without any, no row is looked up. */
    anyCorrected:
      database
        .prepare<[], number>("SELECT EXISTS (SELECT 1 FROM dismissals WHERE row_id IS NOT NULL)")
        .pluck()
        .get() === 1,

    /** The correction of a row of these cells that has come before, once for each (HARD-CASES H37). Null: there is none. */
    correctedBefore(cellHash: Buffer, row: number): Settled | null {
      const found = corrections.all(cellHash, row);
      if (found.length === 0) return null;
      const name = cellHash.toString("latin1");
      const nth = seen.get(name) ?? 0;
      seen.set(name, nth + 1);
      return found[nth] ?? null;
    },

    /** Whether it has not been said before that rows of these cells come back uncorrected. */
    tellOnce: (cellHash: Buffer): boolean => tell.run(cellHash).changes > 0,

    /** A person has given up, or corrected, a row of these cells before (HARD-CASES H23). Null: nobody has. */
    settledBefore: (cellHash: Buffer, row: number): Settled | null => settledBefore.get(cellHash, row) ?? null,

    add({ row, rowId: key }: MappedRow, { fate, reason = null, cellHash, settled }: RowFate): void {
      add.run(
        rowId(inputId, row),
        fate,
        reason,
        key,
        null,
        cellHash ?? null,
        settled?.how ?? null,
        settled?.by ?? null,
      );
    },

    addMembers({ row, alsoRows }: MappedRow, { fate, settled }: RowFate): void {
      const lead = rowId(inputId, row);
      for (const also of alsoRows)
        add.run(rowId(inputId, also), fate, null, null, lead, null, settled?.how ?? null, settled?.by ?? null);
    },
  };
}
