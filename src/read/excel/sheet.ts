/** Reads the rows of a sheet from its XML, only as fast as they are taken. */
import type { Code } from "../../model/codes.js";
import { columnLetters, columnOf } from "../../model/formula.js";
import type { CellKind, CellLook } from "../../model/row.js";
import { isFilled } from "../header.js";
import type { RawRow } from "../rows.js";
import { evaluateCell, type StoredCell } from "./cell-value.js";
import { followFormulas } from "./formulas.js";
import { textRuns } from "./shared-strings.js";
import { general } from "./styles.js";
import type { BookContext, Sheet, Workbook } from "./workbook.js";
import { type Attributes, damaged, isTrue, walkInPieces, type XmlHandlers } from "./xml.js";

export const MAX_ROW = 1_048_576;
export const MAX_COLUMN = 16_384;

/** Small, so that rows die young: V8 moves survivors to the old space. */
const BATCH_ROWS = 64;
/** Cells beyond the last column that a message names. */
const MAX_BEYOND = 8;
/** Columns beyond the last one whose cells stay in their row. A stray cell may be in the last column that a sheet can have. */
const KEPT_BEYOND = 100;

interface SheetOptions {
  /** Columns of the table; cells beyond them are a `row-long` fault. Default: all. */
  width?: number;
  zeros?: Parameters<typeof evaluateCell>[2];
  /** Gets the stored results of formulas. */
  results?: Set<string>;
}

/** Rows with at least one filled cell, hidden ones included. @throws RowferryError when the sheet cannot be read. */
export async function* sheetBatches(
  workbook: Workbook,
  sheet: Sheet,
  options: SheetOptions = {},
): AsyncGenerator<RawRow[]> {
  const { zip, partOf, context } = workbook;
  const part = partOf(sheet);
  const rows: RawRow[] = [];
  const handlers = sheetHandlers(await context(), options, rows);
  let root = "";
  for await (root of walkInPieces(zip, part, handlers, "rows")) {
    while (rows.length >= BATCH_ROWS) yield rows.splice(0, BATCH_ROWS);
  }
  if (root !== "worksheet") throw damaged(zip.file, `its part ${part} is not a sheet of cells`, { sheet: sheet.name });
  yield rows;
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

/** Puts every filled row into `rows`, and keeps nothing but the current one. */
function sheetHandlers(
  context: BookContext,
  { width = MAX_COLUMN, zeros, results }: SheetOptions,
  rows: RawRow[],
): XmlHandlers {
  const cell: StoredCell = { type: "", format: general, formula: null, value: null, inline: null };
  const formulas = followFormulas();
  const runs = textRuns();
  /** One bit for each row number seen, because writers may write rows in any order. */
  const seen = new Uint8Array((MAX_ROW >> 3) + 1);
  const kept = width + KEPT_BEYOND;
  let inData = false;
  let row: RawRow = { number: 0, cells: [], kinds: null, faults: null };
  /** The row number that cells must repeat; "": the first cell gives it. */
  let ownNumber = "";
  let column = -1;
  let filled = false;
  let text = "";

  function openRow({ r = "", hidden }: Attributes): void {
    ownNumber = r.trim();
    if (ownNumber !== "" && !/^[1-9]\d{0,6}$/.test(ownNumber))
      throw new Error(`it has a row numbered ${JSON.stringify(r.slice(0, 20))}`);
    // A row without a number follows the previous one.
    const number = ownNumber === "" ? row.number + 1 : Number(r);
    row = { number, cells: [], kinds: null, faults: null, hidden: isTrue(hidden) };
    column = -1;
    filled = false;
  }

  /** @throws Error (plain) when the number appeared before or is beyond Excel's last row. */
  function closeRow(): void {
    const { number } = row;
    if (number > MAX_ROW) throw new Error(`it has more than ${MAX_ROW} rows`);
    const bits = seen[number >> 3] as number;
    const bit = 1 << (number & 7);
    if ((bits & bit) !== 0) throw new Error(`row ${number} appears twice`);
    seen[number >> 3] = bits | bit;
    if (filled) rows.push(row);
  }

  /** @throws Error (plain) when its reference is malformed or contradicts its row. */
  function openCell({ r: reference, t = "", s = "" }: Attributes): void {
    if (reference === undefined) column++;
    else {
      if (ownNumber === "") {
        ownNumber = /[1-9]\d{0,6}$/.exec(reference)?.[0] ?? "";
        row.number = Number(ownNumber) || row.number;
      }
      column = columnOf(reference);
      const letters = column < 26 ? 1 : column < 702 ? 2 : 3;
      if (column === -1 || reference.length !== letters + ownNumber.length || !reference.endsWith(ownNumber))
        throw new Error(`row ${row.number} has a cell ${JSON.stringify(reference.slice(0, 20))}`);
    }
    if (column >= MAX_COLUMN) throw new Error(`row ${row.number} has more than ${MAX_COLUMN} columns`);
    cell.type = t;
    cell.format = context.formats[s === "" ? 0 : Number(s)] ?? general;
    cell.formula = null;
    cell.value = null;
    cell.inline = null;
  }

  function closeCell(): void {
    let { look } = cell.format;
    if (look !== null) keepLook(look);
    // In many sheets most cells are styled and empty.
    if (cell.value === null && cell.inline === null && cell.formula === null) return;
    const { text: shown, kind, fault: unread, stored, inUnit } = evaluateCell(cell, context, zeros);
    if (unread !== null) fault(unread.code, `holds ${unread.message}`, unread.hint);
    if (inUnit !== undefined) keepLook((look = { ...look, shown: inUnit }));
    if (stored !== null) keepLook({ ...look, stored });
    if (cell.formula !== null) {
      results?.add(cell.value?.trim() ?? "");
      const formula = formulas.of(cell.formula, row.number, column);
      const result = shown === "" && unread === null ? "" : stored;
      keepLook({ ...look, ...(result === null ? {} : { stored: result }), formula });
    }
    const visible = kind !== "text" || isFilled(shown);
    filled ||= visible || unread !== null;
    if (shown === "") return;
    if (kind === "text" && shown.includes("\0")) fault("nul-character", "contains a NUL character");
    if (column >= width) {
      const message = `(${JSON.stringify(shown.slice(0, 60))}) is to the right of the table's last column, ${columnLetters(width)}`;
      const hint = "Give the column a heading, or clear the cell.";
      if (visible && (row.faults?.length ?? 0) < MAX_BEYOND) fault("row-long", message, hint);
    }
    if (column >= kept) return;
    if (column < row.cells.length && row.cells[column] !== "")
      throw new Error(`cell ${columnLetters(column + 1)}${row.number} appears twice`);
    setCell(row, column, shown, kind);
  }

  function keepLook(look: CellLook): void {
    if (column < kept) (row.looks ??= [])[column] = look;
  }

  function fault(code: Code, what: string, hint: string | null = null): void {
    const message = `cell ${columnLetters(column + 1)}${row.number} ${what}`;
    row.faults = [...(row.faults ?? []), { code, column, message, hint }];
  }

  return {
    open(name, attributes) {
      text = "";
      if (!inData) inData = name === "sheetData";
      else if (name === "c") openCell(attributes);
      else if (name === "row") openRow(attributes);
      else if (name === "f") formulas.open(attributes);
      else if (name === "is") runs.start();
      else runs.open(name, attributes);
    },
    close(name) {
      if (!inData) return;
      if (name === "c") closeCell();
      else if (name === "v") cell.value = text;
      else if (name === "f") cell.formula = text;
      else if (name === "row") closeRow();
      else if (name === "is") cell.inline = runs.get();
      else if (name === "sheetData") inData = false;
      else runs.close(name);
    },
    text(piece) {
      text += piece;
      runs.text(piece);
    },
  };
}
