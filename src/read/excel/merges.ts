/**
 * Merged cells. A sheet lists them after its rows, so they are read first. Excel does not show the values of covered
 * cells, so rows do not have them.
 */
import { columnOf } from "../../model/formula.js";
import type { CellKind } from "../../model/row.js";
import type { RawRow } from "../rows.js";
import { MAX_COLUMN, MAX_ROW, setCell } from "./sheet.js";
import { corrupt } from "./fault.js";
import type { Zip } from "../zip.js";
import { MAX_TOKEN } from "./xml.js";

/** Rows count from 1, columns from 0. */
export interface Merge {
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
}

const MAX_MERGES = 200_000;
const MERGE = /<(?:[\w.-]{1,40}:)?mergeCell\s[^<>]{0,200}>/g;
/** What hides elements, and how it ends. */
const HIDING: { [opening: string]: string } = { "<!--": "-->", "<![CDATA[": "]]>", "<?": "?>" };
const HIDES = /<!--|<!\[CDATA\[|<\?/g;

/** `open`: what the next bytes may complete. */
function withoutHidden(text: string): { seen: string; open: string } {
  let seen = "";
  let from = 0;
  for (const { 0: opening, index } of text.matchAll(HIDES)) {
    if (index < from) continue;
    seen += text.slice(from, index);
    const closing = HIDING[opening] ?? "";
    const end = text.indexOf(closing, index + opening.length);
    if (end === -1) return { seen, open: text.slice(index) };
    from = end + closing.length;
  }
  const last = Math.max(from, text.lastIndexOf("<"));
  return { seen: seen + text.slice(from, last), open: text.slice(last) };
}

export async function findMerges(parts: Zip, name: string): Promise<Merge[]> {
  const merges: Merge[] = [];
  let open = "";
  for await (const bytes of parts.read(name, "rows")) {
    const found = withoutHidden(open + bytes.toString("latin1").replaceAll("\0", ""));
    open = found.open;
    if (open.length > MAX_TOKEN) throw corrupt(parts.file.name, `its part ${name} has a comment without end`);
    if (!found.seen.includes("mergeCell")) continue;
    for (const [tag] of found.seen.matchAll(MERGE))
      addMerge(merges, /\sref\s{0,9}=\s{0,9}["']([^"']+)/.exec(tag)?.[1] ?? "");
    if (merges.length > MAX_MERGES)
      throw corrupt(parts.file.name, `its part ${name} has more than ${MAX_MERGES} merged ranges`);
  }
  return merges.toSorted((one, other) => one.firstRow - other.firstRow || one.firstColumn - other.firstColumn);
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
