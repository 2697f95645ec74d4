/** Records the fate of staged rows and of their groups (P7). */
import type { MappedRow } from "../../model/mapped-row.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { rowId } from "../rows.js";

export interface RowFate {
  fate: "skipped" | "invalid" | "known" | "staged";
  reason?: string | null;
  /** Of the row, or of its whole group. */
  cellHash?: Buffer;
  settled?: Settled | null;
}

export interface Settled {
  how: "corrected" | "dismissed";
  /** The row that replaced it; null: none, or unknown. */
  by: number | null;
}

export function createRowFates(database: LedgerDatabase, inputId: number) {
  /** How many rows of this input had corrected cells: of equal rows, only as many as were corrected are settled. */
  const seen = new Map<string, number>();
  const add = (id: number, { fate, settled }: RowFate, more: object = {}): void => {
    database.run(
      `INSERT INTO rows (id, fate, reason, row_key, lead, cell_hash, settled, settled_by)
       VALUES (@id, @fate, @reason, @key, @lead, @cellHash, @how, @by)`,
      { reason: null, key: null, lead: null, cellHash: null, how: null, by: null, ...more, ...settled, id, fate },
    );
  };
  return {
    anyCorrected: database.has("SELECT 1 FROM dismissals WHERE row_id IS NOT NULL"),

    /** A correction of a row with these cells; each counts once (H37). Null: none. */
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

    /** Whether this is the first time that rows with these cells come back uncorrected. */
    tellOnce: (hash: Buffer): boolean =>
      database.run("UPDATE dismissals SET told = 1 WHERE cell_hash = @hash AND told = 0", { hash }) > 0,

    /** A person dismissed or corrected a row with these cells before (H23). Null: nobody did. */
    settledBefore: (hash: Buffer, row: number): Settled | null =>
      database.row<Settled>(
        `SELECT iif(row_id IS NULL, 'dismissed', 'corrected') AS how, row_id AS "by" FROM dismissals
         WHERE cell_hash = @hash AND row_id IS NOT @row ORDER BY id DESC LIMIT 1`,
        { hash, row },
      ) ?? null,

    addGroup({ row, rowId: key, alsoRows }: MappedRow, fate: RowFate): void {
      const lead = rowId(inputId, row);
      add(lead, fate, { key, reason: fate.reason ?? null, cellHash: fate.cellHash ?? null });
      for (const also of alsoRows) add(rowId(inputId, also), fate, { lead });
    },

    /** Without the first row. */
    addMembers({ row, alsoRows }: MappedRow, fate: RowFate): void {
      for (const also of alsoRows) add(rowId(inputId, also), fate, { lead: rowId(inputId, row) });
    },
  };
}
