/** An Excel workbook (.xlsx, .xlsm) as an `Input`: its sheet, header and rows (docs/decisions/excel-on-saxes.md). */
import type { ExcelOptions, HeaderOption, ReadOptions } from "../../model/dialect.js";
import { RowferryError } from "../../model/error.js";
import { listed } from "../../model/fold.js";
import { columnLetters } from "../../model/formula.js";
import type { CellLook, Row } from "../../model/row.js";
import { isReferenceColumn } from "../corrected.js";
import {
  type HeaderCandidate,
  headerDoubt,
  headerTexts,
  isBlank,
  isFilled,
  isLabels,
  locateHeader,
  valueColumns,
} from "../header.js";
import { type RawRow, RowFinisher, type TableShape } from "../rows.js";
import type { Input, Table } from "../table.js";
import type { Zip } from "../zip.js";
import { chooseSheet } from "./choose-sheet.js";
import { corrupt, reasonOf } from "./fault.js";
import { type ColumnRange, type ColumnWidth, type Merge, MergeSweep, readLayout, type SheetLayout } from "./merges.js";
import { sheetBatches } from "./sheet.js";
import { openWorkbook, type Sheet, type Workbook } from "./workbook.js";

const SAMPLE_ROWS = 512;

/** Owns the file from here on. @throws RowferryError `file-*`, `sheet-missing`. */
export async function openExcel(zip: Zip, contentHash: string): Promise<Input> {
  const workbook = await openWorkbook(zip);
  const { name, bytes, position, close } = zip.file;
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
    position,
    close,
  };
}

/** The sheet with the rows of a rejected file. */
interface CorrectedSheet {
  sheet: Sheet;
  headerRow: number;
  /** Null: the first row has none. */
  reference: string | null;
}

/** Null: no visible sheet has our column in its first row. Damaged sheets do not count. */
async function findCorrectedSheet(workbook: Workbook): Promise<CorrectedSheet | null> {
  for (const sheet of workbook.sheets) {
    if (sheet.hidden) continue;
    const [header, ...below] = await firstRows(workbook, sheet).catch(() => []);
    const column = header?.cells.findIndex(isReferenceColumn) ?? -1;
    if (header === undefined || column === -1) continue;
    const reference = below.map(({ cells }) => cells[column]?.trim() ?? "").find((text) => text !== "") ?? null;
    return { sheet, headerRow: header.number, reference };
  }
  return null;
}

async function firstRows(workbook: Workbook, sheet: Sheet): Promise<RawRow[]> {
  for await (const rows of sheetBatches(workbook, sheet)) {
    const filled = rows.filter(({ cells }) => !isBlank(cells));
    if (filled.length > 0) return filled;
  }
  return [];
}

async function openTable(workbook: Workbook, options: ReadOptions, corrected: CorrectedSheet | null): Promise<Table> {
  const excel = options.excel ?? {};
  const isEmpty = async (one: Sheet) => (await firstRows(workbook, one)).length === 0;
  const { sheet, notes } =
    corrected === null ? await chooseSheet(workbook, excel, isEmpty) : { sheet: corrected.sheet, notes: [] };
  const option = corrected?.headerRow ?? options.header ?? "auto";
  const layout = await readLayout(workbook.parts, workbook.partOf(sheet));
  const rows = await sampleOf(workbook, sheet, typeof option === "string" ? 0 : Math.max(0, ...[option].flat()));
  const place = { file: workbook.parts.file.name, sheet: sheet.name };
  const frame = sound(place, () => frameOf(rows, { layout, excel, option, place }));
  const { header, headerRow } = frame.shape;
  notes.push(...frame.notes);
  return {
    sheet: sheet.name,
    header: [...header],
    headerRow: headerRow === 0 ? null : headerRow,
    joinedRows: frame.joined,
    headerDoubt: frame.doubt,
    dialect: { format: "xlsx", sheet: sheet.name, date1904: workbook.date1904, ...widthsOf(frame, layout.widths) },
    notes,
    rows: () => rowsOf(workbook, sheet, { frame, merges: layout.merges, fillMerged: excel.fillMerged === true, notes }),
  };
}

function widthsOf({ columns, width }: Frame, widths: readonly ColumnWidth[]): { widths?: (number | null)[] } {
  const wide = columns
    .before(width)
    .map((column) => widths.find(({ first, last }) => column >= first && column <= last)?.width ?? null);
  return wide.every((one) => one === null) ? {} : { widths: wide };
}

interface Frame {
  shape: TableShape;
  columns: ShownColumns;
  /** Up to the last used column, hidden ones included. */
  width: number;
  joined: number[] | null;
  doubt: string | null;
  notes: string[];
}

interface FrameOptions {
  layout: SheetLayout;
  excel: ExcelOptions;
  option: HeaderOption;
  place: { file: string; sheet: string };
}

/** @throws RowferryError `header-missing`, `file-empty`; Error (plain) where merges contradict each other. */
function frameOf(rows: readonly RawRow[], { layout, excel, option, place }: FrameOptions): Frame {
  const { merges, hiddenColumns } = layout;
  const skip = excel.hidden === "skip";
  const columns = new ShownColumns(skip ? hiddenColumns : []);
  // A title merged over the table's width must not look like a header, so covered cells are cleared, not filled.
  const cleared = swept(rows, merges, { fill: false, width: 0 });
  const visible = cleared.filter(({ hidden }) => !skip || hidden !== true);
  // A header given by number is used even if hidden.
  const candidates = typeof option === "string" ? visible : cleared;
  const { headers, notes } = locateHeader(
    candidates.map((row) => columns.of(row)),
    option,
    place,
  );
  const below = option === "auto" ? subheadings(headers[0], visible, merges) : null;
  if (below !== null) {
    headers.push(columns.of(below));
    notes.push(
      `The header is in rows ${headers.map(({ number }) => number).join(" and ")}, joined: it has a heading merged over several columns.`,
    );
  }
  const numbers = headers.map(({ number }) => number);
  const headerRow = Math.max(0, ...numbers);
  const isHeader = ({ number }: RawRow) => numbers.includes(number);
  const body = visible.filter(({ number }) => number > headerRow);
  const width = Math.max(0, ...[...cleared.filter(isHeader), ...body].map(usedColumns));
  if (width === 0) {
    const left = cleared.length > 0 && visible.length === 0;
    const what = left
      ? "all rows of the sheet are hidden, and `hidden: skip` leaves them out"
      : "the sheet holds nothing but blank cells";
    throw new RowferryError("file-empty", what, {
      place,
      ...(left ? { hint: "Write `excel: { hidden: read }` in the mapping, or show the rows." } : {}),
    });
  }

  const above = cleared.filter(({ number }) => number <= headerRow);
  // With several header rows, a heading merged over columns heads each of them: `Pickup` above `Date` and `Weight`.
  const spread = excel.fillMerged === true ? merges : merges.map((merge) => ({ ...merge, lastRow: merge.firstRow }));
  const fill = excel.fillMerged === true || headers.length > 1;
  const filled = (fill ? swept(above, spread, { fill, width }) : above).filter(isHeader);
  const texts = headerTexts(filled.map((row) => columns.of(row).cells));
  const letters = columns.before(width).map((column) => columnLetters(column + 1));
  const header = option === "none" ? letters : letters.map((_, column) => texts[column] ?? "");

  const sample = body.slice(0, 100).map((row) => columns.of(row).cells);
  const doubt = option === "auto" ? headerDoubt(header, sample, headerRow, notes) : null;
  if (excel.fillMerged !== true) notes.push(...mergesNote(merges, headerRow, width));
  if (excel.hidden !== "read") notes.push(...hiddenColumnsNote(hiddenColumns, width, skip));
  return {
    shape: { header, headerRow, width: null, hidden: excel.hidden ?? null, sample },
    columns,
    width,
    joined: numbers.length > 1 ? numbers : null,
    doubt,
    notes,
  };
}

/** Of rows that share a merged cell, all but the first are blank there. */
function mergesNote(merges: readonly Merge[], headerRow: number, width: number): string[] {
  const tall = merges.filter(
    ({ firstRow, lastRow, firstColumn }) => lastRow > firstRow && firstRow > headerRow && firstColumn < width,
  );
  const [first] = tall;
  if (first === undefined) return [];
  const cells = `${columnLetters(first.firstColumn + 1)}${first.firstRow}`;
  const are = tall.length === 1 ? `Cell ${cells} is` : `${tall.length} cells, the first of them ${cells}, are`;
  return [
    `${are} merged over several rows: only the first has its value; \`excel: { fillMerged: true }\` fills the others.`,
  ];
}

/** The row below a heading that is merged over several columns, where it names them: words above values. Null: there is none. */
function subheadings(
  header: HeaderCandidate | undefined,
  rows: readonly RawRow[],
  merges: readonly Merge[],
): RawRow | null {
  const merged = merges.filter(
    ({ firstRow, firstColumn, lastColumn }) => firstRow === header?.number && lastColumn > firstColumn,
  );
  const at = rows.findIndex(({ number, cells }) => merged.some(({ lastRow }) => number > lastRow) && !isBlank(cells));
  const row = rows[at];
  if (row === undefined || !isLabels(row.cells)) return null;
  const values = valueColumns(rows.slice(at + 2, at + 52).map(({ cells }) => cells));
  return values.some((column) => isFilled(row.cells[column] ?? "")) ? row : null;
}

interface RowsOf {
  frame: Frame;
  merges: readonly Merge[];
  fillMerged: boolean;
  /** Filled when the end is reached. */
  notes: string[];
}

/** @throws RowferryError if the rest cannot be read; then nothing of the file is sent (H14). */
async function* rowsOf(workbook: Workbook, sheet: Sheet, options: RowsOf): AsyncGenerator<Row[]> {
  const { frame, merges, fillMerged, notes } = options;
  const { shape, columns, width } = frame;
  const { file } = workbook.parts;
  const finisher = new RowFinisher(shape);
  const sweep = new MergeSweep(merges, fillMerged);
  for await (const raws of sheetBatches(workbook, sheet, width)) {
    // A row with nothing but values of merges is blank.
    const filled =
      merges.length === 0 ? raws : raws.filter((row) => row.faults !== null || !isBlank(columns.of(row).cells));
    sound({ file: file.name, sheet: sheet.name }, () => raws.forEach((row) => sweep.apply(row, width)));
    const rows = finisher.finish(filled.map((row) => columns.of(row)));
    if (rows.length > 0) yield rows;
    finisher.look(rows);
  }
  await file.checkUnchanged();
  notes.push(...finisher.notes());
}

/** `wanted`: the last row that must be included; 0: none. */
async function sampleOf(workbook: Workbook, sheet: Sheet, wanted: number): Promise<RawRow[]> {
  const sample: RawRow[] = [];
  let below = 0;
  for await (const rows of sheetBatches(workbook, sheet)) {
    below += rows.filter(({ number }) => number > wanted).length;
    sample.push(...rows.filter(({ number }) => number >= wanted - SAMPLE_ROWS));
    if (below >= SAMPLE_ROWS) break;
  }
  return sample;
}

/** Copies rows, with covered cells cleared or filled. */
function swept(rows: readonly RawRow[], merges: readonly Merge[], { fill, width }: { fill: boolean; width: number }) {
  const sweep = new MergeSweep(merges, fill);
  return rows.map((row) => {
    const { looks: _, ...copy } = { ...row, cells: [...row.cells], kinds: row.kinds === null ? null : [...row.kinds] };
    sweep.apply(copy, width);
    return copy;
  });
}

function sound<T>(place: { file: string; sheet: string }, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof RowferryError) throw cause;
    throw corrupt(place.file, reasonOf(cause), { sheet: place.sheet, cause });
  }
}

/** The columns of a sheet, without hidden ones that are left out. */
class ShownColumns {
  readonly #hidden: readonly ColumnRange[];

  constructor(hidden: readonly ColumnRange[]) {
    this.#hidden = hidden;
  }

  before(width: number): number[] {
    return Array.from({ length: width }, (_, column) => column).filter((column) => this.#isShown(column));
  }

  of(row: RawRow): RawRow {
    if (this.#hidden.length === 0) return row;
    const shown = this.before(row.cells.length);
    const faults = (row.faults ?? []).flatMap((fault) => {
      if (fault.column === null || !this.#isShown(fault.column)) return [];
      return [{ ...fault, column: this.before(fault.column).length }];
    });
    return {
      ...row,
      cells: shown.map((column) => row.cells[column] ?? ""),
      kinds: row.kinds === null ? null : shown.map((column) => row.kinds?.[column] ?? "text"),
      faults: faults.length === 0 ? null : faults,
      ...(row.looks === undefined ? {} : { looks: shown.map((column) => withoutFormula(row.looks?.[column] ?? null)) }),
    };
  }

  #isShown(column: number): boolean {
    return !this.#hidden.some(({ first, last }) => column >= first && column <= last);
  }
}

/** A formula may use a column that is left out. */
const withoutFormula = (look: CellLook | null): CellLook | null =>
  look?.formula === undefined ? look : { ...look, formula: null };

/** The number of columns up to the last cell with text. */
function usedColumns({ cells, faults }: RawRow): number {
  const last = cells.findLastIndex((cell) => cell.trim() !== "");
  return Math.max(last, ...(faults ?? []).map(({ column }) => column ?? 0)) + 1;
}

function hiddenColumnsNote(hidden: readonly ColumnRange[], width: number, skipped: boolean): string[] {
  const shown = new Set(new ShownColumns(hidden).before(width));
  const names = Array.from({ length: width }, (_, column) => column).filter((column) => !shown.has(column));
  if (names.length === 0) return [];
  const letters = listed(
    names.map((column) => columnLetters(column + 1)),
    10,
  );
  if (skipped) return [`Hidden columns are left out: ${letters}.`];
  return [`Hidden columns are read: ${letters}; \`excel: { hidden: skip }\` leaves them out.`];
}
