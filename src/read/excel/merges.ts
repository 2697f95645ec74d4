/**
 * Merged cells, and how columns look. A sheet lists its merges after its rows, so its layout is read first, without the
 * rows. Excel does not show the values of covered cells, so rows do not have them.
 */
import { columnOf } from "../../model/formula.js";
import type { CellKind, CellLook } from "../../model/row.js";
import type { RawRow } from "../rows.js";
import { MAX_COLUMN, MAX_ROW, setCell } from "./sheet.js";
import type { Zip } from "../zip.js";
import { type Attributes, isTrue, walkInPieces } from "./xml.js";

/** Columns that are not like others. */
export interface ColumnRange {
  /** First and last, from 0. */
  first: number;
  last: number;
  hidden: boolean;
  /** In characters; null: the usual one. */
  width: number | null;
}

/** Rows count from 1, columns from 0. */
export interface Merge {
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
}

const MAX_MERGES = 200_000;
/** Characters; Excel's own limit. */
const MAX_WIDTH = 255;

/** Merges from top to bottom. */
export async function readLayout(zip: Zip, name: string) {
  const columns: ColumnRange[] = [];
  const merges: Merge[] = [];
  const open = (element: string, attributes: Attributes) => {
    if (element === "col" && columns.length < MAX_COLUMN) addColumns(columns, attributes);
    if (element === "mergeCell") addMerge(merges, attributes["ref"] ?? "");
    if (merges.length > MAX_MERGES) throw new Error(`it has more than ${MAX_MERGES} merged ranges`);
  };
  for await (const _ of walkInPieces(zip, name, { open }, "layout"));
  merges.sort((one, other) => one.firstRow - other.firstRow || one.firstColumn - other.firstColumn);
  return { columns, merges };
}

function addColumns(columns: ColumnRange[], { hidden, min, max, width }: Attributes): void {
  const [first, last] = [Number(min) - 1, Math.min(Number(max), MAX_COLUMN) - 1];
  const wide = Number(width);
  if (first >= 0 && last >= first)
    columns.push({ first, last, hidden: isTrue(hidden), width: wide > 0 && wide <= MAX_WIDTH ? wide : null });
}

const RANGE = /^\s*\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})\s*$/i;

/** `A1:C3`, corners in any order; ignores anything else. */
function addMerge(merges: Merge[], text: string): void {
  const [, letters = "", row = "", otherLetters = "", otherRow = ""] = RANGE.exec(text) ?? [];
  const [firstRow = 0, lastRow = 0] = [Number(row), Number(otherRow)].toSorted((one, other) => one - other);
  const columns = [letters, otherLetters].map(columnOf).toSorted((one, other) => one - other);
  const [firstColumn = 0, lastColumn = 0] = columns;
  if (firstRow < 1 || lastRow > MAX_ROW || lastColumn >= MAX_COLUMN) return;
  if (firstRow === lastRow && firstColumn === lastColumn) return;
  merges.push({ firstRow, lastRow, firstColumn, lastColumn });
}

/**
 * Clears or fills the covered cells of a sheet's rows, which must come in order where there are merges. `width`: columns
 * from here on are not filled. @throws Error (plain) when they do not, or when merges overlap without end.
 */
export function mergeSweep(merges: readonly Merge[], fill: boolean, width: number): (row: RawRow) => void {
  let next = 0;
  let last = 0;
  let active: (Merge & { text: string; kind: CellKind; look: CellLook | null })[] = [];
  return (row) => {
    const { number, cells, kinds } = row;
    if (merges.length === 0) return;
    if (number < last) throw new Error(`row ${number} follows row ${last} in a sheet with merged cells`);
    last = number;
    active = active.filter(({ lastRow }) => lastRow >= number);
    for (let merge = merges[next]; merge !== undefined && merge.firstRow <= number; merge = merges[++next]) {
      if (merge.lastRow >= number) active.push({ ...merge, text: "", kind: "text", look: null });
    }
    const covered = active.reduce((sum, { firstColumn, lastColumn }) => sum + lastColumn - firstColumn + 1, 0);
    if (covered > MAX_COLUMN) throw new Error(`its merged ranges overlap in row ${number}`);
    for (const merge of active) {
      const isFirst = number === merge.firstRow;
      if (isFirst) {
        merge.text = cells[merge.firstColumn] ?? "";
        merge.kind = kinds?.[merge.firstColumn] ?? "text";
        const { format, shown } = row.looks?.[merge.firstColumn] ?? {};
        merge.look = format === undefined || shown === undefined ? null : { format, shown };
      }
      const from = merge.firstColumn + (isFirst ? 1 : 0);
      const end = Math.min(merge.lastColumn, (fill ? Math.max(width, cells.length) : cells.length) - 1);
      for (let column = from; column <= end; column++) {
        if (fill && column < width) setCell(row, column, merge.text, merge.kind);
        else if (cells[column] !== "") setCell(row, column, "", "text");
        const look = fill && column < width ? merge.look : null;
        if (look !== null || row.looks?.[column] !== undefined) (row.looks ??= [])[column] = look;
      }
      const faults = row.faults?.filter(({ column }) => column === null || column < from || column > merge.lastColumn);
      row.faults = faults === undefined || faults.length === 0 ? null : faults;
    }
  };
}
