/** Reading made workbooks in tests. */
import type { ExcelOptions, HeaderOption } from "../../../src/model/dialect.js";
import { temporaryFile, readFile, type WholeTable } from "./read-file.js";
import { type MadeWorkbook, writeWorkbook } from "./write-workbook.js";

export interface WorkbookOptions extends ExcelOptions {
  header?: HeaderOption;
}

/** Writes the workbook and reads one of its sheets. */
export async function readWorkbook(made: MadeWorkbook, options: WorkbookOptions = {}): Promise<WholeTable> {
  return readWorkbookBytes(await writeWorkbook(made), options);
}

export async function readWorkbookBytes(bytes: Buffer, options: WorkbookOptions = {}): Promise<WholeTable> {
  const { header, ...excel } = options;
  const path = await temporaryFile(bytes, "input.xlsx");
  return readFile(path, { excel, ...(header === undefined ? {} : { header }) });
}

/** One sheet without header, its rows as `[kind] text`, blank cells as "". */
export async function readCells(
  rows: string,
  more: Partial<MadeWorkbook> = {},
  options: WorkbookOptions = {},
): Promise<string[][]> {
  const table = await readWorkbook({ sheets: [{ name: "S", rows }], ...more }, { header: "none", ...options });
  return table.rows.map(({ cells, kinds, problems }) => [
    ...cells.map((cell, index) => (cell === "" ? "" : `${kinds?.[index] ?? "text"} ${cell}`)),
    ...(problems ?? []).map(({ code, column }) => `! ${code} ${column ?? ""}`),
  ]);
}
