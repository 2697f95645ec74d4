/** An Excel workbook (.xlsx, .xlsm) as an `Input`. Why the reader is our own: docs/decisions/excel-on-saxes.md. */
import type { Input } from "../table.js";
import type { Zip } from "../zip.js";
import { findCorrectedSheet } from "./corrected-sheet.js";
import { openTable } from "./open-table.js";
import { openWorkbook } from "./workbook.js";

/** Reads the list of sheets. The file is the input's from here on. @throws RowferryError `file-*`, `sheet-missing`. */
export async function openExcel(zip: Zip): Promise<Input> {
  const workbook = await openWorkbook(zip);
  const { name, contentHash, bytes } = zip.file;
  let closed: Promise<void> | null = null;
  return {
    name,
    nameless: false,
    format: "xlsx",
    contentHash,
    bytes,
    sheets: workbook.sheets.map(({ name: sheet, hidden }) => ({ sheet, hidden })),
    corrected: async () => {
      const found = await findCorrectedSheet(workbook);
      return found === null ? null : { sheet: found.sheet.name, reference: found.reference };
    },
    open: async (options) => openTable(workbook, options, await findCorrectedSheet(workbook)),
    close: () => (closed ??= zip.file.close()),
  };
}
