/** A rejected file as a workbook: numbers stay numbers and dates stay dates; the reason is a coloured, filterable column. */
import { once } from "node:events";
import { chmodSync, createWriteStream, renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import exceljs from "exceljs";
import type { Dialect } from "../model/dialect.js";
import { makeFolder, temporaryPath } from "./atomic-file.js";
import { excelValue } from "./excel-value.js";
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
