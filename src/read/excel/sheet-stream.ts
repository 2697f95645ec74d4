/** The rows of one sheet as a stream of batches, read as fast as they are taken and no faster. */
import { corrupt } from "./fault.js";
import { MAX_COLUMN } from "./cell-reference.js";
import { SheetHandlers } from "./sheet-handlers.js";
import type { SheetRow } from "./sheet-row.js";
import { walkInPieces } from "./xml.js";
import type { Sheet, Workbook } from "./workbook.js";

/** Rows in a batch; fewer where rows are wide. */
const BATCH_ROWS = 256;
const BATCH_CELLS = 65_536;

export interface SheetBatch {
  rows: SheetRow[];
  /** Complete from the first batch on. */
  hiddenColumns: readonly { first: number; last: number }[];
}

/**
 * @param width columns to keep; cells beyond are only named in a fault (`row-long`).
 * @throws RowferryError where the sheet cannot be read.
 */
export async function* sheetBatches(
  workbook: Workbook,
  sheet: Sheet,
  width: number = MAX_COLUMN,
): AsyncGenerator<SheetBatch> {
  const part = workbook.partOf(sheet);
  const context = { strings: await workbook.strings(), styles: await workbook.styles(), date1904: workbook.date1904 };
  const handlers = new SheetHandlers(context, width);
  const batchRows = Math.max(1, Math.min(BATCH_ROWS, Math.floor(BATCH_CELLS / width)));
  const { hiddenColumns } = handlers;
  for await (const _ of walkInPieces(workbook.parts, part, handlers, "rows")) {
    const { rows } = handlers;
    if (rows.length < batchRows) continue;
    handlers.rows = [];
    yield { rows, hiddenColumns };
  }
  if (handlers.root !== "worksheet") {
    throw corrupt(workbook.parts.file.name, `its part ${part} is no sheet of cells`, { sheet: sheet.name });
  }
  yield { rows: handlers.rows, hiddenColumns };
}

/** Whether no cell of the sheet says something. */
export async function isEmptySheet(workbook: Workbook, sheet: Sheet): Promise<boolean> {
  for await (const { rows } of sheetBatches(workbook, sheet)) if (rows.length > 0) return false;
  return true;
}

/** Rows behind the last header row that is wanted. */
const SAMPLE_ROWS = 512;

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
