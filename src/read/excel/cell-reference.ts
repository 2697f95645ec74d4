/** Cell references such as `B7`. Columns count from 0 here, rows from 1. */

export const MAX_ROW = 1_048_576;
export const MAX_COLUMN = 16_384;

/** What no reference has: its row is none, or beyond 9,999,999. */
export const NO_REFERENCE = -1;
const ROWS = 10_000_000;

/**
 * `B7` as one number, since there are millions: column (from 0) × 10,000,000 + row (from 1); see `columnOf`, `rowOf`.
 * {@link NO_REFERENCE} for anything but letters and digits.
 */
export function readReference(reference: string): number {
  const { length } = reference;
  let column = 0;
  let at = 0;
  for (; at < length && at < 4; at++) {
    const letter = (reference.charCodeAt(at) | 0x20) - 0x60;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  if (at === 0 || at === length || length - at > 7) return NO_REFERENCE;
  let row = 0;
  for (; at < length; at++) {
    const digit = reference.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return NO_REFERENCE;
    row = row * 10 + digit;
  }
  return (column - 1) * ROWS + row;
}

export function columnOf(reference: number): number {
  return Math.floor(reference / ROWS);
}

export function rowOf(reference: number): number {
  return reference % ROWS;
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
  const corners = [readReference(column + row), readReference(otherColumn + otherRow)];
  const columns = corners.map(columnOf);
  const rows = corners.map(rowOf);
  if (corners.includes(NO_REFERENCE) || Math.min(...rows) < 1) return null;
  if (Math.max(...rows) > MAX_ROW || Math.max(...columns) >= MAX_COLUMN) return null;
  return {
    firstRow: Math.min(...rows),
    lastRow: Math.max(...rows),
    firstColumn: Math.min(...columns),
    lastColumn: Math.max(...columns),
  };
}
