/** An Excel workbook (.xlsx, .xlsm) as an `Input`: its sheet, header and rows (docs/decisions/excel-on-saxes.md). */
import type { ExcelOptions, HeaderOption, ReadOptions } from "../../model/dialect.js";
import { RowferryError } from "../../model/error.js";
import { listed } from "../../model/fold.js";
import { columnLetters } from "../../model/formula.js";
import { ownPosition } from "../../model/own-columns.js";
import type { CellLook, Row } from "../../model/row.js";
import {
  type HeaderCandidate,
  headerOf,
  headerTexts,
  isBlank,
  isFilled,
  isLabels,
  lettersOf,
  locateHeader,
  valueColumns,
} from "../header.js";
import { type FaultOf, reasonOf } from "../opened-file.js";
import { garbledRows, type RawRow, rowFinisher } from "../rows.js";
import type { Input, Table } from "../table.js";
import type { Zip } from "../zip.js";
import { chooseSheet, sheetsLike } from "./choose-sheet.js";
import { type ColumnRange, type Merge, mergeSweep, readLayout } from "./merges.js";
import { sheetBatches } from "./sheet.js";
import { openWorkbook, type Sheet, type Workbook } from "./workbook.js";
import { damaged } from "./xml.js";

const SAMPLE_ROWS = 512;
/** Rows above the header of a rejected file. */
const MOST_TITLES = 5;

/** Owns the file from here on. @throws RowferryError `file-*`, `sheet-missing`. */
export async function openExcel(zip: Zip, contentHash: string): Promise<Input> {
  const workbook = await openWorkbook(zip);
  const { name, bytes, position, close } = zip.file;
  let corrected: ReturnType<typeof findCorrectedSheet> | null = null;
  // Once: it looks into every sheet, and a workbook may have one for each day.
  const findCorrected = () => (corrected ??= findCorrectedSheet(workbook));
  return {
    name,
    nameless: false,
    format: "xlsx",
    contentHash,
    bytes,
    sheets: workbook.sheets.map(({ name: sheet, hidden }) => ({ sheet, hidden })),
    corrected: async () => {
      const found = await findCorrected();
      return found === null ? null : { sheet: found.sheet.name, reference: found.reference };
    },
    each: async (options) => {
      const { sheet, ...excel } = options.excel ?? {};
      if (sheet === undefined || (await findCorrected()) !== null) return [options];
      return sheetsLike(workbook, { ...excel, sheet }).map((one) => ({ ...options, excel: { ...excel, sheet: one } }));
    },
    open: async (options) => openTable(workbook, options, await findCorrected()),
    position,
    close,
  };
}

/**
 * The sheet with the rows of a rejected file; somebody may have written a title above them. Null: no visible sheet has our
 * column in its first rows. Damaged sheets do not count.
 */
async function findCorrectedSheet(workbook: Workbook) {
  for (const sheet of workbook.sheets) {
    if (sheet.hidden) continue;
    const first = await firstRows(workbook, sheet).catch(() => []);
    const at = first.slice(0, MOST_TITLES + 1).findIndex(({ cells }) => ownPosition(cells, "rowferry_row") !== -1);
    const header = first[at];
    if (header === undefined) continue;
    const column = ownPosition(header.cells, "rowferry_row");
    const below = first.slice(at + 1);
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

async function openTable(
  workbook: Workbook,
  options: ReadOptions,
  corrected: Awaited<ReturnType<typeof findCorrectedSheet>>,
): Promise<Table> {
  // A person hides rows and columns of a rejected file to find the way in it, and corrects the others, too.
  const excel: ExcelOptions = { ...options.excel, ...(corrected === null ? {} : { hidden: "read" }) };
  const isEmpty = async (one: Sheet) => (await firstRows(workbook, one)).length === 0;
  const { sheet, notes } =
    corrected === null ? await chooseSheet(workbook, excel, isEmpty) : { sheet: corrected.sheet, notes: [] };
  const option = corrected?.headerRow ?? options.header ?? "auto";
  const layout = await readLayout(workbook.zip, workbook.partOf(sheet));
  const sample = await sampleOf(workbook, sheet, option);
  const fault: FaultOf = (code, message, more) =>
    workbook.zip.file.fault(code, message, { sheet: sheet.name, ...more });
  const found = sound(fault, () => findTable(sample, layout, excel, option, fault));
  const { shown, header, body, width } = found;
  notes.push(...found.notes);
  const columnWidths = shown
    .before(width)
    .map((column) => layout.columns.find((one) => one.width !== null && within(column)(one))?.width ?? null);
  const zeros = workbook.calculatedOnOpening && sample.areZeros ? "placeholders" : "results";
  const widths = columnWidths.some((one) => one !== null) ? { widths: columnWidths } : {};

  async function* rows(): AsyncGenerator<Row[]> {
    const finisher = rowFinisher({
      ...header,
      width: null,
      hidden: excel.hidden ?? null,
      sample: body,
    });
    const garbled = garbledRows();
    const sweep = mergeSweep(layout.merges, excel.fillMerged === true, width);
    for await (const raws of sheetBatches(workbook, sheet, { width, zeros })) {
      // A row with nothing but values of merges is blank.
      const filled =
        layout.merges.length === 0 ? raws : raws.filter((row) => row.faults !== null || !isBlank(shown.of(row).cells));
      for (const { number, cells } of raws) garbled.look(number, cells);
      sound(fault, () => raws.forEach(sweep));
      const finished = finisher.finish(filled.map(shown.of));
      if (finished.length > 0) yield finished;
      finisher.look(finished);
    }
    await workbook.zip.file.checkUnchanged();
    notes.push(...finisher.notes(), ...garbled.said());
  }

  return {
    sheet: sheet.name,
    ...header,
    dialect: { format: "xlsx", sheet: sheet.name, date1904: workbook.date1904, ...widths },
    notes,
    rows,
  };
}

/** @throws RowferryError `header-missing`, `file-empty`; Error (plain) where merges contradict each other. */
function findTable(
  { rows, width: least }: Awaited<ReturnType<typeof sampleOf>>,
  { columns, merges }: Awaited<ReturnType<typeof readLayout>>,
  excel: ExcelOptions,
  option: HeaderOption,
  fault: FaultOf,
) {
  const skip = excel.hidden === "skip";
  const fill = excel.fillMerged === true;
  const hiddenColumns = columns.filter(({ hidden }) => hidden);
  const shown = shownColumns(skip ? hiddenColumns : []);
  // A title merged over the table's width must not look like a header, so covered cells are cleared, not filled.
  rows.forEach(mergeSweep(merges, false, 0));
  const visible = rows.filter(({ hidden }) => !skip || hidden !== true);
  // A header given by number is used even if hidden.
  const candidates = typeof option === "string" ? visible : rows;
  const { headers, notes } = locateHeader(candidates.map(shown.of), option, fault);
  const above = option === "auto" ? headings(headers[0], visible, merges) : null;
  const below = option === "auto" && above === null ? subheadings(headers[0], visible, merges) : null;
  if (above !== null) {
    headers.unshift(shown.of(above));
    notes.length = 0;
  }
  if (below !== null) headers.push(shown.of(below));
  if (above !== null || below !== null) {
    notes.push(
      `The header is in rows ${headers.map(({ number }) => number).join(" and ")}, joined: it has a heading merged over several columns.`,
    );
  }
  const headerRow = Math.max(0, ...headers.map(({ number }) => number));
  const isHeader = ({ number }: RawRow) => headers.some((header) => header.number === number);
  const body = visible.filter(({ number }) => number > headerRow);
  const width = Math.max(least, ...[...rows.filter(isHeader), ...body].map(usedColumns));
  if (width === 0 && rows.length > 0 && visible.length === 0)
    throw fault("file-empty", "all rows of the sheet are hidden, and `hidden: skip` leaves them out", {
      hint: "Write `excel: { hidden: read }` in the mapping, or show the rows.",
    });
  if (width === 0) throw fault("file-empty", "the sheet contains only blank cells");

  const letters = shown.before(width).map((column) => columnLetters(column + 1));
  const sample = body.slice(0, 100).map((row) => shown.of(row).cells);
  // With several header rows, a heading merged over columns heads each of them: `Pickup` above `Date` and `Weight`.
  const spread = fill ? merges : merges.map((merge) => ({ ...merge, lastRow: merge.firstRow }));
  const upper = rows.filter(({ number }) => number <= headerRow);
  if (fill || headers.length > 1) upper.forEach(mergeSweep(spread, true, width));
  const texts = headerTexts(upper.filter(isHeader).map((row) => shown.of(row).cells));
  const named = option === "none" ? letters : letters.map((_, column) => texts[column] ?? "");
  const header = headerOf(headers, { header: named, sample, option }, notes);
  if (!fill) notes.push(...mergesNote(merges, headerRow, width));
  if (excel.hidden !== "read") notes.push(...hiddenColumnsNote(hiddenColumns, width, skip));
  return { header, shown, width, body: sample, notes };
}

/** If several rows share a merged cell, it is blank in all but the first. */
function mergesNote(merges: readonly Merge[], headerRow: number, width: number): string[] {
  const tall = merges.filter(
    ({ firstRow, lastRow, firstColumn }) => lastRow > firstRow && firstRow > headerRow && firstColumn < width,
  );
  const [first] = tall;
  if (first === undefined) return [];
  const cells = `${columnLetters(first.firstColumn + 1)}${first.firstRow}`;
  const are = tall.length === 1 ? `Cell ${cells} is` : `${tall.length} cells, the first of them ${cells}, are`;
  return [
    `${are} merged over several rows: only the first has its value; \`excel: { fillMerged: true }\`, or \`fill: down\` in the column, fills the others.`,
  ];
}

/**
 * The row above the header, if it alone gives a filled column its heading, next to merged headings. Null: there is
 * none.
 */
function headings(
  header: HeaderCandidate | undefined,
  rows: readonly RawRow[],
  merges: readonly Merge[],
): RawRow | null {
  const at = rows.findIndex(({ number }) => number === header?.number);
  const row = rows[at - 1];
  if (row === undefined || row.number + 1 !== header?.number || !isLabels(row.cells)) return null;
  const merged = merges.filter(({ firstRow }) => firstRow === row.number);
  const wide = merged.filter(({ firstColumn, lastColumn }) => lastColumn > firstColumn);
  const body = rows.slice(at + 1, at + 51);
  const heads = row.cells.some(
    (cell, column) =>
      isFilled(cell) &&
      !isFilled(rows[at]?.cells[column] ?? "") &&
      !wide.some(({ firstColumn }) => firstColumn === column) &&
      body.some(({ cells }) => isFilled(cells[column] ?? "")),
  );
  return heads && wide.length > 0 ? row : null;
}

/** The row below a heading merged over several columns, if it names them: words above values. Null: there is none. */
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

/** `width`: of all rows, if there is no header; else 0. `areZeros`: every formula's result is 0. */
async function sampleOf(workbook: Workbook, sheet: Sheet, option: HeaderOption) {
  const wanted = typeof option === "string" ? 0 : Math.max(0, ...[option].flat());
  const sample: RawRow[] = [];
  let below = 0;
  let width = 0;
  const results = new Set<string>();
  for await (const rows of sheetBatches(workbook, sheet, { results })) {
    if (option === "none") width = Math.max(width, ...rows.map(usedColumns));
    else if (below >= SAMPLE_ROWS) break;
    if (below < SAMPLE_ROWS) sample.push(...rows.filter(({ number }) => number >= wanted - SAMPLE_ROWS));
    below += rows.filter(({ number }) => number > wanted).length;
  }
  // Writers may write rows in any order.
  sample.sort((one, other) => one.number - other.number);
  return { rows: sample, width, areZeros: [...results].every((one) => one === "0") };
}

function sound<T>(fault: FaultOf, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof RowferryError) throw cause;
    throw damaged({ fault }, reasonOf(cause), { cause });
  }
}

const within =
  (column: number) =>
  ({ first, last }: ColumnRange) =>
    column >= first && column <= last;

/** The columns of a sheet, without hidden ones that are left out. */
function shownColumns(hidden: readonly ColumnRange[]) {
  const isShown = (column: number) => !hidden.some(within(column));
  const before = (width: number) => [...Array(width).keys()].filter(isShown);
  /** Formulas go: they may use a column that is left out. */
  const lookOf = (look: CellLook | null | undefined) =>
    look?.formula === undefined ? (look ?? null) : { ...look, formula: null };
  const of = (row: RawRow): RawRow => {
    if (hidden.length === 0) return row;
    const shown = before(row.cells.length);
    const faults = (row.faults ?? []).flatMap((fault) => {
      if (fault.column === null || !isShown(fault.column)) return [];
      return [{ ...fault, column: before(fault.column).length }];
    });
    return {
      ...row,
      cells: shown.map((column) => row.cells[column] ?? ""),
      kinds: row.kinds === null ? null : shown.map((column) => row.kinds?.[column] ?? "text"),
      faults: faults.length === 0 ? null : faults,
      ...(row.looks === undefined ? {} : { looks: shown.map((column) => lookOf(row.looks?.[column])) }),
    };
  };
  return { before, of };
}

/** The number of columns up to the last cell with text. */
function usedColumns({ cells, faults }: RawRow): number {
  const last = cells.findLastIndex((cell) => cell.trim() !== "");
  return Math.max(last, ...(faults ?? []).map(({ column }) => column ?? 0)) + 1;
}

function hiddenColumnsNote(hidden: readonly ColumnRange[], width: number, skipped: boolean): string[] {
  const names = lettersOf(width).filter((_, column) => hidden.some(within(column)));
  if (names.length === 0) return [];
  if (skipped) return [`Hidden columns are left out: ${listed(names, 10)}.`];
  return [`Hidden columns are read: ${listed(names, 10)}; \`excel: { hidden: skip }\` leaves them out.`];
}
