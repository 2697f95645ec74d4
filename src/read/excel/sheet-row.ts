/** A row as it stands in its sheet: cells by column, before header, hidden columns and merges are looked at. */
import type { Code } from "../../model/codes.js";
import type { CellKind } from "../../model/row.js";

/** Something wrong with one cell. */
export interface CellFault {
  /** Counting from 0. */
  column: number;
  code: Code;
  message: string;
}

export interface SheetRow {
  /** Counting from 1. */
  number: number;
  hidden: boolean;
  /** From column A to the last cell that is there; a missing or blank one is "". */
  cells: string[];
  /** Null: all text. */
  kinds: CellKind[] | null;
  faults: CellFault[] | null;
}

/** Whether a cell says nothing: empty, or white space only. */
export function isBlankText(cell: string): boolean {
  return cell === "" || ((cell.charCodeAt(0) <= 32 || cell.charCodeAt(0) >= 160) && cell.trim() === "");
}

export function setCell(row: SheetRow, column: number, text: string, kind: CellKind): void {
  const { cells } = row;
  while (cells.length < column) {
    cells.push("");
    row.kinds?.push("text");
  }
  if (kind !== "text") row.kinds ??= cells.map(() => "text");
  if (column === cells.length) {
    cells.push(text);
    row.kinds?.push(kind);
    return;
  }
  cells[column] = text;
  if (row.kinds !== null) row.kinds[column] = kind;
}
