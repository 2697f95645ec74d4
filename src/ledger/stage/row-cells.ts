/** Cells of rows that have not landed, from which rejected files are written. */
import { createHash } from "node:crypto";
import type { CellKind, Looks, Row } from "../../model/row.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { createPages, type Entry } from "../pages.js";

/** Equal cells have equal hashes, wherever the row is (H23). A group's hash covers all its rows. */
export function cellHash(cells: readonly string[]): Buffer {
  return createHash("sha256").update(JSON.stringify(cells)).digest().subarray(0, 16);
}

export interface KeptCells {
  cells: string[];
  /** Null: all text. */
  kinds: CellKind[] | null;
  /** Null: cells are nothing but their texts. */
  looks: Looks | null;
}

export type PackedCells = [cells: string[], kinds?: CellKind[] | null, looks?: Looks];

export const keptCells = ([cells, kinds, looks]: PackedCells): KeptCells => ({
  cells,
  kinds: kinds ?? null,
  looks: looks ?? null,
});

function toKeep({ cells, kinds, looks }: Row): PackedCells {
  if (looks !== undefined) return [cells, kinds, looks];
  return kinds === null ? [cells] : [cells, kinds];
}

export function createCells(database: LedgerDatabase) {
  const pages = createPages<PackedCells>(database, "cells");
  return {
    /** `first`: the id of the first row. Rows of a group stay together. */
    keep(first: number, rows: readonly Row[]) {
      const offset = first - (rows[0]?.number ?? 0);
      pages.add(rows.map((row): Entry<PackedCells> => [offset + row.number, toKeep(row)]));
    },

    flush: pages.flush,

    /** Null: not, or no longer, in the ledger. */
    of(row: number): KeptCells | null {
      const packed = pages.of(row);
      return packed === undefined ? null : keptCells(packed);
    },

    pages,
  };
}
