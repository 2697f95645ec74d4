/** The sheet of a workbook that holds the rows of a rejected file of ours, told by the column that is ours. */
import { isReferenceColumn } from "../corrected.js";
import { isBlankText, type SheetRow } from "./sheet-row.js";
import { sheetBatches } from "./sheet-stream.js";
import type { Sheet, Workbook } from "./workbook.js";

export interface CorrectedSheet {
  sheet: Sheet;
  headerRow: number;
  /** As in its first row; null: it says nothing there. */
  reference: string | null;
}

/** The first visible sheet whose first row has that column; null: there is none. A damaged sheet is nobody's. */
export async function findCorrectedSheet(workbook: Workbook): Promise<CorrectedSheet | null> {
  for (const sheet of workbook.sheets) {
    if (sheet.hidden) continue;
    const rows = await firstRows(workbook, sheet).catch(() => []);
    const [header, ...below] = rows.filter(({ cells }) => cells.some((cell) => !isBlankText(cell)));
    const column = header?.cells.findIndex(isReferenceColumn) ?? -1;
    if (header === undefined || column === -1) continue;
    const reference = below.map(({ cells }) => cells[column]?.trim() ?? "").find((text) => text !== "") ?? null;
    return { sheet, headerRow: header.number, reference };
  }
  return null;
}

async function firstRows(workbook: Workbook, sheet: Sheet): Promise<SheetRow[]> {
  for await (const { rows } of sheetBatches(workbook, sheet)) return rows;
  return [];
}
