/** The first rows of a sheet, from which its header and its width are told. */
import type { SheetRow } from "./sheet-row.js";
import { sheetBatches } from "./sheet-stream.js";
import type { Sheet, Workbook } from "./workbook.js";

/** Rows behind the last header row that is wanted. */
export const SAMPLE_ROWS = 512;

export interface SheetSample {
  /** Rows with at least one cell that says something, in the order of the sheet; hidden ones among them. */
  rows: SheetRow[];
  hiddenColumns: readonly { first: number; last: number }[];
}

/** @param wanted the last row that must be among them; 0: none. @throws RowferryError where the sheet cannot be read. */
export async function sampleSheet(workbook: Workbook, sheet: Sheet, wanted: number): Promise<SheetSample> {
  const rows: SheetRow[] = [];
  let behind = 0;
  let hiddenColumns: SheetSample["hiddenColumns"] = [];
  for await (const batch of sheetBatches(workbook, sheet)) {
    hiddenColumns = batch.hiddenColumns;
    for (const row of batch.rows) {
      if (row.number > wanted) behind++;
      // Rows far above a header that is given are of no use.
      if (row.number >= wanted - SAMPLE_ROWS) rows.push(row);
    }
    if (behind >= SAMPLE_ROWS) break;
  }
  return { rows, hiddenColumns };
}
