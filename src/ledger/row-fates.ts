/** Writes down what became of a row when it was staged, and of the further rows of its group (P7). */
import type { Database } from "better-sqlite3";
import type { MappedRow } from "../model/mapped-row.js";
import { rowId } from "./row-id.js";

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
  return {
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
