/** Which row is the header, what its texts are, and what speaks against it. For both readers; knows neither CSV nor Excel. */
import type { HeaderOption } from "../model/dialect.js";
import { RowferryError } from "../model/error.js";
import type { Place } from "../model/place.js";

/** As much of a row as the search needs. Blank rows may be among the rows, or not. */
export interface HeaderCandidate {
  /** As a person sees it in the file. */
  number: number;
  cells: readonly string[];
}

/** Rows above the header that are looked at before the first one is taken after all. */
const SEARCHED_ROWS = 50;

/**
 * The header rows that the option asks for, in the order of the file; none under `none`, and where all rows are blank.
 * @param rows the rows at the beginning of a table. @throws RowferryError `header-missing`.
 */
export function locateHeader<R extends HeaderCandidate>(
  rows: readonly R[],
  option: HeaderOption,
  place: Place,
): { headers: R[]; notes: string[] } {
  const filled = rows.filter(({ cells }) => !isBlank(cells));
  if (option === "none") return { headers: [], notes: [] };
  if (option === "auto") {
    const index = findHeader(filled);
    const header = filled[index];
    if (header === undefined) return { headers: [], notes: [] };
    const first = filled[0]?.number;
    const above = index === 1 ? `row ${first} was` : `${index} rows above it, from row ${first} on, were`;
    const notes = index === 0 ? [] : [`The header is in row ${header.number}; ${above} skipped.`];
    return { headers: [header], notes };
  }
  const wanted = [...new Set([option].flat())].toSorted((one, other) => one - other);
  if (wanted.length === 0) throw new RowferryError("header-missing", "the mapping names no header row", { place });
  const headers = wanted.map((number) => {
    const row = filled.find((one) => one.number === number);
    if (row !== undefined) return row;
    const message = `the mapping says that row ${number} is the header, but no row begins there, or it is blank`;
    throw new RowferryError("header-missing", message, { place: { ...place, row: number } });
  });
  return { headers, notes: [] };
}

/**
 * The index in `rows` of the row that looks like a header, -1 when all are blank: the first that fills at least half
 * of the usual width, since preambles (title, date, filter) are narrow. A later row wins only when it is wider, reads
 * like labels, and has rows below it that do not.
 */
export function findHeader(rows: readonly HeaderCandidate[]): number {
  const filled = rows.map(({ cells }) => filledCount(cells));
  const several = filled.filter((count) => count > 1);
  // Rows of one cell count only among themselves.
  const usual = mostFrequent(several.length > new Set(several).size ? several : filled.filter((count) => count > 0));
  const wide = filled.findIndex((count) => count > 0 && count * 2 >= usual);
  // Far down, a wide row is no header under a long preamble, but another table.
  const first = wide > SEARCHED_ROWS ? filled.findIndex((count) => count > 0) : wide;
  if (first === -1) return -1;
  const width = filled[first] ?? 0;
  const end = Math.min(rows.length - 1, first + SEARCHED_ROWS);
  for (let index = first + 1; index < end; index++) {
    const count = filled[index] ?? 0;
    if (count <= width || count < usual) continue;
    const below = rows
      .slice(index + 1, index + 11)
      .filter((_, offset) => (filled[index + 1 + offset] ?? 0) * 2 >= usual);
    const labels = isLabels(rows[index]?.cells ?? []) && valueColumns(below.map(({ cells }) => cells)).length > 0;
    return labels ? index : first;
  }
  return first;
}

/** The texts of one header row, trimmed; several rows are joined column by column, their blank cells left out. */
export function headerTexts(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(0, ...rows.map((cells) => cells.length));
  return Array.from({ length: width }, (_, column) => {
    const parts = rows.map((cells) => (cells[column] ?? "").trim().replace(/\s+/g, " "));
    return parts.filter((part) => part !== "").join(" ");
  });
}

/** Whether the cells read like labels: at least one is filled, none is a number or a date. */
export function isLabels(cells: readonly string[]): boolean {
  return !isBlank(cells) && !cells.some(isValue);
}

/** The columns that hold nothing but values (and blanks). */
export function valueColumns(rows: readonly (readonly string[])[]): number[] {
  const width = Math.max(0, ...rows.map((cells) => cells.length));
  return Array.from({ length: width }, (_, column) => column).filter((column) => {
    const filled = rows.map((cells) => cells[column] ?? "").filter(isFilled);
    return filled.length > 0 && filled.every(isValue);
  });
}

/** A number, an amount, a date or a time: what a header hardly ever is. */
export function isValue(cell: string): boolean {
  const text = cell.trim();
  return text.length <= 40 && /^[-+(]? ?([A-Z]{0,3}[$€£] ?)?\d[\d\s.,:/%T-]*\)?$/.test(text);
}

/**
 * Why what was taken for the header may be a row: a value stands above values, or a text comes again in its column. Null: nothing
 * speaks for it. `below`: some of the rows that follow. `notes` are told.
 */
export function headerDoubt(
  header: readonly string[],
  below: readonly (readonly string[])[],
  row: number,
  notes: string[],
): string | null {
  if (below.length < 2) return null;
  for (const [column, text] of header.entries()) {
    const cells = below.map((one) => one[column]?.trim() ?? "").filter((cell) => cell !== "");
    const year = /^(19|20)\d\d$/.test(text);
    const shape = shapeOf(text);
    const again =
      text.length > 1 && !isValue(text) && cells.includes(text) && below.every((one) => !repeats(one, header));
    const value = isValue(text) && cells.filter(isValue).length * 2 > cells.length;
    const alike = /\d/.test(text) && cells.filter((cell) => shapeOf(cell) === shape).length > cells.length * 0.8;
    if (!again && (year || !(value || alike))) continue;
    const how = again ? "comes again" : "is like the cells";
    const doubt = `${JSON.stringify(text.slice(0, 40))} in column ${columnLetters(column + 1)} ${how} below it`;
    notes.push(
      `Row ${row} is taken for the header, but it looks like a row: ${doubt}. If it is one, write \`header: none\`.`,
    );
    return doubt;
  }
  return null;
}

/** `M1042` → `A9999`. */
function shapeOf(text: string): string {
  return text.slice(0, 40).replace(/\p{L}/gu, "A").replace(/\d/g, "9");
}

/** Whether a row says the header again, as where files were joined. One filled cell proves nothing. */
export function repeats(cells: readonly string[], header: readonly string[]): boolean {
  return (
    cells.length === header.length &&
    filledCount(header) > 1 &&
    cells.every((cell, column) => cell.trim() === header[column])
  );
}

/** `A` for 1, `Z` for 26, `AA` for 27: what a spreadsheet calls its columns. */
export function columnLetters(position: number): string {
  let letters = "";
  for (let rest = position; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

/** Whether a cell says something. Most begin with visible ASCII, and trimming each would cost. */
export function isFilled(cell: string): boolean {
  if (cell === "") return false;
  const code = cell.charCodeAt(0);
  return (code > 32 && code < 127) || cell.trim() !== "";
}

export function isBlank(cells: readonly string[]): boolean {
  return !cells.some(isFilled);
}

function filledCount(cells: readonly string[]): number {
  return cells.filter(isFilled).length;
}

/** The larger of two equally frequent; 0 for none. */
export function mostFrequent(counts: readonly number[]): number {
  const frequency = new Map<number, number>();
  for (const count of counts) frequency.set(count, (frequency.get(count) ?? 0) + 1);
  const ranked = [...frequency].toSorted((one, other) => other[1] - one[1] || other[0] - one[0]);
  return ranked[0]?.[0] ?? 0;
}
