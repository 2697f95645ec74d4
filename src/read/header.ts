/** Finds the header row, its texts, and reasons for doubt; for both readers. */
import type { HeaderOption } from "../model/dialect.js";
import { foldName, squeeze } from "../model/fold.js";
import { columnLetters } from "../model/formula.js";
import type { FaultOf } from "./opened-file.js";
import type { Table } from "./table.js";

export interface HeaderCandidate {
  /** As a person sees it in the file. */
  number: number;
  cells: readonly string[];
}

/** After this many rows above the header, the first row is taken. */
const SEARCHED_ROWS = 50;
/** As many rows of the usual width, below labels, are a table; what is wider below it is another. */
const LONG_PREAMBLE = 10;

/** In file order; none for `none` or when all rows are blank. @throws RowferryError `header-missing`. */
export function locateHeader<R extends HeaderCandidate>(
  rows: readonly R[],
  option: HeaderOption,
  fault: FaultOf,
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
  const headers = wanted.map((number) => {
    const row = filled.find((one) => one.number === number);
    if (row !== undefined) return row;
    const message = `the mapping says that row ${number} is the header, but no row begins there, or it is blank`;
    throw fault("header-missing", message, { row: number });
  });
  return { headers, notes: [] };
}

/**
 * The index of the row that looks like a header; -1: all rows are blank. It is the first that fills at least half of
 * the usual width, since preambles are narrow. A later row wins only if it is wider, reads like labels, and the rows
 * below it do not.
 */
export function findHeader(rows: readonly HeaderCandidate[]): number {
  const filled = rows.map(({ cells }) => filledCount(cells));
  const several = filled.filter((count) => count > 1);
  const usual = mostFrequent(several.length > new Set(several).size ? several : filled.filter((count) => count > 0));
  const wide = filled.findIndex((count) => count > 0 && count * 2 >= usual);
  // A wide row far down is another table, not a header below a long preamble.
  const first = wide > SEARCHED_ROWS ? filled.findIndex((count) => count > 0) : wide;
  if (first === -1) return -1;
  const width = filled[first] ?? 0;
  const end = Math.min(rows.length - 1, first + SEARCHED_ROWS);
  const under = (at: number, to: number) =>
    rows.slice(at + 1, to).filter((_, by) => (filled[at + 1 + by] ?? 0) * 2 >= usual);
  const heads = (at: number, below: HeaderCandidate[]) =>
    isLabels(rows[at]?.cells ?? []) && valueColumns(below.map(({ cells }) => cells)).length > 0;
  for (let index = first + 1; index < end; index++) {
    const count = filled[index] ?? 0;
    if (count <= width || count < usual) continue;
    const above = under(first, index);
    const isTable = width === usual && above.length >= LONG_PREAMBLE && heads(first, above);
    return heads(index, under(index, index + 11)) && !isTable ? index : first;
  }
  return first;
}

const widthOf = (rows: readonly (readonly string[])[]): number => Math.max(0, ...rows.map((cells) => cells.length));

/** Joins several header rows column by column. */
export function headerTexts(rows: readonly (readonly string[])[]): string[] {
  return Array.from({ length: widthOf(rows) }, (_, column) =>
    squeeze(rows.map((cells) => cells[column] ?? "").join(" ")),
  );
}

/** The heading of a group of columns also applies to the blanks to its right, up to the next: text files cannot merge
 * cells. */
export function spreadHeadings(rows: readonly (readonly string[])[]): string[][] {
  const width = widthOf(rows);
  return rows.map((cells, at) => {
    let heading = "";
    return Array.from({ length: width }, (_, column) => {
      const isNamed = (some: typeof rows) => some.some((one) => isFilled(one[column] ?? ""));
      const own = cells[column] ?? "";
      const hasName = isNamed(rows.slice(at + 1));
      if (isFilled(own) || !hasName || isNamed(rows.slice(0, at))) heading = hasName ? own : "";
      return heading || own;
    });
  });
}

/** `A`, `B`, … */
export function lettersOf(width: number): string[] {
  return Array.from({ length: width }, (_, column) => columnLetters(column + 1));
}

/** `headers`: the rows that are joined. `notes` gets the doubt. */
export function headerOf(
  headers: readonly HeaderCandidate[],
  { header, sample, option }: { header: string[]; sample: readonly (readonly string[])[]; option: HeaderOption },
  notes: string[],
): Pick<Table, "header" | "headerRow" | "joinedRows" | "headerDoubt"> {
  const numbers = headers.map(({ number }) => number);
  const headerRow = numbers.length === 0 ? null : Math.max(...numbers);
  const doubt = option === "auto" ? headerDoubt(header, sample) : null;
  if (doubt !== null)
    notes.push(
      `Row ${headerRow} is used as the header, but it looks like a row: ${doubt}. If it is one, write \`header: none\`.`,
    );
  return { header, headerRow, joinedRows: numbers.length > 1 ? numbers : null, headerDoubt: doubt };
}

/** At least one cell is filled, and none is a number or a date. */
export function isLabels(cells: readonly string[]): boolean {
  return !isBlank(cells) && !cells.some(isValue);
}

export function valueColumns(rows: readonly (readonly string[])[]): number[] {
  return [...Array(widthOf(rows)).keys()].filter((column) => {
    const filled = rows.map((cells) => cells[column] ?? "").filter(isFilled);
    return filled.length > 0 && filled.every(isValue);
  });
}

/** A number, an amount, a date or a time, which headers hardly ever are. */
export function isValue(cell: string): boolean {
  const text = cell.trim();
  return text.length <= 40 && /^[-+(]? ?([A-Z]{0,3}[$€£] ?)?\d[\d\s.,:/%T-]*\)?$/.test(text);
}

/** Why the header may be a row: a value above values, or a text that its column repeats. Null: no reason. */
function headerDoubt(header: readonly string[], below: readonly (readonly string[])[]): string | null {
  if (below.length < 2) return null;
  const names = foldedNames(header);
  for (const [column, text] of header.entries()) {
    const cells = below.map((one) => one[column]?.trim() ?? "").filter((cell) => cell !== "");
    // Years, months and days head columns of numbers.
    const isDay = (one: string) => /\d([-/.])\d\d?\1\d|^\d\d?[-/](19|20)\d\d$|^(19|20)\d\d[-/]\d\d?$/.test(one);
    const year = /^(19|20)\d\d$/.test(text) || (isDay(text) && !cells.some(isDay));
    const shape = shapeOf(text);
    const again =
      text.length > 1 && !isValue(text) && cells.includes(text) && below.every((one) => !repeats(one, names));
    const value = isValue(text) && cells.filter(isValue).length * 2 > cells.length;
    const alike = /\d/.test(text) && cells.filter((cell) => shapeOf(cell) === shape).length > cells.length * 0.8;
    if (!again && (year || !(value || alike))) continue;
    const how = again ? "comes again" : "is like the cells";
    return `${JSON.stringify(text.slice(0, 40))} in column ${columnLetters(column + 1)} ${how} below it`;
  }
  return null;
}

function shapeOf(text: string): string {
  return text.slice(0, 40).replace(/\p{L}/gu, "A").replace(/\d/g, "9");
}

/** Null: one filled cell, whose repetition would prove nothing. */
export const foldedNames = (header: readonly string[]): string[] | null =>
  filledCount(header) > 1 ? header.map(foldName) : null;

/** Whether a row repeats the header, as in joined files. */
export function repeats(cells: readonly string[], names: readonly string[] | null): boolean {
  return names !== null && names.every((name, column) => foldName(cells[column] ?? "") === name);
}

export const isFilled = (cell: string): boolean => cell.trim() !== "";

export function isBlank(cells: readonly string[]): boolean {
  return !cells.some(isFilled);
}

function filledCount(cells: readonly string[]): number {
  return cells.filter(isFilled).length;
}

/** Among equals the larger; 0 for none. */
export function mostFrequent(counts: readonly number[]): number {
  const alike = [...Map.groupBy(counts, (count) => count)];
  const [best] = alike.toSorted(([one, some], [other, more]) => more.length - some.length || other - one);
  return best?.[0] ?? 0;
}
