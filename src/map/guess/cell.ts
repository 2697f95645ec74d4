/** One filled cell of a sample. */
import type { CellKind } from "../../model/row.js";

export interface Cell {
  /** Position of the row in the sample. */
  row: number;
  /** Trimmed, never blank. */
  text: string;
  kind: CellKind;
}

/** Parts of the filled cells that must fit for a column to be taken as something; the rest may be mistakes. */
export const enough = 0.8;

/** Parts of the cells that fit; 0 where there are none. */
export function share(cells: readonly Cell[], fits: (cell: Cell) => boolean): number {
  return cells.length === 0 ? 0 : cells.filter(fits).length / cells.length;
}
