/** How well a delimiter explains a sample that was cut into records with it. The larger the better; 0: not at all. */
import type { Row } from "../../model/row.js";
import { findHeader, isLabels } from "../header.js";

/** Below this a sample is better explained as one column. */
export const CONVINCING = 0.3;

/** What is tried, in order of preference where two do equally well. The last two are the unit separators of old systems. */
export const DELIMITERS = [",", ";", "\t", "|", "\u001f", "\u0001"];

const NUMBER = /^\s*[-+]?\d[\d.,]*\s?%?\s*$/;

/**
 * Consistency (how many records have the usual width, those of a preamble aside) times how many cells look whole
 * (a number, or text without any other usual delimiter), less for a header that reads like data and for stray quotes.
 */
export function scoreDelimiter(records: readonly Row[]): number {
  const rows = records.filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
  const width = usualWidth(rows);
  if (width < 2) return 0;
  const from = rows.findIndex(({ cells }) => cells.length === width);
  const table = rows.slice(from);
  let even = 0;
  let cells = 0;
  let whole = 0;
  let stray = 0;
  for (const row of table) {
    if (row.problems !== null) stray++;
    if (row.cells.length === width || isPadded(row.cells, width)) even++;
    cells += row.cells.length;
    for (const cell of row.cells) if (isWhole(cell)) whole++;
  }
  const header = rows[findHeader(rows)];
  const labelled = header !== undefined && header.cells.length > 1 && (header === rows[0] || isLabels(header.cells));
  const preamble = from / rows.length;
  return (
    (even / table.length) *
    (0.3 + (0.7 * whole) / cells) *
    (labelled ? 1 : 0.3) *
    (1 - stray / table.length) *
    (1 - preamble / 4)
  );
}

/** A number, or text without any of the usual delimiters. */
function isWhole(cell: string): boolean {
  return NUMBER.test(cell) || !DELIMITERS.some((delimiter) => cell.includes(delimiter));
}

/** The width of most records, leaving out those of one cell unless they are nearly all; the larger of two equally frequent. */
function usualWidth(rows: readonly Row[]): number {
  const frequency = new Map<number, number>();
  for (const { cells } of rows) frequency.set(cells.length, (frequency.get(cells.length) ?? 0) + 1);
  let best = 0;
  let most = 0;
  for (const [width, count] of frequency) {
    if (width < 2 || count < most || (count === most && width < best)) continue;
    best = width;
    most = count;
  }
  return best;
}

/** Wider only by blank cells: a delimiter at the end of the line. */
function isPadded(cells: readonly string[], width: number): boolean {
  return cells.length > width && cells.slice(width).every((cell) => cell.trim() === "");
}
