/** From the XML of a sheet to rows. Keeps no more than the row at hand and the rows nobody has taken yet. */
import { columnOf, MAX_COLUMN, MAX_ROW, NO_REFERENCE, readReference, readRowNumber, rowOf } from "./cell-reference.js";
import { type BookContext, type CellResult, evaluateCell, type StoredCell } from "./cell-value.js";
import { columnLetters } from "../header.js";
import { isBlankText, setCell, type SheetRow } from "./sheet-row.js";
import { TextRuns } from "./text-runs.js";
import { type Attributes, isTrue, type XmlHandlers } from "./xml.js";

/** Cells beyond the last column that are named, one row. */
const MAX_BEYOND = 8;

export class SheetHandlers implements XmlHandlers {
  /** Rows that are complete; whoever takes them leaves a new array. Rows without any cell that says something are not among them. */
  rows: SheetRow[] = [];
  /** First and last hidden columns, counting from 0; complete before the first row. */
  readonly hiddenColumns: { first: number; last: number }[] = [];
  /** The part's outermost element, to tell a worksheet from anything else. */
  root: string | null = null;

  readonly #context: BookContext;
  /** Cells from this column on are not kept, only named in a fault. */
  readonly #width: number;
  readonly #numbers = new RowNumbers();
  readonly #cell: StoredCell = { type: "", style: "", hasFormula: false, value: null, inline: null };
  readonly #result: CellResult = { text: "", kind: "text", fault: null };
  readonly #runs = new TextRuns();
  #inData = false;
  #row: SheetRow | null = null;
  /** The row's attribute `r` is missing; the first cell's reference may tell it. */
  #unnumbered = false;
  #column = -1;
  #inCell = false;
  #inValue = false;
  #inInline = false;
  #filled = false;

  /** @param width columns to keep; at most Excel's 16,384. */
  constructor(context: BookContext, width: number) {
    this.#context = context;
    this.#width = width;
  }

  open(name: string, attributes: Attributes): void {
    if (!this.#inData) {
      this.root ??= name;
      if (name === "sheetData") this.#inData = true;
      else if (name === "col") this.#hide(attributes);
    } else if (name === "c") this.#openCell(attributes);
    else if (name === "v") {
      this.#inValue = this.#inCell;
      if (this.#inCell) this.#cell.value = "";
    } else if (name === "row") this.#openRow(attributes);
    else if (name === "f") this.#cell.hasFormula = true;
    else if (name === "is") {
      this.#inInline = this.#inCell;
      this.#runs.start();
    } else if (this.#inInline) this.#runs.open(name, attributes);
  }

  close(name: string): void {
    if (!this.#inData) return;
    if (name === "c") this.#closeCell();
    else if (name === "v") this.#inValue = false;
    else if (name === "row") this.#closeRow();
    else if (name === "is") {
      if (this.#inInline) this.#cell.inline = this.#runs.get();
      this.#inInline = false;
    } else if (this.#inInline) this.#runs.close(name);
    else if (name === "sheetData") this.#inData = false;
  }

  text(text: string): void {
    if (this.#inValue) this.#cell.value = this.#cell.value === "" ? text : this.#cell.value + text;
    else if (this.#inInline) this.#runs.add(text);
  }

  #hide(attributes: Attributes): void {
    if (!isTrue(attributes["hidden"]) || this.hiddenColumns.length >= MAX_COLUMN) return;
    const first = Number(attributes["min"]);
    const last = Math.min(Number(attributes["max"]), MAX_COLUMN);
    if (first >= 1 && last >= first) this.hiddenColumns.push({ first: first - 1, last: last - 1 });
  }

  #openRow(attributes: Attributes): void {
    const r = attributes["r"];
    this.#unnumbered = r === undefined;
    const number = r === undefined ? this.#numbers.next() : readRowNumber(r);
    if (Number.isNaN(number)) throw new Error(`it has a row numbered ${JSON.stringify(r?.slice(0, 20))}`);
    this.#row = { number, hidden: isTrue(attributes["hidden"]), cells: [], kinds: null, faults: null };
    this.#column = -1;
    this.#filled = false;
  }

  #closeRow(): void {
    const row = this.#row;
    if (row === null) return;
    this.#row = null;
    this.#numbers.take(row.number);
    if (this.#filled) this.rows.push(row);
  }

  #openCell(attributes: Attributes): void {
    const r = attributes["r"];
    const row = this.#row;
    if (row === null) return;
    if (r === undefined) this.#column++;
    else this.#locate(r, row);
    if (this.#column >= MAX_COLUMN) throw new Error(`row ${row.number} has more than ${MAX_COLUMN} columns`);
    this.#inCell = true;
    const cell = this.#cell;
    cell.type = attributes["t"] ?? "";
    cell.style = attributes["s"] ?? "";
    cell.hasFormula = false;
    cell.value = null;
    cell.inline = null;
  }

  /** @throws Error when a cell's reference is none, or contradicts its row. */
  #locate(reference: string, row: SheetRow): void {
    const place = readReference(reference);
    const number = rowOf(place);
    if (place === NO_REFERENCE || !(number >= 1 && number <= MAX_ROW)) {
      throw new Error(`row ${row.number} has a cell ${JSON.stringify(reference.slice(0, 20))}`);
    }
    if (this.#unnumbered) row.number = number;
    this.#unnumbered = false;
    if (number !== row.number) throw new Error(`cell ${reference} stands in row ${row.number}`);
    this.#column = columnOf(place);
  }

  #closeCell(): void {
    const row = this.#row;
    this.#inCell = false;
    if (row === null) return;
    const cell = this.#cell;
    // Styled cells without a value are most of what many sheets hold.
    if (cell.value === null && cell.inline === null && !cell.hasFormula) return;
    const result = this.#result;
    evaluateCell(cell, this.#context, result);
    const column = this.#column;
    if (result.fault !== null) {
      const message = `cell ${columnLetters(column + 1)}${row.number} holds ${result.fault.message}`;
      (row.faults ??= []).push({ column, code: result.fault.code, message });
      this.#filled = true;
    }
    const { text, kind } = result;
    if (text === "") return;
    if (kind === "text" && text.includes("\0")) {
      const message = `cell ${columnLetters(column + 1)}${row.number} contains a NUL character`;
      (row.faults ??= []).push({ column, code: "nul-character", message });
    }
    const blank = kind === "text" && isBlankText(text);
    if (column >= this.#width) {
      if (!blank) this.#beyond(row, column, text);
      return;
    }
    if (column < row.cells.length && row.cells[column] !== "") {
      throw new Error(`cell ${columnLetters(column + 1)}${row.number} stands there twice`);
    }
    setCell(row, column, text, kind);
    if (!blank) this.#filled = true;
  }

  /** A cell to the right of all columns; the first ones of a row are enough to tell. */
  #beyond(row: SheetRow, column: number, text: string): void {
    this.#filled = true;
    if ((row.faults?.length ?? 0) >= MAX_BEYOND) return;
    const place = `${columnLetters(column + 1)}${row.number}`;
    const message = `cell ${place} (${JSON.stringify(text.slice(0, 60))}) stands to the right of the table's last column, ${columnLetters(this.#width)}`;
    (row.faults ??= []).push({ column, code: "row-long", message });
  }
}

/** Which rows of a sheet have come by: every number at most once, in whatever order the writer chose. */
class RowNumbers {
  #last = 0;
  /** One bit a row. */
  readonly #seen = new Uint8Array((MAX_ROW >> 3) + 1);

  /** The number of a row that does not say its own. */
  next(): number {
    return this.#last + 1;
  }

  /** @throws Error (plain) when the number has been taken, or is beyond Excel's last row. */
  take(number: number): void {
    if (number > MAX_ROW) throw new Error(`it has more than ${MAX_ROW} rows`);
    const byte = number >> 3;
    const bits = this.#seen[byte] as number;
    const bit = 1 << (number & 7);
    if ((bits & bit) !== 0) throw new Error(`row ${number} stands there twice`);
    this.#seen[byte] = bits | bit;
    this.#last = number;
  }
}
