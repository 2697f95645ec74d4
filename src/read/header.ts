/** Which row is the header, and what its texts are. For both readers; knows neither CSV nor Excel. */

/** As much of a row as the search needs. Blank rows may be among the rows, or not. */
export interface HeaderCandidate {
  /** As a person sees it in the file. */
  number: number;
  cells: readonly string[];
}

/** Rows above the header that are looked at before the first one is taken after all. */
const SEARCHED_ROWS = 50;

/**
 * The index in `rows` of the row that looks like a header, -1 when all are blank: the first that fills at least half
 * of the usual width, since preambles (title, date, filter) are narrow. A later row wins only when it is wider, reads
 * like labels, and has rows below it that do not.
 */
export function findHeader(rows: readonly HeaderCandidate[]): number {
  const filled = rows.map(({ cells }) => filledCount(cells));
  const usual = usualWidth(filled);
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
    return isLabels(rows[index]?.cells ?? []) && hasValueColumn(below) ? index : first;
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
  return filledCount(cells) > 0 && !cells.some(isValue);
}

/** Whether some column holds nothing but values (and blanks). */
function hasValueColumn(rows: readonly HeaderCandidate[]): boolean {
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length));
  return Array.from({ length: width }, (_, column) => rows.map(({ cells }) => cells[column] ?? "")).some((cells) => {
    const texts = cells.filter((cell) => cell.trim() !== "");
    return texts.length > 0 && texts.every(isValue);
  });
}

/** A number, an amount, a date or a time: what a header hardly ever is. */
function isValue(cell: string): boolean {
  const text = cell.trim();
  return text.length <= 40 && /^[-+(]? ?([A-Z]{0,3}[$€£] ?)?\d[\d\s.,:/%T-]*\)?$/.test(text);
}

/**
 * Why what was taken for the header may be a row: a value stands above values, or a text comes again in its column. Null: nothing
 * speaks for it. `below`: some of the rows that follow.
 */
export function headerDoubt(header: readonly string[], below: readonly (readonly string[])[]): string | null {
  if (below.length < 2) return null;
  for (const [column, text] of header.entries()) {
    const cells = below.map((row) => row[column]?.trim() ?? "").filter((cell) => cell !== "");
    const year = /^(19|20)\d\d$/.test(text);
    const value = isValue(text) && !year && cells.filter(isValue).length * 2 > cells.length;
    const shape = shapeOf(text);
    const alike =
      !value && /\d/.test(text) && !year && cells.filter((cell) => shapeOf(cell) === shape).length > cells.length * 0.8;
    const again =
      text.length > 1 && !isValue(text) && cells.includes(text) && below.every((row) => !repeats(row, header));
    if (value || alike || again) {
      const shown = JSON.stringify(text.slice(0, 40));
      return `${shown} in column ${columnLetters(column + 1)} ${again ? "comes again" : "is like the cells"} below it`;
    }
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

/** The columns of a file without header: `A`, `B` … */
export function letterHeader(width: number): string[] {
  return Array.from({ length: width }, (_, column) => columnLetters(column + 1));
}

/** `A` for 1, `Z` for 26, `AA` for 27: what a spreadsheet calls its columns. */
export function columnLetters(position: number): string {
  let letters = "";
  for (let rest = position; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

function filledCount(cells: readonly string[]): number {
  let count = 0;
  for (const cell of cells) if (cell.trim() !== "") count++;
  return count;
}

/** The count that most rows fill, the larger of two equally frequent; rows of one cell count only among themselves. */
function usualWidth(filled: readonly number[]): number {
  const frequency = new Map<number, number>();
  for (const count of filled) if (count > 0) frequency.set(count, (frequency.get(count) ?? 0) + 1);
  const wide = [...frequency].filter(([count]) => count > 1);
  const counted = wide.length > 0 ? wide : [...frequency];
  return counted.reduce(
    (best, entry) => (entry[1] > best[1] || (entry[1] === best[1] && entry[0] > best[0]) ? entry : best),
    [0, 0],
  )[0];
}
