/**
 * Merged cells. A sheet names them behind its rows, so they are looked for before the rows are read: what a cell
 * covered by a merge stores is not shown by Excel, and is not the value of any row.
 */
import type { CellKind } from "../../model/row.js";
import type { RawRow } from "../rows.js";
import { columnOf, MAX_COLUMN, MAX_ROW, setCell } from "./sheet.js";
import { decodeXml, partError, walkerOf, type XmlWalker } from "./xml.js";
import type { Zip } from "../zip.js";

/** Rows count from 1, columns from 0. */
export interface Merge {
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
}

const MAX_MERGES = 200_000;
/** Behind the rows: a sheet's rest is small, but for conditional formats and links. */
const END_OF_ROWS = /<(?:\/([\w.-]+:)?sheetData\s*>|([\w.-]+:)?sheetData\s*\/>)/;
/** More than the longest tag `END_OF_ROWS` can match. */
const OVERLAP = 200;

/** The merged ranges in order of their first rows. Reads the whole part, and so finds out whether it is damaged. */
export async function findMerges(parts: Zip, name: string): Promise<Merge[]> {
  const merges: Merge[] = [];
  try {
    let tail = "";
    let rest: XmlWalker | null = null;
    for await (const text of decodeXml(parts.read(name, "rows"))) {
      if (rest !== null) {
        rest.write(text);
        continue;
      }
      const both = tail + text;
      tail = both.slice(-OVERLAP);
      const end = both.includes("sheetData") ? END_OF_ROWS.exec(both) : null;
      if (end === null) continue;
      rest = walkerOf({ open: (element, { ref = "" }) => void (element === "mergeCell" && addMerge(merges, ref)) });
      // What follows the rows is no document by itself: it gets an opening tag with the prefix that the sheet uses.
      rest.write(`<${end[1] ?? end[2] ?? ""}worksheet>${both.slice(end.index + end[0].length)}`);
    }
  } catch (cause) {
    throw partError(parts, name, cause);
  }
  return merges.toSorted((one, other) => one.firstRow - other.firstRow || one.firstColumn - other.firstColumn);
}

const RANGE = /^\s*\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})\s*$/i;

/** `A1:C3`, corners in any order; anything else is left alone. */
function addMerge(merges: Merge[], text: string): void {
  const [, letters = "", row = "", otherLetters = "", otherRow = ""] = RANGE.exec(text) ?? [];
  const [firstRow = 0, lastRow = 0] = [Number(row), Number(otherRow)].toSorted((one, other) => one - other);
  const columns = [letters, otherLetters].map(columnOf).toSorted((one, other) => one - other);
  const [firstColumn = 0, lastColumn = 0] = columns;
  if (firstRow < 1 || lastRow > MAX_ROW || lastColumn >= MAX_COLUMN) return;
  if (firstRow === lastRow && firstColumn === lastColumn) return;
  if (merges.length === MAX_MERGES) throw new Error(`it has more than ${MAX_MERGES} merged ranges`);
  merges.push({ firstRow, lastRow, firstColumn, lastColumn });
}

interface ActiveMerge extends Merge {
  text: string;
  kind: CellKind;
}

/** Goes along with the rows of a sheet, from the first on, and clears or fills what merges cover. */
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

  /** @param width fill no cell from this column on. @throws Error (plain) when rows come out of order among merges. */
  apply(row: RawRow, width: number): void {
    if (this.#merges.length === 0) return;
    if (row.number < this.#row)
      throw new Error(`row ${row.number} stands behind row ${this.#row}, in a sheet with merged cells`);
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
    // Ranges that do not overlap are at most as many as there are columns.
    if (this.#active.length > MAX_COLUMN) throw new Error(`its merged ranges overlap in row ${number}`);
  }

  #cover(row: RawRow, merge: ActiveMerge, width: number): void {
    const from = row.number === merge.firstRow ? merge.firstColumn + 1 : merge.firstColumn;
    const end = Math.min(merge.lastColumn, (this.#fill ? Math.max(width, row.cells.length) : row.cells.length) - 1);
    for (let column = from; column <= end; column++) {
      if (this.#fill && column < width) setCell(row, column, merge.text, merge.kind);
      else if (row.cells[column] !== "") setCell(row, column, "", "text");
    }
    const faults = row.faults?.filter(({ column }) => column === null || column < from || column > merge.lastColumn);
    row.faults = faults === undefined || faults.length === 0 ? null : faults;
  }
}
