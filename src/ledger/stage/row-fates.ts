/** Records the fate of staged rows and of their groups (P7). */
import type { MappedRow } from "../../model/records.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { latestOf, rowId, UNKNOWN_ROW } from "../rows.js";

export interface RowFate {
  fate: "skipped" | "invalid" | "known" | "staged";
  reason?: string | null;
  /** The hash of the row's cells, or of its whole group's. */
  cellHash?: Buffer;
  settled?: Settled | null;
}

export interface Settled {
  how: "corrected" | "dismissed";
  /** The row that replaced it; null: none, or unknown. */
  by: number | null;
}

export function createRowFates(database: LedgerDatabase, inputId: number) {
  /** By cells, the last settlement used: of equal rows of this input, only as many are settled as a person settled. */
  const used = new Map<string, Settled & { id: number; row: number }>();
  const add = (id: number, { fate, settled }: RowFate, more: object) =>
    database.add("rows", { id, fate, settled: settled?.how ?? null, settled_by: settled?.by ?? null, ...more });
  /** A correction that is still wrong itself, or was taken back, settles nothing. */
  const isInForce = (by: number) =>
    !database.has(
      "SELECT 1 FROM rows WHERE id = @latest AND (settled = 'withdrawn' OR fate = 'invalid' AND settled IS NULL)",
      { latest: latestOf(database, by) },
    );
  return {
    anyCorrected: database.has("SELECT 1 FROM dismissals WHERE row_id IS NOT NULL"),

    /**
     * How a person settled a row with these cells before; each settlement counts once (H23, H37), but a correction for
     * all rows of this input that say the same (`saysAgain`). Null: nobody did.
     */
    settledBefore(hash: Buffer, row: number, saysAgain = false): Settled | null {
      const name = hash.toString("latin1");
      const last = used.get(name);
      if (last?.row === row) return last;
      for (let after = last?.id ?? 0; ; ) {
        const next = database.row<Settled & { id: number }>(
          `SELECT id, iif(row_id IS NULL, 'dismissed', 'corrected') AS how, nullif(row_id, ${UNKNOWN_ROW}) AS "by" FROM dismissals
           WHERE cell_hash = @hash AND id > @after AND row_id IS NOT @row ORDER BY id LIMIT 1`,
          { hash, row, after },
        );
        if (next === null) return saysAgain && last?.how === "corrected" ? last : null;
        if (next.by === null || isInForce(next.by)) {
          used.set(name, { ...next, row });
          return next;
        }
        after = next.id;
      }
    },

    /** A row that contradicts another of this import is not corrected by it. */
    unsettle(hash: Buffer, imported: ReadonlySet<number>) {
      database.run("DELETE FROM dismissals WHERE cell_hash = @hash AND row_id >> 32 IN @imported", {
        hash,
        imported: [...imported],
      });
    },

    /** Whether this is the first time that rows with these cells come back uncorrected. */
    tellOnce: (hash: Buffer) =>
      database.run("UPDATE dismissals SET told = 1 WHERE cell_hash = @hash AND told = 0", { hash }) > 0,

    /** `withFirst`: false if the first row is known by its records alone. */
    addGroup({ row, rowId: key, alsoRows }: MappedRow, fate: RowFate, withFirst = true) {
      const lead = rowId(inputId, row);
      const own = { row_key: key, reason: fate.reason ?? null, cell_hash: fate.cellHash ?? null };
      if (withFirst) add(lead, fate, own);
      for (const also of alsoRows) add(rowId(inputId, also), fate, { lead });
    },
  };
}
