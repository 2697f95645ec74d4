/** An Excel workbook (.xlsx, .xlsm) as an `Input`. Why the reader is our own: docs/excel-reading.md. */
import { open } from "node:fs/promises";
import { RowferryError } from "../../model/error.js";
import { HEAD_BYTES, recognise } from "../recognise.js";
import type { Input } from "../table.js";
import { findCorrectedSheet } from "./corrected-sheet.js";
import { openTable } from "./open-table.js";
import { openWorkbook } from "./workbook.js";
import { defaultZipLimits, type ExcelFile, type ZipLimits, ZipParts } from "./zip-parts.js";

/**
 * Opens the file and reads its list of sheets.
 * @param limits for tests; default {@link defaultZipLimits}.
 * @throws RowferryError `file-*`, `sheet-missing`.
 */
export async function openExcel(file: ExcelFile, limits: ZipLimits = defaultZipLimits): Promise<Input> {
  await refuseOtherKinds(file);
  const parts = await ZipParts.open(file, limits);
  try {
    const workbook = await openWorkbook(parts);
    return {
      name: file.name,
      nameless: false,
      format: "xlsx",
      contentHash: file.contentHash,
      bytes: file.bytes,
      sheets: workbook.sheets.map(({ name, hidden }) => ({ sheet: name, hidden })),
      corrected: async () => {
        const found = await findCorrectedSheet(workbook);
        return found === null ? null : { sheet: found.sheet.name, reference: found.reference };
      },
      open: async (options) => openTable(workbook, options, await findCorrectedSheet(workbook)),
      close: () => parts.close(),
    };
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/** What is no zip at all is refused by what it is: encrypted workbooks and .xls files are no zips. */
async function refuseOtherKinds(file: ExcelFile): Promise<void> {
  const handle = await open(file.path, "r").catch((cause: unknown) => {
    throw new RowferryError("file-missing", `${file.path} cannot be opened`, { place: { file: file.name }, cause });
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const found = recognise(buffer.subarray(0, bytesRead), file.name);
    if (found.kind === "zip") return;
    const [code, what] =
      found.kind === "refused" ? [found.code, found.what] : (["file-refused", "not a workbook"] as const);
    throw new RowferryError(code, `the file is ${what}`, { place: { file: file.name } });
  } finally {
    await handle.close();
  }
}
