/** Consecutive rows that make one set of records. */
import type { CellKind, Row } from "../../model/row.js";
import type { Cells } from "../value/cells.js";

export interface MergedRows {
  cells: string[];
  kinds: CellKind[] | null;
  /** Columns whose filled cells differ, by position, with two of the texts. */
  conflicts: ReadonlyMap<number, readonly [string, string]> | null;
}

/** The first filled cell of every column. `rows` are at least two; `read` tells what is filled, and what is the same. */
export function mergeRows(rows: readonly Row[], read: Cells): MergedRows {
  const width = Math.max(...rows.map((row) => row.cells.length));
  const cells: string[] = Array.from({ length: width }, () => "");
  const kinds: CellKind[] = Array.from({ length: width }, () => "text");
  let conflicts: Map<number, readonly [string, string]> | null = null;
  for (let index = 0; index < width; index++) {
    let first: string | null = null;
    for (const row of rows) {
      const text = read.text(row.cells[index] ?? "", row.kinds?.[index] ?? "text");
      if (text === "") continue;
      if (first === null) {
        first = text;
        cells[index] = row.cells[index] ?? "";
        kinds[index] = row.kinds?.[index] ?? "text";
      } else if (text !== first) {
        conflicts ??= new Map();
        conflicts.set(index, [first, text]);
        break;
      }
    }
  }
  return { cells, kinds: rows.some((row) => row.kinds !== null) ? kinds : null, conflicts };
}
