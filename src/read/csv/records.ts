/**
 * Cuts text into records with csv-parse, strictly. When quotes break its rules, reads again leniently from the
 * beginning, to name the faulty rows and keep the others. Knows nothing of headers, widths, encodings or files.
 */
import { finished } from "node:stream/promises";
import { promisify } from "node:util";
import { type CsvError, type Options, parse as openParser } from "csv-parse";
import { parse as parseWhole } from "csv-parse/sync";
import { RowferryError } from "../../model/error.js";
import type { Fault, RawRow } from "../rows.js";

export interface Shape {
  delimiter: string;
  /** Null: no quoting. */
  quote: string | null;
  /** The quote itself: doubling. Null: no quoting. */
  escape: string | null;
  /** Drop blanks around cells, outside their quotes. */
  trim: boolean;
}

/** `number`: the line on which the record begins. The cells of a faulty record may be cut in the wrong places. */
export interface CsvRecord extends RawRow {
  /** Quotes within unquoted cells, read as text. */
  innerQuotes: boolean;
  /** As in the file, with its quotes and perhaps its line end; "" if it was read strictly. */
  raw: string;
}

/** In characters. A longer record ends the reading of its file. */
export const MAX_RECORD = 1_048_576;
/** A character of a cell has at most this many bytes of UTF-8. */
const MOST_BYTES = 3;

/** Small, so that records die young: V8 moves survivors to the old space, which is collected rarely. */
const PIECE = 16 * 1024;
const BATCH = 64;

/** Replaces a backslash that escapes nothing, which csv-parse would drop. A noncharacter. */
const BACKSLASH = "\uFDD1";
const CR = 0x0d;
const BACKSLASH_CODE = 0x5c;
const BACKSLASH_BYTES = Buffer.from(BACKSLASH).toString("latin1");

export interface Sample {
  file: string;
  text: string;
  complete: boolean;
}

export const SAMPLE_RECORDS = 500;

export interface RecordsOptions {
  shape: Shape;
  file: string;
  firstLine: number;
  maxRecord?: number;
}

/**
 * Blank records are among them. @param text UTF-8, from the first line on; called a second time where a quote breaks the rules.
 * @throws RowferryError `quote-unclosed`, `record-oversized`.
 */
export async function* readRecords(
  text: () => AsyncIterable<Buffer>,
  options: RecordsOptions,
): AsyncGenerator<CsvRecord[]> {
  let given = 0;
  try {
    for await (const records of cutText(text(), options, false)) {
      given += records.length;
      yield records;
    }
    return;
  } catch (error) {
    if (!/QUOTE/.test((error as Partial<CsvError>).code ?? "")) throw error;
  }
  for await (const records of cutText(text(), options, true)) {
    const rest = records.slice(given);
    given = Math.max(0, given - records.length);
    for (const record of rest) checkLines(record, options);
    if (rest.length > 0) yield rest;
  }
}

/** Reads leniently, and leaves out an incomplete last record. */
export async function firstRecords(
  { file, text, complete }: Sample,
  shape: Shape,
  firstLine: number,
): Promise<CsvRecord[]> {
  const end = complete ? text.length : Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
  async function* whole() {
    yield Buffer.from(text.slice(0, end));
  }
  const records: CsvRecord[] = [];
  try {
    for await (const some of cutText(whole(), { shape, file, firstLine }, true)) {
      records.push(...some);
      if (records.length >= SAMPLE_RECORDS) break;
    }
  } catch {
    // An open quote or an endless record at the end of a sample: the records before it are enough.
  }
  return records.slice(0, SAMPLE_RECORDS);
}

async function* cutText(
  text: AsyncIterable<Buffer>,
  options: RecordsOptions,
  lenient: boolean,
): AsyncGenerator<CsvRecord[]> {
  const { shape, maxRecord: limit = MAX_RECORD } = options;
  const cut = startParser(shape, lenient);
  const backslashes = shape.escape === "\\";
  let line = options.firstLine;
  let mayBreak = false;
  let unfinished = 0;
  for await (const piece of pieces(text, shape)) {
    mayBreak ||= shape.quote !== null && piece.includes(shape.quote);
    const whole = await cut(piece).catch((error: Error) => {
      throw asFault(error, options, line);
    });
    const records: CsvRecord[] = [];
    for (const given of whole) {
      const strict = Array.isArray(given) ? (backslashes ? given.map(withBackslashes) : given) : null;
      const record = strict === null ? diagnose(given as Raw, shape) : clean(strict);
      let size = 0;
      for (const cell of record.cells) size += cell.length;
      if (size > limit) throw oversized(options, line);
      records.push({ number: line, ...record });
      if (strict === null) line += Math.max(1, lineBreaks(record.raw));
      else line += 1 + (mayBreak ? breaksWithin(strict) : 0);
    }
    unfinished = records.length > 0 ? 0 : unfinished + piece.length;
    if (unfinished > limit * MOST_BYTES) throw oversized(options, line);
    for (let start = 0; start < records.length; start += BATCH) yield records.slice(start, start + BATCH);
  }
}

/** A faulty cell with line breaks may have swallowed rows. */
function checkLines({ number, cells, faults }: CsvRecord, options: RecordsOptions): void {
  const [fault] = faults ?? [];
  if (fault === undefined || fault.message.endsWith(CLOSES) || breaksWithin(cells) === 0) return;
  throw unclosed(options, number + breaksWithin(cells.slice(0, fault.column ?? 0)));
}

const CLOSES = "it closes a quote that it does not open";

/** Judges a leniently read record by the rules. */
function diagnose({ record: lenient, raw }: Raw, shape: Shape): Omit<CsvRecord, "number"> {
  const { quote } = shape;
  if (quote === null || !lenient.some((cell) => cell.includes(quote))) return clean(lenient.map(withBackslashes), raw);
  const strict = strictly(raw, lenient, shape);
  if (strict !== null) return clean(strict, raw);
  const cells = lenient.map(withBackslashes);
  const faulty = (column: number, what: string, hint?: string) => {
    const text = cells[column] ?? "";
    const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
    const fault: Fault = { column, code: "quote-stray", message: `cell ${column + 1} (${shown}): ${what}` };
    return { ...clean(cells, raw), faults: [hint === undefined ? fault : { ...fault, hint }], innerQuotes: true };
  };
  for (const [column, text] of cells.entries()) {
    const trimmed = text.trim();
    const quotes = trimmed.split(quote).length - 1;
    if (trimmed.startsWith(quote)) {
      if (quotes !== 2 || !trimmed.endsWith(quote)) return faulty(column, "text follows its closing quote");
      const hint =
        "Write `csv: { trim: true }` in the mapping if blanks stand around quotes in all rows; else remove them.";
      return faulty(column, "blanks stand outside its quotes", hint);
    }
    if (trimmed.endsWith(quote) && quotes % 2 === 1) return faulty(column, CLOSES);
  }
  return { ...clean(cells, raw), innerQuotes: true };
}

interface Raw {
  record: string[];
  raw: string;
}

/** Null: it breaks the rules. csv-parse keeps only the first byte of a long delimiter in `raw`. */
function strictly(raw: string, lenient: string[], shape: Shape): string[] | null {
  const { delimiter, quote, escape, trim } = shape;
  if (quote === escape && !trim) return isWritten(raw, lenient, shape) ? lenient : null;
  if (Buffer.byteLength(delimiter) > 1) return null;
  try {
    const [cells = [], ...others] = parseWhole(raw, csvOptions(shape, false));
    return others.length === 0 ? cells.map(withBackslashes) : null;
  } catch {
    return null;
  }
}

/**
 * Whether these cells, each quoted or not, are written so under the rules. `raw` holds only the first byte of a long
 * delimiter.
 */
function isWritten(raw: string, cells: readonly string[], { delimiter, quote }: Shape): boolean {
  const mark = Buffer.byteLength(delimiter) > 1 ? Buffer.from(delimiter).subarray(0, 1).toString() : delimiter;
  let at = 0;
  for (const [index, cell] of cells.entries()) {
    const quoted = quote + cell.replaceAll(quote ?? "", `${quote}${quote}`) + quote;
    if (raw.startsWith(quoted, at)) at += quoted.length;
    else if (!cell.includes(quote ?? "") && raw.startsWith(cell, at)) at += cell.length;
    else return false;
    if (index === cells.length - 1) return /^[\r\n]*$/.test(raw.slice(at));
    if (!raw.startsWith(mark, at)) return false;
    at += mark.length;
  }
  return true;
}

function clean(cells: string[], raw = ""): Omit<CsvRecord, "number"> {
  return { cells, kinds: null, faults: null, innerQuotes: false, raw };
}

/**
 * The options always have the same keys in the same order: csv-parse reads them at each byte, which is slow when their
 * shape varies.
 */
function csvOptions({ delimiter, quote, escape, trim }: Shape, lenient: boolean): Options {
  return {
    delimiter,
    quote: quote ?? false,
    escape: escape ?? quote,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    ltrim: trim,
    // The lenient pass keeps blanks behind quotes, because csv-parse stops at the first that it cannot trim.
    rtrim: trim && !lenient,
    raw: lenient,
    relax_quotes: lenient,
  };
}

const LINE_ENDS = {
  all: ["\r\n", "\n", "\r"].map((end) => Buffer.from(end)),
  crlf: [Buffer.from("\r\n")],
  lf: [Buffer.from("\n")],
};

/** Only the line ends that occur: csv-parse tries each one at each byte, a fifth of its time. Null: none. */
function lineEndsIn(text: Buffer): Buffer[] | null {
  if (!text.includes("\r")) return text.includes("\n") ? LINE_ENDS.lf : null;
  return /\r(?!\n)|(?<!\r)\n/.test(text.toString("latin1")) ? LINE_ENDS.all : LINE_ENDS.crlf;
}

/**
 * Parses a text piece by piece; an empty piece ends it. The parser's queue holds a record per byte, so the records of a
 * piece are there once it has been written.
 */
function startParser(shape: Shape, lenient: boolean): (piece: Buffer) => Promise<(string[] | Raw)[]> {
  const options = { ...csvOptions(shape, lenient), readableHighWaterMark: 2 * PIECE };
  const parser = openParser(options as Options);
  dropLengthErrors(parser as unknown as { api: Api });
  // The writer receives errors.
  parser.on("error", () => {});
  const write = promisify(parser.write.bind(parser) as (text: Buffer, done: (error?: Error | null) => void) => void);
  let known: Buffer[] | null = null;
  return async (piece) => {
    const ends = lineEndsIn(piece);
    if (ends !== null) known = known === null || known === ends ? ends : LINE_ENDS.all;
    parser.options.record_delimiter = known ?? LINE_ENDS.all;
    if (piece.length > 0) await write(piece);
    else await finished(parser.end(), { readable: false });
    const records: (string[] | Raw)[] = [];
    for (let next = parser.read(); next !== null; next = parser.read()) records.push(next);
    return records;
  };
}

interface Api {
  state: { record: string[]; expectedRecordLength: number };
  __onRecord(this: Api, push: unknown): Error | undefined;
}

/**
 * csv-parse creates an error with a copy of its state for each record whose length differs from the first: 25 µs a row,
 * fourteen times the row itself. So each record is declared to have the expected length.
 */
function dropLengthErrors({ api }: { api: Api }): void {
  const onRecord = api.__onRecord;
  api.__onRecord = function (push) {
    this.state.expectedRecordLength = this.state.record.length;
    return onRecord.call(this, push);
  };
}

/** Leaves errors about quotes to the lenient pass; with `raw`, this is that pass. */
function asFault(error: Error, options: RecordsOptions, line: number): Error {
  const { code, raw } = error as CsvError & { raw?: string };
  if (code !== "CSV_QUOTE_NOT_CLOSED" || raw === undefined) return error;
  // The last quote that is not doubled is the one that is never closed.
  const quote = options.shape.quote ?? "";
  const opening = raw.replaceAll(quote + quote, "  ").lastIndexOf(quote);
  return unclosed(options, line + lineBreaks(raw.slice(0, Math.max(0, opening))));
}

function oversized({ file, maxRecord = MAX_RECORD }: RecordsOptions, row: number): RowferryError {
  const message = `the row that begins here has more than ${maxRecord.toLocaleString("en")} characters`;
  return new RowferryError("record-oversized", message, { place: { file, row } });
}

function unclosed({ shape, file }: RecordsOptions, row: number): RowferryError {
  const message = `a quote (${shape.quote}) opens on line ${row} and is never closed`;
  return new RowferryError("quote-unclosed", message, { place: { file, row } });
}

async function* pieces(text: AsyncIterable<Buffer>, { escape }: Shape): AsyncGenerator<Buffer> {
  let carry: Buffer = Buffer.alloc(0);
  for await (const whole of text) {
    for (let start = 0; start < whole.length; start += PIECE) {
      const next = whole.subarray(start, start + PIECE);
      const piece = carry.length === 0 ? next : Buffer.concat([carry, next]);
      const cut = piece.length - (endsHalfway(piece, escape) ? 1 : 0);
      carry = piece.subarray(cut);
      if (cut > 0) yield withoutLoneBackslashes(piece.subarray(0, cut), escape);
    }
  }
  if (carry.length > 0) yield withoutLoneBackslashes(carry, escape);
  yield Buffer.alloc(0);
}

/** Whether the next piece may begin with the character that the last byte escapes, or with the rest of its line end. */
function endsHalfway(piece: Buffer, escape: string | null): boolean {
  if (piece.at(-1) === CR) return true;
  if (escape !== "\\") return false;
  let before = piece.length;
  while (piece[before - 1] === BACKSLASH_CODE) before--;
  return (piece.length - before) % 2 === 1;
}

/** Only a quote or another backslash can be escaped: `C:\temp` is text. */
function withoutLoneBackslashes(text: Buffer, escape: string | null): Buffer {
  if (escape !== "\\" || !text.includes("\\")) return text;
  const marked = text
    .toString("latin1")
    .replace(/\\(["'\\])|\\/g, (all, escaped?: string) => (escaped === undefined ? BACKSLASH_BYTES : all));
  return Buffer.from(marked, "latin1");
}

function withBackslashes(cell: string): string {
  return cell.includes(BACKSLASH) ? cell.replaceAll(BACKSLASH, "\\") : cell;
}

function breaksWithin(cells: readonly string[]): number {
  let breaks = 0;
  for (const cell of cells) if (cell.includes("\n") || cell.includes("\r")) breaks += lineBreaks(cell);
  return breaks;
}

export function lineBreaks(text: string): number {
  let breaks = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 10 || (code === 13 && text.charCodeAt(index + 1) !== 10)) breaks++;
  }
  return breaks;
}
