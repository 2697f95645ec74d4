/** Cells as read, of rows that have not landed: what a rejected file is written from. */
import { createHash } from "node:crypto";
import type { CellKind, Row } from "../../model/row.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { createPages, type Entry } from "../pages.js";

/** The same cells give the same hash, wherever the row stands (HARD-CASES H23). Of a group: of all its rows' cells. */
export function cellHash(cells: readonly string[]): Buffer {
  return createHash("sha256").update(JSON.stringify(cells)).digest().subarray(0, 16);
}

export interface KeptCells {
  cells: string[];
  /** Null: all text. */
  kinds: CellKind[] | null;
}

export type PackedCells = [cells: string[], kinds?: CellKind[]];

export const keptCells = ([cells, kinds]: PackedCells): KeptCells => ({ cells, kinds: kinds ?? null });

export function createCells(database: LedgerDatabase) {
  const pages = createPages<PackedCells>(database, "cells");
  return {
    /** Of a row, or of all rows of a group, which stay together; `first`: the id of the first one. */
    keep(first: number, rows: readonly Row[]): void {
      const offset = first - (rows[0]?.number ?? 0);
      pages.add(
        rows.map(
          ({ number, cells, kinds }): Entry<PackedCells> => [
            offset + number,
            kinds === null ? [cells] : [cells, kinds],
          ],
        ),
      );
    },

    /** At the end of an input. */
    flush: pages.flush,

    /** Null: the ledger does not have them (any more). */
    of(row: number): KeptCells | null {
      const packed = pages.of(row);
      return packed === undefined ? null : keptCells(packed);
    },

    pages,
  };
}
