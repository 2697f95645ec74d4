/** A rejected file as a workbook: numbers stay numbers and dates stay dates; the reason is a coloured, filterable column. */
import { once } from "node:events";
import { chmodSync, createWriteStream, renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import exceljs, { type CellErrorValue, type CellValue } from "exceljs";
import type { Dialect } from "../model/dialect.js";
import type { CellKind } from "../model/row.js";
import { makeFolder, temporaryPath } from "./atomic-file.js";
import type { RejectedContent, RejectedFile } from "./rejected-file.js";
import { originalColumns, ownCells, ownColumns } from "./rejected-row.js";

const headerFill: exceljs.Fill = { type: "pattern", pattern: "solid", fgColor: { argb: "FFE8A33D" } };
const reasonFill: exceljs.Fill = { type: "pattern", pattern: "solid", fgColor: { argb: "FFFFF1D6" } };
/** A sheet's last row; further rows would be lost by whatever opens the file. */
const sheetRows = 1_048_576;

/** The sheet keeps its name. Rows beyond what a sheet holds are left out, and `note` says so. */
export async function writeRejectedExcel(
  path: string,
  dialect: Extract<Dialect, { format: "xlsx" }>,
  content: RejectedContent,
): Promise<RejectedFile> {
  makeFolder(dirname(path));
  const temporary = temporaryPath(path);
  rmSync(temporary, { force: true });
  const stream = createWriteStream(temporary, { flags: "wx", mode: 0o600 });
  try {
    const result = await writeWorkbook(path, stream, dialect.sheet, content);
    chmodSync(temporary, 0o600);
    const handle = await open(temporary, "r+");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    renameSync(temporary, path);
    return result;
  } catch (error) {
    stream.destroy();
    rmSync(temporary, { force: true });
    throw error;
  }
}

async function writeWorkbook(
  path: string,
  stream: ReturnType<typeof createWriteStream>,
  sheetName: string,
  content: RejectedContent,
): Promise<RejectedFile> {
  await once(stream, "open");
  const failed = new Promise<never>((_resolve, reject) => stream.once("error", reject));
  const finish = async (): Promise<RejectedFile> => {
    const workbook = new exceljs.stream.xlsx.WorkbookWriter({ stream, useStyles: true, useSharedStrings: false });
    workbook.creator = "rowferry";
    const columns = originalColumns(content.header);
    const sheet = workbook.addWorksheet(sheetName, { views: [{ state: "frozen", ySplit: 1 }] });
    sheet.columns = [
      ...columns.map((index) => ({ width: Math.min(30, Math.max(10, (content.header[index] ?? "").length + 2)) })),
      ...ownColumns.map((name) => ({ width: name === "rowferry_message" ? 70 : name === "rowferry_hint" ? 50 : 22 })),
    ];
    const header = sheet.addRow([
      ...columns.map((index) => excelValue(content.header[index] ?? "", "text").value),
      ...ownColumns,
    ]);
    header.font = { bold: true };
    ownColumns.forEach((_name, index) => {
      header.getCell(columns.length + index + 1).fill = headerFill;
    });
    header.commit();
    let count = 0;
    let left = 0;
    for (const row of content.rows) {
      if (count + 1 >= sheetRows) {
        left++;
        continue;
      }
      const line = sheet.addRow([]);
      columns.forEach((from, index) => {
        const { value, format } = excelValue(row.cells[from] ?? "", row.kinds?.[from] ?? "text");
        if (value === null) return;
        const cell = line.getCell(index + 1);
        cell.value = value;
        if (format !== null) cell.numFmt = format;
      });
      ownCells(row).forEach((text, index) => {
        const cell = line.getCell(columns.length + index + 1);
        cell.value = excelValue(text, "text").value;
        cell.fill = reasonFill;
      });
      line.commit();
      count++;
      // Lets the archive drain; otherwise the whole sheet would gather in memory.
      if (count % 200 === 0) await setImmediate();
    }
    sheet.autoFilter = {
      from: { row: 1, column: 1 },
      to: { row: count + 1, column: columns.length + ownColumns.length },
    };
    const closed = once(stream, "close");
    await workbook.commit();
    await closed;
    const note = left === 0 ? null : `${left} rows are left out, because a sheet holds no more than ${sheetRows}`;
    return { path, rows: count, note };
  };
  return Promise.race([finish(), failed]);
}

interface ExcelValue {
  /** Null: an empty cell. */
  value: CellValue;
  /** Number format; null: general. */
  format: string | null;
}

const dayMs = 86_400_000;

/** What cannot be written in its kind without changing it is written as text. */
function excelValue(text: string, kind: CellKind): ExcelValue {
  if (text === "") return { value: null, format: null };
  return inKind(text, kind) ?? { value: xmlText(text), format: kind === "text" && looksLikeNumber(text) ? "@" : null };
}

function inKind(text: string, kind: CellKind): ExcelValue | null {
  switch (kind) {
    case "number":
      return Number.isFinite(Number(text)) && String(Number(text)) === text
        ? { value: Number(text), format: null }
        : null;
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

function dateValue(text: string): ExcelValue | null {
  const date = new Date(text.includes("T") ? `${text}Z` : `${text}T00:00:00Z`);
  // Excel counts a 29 February 1900 that never was; before it dates are off by one.
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
  const match = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/.exec(text);
  if (match === null) return null;
  const seconds = Number(match[1] ?? 0) * 3600 + Number(match[2] ?? 0) * 60 + Number(match[3] ?? 0);
  return { value: (seconds * 1000) / dayMs, format: "[h]:mm:ss" };
}

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

/** Marked as text, so that editing the cell does not make a number of it (`007`, a tax id). */
function looksLikeNumber(text: string): boolean {
  return /^[\d.,\s+-]+$/.test(text);
}
