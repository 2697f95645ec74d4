/** The header of a sheet and the columns below it. */
import type { HeaderOption } from "../../model/dialect.js";
import { RowferryError } from "../../model/error.js";
import { columnLetters } from "../header.js";
import { findHeader, headerTexts } from "../header.js";
import { type Merge, MergeSweep } from "./merges.js";
import type { SheetSample } from "./sheet-stream.js";
import { isBlankText, type SheetRow } from "./sheet-row.js";

export interface SheetHeader {
  texts: string[];
  /** The sheet's columns in the order of `texts`, counting from 0; hidden ones may be missing. */
  columns: number[];
  /** Columns up to the last one that is used, hidden or not. */
  width: number;
  /** Whether a column is left out because it is hidden, within the width or beyond. */
  isHidden(column: number): boolean;
  /** The last header row; null: there is none. */
  lastRow: number | null;
  notes: string[];
}

export interface HeaderSettings {
  file: string;
  sheet: string;
  option: HeaderOption;
  skipHidden: boolean;
  merges: readonly Merge[];
  fillMerged: boolean;
}

/** @throws RowferryError `header-missing`, `file-empty`. */
export function locateHeader(sample: SheetSample, settings: HeaderSettings): SheetHeader {
  const { option, skipHidden } = settings;
  const hidden = skipHidden ? sample.hiddenColumns : [];
  const isHidden = (column: number) => hidden.some(({ first, last }) => column >= first && column <= last);
  const rows = shownRows(sample.rows, settings, isHidden);
  if (option === "none") {
    const width = usedWidth(rows, settings);
    const columns = columnsOf(width, isHidden);
    const texts = columns.map((column) => columnLetters(column + 1));
    return { texts, columns, width, isHidden, lastRow: null, notes: [] };
  }
  const { headers, notes } = option === "auto" ? found(rows, settings) : given(sample.rows, settings);
  const lastRow = headers.at(-1)?.number ?? 0;
  const width = usedWidth([...headers, ...rows.filter(({ number }) => number > lastRow)], settings);
  const columns = columnsOf(width, isHidden);
  const cells = filledHeaders(sample.rows, headers, settings, width).map((row) =>
    columns.map((column) => row[column] ?? ""),
  );
  return { texts: padded(headerTexts(cells), columns.length), columns, width, isHidden, lastRow, notes };
}

/** A row as it is shown; `used`: the columns up to its last filled one, hidden ones among them. */
interface ShownRow extends SheetRow {
  used?: number;
}

function shownRows(
  rows: SheetRow[],
  { skipHidden, merges }: HeaderSettings,
  isHidden: (column: number) => boolean,
): ShownRow[] {
  const sweep = new MergeSweep(merges, false);
  const shown: ShownRow[] = [];
  for (const row of rows) {
    const copy = copied(row);
    sweep.apply(copy, copy.cells.length);
    if (skipHidden && row.hidden) continue;
    const used = usedColumns(copy);
    copy.cells = copy.cells.map((cell, column) => (isHidden(column) ? "" : cell));
    if (copy.cells.some((cell) => !isBlankText(cell)) || copy.faults !== null) shown.push({ ...copy, used });
  }
  return shown;
}

function found(rows: ShownRow[], { file, sheet }: HeaderSettings): { headers: SheetRow[]; notes: string[] } {
  const index = findHeader(rows);
  const header = rows[index];
  if (header === undefined) throw blankSheet(file, sheet);
  const above = rows.filter(({ number }) => number < header.number);
  const [first] = above;
  const what =
    above.length === 1
      ? `row ${first?.number} was`
      : `${above.length} rows above it, from row ${first?.number} on, were`;
  const notes = above.length === 0 ? [] : [`The header is in row ${header.number}; ${what} skipped.`];
  return { headers: [header], notes };
}

/** Hidden or not: what is named outright is meant. */
function given(rows: SheetRow[], { file, sheet, option }: HeaderSettings): { headers: SheetRow[]; notes: string[] } {
  const wanted = [...new Set([option].flat())].map(Number).toSorted((one, other) => one - other);
  if (wanted.length === 0)
    throw new RowferryError("header-missing", "the mapping names no header row", { place: { file, sheet } });
  const headers = wanted.map((number) => {
    const row = rows.find((one) => one.number === number && one.cells.some((cell) => !isBlankText(cell)));
    if (row !== undefined) return row;
    const message = `the mapping says that row ${number} is the header, but that row is blank`;
    throw new RowferryError("header-missing", message, { place: { file, sheet, row: number } });
  });
  return { headers, notes: [] };
}

/**
 * The header rows' cells under the merges: covered ones blank, or filled. Of several rows that are joined, a heading
 * merged over columns always heads each of them: `Pickup` above `Date` and `Weight` is not that of `Date` alone.
 */
function filledHeaders(
  all: SheetRow[],
  headers: SheetRow[],
  { merges, fillMerged }: HeaderSettings,
  width: number,
): string[][] {
  const numbers = new Set(headers.map(({ number }) => number));
  const last = Math.max(...numbers);
  const sweep = new MergeSweep(merges, fillMerged);
  const filled: string[][] = [];
  for (const row of all) {
    if (row.number > last) continue;
    const copy = copied(row);
    sweep.apply(copy, width);
    if (!numbers.has(row.number)) continue;
    if (numbers.size > 1) spread(copy, merges, width);
    filled.push(copy.cells);
  }
  return filled;
}

/** Gives every column of a merge that begins in this row the text of its first one. */
function spread({ number, cells }: SheetRow, merges: readonly Merge[], width: number): void {
  for (const { firstRow, firstColumn, lastColumn } of merges) {
    if (firstRow > number) return;
    if (firstRow < number) continue;
    for (let column = firstColumn + 1; column <= Math.min(lastColumn, width - 1); column++) {
      while (cells.length <= column) cells.push("");
      cells[column] = cells[firstColumn] ?? "";
    }
  }
}

function copied(row: SheetRow): SheetRow {
  return { ...row, cells: [...row.cells], kinds: row.kinds === null ? null : [...row.kinds] };
}

/** Columns up to the last one in which some row says something. */
function usedWidth(rows: ShownRow[], { file, sheet }: HeaderSettings): number {
  const width = rows.reduce((most, row) => Math.max(most, row.used ?? usedColumns(row)), 0);
  if (width === 0) throw blankSheet(file, sheet);
  return width;
}

function usedColumns({ cells, faults }: SheetRow): number {
  const last = cells.findLastIndex((cell) => !isBlankText(cell));
  return Math.max(last, ...(faults ?? []).map(({ column }) => column)) + 1;
}

function columnsOf(width: number, isHidden: (column: number) => boolean): number[] {
  return Array.from({ length: width }, (_, column) => column).filter((column) => !isHidden(column));
}

function padded(texts: string[], length: number): string[] {
  return texts.length >= length ? texts : [...texts, ...Array<string>(length - texts.length).fill("")];
}

function blankSheet(file: string, sheet: string): RowferryError {
  return new RowferryError("file-empty", "the sheet holds nothing but blank cells", { place: { file, sheet } });
}
