/**
 * Cuts text into records with csv-parse, leniently: our own judgement of each record names the faulty rows and keeps the
 * others. Knows nothing of headers, widths, encodings or files.
 */
import { type CsvError, type Options, parse as openParser } from "csv-parse";
import { parse } from "csv-parse/sync";
import type { RowferryError } from "../../model/error.js";
import { shorten } from "../../model/fold.js";
import type { FaultOf } from "../opened-file.js";
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
  /** As in the file, with its quotes and its line end. */
  raw: string;
  /** Null: the file ends there, or it is not known. */
  lineEnding: "\n" | "\r\n" | "\r" | null;
}

/** In characters. A longer record ends the reading of its file. */
const MAX_RECORD = 1_048_576;
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
  fault: FaultOf;
  text: string;
  complete: boolean;
}

export const SAMPLE_RECORDS = 500;

export interface RecordsOptions {
  shape: Shape;
  fault: FaultOf;
  firstLine: number;
}

/**
 * Blank records are among them. @param text UTF-8, from the first line on. @throws RowferryError `quote-unclosed`,
 * `record-oversized`.
 */
export async function* readRecords(text: AsyncIterable<Buffer>, options: RecordsOptions): AsyncGenerator<CsvRecord[]> {
  const cut = cutter(options);
  const batches = function* (records: CsvRecord[]) {
    for (const record of records) checkLines(record, options);
    for (let start = 0; start < records.length; start += BATCH) yield records.slice(start, start + BATCH);
  };
  for await (const whole of text) for (const piece of piecesOf(whole)) yield* batches(cut(piece));
  yield* batches(cut(END, true));
}

/** Leaves out an incomplete last record. */
export function firstRecords({ fault, text, complete }: Sample, shape: Shape, firstLine: number): CsvRecord[] {
  const end = complete ? text.length : Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
  const cut = cutter({ shape, fault, firstLine });
  const records: CsvRecord[] = [];
  try {
    for (const piece of piecesOf(Buffer.from(text.slice(0, end)))) {
      records.push(...cut(piece));
      if (records.length >= SAMPLE_RECORDS) return records.slice(0, SAMPLE_RECORDS);
    }
    records.push(...cut(END, true));
  } catch {
    // An open quote or an endless record at the end of a sample: the records before it are enough.
  }
  return records.slice(0, SAMPLE_RECORDS);
}

function* piecesOf(text: Buffer): Generator<Buffer> {
  for (let start = 0; start < text.length; start += PIECE) yield text.subarray(start, start + PIECE);
}

const END = Buffer.alloc(0);

/** csv-parse below its stream, which costs more than our own work on a record. */
interface Api {
  state: { record: string[]; expectedRecordLength: number };
  /** `bytes`: up to the end of the last record, of all that it was given. */
  info: { bytes: number };
  parse(text: Buffer, isLast: boolean, push: (cells: string[]) => void, close: () => void): Error | undefined;
  __onRecord(this: Api, push: unknown): Error | undefined;
}

/** Returns a function that cuts a text piece by piece. */
function cutter(options: RecordsOptions) {
  const { shape, fault, firstLine } = options;
  const { escape } = shape;
  const { api } = openParser(csvOptions(shape)) as unknown as { api: Api };
  dropLengthErrors(api);
  let line = firstLine;
  /** The last bytes, if the next ones may complete them. */
  let carry: Buffer = END;
  /** What csv-parse was given since the end of the last record, and how many bytes before. */
  let open: Buffer = END;
  let before = 0;

  return (next: Buffer, isLast = false): CsvRecord[] => {
    const piece = carry.length === 0 ? next : Buffer.concat([carry, next]);
    const end = piece.length - (!isLast && endsHalfway(piece, escape) ? 1 : 0);
    carry = piece.subarray(end);
    const text = withoutLoneBackslashes(piece.subarray(0, end), escape);
    open = Buffer.concat([open, text]);
    const records: CsvRecord[] = [];
    const push = (cells: string[]) => {
      const raw = open.toString("utf8", 0, api.info.bytes - before);
      open = open.subarray(api.info.bytes - before);
      before = api.info.bytes;
      if (raw.length > MAX_RECORD && cells.join("").length > MAX_RECORD) throw oversized(fault, line);
      records.push(diagnose(cells, raw, line, options));
      line += Math.max(1, lineBreaks(raw));
    };
    const error = api.parse(text, isLast, push, () => {});
    if (error !== undefined) throw asFault(error, open.toString(), options, line);
    if (open.length > MAX_RECORD * MOST_BYTES) throw oversized(fault, line);
    return records;
  };
}

/** A faulty cell with line breaks may have swallowed rows. */
function checkLines({ number, cells, faults }: CsvRecord, options: RecordsOptions): void {
  const [fault] = faults ?? [];
  if (fault === undefined || fault.message.endsWith(CLOSES) || breaksWithin(cells) === 0) return;
  throw unclosed(options.shape, options.fault, number + breaksWithin(cells.slice(0, fault.column ?? 0)));
}

const CLOSES = "it closes a quote that it never opened";

/** Judges a leniently read record by the rules. */
function diagnose(lenient: string[], raw: string, number: number, options: RecordsOptions): CsvRecord {
  const { quote, trim } = options.shape;
  const cells = lenient.map(withBackslashes);
  if (trim && (quote === null || !raw.includes(quote)))
    return clean(
      number,
      cells.map((cell) => cell.trimEnd()),
      raw,
    );
  if (quote === null || (!trim && !cells.some((cell) => cell.includes(quote)))) return clean(number, cells, raw);
  const strict = strictly(raw, cells, options);
  if (strict !== null) return clean(number, strict, raw);
  const faulty = (column: number, what: string, hint: string | null = null): CsvRecord => {
    const text = cells[column] ?? "";
    const shown = JSON.stringify(shorten(text));
    const isEscaped = options.shape.escape !== "\\" && text.includes(`\\${quote}`);
    const message = `cell ${column + 1} (${shown}): ${what}`;
    const fault: Fault = { column, code: "quote-stray", message, hint: isEscaped ? ESCAPED : hint };
    return { ...clean(number, cells, raw), faults: [fault], innerQuotes: true };
  };
  for (const [column, text] of cells.entries()) {
    const trimmed = text.trim();
    const quotes = trimmed.split(quote).length - 1;
    if (trimmed.startsWith(quote)) {
      if (quotes !== 2 || !trimmed.endsWith(quote)) return faulty(column, "text follows its closing quote");
      const hint =
        "Write `csv: { trim: true }` in the mapping if there are blanks around quotes in all rows; otherwise remove them.";
      return faulty(column, "it has blanks outside its quotes", hint);
    }
    if (trimmed.endsWith(quote) && quotes % 2 === 1) return faulty(column, CLOSES);
  }
  const unquoted = raw.replace(quotedCells(options.shape), "").replaceAll(FOR_SPREADSHEETS, "");
  return { ...clean(number, cells, raw), innerQuotes: unquoted.includes(quote) };
}

const ESCAPED =
  'If the file writes a quote within a cell as \\", write `csv: { escape: "\\\\" }` in the mapping; otherwise double that quote.';

/** Their text is read without them. */
const FOR_SPREADSHEETS = /="[^"]*"/g;

/** Null: it breaks the rules. */
function strictly(raw: string, lenient: string[], options: RecordsOptions): string[] | null {
  const { shape } = options;
  if (!shape.trim) return raw.replace(quotedCells(shape), "").includes(shape.quote ?? "") ? null : lenient;
  try {
    const strict = { ...csvOptions(shape), rtrim: true, relax_quotes: false };
    const [record, ...others]: string[][] = parse(raw, strict);
    return record === undefined || others.length > 0 ? null : record.map(withBackslashes);
  } catch {
    return null;
  }
}

/** Cells that are quoted by the rules. */
function quotedCells({ delimiter, quote, escape }: Shape): RegExp {
  const written = (mark: string | null) =>
    (mark ?? "").replace(/[^]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const [d, q, e] = [delimiter, quote, escape].map(written) as [string, string, string];
  const escaped = e === q ? q + q : `${e}[^]`;
  return new RegExp(`(?<=^|${d})${q}[^${q}${e}]*(?:${escaped}[^${q}${e}]*)*${q}(?=${d}|[\\r\\n]*$)`, "g");
}

function clean(number: number, cells: string[], raw: string): CsvRecord {
  const lineEnding = (["\r\n", "\n", "\r"] as const).find((end) => raw.endsWith(end)) ?? null;
  return { number, cells, kinds: null, faults: null, innerQuotes: false, raw, lineEnding };
}

function csvOptions({ delimiter, quote, escape, trim }: Shape): Options {
  return {
    delimiter,
    quote: quote ?? false,
    escape: escape ?? quote,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    ltrim: trim,
    // Not those behind quotes: csv-parse stops at the first that it cannot trim.
    rtrim: false,
    relax_quotes: true,
  };
}

/**
 * csv-parse creates an error with a copy of its state for each record whose length differs from the first: 25 µs a row,
 * fourteen times the row itself. So each record is declared to have the expected length.
 */
function dropLengthErrors(api: Api): void {
  const onRecord = api.__onRecord;
  api.__onRecord = function (push) {
    this.state.expectedRecordLength = this.state.record.length;
    return onRecord.call(this, push);
  };
}

function asFault(error: Error, open: string, { shape, fault }: RecordsOptions, line: number): Error {
  if ((error as CsvError).code !== "CSV_QUOTE_NOT_CLOSED") return error;
  // The last quote that is not doubled is the one that is never closed.
  const quote = shape.quote ?? "";
  const opening = open.replaceAll(quote + quote, "  ").lastIndexOf(quote);
  return unclosed(shape, fault, line + lineBreaks(open.slice(0, Math.max(0, opening))));
}

function oversized(fault: FaultOf, row: number): RowferryError {
  const message = `the row that begins here has more than ${MAX_RECORD.toLocaleString("en")} characters`;
  return fault("record-oversized", message, { row });
}

export function unclosed({ quote }: Shape, fault: FaultOf, row: number): RowferryError {
  return fault("quote-unclosed", `a quote (${quote}) opens on line ${row} and is never closed`, { row });
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
