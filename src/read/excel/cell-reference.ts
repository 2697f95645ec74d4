/** Cell references such as `B7`. Columns count from 0 here, rows from 1. */

export const MAX_ROW = 1_048_576;
export const MAX_COLUMN = 16_384;

/** `B7` as column 1 and row 7; column -1 when it does not begin with letters, row NaN when no number follows. */
export function readReference(reference: string): { column: number; row: number } {
  let column = 0;
  let at = 0;
  for (; at < reference.length && at < 4; at++) {
    const letter = (reference.charCodeAt(at) | 0x20) - 0x60;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  const digits = reference.length - at;
  let row = digits >= 1 && digits <= 7 ? 0 : Number.NaN;
  for (; at < reference.length; at++) {
    const digit = reference.charCodeAt(at) - 0x30;
    row = digit >= 0 && digit <= 9 ? row * 10 + digit : Number.NaN;
  }
  return { column: column - 1, row };
}

/** A row number as text; NaN when it is none, or beyond Excel's last row. */
export function readRowNumber(text: string): number {
  if (!/^\s*[1-9]\d{0,6}\s*$/.test(text)) return Number.NaN;
  const number = Number(text);
  return number <= MAX_ROW ? number : Number.NaN;
}

export interface CellRange {
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
}

const range = /^\s*\$?([A-Za-z]{1,3})\$?(\d{1,7})(?::\$?([A-Za-z]{1,3})\$?(\d{1,7}))?\s*$/;

/** `A1:C3`, corners in any order; null when it is no range. */
export function readRange(text: string): CellRange | null {
  const found = range.exec(text);
  if (found === null) return null;
  const [, column = "", row = "", otherColumn = column, otherRow = row] = found;
  const columns = [readReference(`${column}1`).column, readReference(`${otherColumn}1`).column];
  const rows = [readRowNumber(row), readRowNumber(otherRow)];
  if (rows.some(Number.isNaN) || columns.some((one) => one >= MAX_COLUMN)) return null;
  return {
    firstRow: Math.min(...rows),
    lastRow: Math.max(...rows),
    firstColumn: Math.min(...columns),
    lastColumn: Math.max(...columns),
  };
}
