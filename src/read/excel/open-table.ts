/** From a workbook and the reading options to a table: which sheet, which header, which rows. */
import type { ReadOptions } from "../../model/dialect.js";
import { columnLetters, headerDoubt } from "../header.js";
import type { Table } from "../table.js";
import { chooseSheet } from "./choose-sheet.js";
import type { CorrectedSheet } from "./corrected-sheet.js";
import { corrupt, reasonOf } from "./fault.js";
import { RowferryError } from "../../model/error.js";
import { locateHeader, type SheetHeader } from "./locate-header.js";
import { isEmptySheet, sampleSheet, type SheetSample } from "./sheet-stream.js";
import { sheetRows } from "./sheet-rows.js";
import type { Sheet, Workbook } from "./workbook.js";

/** @throws RowferryError when there is no such sheet or no header, or the workbook is damaged. */
export async function openTable(
  workbook: Workbook,
  options: ReadOptions,
  corrected: CorrectedSheet | null,
): Promise<Table> {
  const excel = options.excel ?? {};
  const { sheet, notes } =
    corrected === null
      ? await chooseSheet(workbook, excel, (one) => isEmptySheet(workbook, one))
      : { sheet: corrected.sheet, notes: [] };
  const option = corrected?.headerRow ?? options.header ?? "auto";
  const skipHidden = excel.hidden === "skip";
  const fillMerged = excel.fillMerged === true;
  // Read side by side: one waits for zlib where the other parses.
  const [merges] = await Promise.all([workbook.merges(sheet), workbook.strings(), workbook.styles()]);
  const wanted = typeof option === "string" ? 0 : Math.max(0, ...[option].flat());
  const sample = await sampleSheet(workbook, sheet, wanted);
  const settings = { file: workbook.parts.file.name, sheet: sheet.name, option, skipHidden, merges, fillMerged };
  const header = wellFormed(workbook, sheet, () => locateHeader(sample, settings));
  notes.push(...header.notes);
  const below = sample.rows.filter(({ number }) => number > (header.lastRow ?? 0)).slice(0, 100);
  const doubt =
    option === "auto"
      ? headerDoubt(
          header.texts,
          below.map(({ cells }) => header.columns.map((column) => cells[column] ?? "")),
        )
      : null;
  if (doubt !== null)
    notes.push(
      `Row ${header.lastRow} is taken for the header, but it looks like a row: ${doubt}. If it is one, write \`header: none\`.`,
    );
  if (excel.hidden !== "read") notes.push(...hiddenColumnNotes(sample, header, skipHidden));
  return {
    sheet: sheet.name,
    header: header.texts,
    headerRow: header.lastRow,
    headerDoubt: doubt,
    dialect: { format: "xlsx", sheet: sheet.name, date1904: workbook.date1904 },
    notes,
    rows: () => sheetRows(workbook, sheet, { header, merges, fillMerged, hidden: excel.hidden ?? null, notes }),
  };
}

function wellFormed(workbook: Workbook, sheet: Sheet, locate: () => SheetHeader): SheetHeader {
  try {
    return locate();
  } catch (cause) {
    if (cause instanceof RowferryError) throw cause;
    throw corrupt(workbook.parts.file.name, reasonOf(cause), { sheet: sheet.name, cause });
  }
}

function hiddenColumnNotes({ hiddenColumns }: SheetSample, { width }: SheetHeader, skipped: boolean): string[] {
  const shown = hiddenColumns
    .filter(({ first }) => first < width)
    .map(({ first, last }) => {
      const end = Math.min(last, width - 1);
      return first === end ? columnLetters(first + 1) : `${columnLetters(first + 1)} to ${columnLetters(end + 1)}`;
    });
  if (shown.length === 0) return [];
  const listed = shown.slice(0, 10).join(", ") + (shown.length > 10 ? `, and ${shown.length - 10} more` : "");
  return [
    skipped
      ? `Hidden columns are left out: ${listed}.`
      : `Hidden columns are read: ${listed}; \`excel: { hidden: skip }\` leaves them out.`,
  ];
}
