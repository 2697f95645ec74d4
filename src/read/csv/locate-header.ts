/** The header of a CSV file: its texts, its lines, and the line on which reading is to begin. */
import type { HeaderOption } from "../../model/dialect.js";
import { RowferryError } from "../../model/error.js";
import type { Row } from "../../model/row.js";
import { columnLetters } from "../column-letters.js";
import { findHeader, headerTexts } from "../header.js";
import type { DetectedShape } from "./detect-dialect.js";
import { startOfLine } from "./line-breaks.js";
import { type Sample, sampleRecords } from "./sample.js";

export interface LocatedHeader {
  texts: string[];
  /** The line on which the (first) header row begins; where there is none, the first line of rows. */
  firstLine: number;
  /** The line on which the last header row begins; null: there is no header. */
  lastLine: number | null;
  notes: string[];
}

/** @throws RowferryError `header-missing`, `file-empty`; `quote-unclosed` or `record-oversized` in the header itself. */
export function locateHeader(sample: Sample, shape: DetectedShape, option: HeaderOption): LocatedHeader {
  if (option === "none") return noHeader(sample, shape);
  if (option === "auto") return found(sample, shape);
  return given(sample, shape, typeof option === "number" ? [option] : option);
}

function found(sample: Sample, shape: DetectedShape): LocatedHeader {
  const rows = recordsFrom(sample, shape, shape.firstLine);
  const header = rows[findHeader(rows)];
  if (header === undefined) throw blankFile(sample);
  const above = rows.filter((row) => row.number < header.number && !isBlank(row));
  const notes = above.length === 0 ? [] : [`The header is on line ${header.number}; ${preamble(above)} skipped.`];
  return { texts: headerTexts([header.cells]), firstLine: header.number, lastLine: header.number, notes };
}

function preamble(above: Row[]): string {
  const first = above[0]?.number ?? 1;
  return above.length === 1 ? `line ${first} was` : `${above.length} rows above it, from line ${first} on, were`;
}

function given(sample: Sample, shape: DetectedShape, lines: number[]): LocatedHeader {
  const wanted = [...new Set(lines)].toSorted((one, other) => one - other);
  const first = wanted[0] ?? 0;
  const rows = recordsFrom(sample, shape, first);
  const headers = wanted.map((line) => {
    const row = rows.find(({ number }) => number === line);
    if (row !== undefined && !isBlank(row)) return row;
    const what = row === undefined ? "no row begins on that line" : "that line is blank";
    throw new RowferryError("header-missing", `the mapping says that line ${line} is the header, but ${what}`, {
      place: { file: sample.file, row: line },
    });
  });
  const texts = headerTexts(headers.map(({ cells }) => cells));
  return { texts, firstLine: first, lastLine: wanted.at(-1) ?? first, notes: [] };
}

function noHeader(sample: Sample, shape: DetectedShape): LocatedHeader {
  const rows = recordsFrom(sample, shape, shape.firstLine).filter((row) => !isBlank(row));
  if (rows.length === 0) throw blankFile(sample);
  const frequency = new Map<number, number>();
  for (const { cells } of rows) frequency.set(cells.length, (frequency.get(cells.length) ?? 0) + 1);
  const [width] = [...frequency].reduce((best, entry) => {
    return entry[1] > best[1] || (entry[1] === best[1] && entry[0] > best[0]) ? entry : best;
  });
  const texts = Array.from({ length: width }, (_, column) => columnLetters(column + 1));
  return { texts, firstLine: shape.firstLine, lastLine: null, notes: [] };
}

/** The sample's records from a line on. Where not even the first of them can be read, its error is thrown. */
function recordsFrom(sample: Sample, shape: DetectedShape, line: number): Row[] {
  const start = line < 1 ? -1 : startOfLine(sample.text, line);
  if (start === -1) return [];
  const rest = { ...sample, text: sample.text.slice(start) };
  const { rows, failure } = sampleRecords(rest, shape, line);
  if (rows.length === 0 && failure !== null) throw failure;
  return rows;
}

function isBlank(row: Row): boolean {
  return row.cells.every((cell) => cell.trim() === "");
}

function blankFile(sample: Sample): RowferryError {
  const what = sample.complete
    ? "the file holds nothing but blank lines"
    : "the file begins with 256 KiB of blank lines";
  return new RowferryError(sample.complete ? "file-empty" : "header-missing", what, { place: { file: sample.file } });
}
