/** A rejected file as a workbook: cells as in their file, numbers, dates and formulas among them; the reason is a coloured, filterable column. */
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { Big } from "big.js";
import exceljs, { type CellErrorValue } from "exceljs";
import { DateTime, Duration } from "luxon";
import type { Dialect } from "../model/dialect.js";
import { listed, shorten } from "../model/fold.js";
import { columnLetters, moveFormula, titledColumn } from "../model/formula.js";
import { originalColumns, ownColumns, ownPosition } from "../model/own-columns.js";
import type { CellKind, CellLook } from "../model/row.js";
import { counted, joined } from "./figures.js";
import { writeAtomically } from "./atomic-file.js";
import type { RejectedContent, RejectedFile } from "./rejected-file.js";
import { plainText } from "./plain-text.js";
import { ownCells, type RejectedRow } from "./rejected-row.js";

const filled = (argb: string): exceljs.Fill => ({ type: "pattern", pattern: "solid", fgColor: { argb } });
const headerFill = filled("FFE8A33D");
const reasonFill = filled("FFFFF1D6");
const derivedFill = filled("FFF2C4B3");
const DERIVED =
  "their formulas use other rows or sheets, so they are plain values here; correct them by hand if they are wrong";
/** Excel calls a file damaged that has more than 32,767 units in a cell; a character may be two. */
const longestText = 16_000;
/** Programs would lose further rows. */
const sheetRows = 1_048_576;

type ExcelDialect = Extract<Dialect, { format: "xlsx" }>;

/** The sheet keeps its name, columns their widths, cells their number formats; formulas come along where they can. Rows beyond what a sheet holds are left out, and `note` says so. */
export async function writeRejectedExcel(
  path: string,
  dialect: ExcelDialect,
  content: RejectedContent,
): Promise<RejectedFile> {
  return writeAtomically(path, async (file) => {
    const stream = new PassThrough();
    const workbook = new exceljs.stream.xlsx.WorkbookWriter({ stream, useStyles: true, useSharedStrings: false });
    workbook.creator = "rowferry";
    const written = async () => {
      for await (const chunk of stream) file.write(chunk as Buffer);
    };
    const filling = async () => {
      const found = await fillSheet(workbook, dialect, content);
      await workbook.commit();
      return found;
    };
    const [found] = await Promise.all([filling(), written()]);
    return { path, ...found };
  });
}

async function fillSheet(
  workbook: exceljs.stream.xlsx.WorkbookWriter,
  { sheet: name, widths = [] }: ExcelDialect,
  { header, rows }: RejectedContent,
): Promise<Omit<RejectedFile, "path">> {
  const columns = originalColumns(header);
  const titles = columns.map((position) => header[position] ?? "");
  const sheet = workbook.addWorksheet(name, { views: [{ state: "frozen", ySplit: 1 }] });
  sheet.columns = [
    ...columns.map((position, index) => ({ width: widths[position] ?? usualWidth(titles[index] ?? "") })),
    ...[22, 22, 70, 50].map((width) => ({ width })),
  ];
  const addOwn = (line: exceljs.Row, cells: readonly string[], fill: exceljs.Fill) => {
    for (const [index, text] of cells.entries()) {
      const cell = line.getCell(columns.length + index + 1);
      cell.value = text === "" ? null : xmlText(shorten(text, longestText));
      cell.fill = fill;
    }
  };
  const first = sheet.addRow(titles.map(xmlText));
  addOwn(first, ownColumns, headerFill);
  first.font = { bold: true };
  first.commit();
  const hintAt = ownPosition(header, "rowferry_hint");
  const derived = new Set<string>();
  let count = 0;
  let left = 0;
  for (const row of rows) {
    if (count + 1 >= sheetRows) {
      left += 1;
      continue;
    }
    const line = sheet.addRow([]);
    // A corrected file holds values where an earlier rejected file could not keep formulas; its hint names them.
    const earlier = row.cells[hintAt]?.split(" | ").find((hint) => hint.endsWith(DERIVED)) ?? "";
    const still = columns.flatMap((position, index) => {
      const title = titles[index] ?? "";
      const cell = line.getCell(index + 1);
      if (writeCell(cell, row, position, header, earlier.includes(plainText(`"${title}"`)))) return [];
      if (!derived.has(title)) cell.note = DERIVED;
      derived.add(title);
      return [title];
    });
    const hint = still.length === 0 ? [] : [`${quoted(still, 100)}: ${DERIVED}`];
    addOwn(line, ownCells(row, hint), reasonFill);
    const end = columns.length + ownColumns.length;
    for (let position = header.length; position < row.cells.length; position++)
      writeCell(line.getCell(end + position - header.length + 1), row, position, header, false);
    line.commit();
    count += 1;
    // Otherwise the whole sheet would collect in memory.
    if (count % 200 === 0) await setImmediate();
  }
  sheet.autoFilter = {
    from: { row: 1, column: 1 },
    to: { row: count + 1, column: columns.length + ownColumns.length },
  };
  const notes = [
    left > 0 && `${counted(left, "row is", "rows are")} left out, because a sheet holds no more than ${sheetRows}`,
    derived.size > 0 && `the coloured cells of ${quoted([...derived])} do not follow a correction: ${DERIVED}`,
  ];
  return { rows: count, note: joined(notes, "; ") || null };
}

/** @returns false where the cell was computed by a formula that cannot come along, or in an earlier file could not: it is a value now. */
function writeCell(
  cell: exceljs.Cell,
  row: RejectedRow,
  position: number,
  header: readonly string[],
  isValue: boolean,
): boolean {
  const text = row.cells[position] ?? "";
  const look = row.looks?.[position] ?? {};
  const { value, format } = excelValue(text, row.kinds?.[position] ?? "text", look);
  const own = look.formula === undefined && isValue ? null : look.formula;
  const formula = typeof own === "string" ? ownFormula(own, Number(cell.row), header) : own;
  if (format !== null) cell.numFmt = format;
  if (typeof formula === "string")
    // Until a spreadsheet has computed it, a cell without a result says what it said in its file: that there is none.
    cell.value = {
      formula,
      ...(value === null && look.stored === undefined ? {} : { result: value ?? "" }),
    };
  else cell.value = value;
  if (formula === null) cell.fill = derivedFill;
  return formula !== null;
}

/** Null: a column that it uses is not in the file. */
function ownFormula(formula: string, row: number, header: readonly string[]): string | null {
  const columns = originalColumns(header);
  const cellIn = (position: number): string | null => {
    const index = columns.indexOf(position);
    return index === -1 ? null : `${columnLetters(index + 1)}${row}`;
  };
  return moveFormula(
    formula,
    ({ column }) => cellIn(column),
    (title) => cellIn(titledColumn(header, title)),
  );
}

interface ExcelValue {
  /** Null: empty. */
  value: string | number | boolean | CellErrorValue | null;
  /** Null: general. */
  format: string | null;
}

/** Values that their kind would change are written as text. */
function excelValue(text: string, kind: CellKind, { format, stored, formula }: CellLook): ExcelValue {
  if (text === "") return { value: null, format: format ?? null };
  const found = stored === undefined ? inKind(text, kind) : inKind(stored, "number");
  if (found !== null) return { value: found.value, format: format ?? found.format };
  return { value: xmlText(text), format: format ?? (formula === undefined && looksLikeNumber(text) ? "@" : null) };
}

/** Null: text, or a spreadsheet would change it. */
function inKind(text: string, kind: CellKind): ExcelValue | null {
  const fraction = text.includes(".") ? ".000" : "";
  switch (kind) {
    case "number":
    case "percent": {
      const value = Number(text);
      const isSame = Number.isFinite(value) && new Big(value.toPrecision(15)).toFixed() === text;
      return isSame ? { value, format: kind === "percent" ? "0.00%" : null } : null;
    }
    case "boolean":
      return { value: text === "true", format: null };
    case "error":
      return { value: { error: text } as CellErrorValue, format: null };
    case "date": {
      const [day = "", time] = text.split("T");
      const days = serialOf(day);
      if (days === null) return null;
      const value = days + Duration.fromISOTime(time ?? "00:00").as("days");
      return { value, format: time === undefined ? "yyyy-mm-dd" : `yyyy-mm-dd hh:mm:ss${fraction}` };
    }
    case "time":
      return { value: Duration.fromISOTime(text).as("days"), format: `hh:mm:ss${fraction}` };
    case "duration":
      return { value: Duration.fromISO(text).as("days"), format: "[h]:mm:ss" };
    case "text":
      return null;
  }
}

/** Days that spreadsheets show in 1900 and no calendar has. */
const falseDays: ReadonlyMap<string, number> = new Map([
  ["1900-01-00", 0],
  ["1900-02-29", 60],
]);

/** Null: no spreadsheet has such a day. */
function serialOf(day: string): number | null {
  const date = DateTime.fromISO(day, { zone: "utc" });
  const real = date.isValid && day >= "1900" ? date.toMillis() / 86_400_000 : null;
  return falseDays.get(day) ?? (real === null ? null : real + (day < "1900-03-01" ? 25_568 : 25_569));
}

const usualWidth = (title: string): number => Math.min(30, Math.max(10, title.length + 2));

const quoted = (titles: readonly string[], most = 10): string =>
  listed(
    titles.map((title) => `"${title}"`),
    most,
  );

/** XML cannot hold control characters; Excel writes them as `_x001B_`, and text that looks like that as `_x005F_x001B_`. */
function xmlText(text: string): string {
  return (
    text
      .replace(/_x(?=[0-9A-Fa-f]{4}_)/g, "_x005F_x")
      // oxlint-disable-next-line no-control-regex -- these are the characters that XML lacks
      .replace(/[\u0000-\u0008\u000B-\u001F\uFFFE\uFFFF]/g, (character) => {
        return `_x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}_`;
      })
  );
}

/** Marked as text, so that editing does not turn it into a number (`007`, a tax id). */
function looksLikeNumber(text: string): boolean {
  return /^[\d.,\s+-]+$/.test(text);
}
