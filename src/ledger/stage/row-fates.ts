/** Writes down what became of a row when it was staged, and of the further rows of its group (P7). */
import type { MappedRow } from "../../model/mapped-row.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { rowId } from "../rows.js";

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

export function createRowFates(database: LedgerDatabase, inputId: number) {
  /** How many rows of this input had cells that were corrected: of twins as many are settled as were corrected. */
  const seen = new Map<string, number>();
  const add = (id: number, { fate, settled }: RowFate, more: object = {}): void => {
    database.run(
      `INSERT INTO rows (id, fate, reason, row_key, lead, cell_hash, settled, settled_by)
       VALUES (@id, @fate, @reason, @key, @lead, @cellHash, @how, @by)`,
      { reason: null, key: null, lead: null, cellHash: null, how: null, by: null, ...more, ...settled, id, fate },
    );
  };
  return {
    /** Whether any row was ever corrected; without any, no row is looked up. */
    anyCorrected: database.has("SELECT 1 FROM dismissals WHERE row_id IS NOT NULL"),

    /** The correction of a row of these cells that has come before, once for each (HARD-CASES H37). Null: there is none. */
    correctedBefore(hash: Buffer, row: number): Settled | null {
      const found = database.rows<Settled>(
        `SELECT 'corrected' AS how, row_id AS "by" FROM dismissals WHERE cell_hash = @hash AND row_id <> @row ORDER BY id`,
        { hash, row },
      );
      if (found.length === 0) return null;
      const name = hash.toString("latin1");
      const nth = seen.get(name) ?? 0;
      seen.set(name, nth + 1);
      return found[nth] ?? null;
    },

    /** Whether it has not been said before that rows of these cells come back uncorrected. */
    tellOnce: (hash: Buffer): boolean =>
      database.run("UPDATE dismissals SET told = 1 WHERE cell_hash = @hash AND told = 0", { hash }) > 0,

    /** A person has given up, or corrected, a row of these cells before (HARD-CASES H23). Null: nobody has. */
    settledBefore: (hash: Buffer, row: number): Settled | null =>
      database.row<Settled>(
        `SELECT iif(row_id IS NULL, 'dismissed', 'corrected') AS how, row_id AS "by" FROM dismissals
         WHERE cell_hash = @hash AND row_id IS NOT @row ORDER BY id DESC LIMIT 1`,
        { hash, row },
      ) ?? null,

    /** Of a row and the further rows of its group. */
    addGroup({ row, rowId: key, alsoRows }: MappedRow, fate: RowFate): void {
      const lead = rowId(inputId, row);
      add(lead, fate, { key, reason: fate.reason ?? null, cellHash: fate.cellHash ?? null });
      for (const also of alsoRows) add(rowId(inputId, also), fate, { lead });
    },

    /** Of the further rows of its group alone. */
    addMembers({ row, alsoRows }: MappedRow, fate: RowFate): void {
      for (const also of alsoRows) add(rowId(inputId, also), fate, { lead: rowId(inputId, row) });
    },
  };
}
