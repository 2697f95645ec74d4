/**
 * Cuts text into records with csv-parse, strictly. When quotes break its rules, reads again leniently from the
 * beginning, to name the faulty rows and keep the others. Knows nothing of headers, widths, encodings or files.
 */
import { type CsvError, type Options, parse as openParser } from "csv-parse";
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
  /** As in the file, with its quotes and perhaps its line end; "" if it was read strictly. */
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
const LF = 0x0a;
/** More bytes than csv-parse keeps for its next piece. */
const HELD_BACK = 16;
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
export function firstRecords({ fault, text, complete }: Sample, shape: Shape, firstLine: number): CsvRecord[] {
  const end = complete ? text.length : Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
  const cut = cutter({ shape, fault, firstLine }, true);
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

async function* cutText(
  text: AsyncIterable<Buffer>,
  options: RecordsOptions,
  lenient: boolean,
): AsyncGenerator<CsvRecord[]> {
  const cut = cutter(options, lenient);
  for await (const whole of text) for (const piece of piecesOf(whole)) yield* batchesOf(cut(piece));
  yield* batchesOf(cut(END, true));
}

function* batchesOf(records: CsvRecord[]): Generator<CsvRecord[]> {
  for (let start = 0; start < records.length; start += BATCH) yield records.slice(start, start + BATCH);
}

function* piecesOf(text: Buffer): Generator<Buffer> {
  for (let start = 0; start < text.length; start += PIECE) yield text.subarray(start, start + PIECE);
}

const END = Buffer.alloc(0);

/** As csv-parse gives a record: without `raw`, and with it. */
type Parsed = string[] | { record: string[]; raw: string };

/** csv-parse below its stream, which costs more than our own work on a record. */
interface Api {
  state: { record: string[]; expectedRecordLength: number };
  /** `bytes`: up to the end of the last record, of all that it was given. */
  info: { bytes: number };
  parse(text: Buffer, isLast: boolean, push: (record: Parsed) => void, close: () => void): Error | undefined;
  __onRecord(this: Api, push: unknown): Error | undefined;
}

/**
 * Returns a function that cuts a text piece by piece. In the strict pass it throws csv-parse's errors about quotes.
 */
function cutter(options: RecordsOptions, lenient: boolean) {
  const { shape, fault, firstLine } = options;
  const { quote, escape } = shape;
  const { api } = openParser(csvOptions(shape, lenient)) as unknown as { api: Api };
  dropLengthErrors(api);
  let line = firstLine;
  /** The last bytes, if the next ones may complete them. */
  let carry: Buffer = END;
  let mayBreak = false;
  /** Bytes since the last record. */
  let unfinished = 0;
  /** The last bytes given to csv-parse, which may hold some back, and how many were given before them. */
  let given: Buffer = END;
  let before = 0;

  function recordOf(parsed: Parsed): CsvRecord {
    const number = line;
    if (!Array.isArray(parsed)) {
      line += Math.max(1, lineBreaks(parsed.raw));
      return diagnose(parsed.record, parsed.raw, number, options);
    }
    const cells = escape === "\\" ? parsed.map(withBackslashes) : parsed;
    line += 1 + (mayBreak ? breaksWithin(cells) : 0);
    return clean(number, cells);
  }

  return (next: Buffer, isLast = false): CsvRecord[] => {
    const piece = carry.length === 0 ? next : Buffer.concat([carry, next]);
    const end = piece.length - (!isLast && endsHalfway(piece, escape) ? 1 : 0);
    carry = piece.subarray(end);
    const text = withoutLoneBackslashes(piece.subarray(0, end), escape);
    mayBreak ||= quote !== null && text.includes(quote);
    // A record may begin in the piece before the first unfinished one.
    const mayExceed = unfinished + text.length + PIECE > MAX_RECORD;
    before += Math.max(0, given.length - HELD_BACK);
    given = Buffer.concat([given.subarray(-HELD_BACK), text]);
    const records: CsvRecord[] = [];
    const push = (parsed: Parsed) => {
      const record = recordOf(parsed);
      const at = api.info.bytes - before;
      if (given[at - 1] === CR) record.lineEnding = "\r";
      else if (given[at - 1] === LF) record.lineEnding = given[at - 2] === CR ? "\r\n" : "\n";
      if (mayExceed && sizeOf(record) > MAX_RECORD) throw oversized(fault, record.number);
      records.push(record);
    };
    const error = api.parse(text, isLast, push, () => {});
    if (error !== undefined) throw asFault(error, options, line);
    unfinished = records.length > 0 ? 0 : unfinished + text.length;
    if (unfinished > MAX_RECORD * MOST_BYTES) throw oversized(fault, line);
    return records;
  };
}

function sizeOf({ cells }: CsvRecord): number {
  return cells.reduce((size, cell) => size + cell.length, 0);
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
  const { quote } = options.shape;
  const cells = lenient.map(withBackslashes);
  if (quote === null || !lenient.some((cell) => cell.includes(quote))) return clean(number, cells, raw);
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
    const [record, ...others] = cutter(options, false)(Buffer.from(raw), true);
    return record === undefined || others.length > 0 ? null : record.cells;
  } catch {
    return null;
  }
}

/** Cells that are quoted by the rules. csv-parse keeps only the first byte of a long delimiter in `raw`. */
function quotedCells({ delimiter, quote, escape }: Shape): RegExp {
  const written = (mark: string) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const d = written(Buffer.from(delimiter).subarray(0, 1).toString());
  const q = written(quote ?? "");
  const e = written(escape ?? "");
  const escaped = e === q ? q + q : `${e}[^]`;
  return new RegExp(`(?<=^|${d})${q}[^${q}${e}]*(?:${escaped}[^${q}${e}]*)*${q}(?=${d}|[\\r\\n]*$)`, "g");
}

function clean(number: number, cells: string[], raw = ""): CsvRecord {
  return { number, cells, kinds: null, faults: null, innerQuotes: false, raw, lineEnding: null };
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

/** Leaves errors about quotes to the lenient pass; with `raw`, this is that pass. */
function asFault(error: Error, options: RecordsOptions, line: number): Error {
  const { code, raw } = error as CsvError & { raw?: string };
  if (code !== "CSV_QUOTE_NOT_CLOSED" || raw === undefined) return error;
  // The last quote that is not doubled is the one that is never closed.
  const quote = options.shape.quote ?? "";
  const opening = raw.replaceAll(quote + quote, "  ").lastIndexOf(quote);
  return unclosed(options.shape, options.fault, line + lineBreaks(raw.slice(0, Math.max(0, opening))));
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
