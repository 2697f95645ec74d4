/**
 * Merged cells. A sheet names them behind its rows, so they are looked for before the rows are read: what a cell
 * covered by a merge stores is not shown by Excel, and is not the value of any row.
 */
import type { CellKind } from "../../model/row.js";
import { type CellRange, MAX_COLUMN, readRange } from "./cell-reference.js";
import { setCell, type SheetRow } from "./sheet-row.js";
import { decodeXml, partError, walkerOf, type XmlWalker } from "./xml.js";
import type { Zip } from "../zip.js";

export type Merge = CellRange;

const MAX_MERGES = 200_000;
/** Behind the rows: a sheet's rest is small, but for conditional formats and links. */
const endOfRows = /<(?:\/([\w.-]+:)?sheetData\s*>|([\w.-]+:)?sheetData\s*\/>)/;
/** More than the longest tag `endOfRows` can match. */
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
      const end = both.includes("sheetData") ? endOfRows.exec(both) : null;
      if (end === null) {
        tail = both.slice(-OVERLAP);
        continue;
      }
      rest = restScanner(end[1] ?? end[2] ?? "", merges);
      rest.write(both.slice(end.index + end[0].length));
    }
  } catch (cause) {
    throw partError(parts, name, cause);
  }
  return merges.toSorted((one, other) => one.firstRow - other.firstRow || one.firstColumn - other.firstColumn);
}

/** What follows the rows is no document by itself: it gets an opening tag with the prefix that the sheet uses. */
function restScanner(prefix: string, merges: Merge[]): XmlWalker {
  const scanner = walkerOf({
    open(element, attributes) {
      if (element !== "mergeCell") return;
      const range = readRange(attributes["ref"] ?? "");
      if (range === null || (range.firstRow === range.lastRow && range.firstColumn === range.lastColumn)) return;
      if (merges.length === MAX_MERGES) throw new Error(`it has more than ${MAX_MERGES} merged ranges`);
      merges.push(range);
    },
    close() {},
    text() {},
  });
  scanner.write(`<${prefix}worksheet>`);
  return scanner;
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
  apply(row: SheetRow, width: number): void {
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
    if (this.#active.some(({ lastRow }) => lastRow < number)) {
      this.#active = this.#active.filter(({ lastRow }) => lastRow >= number);
    }
    for (let merge = this.#merges[this.#next]; merge !== undefined && merge.firstRow <= number; ) {
      if (merge.lastRow >= number) this.#active.push({ ...merge, text: "", kind: "text" });
      merge = this.#merges[++this.#next];
    }
    // Ranges that do not overlap are at most as many as there are columns.
    if (this.#active.length > MAX_COLUMN) throw new Error(`its merged ranges overlap in row ${number}`);
  }

  #cover(row: SheetRow, merge: ActiveMerge, width: number): void {
    const end = Math.min(merge.lastColumn, (this.#fill ? Math.max(width, row.cells.length) : row.cells.length) - 1);
    for (let column = merge.firstColumn; column <= end; column++) {
      if (row.number === merge.firstRow && column === merge.firstColumn) continue;
      if (this.#fill && column < width) setCell(row, column, merge.text, merge.kind);
      else if (row.cells[column] !== "") setCell(row, column, "", "text");
    }
    if (row.faults === null) return;
    row.faults = row.faults.filter(({ column }) => !covers(row, merge, column));
    if (row.faults.length === 0) row.faults = null;
  }
}

function covers(row: SheetRow, merge: Merge, column: number): boolean {
  const first = row.number === merge.firstRow && column === merge.firstColumn;
  return !first && column >= merge.firstColumn && column <= merge.lastColumn;
}
