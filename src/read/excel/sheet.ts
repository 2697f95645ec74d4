/** Reads the rows of a sheet from its XML, only as fast as they are taken. */
import type { Code } from "../../model/codes.js";
import { columnLetters, columnOf } from "../../model/formula.js";
import type { CellKind, CellLook } from "../../model/row.js";
import { isFilled } from "../header.js";
import type { RawRow } from "../rows.js";
import { type BookContext, evaluateCell, type StoredCell } from "./cell-value.js";
import { corrupt } from "./fault.js";
import { Formulas } from "./formulas.js";
import { TextRuns } from "./shared-strings.js";
import { general } from "./styles.js";
import type { Sheet, Workbook } from "./workbook.js";
import { type Attributes, isTrue, walkInPieces, type XmlHandlers } from "./xml.js";

export const MAX_ROW = 1_048_576;
export const MAX_COLUMN = 16_384;

/** Small, so that rows die young: V8 moves survivors to the old space. */
const BATCH_ROWS = 64;
/** Cells beyond the last column that a message names. */
const MAX_BEYOND = 8;

/**
 * Rows with at least one filled cell, hidden ones included. `width`: columns to keep; cells beyond them become a `row-long` fault. @throws RowferryError when the sheet cannot be
 * read.
 */
export async function* sheetBatches(
  workbook: Workbook,
  sheet: Sheet,
  width: number = MAX_COLUMN,
): AsyncGenerator<RawRow[]> {
  const part = workbook.partOf(sheet);
  const handlers = new SheetHandlers(await workbook.context(), width);
  for await (const _ of walkInPieces(workbook.parts, part, handlers, "rows")) {
    while (handlers.rows.length >= BATCH_ROWS) yield handlers.rows.splice(0, BATCH_ROWS);
  }
  if (handlers.root !== "worksheet")
    throw corrupt(workbook.parts.file.name, `its part ${part} is not a sheet of cells`, { sheet: sheet.name });
  yield handlers.rows;
}

export function setCell(row: RawRow, column: number, text: string, kind: CellKind): void {
  const { cells } = row;
  while (cells.length <= column) {
    cells.push("");
    row.kinds?.push("text");
  }
  if (kind !== "text") row.kinds ??= cells.map(() => "text");
  cells[column] = text;
  if (row.kinds !== null) row.kinds[column] = kind;
}

/** Keeps only the current row and the rows that nobody has taken yet. */
class SheetHandlers implements XmlHandlers {
  readonly rows: RawRow[] = [];
  /** The part's outermost element, which shows whether it is a worksheet. */
  root: string | null = null;

  readonly #context: BookContext;
  readonly #width: number;
  readonly #cell: StoredCell = { type: "", format: general, formula: null, value: null, inline: null };
  readonly #formulas = new Formulas();
  readonly #runs = new TextRuns();
  /** One bit for each row number seen, because writers may write rows in any order. */
  readonly #seen = new Uint8Array((MAX_ROW >> 3) + 1);
  #last = 0;
  #inData = false;
  #row: RawRow | null = null;
  /** The row number that cells must repeat; "": the first cell gives it. */
  #number = "";
  #column = -1;
  #filled = false;
  #inCell = false;
  #inValue = false;
  #inFormula = false;
  #inInline = false;

  constructor(context: BookContext, width: number) {
    this.#context = context;
    this.#width = width;
  }

  open(name: string, attributes: Attributes): void {
    if (!this.#inData) {
      this.root ??= name;
      this.#inData = name === "sheetData";
    } else if (name === "c") this.#openCell(attributes);
    else if (name === "v") {
      this.#inValue = this.#inCell;
      if (this.#inCell) this.#cell.value = "";
    } else if (name === "row") this.#openRow(attributes);
    else if (name === "f") {
      this.#inFormula = this.#inCell;
      this.#cell.formula = "";
      this.#formulas.open(attributes);
    } else if (name === "is") {
      this.#inInline = this.#inCell;
      this.#runs.start();
    } else if (this.#inInline) this.#runs.open(name, attributes);
  }

  close(name: string): void {
    if (!this.#inData) return;
    if (name === "c") this.#closeCell();
    else if (name === "v") this.#inValue = false;
    else if (name === "f") this.#inFormula = false;
    else if (name === "row") this.#closeRow();
    else if (name === "is") {
      if (this.#inInline) this.#cell.inline = this.#runs.get();
      this.#inInline = false;
    } else if (this.#inInline) this.#runs.close(name);
    else if (name === "sheetData") this.#inData = false;
  }

  text(text: string): void {
    if (this.#inValue) this.#cell.value += text;
    else if (this.#inFormula) this.#cell.formula += text;
    else if (this.#inInline) this.#runs.add(text);
  }

  #openRow({ r = "", hidden }: Attributes): void {
    this.#number = r.trim();
    if (this.#number !== "" && !/^[1-9]\d{0,6}$/.test(this.#number))
      throw new Error(`it has a row numbered ${JSON.stringify(r.slice(0, 20))}`);
    // A row without a number follows the previous one.
    const number = this.#number === "" ? this.#last + 1 : Number(r);
    this.#row = { number, cells: [], kinds: null, faults: null, hidden: isTrue(hidden) };
    this.#column = -1;
    this.#filled = false;
  }

  /** @throws Error (plain) when the number appeared before or is beyond Excel's last row. */
  #closeRow(): void {
    const row = this.#row;
    if (row === null) return;
    this.#row = null;
    const { number } = row;
    if (number > MAX_ROW) throw new Error(`it has more than ${MAX_ROW} rows`);
    const bits = this.#seen[number >> 3] as number;
    const bit = 1 << (number & 7);
    if ((bits & bit) !== 0) throw new Error(`row ${number} appears twice`);
    this.#seen[number >> 3] = bits | bit;
    this.#last = number;
    if (this.#filled) this.rows.push(row);
  }

  #openCell({ r, t = "", s = "" }: Attributes): void {
    const row = this.#row;
    if (row === null) return;
    if (r === undefined) this.#column++;
    else this.#locate(r, row);
    if (this.#column >= MAX_COLUMN) throw new Error(`row ${row.number} has more than ${MAX_COLUMN} columns`);
    this.#inCell = true;
    const cell = this.#cell;
    cell.type = t;
    cell.format = this.#context.formats[s === "" ? 0 : Number(s)] ?? general;
    cell.formula = null;
    cell.value = null;
    cell.inline = null;
  }

  /** @throws Error (plain) when the reference is malformed or contradicts its row. */
  #locate(reference: string, row: RawRow): void {
    if (this.#number === "") {
      this.#number = /[1-9]\d{0,6}$/.exec(reference)?.[0] ?? "";
      row.number = Number(this.#number) || row.number;
    }
    this.#column = columnOf(reference);
    const letters = this.#column < 26 ? 1 : this.#column < 702 ? 2 : 3;
    if (this.#column === -1 || reference.length !== letters + this.#number.length || !reference.endsWith(this.#number))
      throw new Error(`row ${row.number} has a cell ${JSON.stringify(reference.slice(0, 20))}`);
  }

  #closeCell(): void {
    const row = this.#row;
    this.#inCell = false;
    if (row === null) return;
    const cell = this.#cell;
    const column = this.#column;
    const { look } = cell.format;
    if (look !== null) this.#keepLook(row, look);
    // In many sheets most cells are styled and empty.
    if (cell.value === null && cell.inline === null && cell.formula === null) return;
    const { text, kind, fault, stored } = evaluateCell(cell, this.#context);
    if (fault !== null) {
      this.#fault(row, { ...fault, message: `holds ${fault.message}` });
      this.#filled = true;
    }
    if (stored !== null) this.#keepLook(row, { ...look, stored });
    if (cell.formula !== null) {
      const formula = this.#formulas.of(cell.formula, row.number, column);
      const result = text === "" && fault === null ? "" : stored;
      this.#keepLook(row, { ...look, ...(result === null ? {} : { stored: result }), formula });
    }
    if (text === "") return;
    if (kind === "text" && text.includes("\0"))
      this.#fault(row, { code: "nul-character", message: "contains a NUL character" });
    const filled = kind !== "text" || isFilled(text);
    this.#filled ||= filled;
    if (column >= this.#width) {
      const message = `(${JSON.stringify(text.slice(0, 60))}) is to the right of the table's last column, ${columnLetters(this.#width)}`;
      const hint = "Give the column a heading, or clear the cell.";
      if (filled && (row.faults?.length ?? 0) < MAX_BEYOND) this.#fault(row, { code: "row-long", message, hint });
      return;
    }
    if (column < row.cells.length && row.cells[column] !== "")
      throw new Error(`cell ${columnLetters(column + 1)}${row.number} appears twice`);
    setCell(row, column, text, kind);
  }

  #keepLook(row: RawRow, look: CellLook): void {
    if (this.#column < this.#width) (row.looks ??= [])[this.#column] = look;
  }

  #fault(row: RawRow, fault: { code: Code; message: string; hint?: string }): void {
    const message = `cell ${columnLetters(this.#column + 1)}${row.number} ${fault.message}`;
    row.faults = [...(row.faults ?? []), { ...fault, column: this.#column, message }];
  }
}
