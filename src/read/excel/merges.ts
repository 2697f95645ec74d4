/**
 * Merged cells, and how columns look. A sheet lists its merges after its rows, so its layout is read first, without the
 * rows. Excel does not show the values of covered cells, so rows do not have them.
 */
import { columnOf } from "../../model/formula.js";
import type { CellKind } from "../../model/row.js";
import type { RawRow } from "../rows.js";
import { MAX_COLUMN, MAX_ROW, setCell } from "./sheet.js";
import type { Zip } from "../zip.js";
import { type Attributes, isTrue, walkInPieces } from "./xml.js";

/** First and last column, from 0. */
export interface ColumnRange {
  first: number;
  last: number;
}

/** Columns that are not as wide as others. */
export interface ColumnWidth extends ColumnRange {
  /** In characters. */
  width: number;
}

export interface SheetLayout {
  hiddenColumns: ColumnRange[];
  widths: ColumnWidth[];
  /** From top to bottom. */
  merges: Merge[];
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

export async function readLayout(parts: Zip, name: string): Promise<SheetLayout> {
  const layout: SheetLayout = { hiddenColumns: [], widths: [], merges: [] };
  const { merges } = layout;
  const open = (element: string, attributes: Attributes) => {
    if (element === "col") addColumns(layout, attributes);
    if (element === "mergeCell") addMerge(merges, attributes["ref"] ?? "");
    if (merges.length > MAX_MERGES) throw new Error(`it has more than ${MAX_MERGES} merged ranges`);
  };
  for await (const _ of walkInPieces(parts, name, { open }, "layout"));
  merges.sort((one, other) => one.firstRow - other.firstRow || one.firstColumn - other.firstColumn);
  return layout;
}

function addColumns({ hiddenColumns, widths }: SheetLayout, { hidden, min, max, width }: Attributes): void {
  const [first, last] = [Number(min) - 1, Math.min(Number(max), MAX_COLUMN) - 1];
  if (!(first >= 0 && last >= first)) return;
  if (isTrue(hidden) && hiddenColumns.length < MAX_COLUMN) hiddenColumns.push({ first, last });
  const wide = Number(width);
  if (wide > 0 && wide <= MAX_WIDTH && widths.length < MAX_COLUMN) widths.push({ first, last, width: wide });
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

interface ActiveMerge extends Merge {
  text: string;
  kind: CellKind;
}

/** Follows the rows of a sheet and clears or fills covered cells. */
export class MergeSweep {
  readonly #merges: readonly Merge[];
  readonly #fill: boolean;
  #next = 0;
  #row = 0;
  #active: ActiveMerge[] = [];

  constructor(merges: readonly Merge[], fill: boolean) {
    this.#merges = merges;
    this.#fill = fill;
  }

  /**
   * `width`: columns from here on are not filled. @throws Error (plain) when rows of a sheet with merges are out of
   * order.
   */
  apply(row: RawRow, width: number): void {
    if (this.#merges.length === 0) return;
    if (row.number < this.#row)
      throw new Error(`row ${row.number} follows row ${this.#row} in a sheet with merged cells`);
    this.#row = row.number;
    this.#advance(row.number);
    for (const merge of this.#active) {
      if (row.number === merge.firstRow) {
        merge.text = row.cells[merge.firstColumn] ?? "";
        merge.kind = row.kinds?.[merge.firstColumn] ?? "text";
      }
      this.#cover(row, merge, width);
    }
  }

  #advance(number: number): void {
    if (this.#active.some(({ lastRow }) => lastRow < number))
      this.#active = this.#active.filter(({ lastRow }) => lastRow >= number);
    for (let merge = this.#merges[this.#next]; merge !== undefined && merge.firstRow <= number; ) {
      if (merge.lastRow >= number) this.#active.push({ ...merge, text: "", kind: "text" });
      merge = this.#merges[++this.#next];
    }
    if (this.#active.length > MAX_COLUMN) throw new Error(`its merged ranges overlap in row ${number}`);
  }

  #cover(row: RawRow, merge: ActiveMerge, width: number): void {
    const from = row.number === merge.firstRow ? merge.firstColumn + 1 : merge.firstColumn;
    const end = Math.min(merge.lastColumn, (this.#fill ? Math.max(width, row.cells.length) : row.cells.length) - 1);
    for (let column = from; column <= end; column++) {
      if (this.#fill && column < width) setCell(row, column, merge.text, merge.kind);
      else if (row.cells[column] !== "") setCell(row, column, "", "text");
      if (row.looks?.[column] !== undefined) row.looks[column] = null;
    }
    const faults = row.faults?.filter(({ column }) => column === null || column < from || column > merge.lastColumn);
    row.faults = faults === undefined || faults.length === 0 ? null : faults;
  }
}
