/** A rejected file as a workbook: cells as in their file, numbers, dates and formulas among them; the reason is a coloured, filterable column. */
import { once } from "node:events";
import { Writable } from "node:stream";
import { callbackify } from "node:util";
import { setImmediate } from "node:timers/promises";
import { Big } from "big.js";
import exceljs, { type CellErrorValue } from "exceljs";
import type { Dialect } from "../model/dialect.js";
import { listed } from "../model/fold.js";
import { columnLetters, moveFormula, titledColumn } from "../model/formula.js";
import type { CellKind, CellLook } from "../model/row.js";
import { writeAtomically } from "./atomic-file.js";
import type { RejectedContent, RejectedFile } from "./rejected-file.js";
import { plainText } from "./plain-text.js";
import { originalColumns, ownCells, ownColumns, type RejectedRow } from "./rejected-row.js";

const headerFill: exceljs.Fill = { type: "pattern", pattern: "solid", fgColor: { argb: "FFE8A33D" } };
const reasonFill: exceljs.Fill = { type: "pattern", pattern: "solid", fgColor: { argb: "FFFFF1D6" } };
const derivedFill: exceljs.Fill = { type: "pattern", pattern: "solid", fgColor: { argb: "FFF2C4B3" } };
const DERIVED =
  "their formulas use other rows or sheets, so they are values here; correct them by hand if they are wrong";
/** Programs would lose further rows. */
const sheetRows = 1_048_576;

type ExcelDialect = Extract<Dialect, { format: "xlsx" }>;

/** The sheet keeps its name, columns their widths, cells their number formats; formulas come along where they can. Rows beyond what a sheet holds are left out, and `note` says so. */
export async function writeRejectedExcel(
  path: string,
  dialect: ExcelDialect,
  content: RejectedContent,
): Promise<RejectedFile> {
  return writeAtomically(path, (file) => {
    const stream = new Writable({
      write: callbackify(async (chunk: Buffer, _encoding: string) => file.write(chunk)),
    });
    return writeWorkbook(path, stream, dialect, content);
  });
}

async function writeWorkbook(
  path: string,
  stream: Writable,
  { sheet: sheetName, widths = [] }: ExcelDialect,
  content: RejectedContent,
): Promise<RejectedFile> {
  const failed = new Promise<never>((_resolve, reject) => stream.once("error", reject));
  const finish = async (): Promise<RejectedFile> => {
    const workbook = new exceljs.stream.xlsx.WorkbookWriter({ stream, useStyles: true, useSharedStrings: false });
    workbook.creator = "rowferry";
    const columns = originalColumns(content.header);
    const sheet = workbook.addWorksheet(sheetName, { views: [{ state: "frozen", ySplit: 1 }] });
    const titles = columns.map((position) => content.header[position] ?? "");
    sheet.columns = [
      ...columns.map((position, index) => ({ width: widths[position] ?? usualWidth(titles[index] ?? "") })),
      ...ownColumns.map((name) => ({ width: name === "rowferry_message" ? 70 : name === "rowferry_hint" ? 50 : 22 })),
    ];
    const header = sheet.addRow([...titles.map(xmlText), ...ownColumns]);
    header.font = { bold: true };
    ownColumns.forEach((_name, index) => {
      header.getCell(columns.length + index + 1).fill = headerFill;
    });
    header.commit();
    const hintAt = content.header.findIndex((name) => name.trim().toLowerCase() === "rowferry_hint");
    const derived = new Set<string>();
    let count = 0;
    let left = 0;
    for (const row of content.rows) {
      if (count + 1 >= sheetRows) {
        left++;
        continue;
      }
      const line = sheet.addRow([]);
      // A corrected file holds values where an earlier rejected file could not keep formulas; its hint names them.
      const earlier = row.cells[hintAt]?.split(" | ").find((hint) => hint.endsWith(DERIVED)) ?? "";
      const still = columns.flatMap((position, index) => {
        const title = titles[index] ?? "";
        const isValue = earlier.includes(plainText(`"${title}"`));
        return writeCell(line.getCell(index + 1), row, position, content.header, isValue) ? [] : [title];
      });
      for (const title of still) {
        if (derived.has(title)) continue;
        derived.add(title);
        line.getCell(titles.indexOf(title) + 1).note = DERIVED;
      }
      const hint = still.length === 0 ? [] : [`${quoted(still, 100)}: ${DERIVED}`];
      ownCells(row, hint).forEach((text, index) => {
        const cell = line.getCell(columns.length + index + 1);
        cell.value = text === "" ? null : xmlText(text);
        cell.fill = reasonFill;
      });
      line.commit();
      count++;
      // Otherwise the whole sheet would collect in memory.
      if (count % 200 === 0) await setImmediate();
    }
    sheet.autoFilter = {
      from: { row: 1, column: 1 },
      to: { row: count + 1, column: columns.length + ownColumns.length },
    };
    const closed = once(stream, "close");
    await workbook.commit();
    await closed;
    const notes = [
      ...(left === 0 ? [] : [`${left} rows are left out, because a sheet holds no more than ${sheetRows}`]),
      ...(derived.size === 0
        ? []
        : [`the coloured cells of ${quoted([...derived])} do not follow a correction: ${DERIVED}`]),
    ];
    return { path, rows: count, note: notes.length === 0 ? null : notes.join("; ") };
  };
  return Promise.race([finish(), failed]);
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
    // Without a result the cell says, until a spreadsheet has computed it, what it said in its file: that there is none.
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
  value: string | number | boolean | Date | CellErrorValue | null;
  /** Null: general. */
  format: string | null;
}

const dayMs = 86_400_000;

/** Values that their kind would change are written as text. */
function excelValue(text: string, kind: CellKind, { format, stored, formula }: CellLook): ExcelValue {
  if (text === "") return { value: null, format: format ?? null };
  const found = stored === undefined ? inKind(text, kind) : inKind(stored, "number");
  if (found !== null) return { value: found.value, format: format ?? found.format };
  return { value: xmlText(text), format: format ?? (formula === undefined && looksLikeNumber(text) ? "@" : null) };
}

function inKind(text: string, kind: CellKind): ExcelValue | null {
  switch (kind) {
    case "number":
      return numberValue(text);
    case "boolean":
      return { value: text === "true", format: null };
    case "error":
      return { value: { error: text } as CellErrorValue, format: null };
    case "date":
      return dateValue(text);
    case "time":
      return timeValue(text);
    case "duration":
      return durationValue(text);
    case "text":
      break;
  }
  return null;
}

/** Null: a spreadsheet would keep fewer digits. */
function numberValue(text: string): ExcelValue | null {
  const value = Number(text);
  const isSame = Number.isFinite(value) && new Big(value.toPrecision(15)).toFixed() === text;
  return isSame ? { value, format: null } : null;
}

function dateValue(text: string): ExcelValue | null {
  const date = new Date(text.includes("T") ? `${text}Z` : `${text}T00:00:00Z`);
  // Excel counts a false 29 February 1900; earlier dates are off by one.
  if (Number.isNaN(date.getTime()) || date.getTime() < Date.UTC(1900, 2, 1)) return null;
  const fraction = text.includes(".") ? ".000" : "";
  return { value: date, format: text.includes("T") ? `yyyy-mm-dd hh:mm:ss${fraction}` : "yyyy-mm-dd" };
}

function timeValue(text: string): ExcelValue | null {
  const match = /^(\d\d):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text);
  if (match === null) return null;
  const seconds = Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]);
  return { value: (seconds * 1000) / dayMs, format: text.includes(".") ? "hh:mm:ss.000" : "hh:mm:ss" };
}

function durationValue(text: string): ExcelValue | null {
  const match = /^(-?)PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/.exec(text);
  if (match === null) return null;
  const seconds = Number(match[2] ?? 0) * 3600 + Number(match[3] ?? 0) * 60 + Number(match[4] ?? 0);
  return { value: ((match[1] === "" ? 1000 : -1000) * seconds) / dayMs, format: "[h]:mm:ss" };
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
      .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, (character) => {
        return `_x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}_`;
      })
  );
}

/** Marked as text, so that editing does not turn it into a number (`007`, a tax id). */
function looksLikeNumber(text: string): boolean {
  return /^[\d.,\s+-]+$/.test(text);
}
