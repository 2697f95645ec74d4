/** A CSV file as an `Input`: `open` settles encoding, shape and header from its beginning; its rows come as a stream. */
import type { CsvOptions, Dialect, HeaderOption, ReadOptions } from "../../model/dialect.js";
import { RowferryError } from "../../model/error.js";
import type { Row } from "../../model/row.js";
import { correctedCsv, correctedOptions } from "../corrected.js";
import { findHeader, headerDoubt, headerTexts, letterHeader } from "../header.js";
import type { Input, Table } from "../table.js";
import { type DetectedShape, detectShape, type Sample, startOfLine } from "./dialect.js";
import { type Bytes, chooseEncoding, decoded, type Encoding, MARK } from "./encoding.js";
import { type CsvRecord, firstRecords, readRecords } from "./records.js";
import { isBlank, RowFinisher } from "./rows.js";

/** What `openCsv` needs to know of a file; unpacked, where it was packed. */
export interface CsvFile extends Bytes {
  /** Of the file on the disk, packed or not. */
  contentHash: string;
  bytes: number;
  compression: "none" | "gzip" | "zip" | "zstd";
  /** Called when the last row has been read; throws where what was read cannot be trusted. */
  checkUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** Bytes from which encoding (without a byte order mark), shape and header are told. */
const SAMPLE_BYTES = 256 * 1024;
const SAMPLE_RECORDS = 500;

/** Whole files of nothing but a byte order mark, as an export leaves that found nothing to say. */
const ONLY_MARK: ReadonlySet<string> = new Set(["efbbbf", "fffe", "feff"]);

/** @param limits for tests; `maxRecord` in characters. */
export function openCsv(file: CsvFile, limits: { maxRecord?: number } = {}): Input {
  let closed: Promise<void> | null = null;
  const guarded = { ...file, chunks: () => guard(file) };
  return {
    name: file.name,
    nameless: false,
    format: "csv",
    contentHash: file.contentHash,
    bytes: file.bytes,
    sheets: [{ sheet: null, hidden: false }],
    corrected: async () => {
      const found = correctedCsv((await firstBytes(guarded)).bytes);
      return found === null ? null : { sheet: null, reference: found.reference };
    },
    open: (options) => openTable(guarded, options, limits),
    close: () => (closed ??= file.close()),
  };
}

/** The chunks, whatever fails in them becoming a `RowferryError`. */
async function* guard(file: CsvFile): AsyncGenerator<Buffer> {
  try {
    yield* file.chunks();
  } catch (cause) {
    if (cause instanceof RowferryError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RowferryError("file-unreadable", `reading failed: ${reason}`, { place: { file: file.name }, cause });
  }
}

async function openTable(file: CsvFile, options: ReadOptions, limits: { maxRecord?: number }): Promise<Table> {
  const head = await firstBytes(file);
  if (head.bytes.length === 0 || ONLY_MARK.has(head.bytes.toString("hex")))
    throw new RowferryError("file-empty", "the file is empty", { place: { file: file.name } });
  const corrected = correctedCsv(head.bytes);
  const csv: CsvOptions = corrected === null ? (options.csv ?? {}) : correctedOptions(options.csv ?? {}, corrected);
  const encoding = await chooseEncoding(file, head.bytes, csv);
  const sample = await sampleOf(file, encoding, head);
  const option = corrected === null ? (options.header ?? "auto") : "auto";
  const shape = detectShape(sample, csv, typeof option === "string" ? null : Math.min(...[option].flat()));
  const header = locateHeader(sample, shape, corrected === null ? option : shape.firstLine);
  const notes = [...encoding.notes, ...shape.notes, ...header.notes];
  return {
    sheet: null,
    header: header.texts,
    headerRow: header.lastLine === 0 ? null : header.lastLine,
    headerDoubt: header.doubt,
    dialect: dialectOf(file, encoding, shape),
    notes,
    rows: () =>
      rowsOf(file, { encoding, shape, header, notes, required: csv.endsWithNewline === "required", ...limits }),
  };
}

function dialectOf({ compression }: CsvFile, { name, bom }: Encoding, shape: DetectedShape): Dialect {
  const { delimiter, quote, escape, trim, lineEnding } = shape;
  return { format: "csv", encoding: name, bom, delimiter, quote, escape, trim, lineEnding, compression };
}

interface RowsOf {
  encoding: Encoding;
  shape: DetectedShape;
  header: CsvHeader;
  /** Gets what shows at the end only. */
  notes: string[];
  /** Whether a last line without its end is a problem of its row. */
  required: boolean;
  maxRecord?: number;
}

/** @throws RowferryError where the rest cannot be read; what came before it is then worth nothing (HARD-CASES H14). */
async function* rowsOf(file: CsvFile, options: RowsOf): AsyncGenerator<Row[]> {
  const { encoding, shape, header, notes, maxRecord } = options;
  const finisher = new RowFinisher({
    header: header.texts,
    width: header.width,
    headerLine: header.lastLine,
    encoding: encoding.name,
  });
  let suspicious = false;
  let ended = true;
  let ends = false;
  async function* text(): AsyncGenerator<string> {
    let skip = header.offset;
    for await (const piece of decoded(file, encoding)) {
      const rest = piece.slice(skip);
      skip = Math.max(0, skip - piece.length);
      if (rest === "") continue;
      suspicious ||= rest.includes(MARK) || rest.includes("\0");
      ended = rest.endsWith("\n") || rest.endsWith("\r");
      ends ||= rest.includes("\n") || rest.includes("\r");
      yield rest;
    }
  }
  const records = readRecords(text, {
    shape,
    file: file.name,
    firstLine: header.firstLine,
    ...(maxRecord === undefined ? {} : { maxRecord }),
  });
  // The last row waits: whether its line has an end shows at the end.
  let last: Row[] = [];
  for await (const some of records) {
    const rows = finisher.finish(some, suspicious);
    if (rows.length === 0) continue;
    if (last.length > 0) yield last;
    last = rows;
  }
  await file.checkUnchanged();
  const row = last.at(-1);
  if (row !== undefined && !ended && ends) {
    const cut = "the file's last line has no line end, where the others have one: the file may be cut off";
    if (options.required)
      row.problems = [...(row.problems ?? []), { code: "line-cut", message: cut, hint: null, column: null }];
    else notes.push(`Row ${row.number}: ${cut}; \`csv: { endsWithNewline: required }\` holds such a row.`);
  }
  notes.push(...finisher.notes());
  if (last.length > 0) yield last;
}

interface CsvHeader {
  texts: string[];
  /** The line on which the (first) header row begins, and where in the text; where there is none, the first line of rows. */
  firstLine: number;
  offset: number;
  /** The line on which the last header row begins; 0: there is no header. */
  lastLine: number;
  /** Cells of a regular record. */
  width: number;
  doubt: string | null;
  notes: string[];
}

/** @throws RowferryError `header-missing`, `file-empty`. */
function locateHeader(sample: Sample, shape: DetectedShape, option: HeaderOption): CsvHeader {
  const from = typeof option === "string" ? shape.firstLine : Math.min(...[option].flat());
  const start = from < 1 ? -1 : startOfLine(sample.text, from);
  const records =
    start === -1 ? [] : firstRecords(sample.text.slice(start), sample.complete, shape, from, SAMPLE_RECORDS);
  const filled = records.filter(({ cells }) => !isBlank(cells));
  if (typeof option === "string" && filled.length === 0) throw unreadable(sample, shape, start);
  const headers =
    option === "none" ? [] : option === "auto" ? likelyHeader(filled) : given(sample, filled, [option].flat());
  const firstLine = headers[0]?.line ?? shape.firstLine;
  const lastLine = headers.at(-1)?.line ?? 0;
  const below = filled.filter(({ line, fault }) => line > lastLine && fault === null).map(({ cells }) => cells);
  const texts = option === "none" ? letterHeader(usualLength(below)) : headerTexts(headers.map(({ cells }) => cells));
  const notes: string[] = [];
  const above = option === "auto" ? filled.filter(({ line }) => line < firstLine) : [];
  if (above.length > 0) notes.push(`The header is on line ${firstLine}; ${preamble(above)} skipped.`);
  const doubt = option === "auto" ? headerDoubt(texts, below.slice(0, 100)) : null;
  if (doubt !== null)
    notes.push(
      `Line ${firstLine} is taken for the header, but it looks like a row: ${doubt}. If it is one, write \`header: none\`.`,
    );
  for (const { line, fault, innerQuotes } of headers)
    if (fault !== null || innerQuotes)
      notes.push(`The header on line ${line} holds a quote in the wrong place; its names are taken as they stand.`);
  const offset = Math.max(0, startOfLine(sample.text, firstLine));
  return { texts, firstLine, offset, lastLine, width: regularWidth(texts, below), doubt, notes };
}

function likelyHeader(records: readonly CsvRecord[]): CsvRecord[] {
  const header = records[findHeader(records.map(({ line, cells }) => ({ number: line, cells })))];
  return header === undefined ? [] : [header];
}

function given(sample: Sample, records: readonly CsvRecord[], lines: readonly number[]): CsvRecord[] {
  return [...new Set(lines)]
    .toSorted((one, other) => one - other)
    .map((line) => {
      const record = records.find((one) => one.line === line);
      if (record !== undefined) return record;
      const message = `the mapping says that line ${line} is the header, but no row begins there, or it is blank`;
      throw new RowferryError("header-missing", message, { place: { file: sample.file, row: line } });
    });
}

function preamble(above: readonly CsvRecord[]): string {
  const first = above[0]?.line ?? 1;
  return above.length === 1 ? `line ${first} was` : `${above.length} rows above it, from line ${first} on, were`;
}

/** As many cells as the header has, unless all rows have the same surplus of blank ones, or lack the same columns without a heading. */
function regularWidth(header: readonly string[], below: readonly (readonly string[])[]): number {
  const [length = header.length] = new Set(below.map((cells) => cells.length));
  const same = below.every((cells) => cells.length === length);
  const surplus = below.every((cells) => isBlank(cells.slice(header.length)));
  return same && surplus && header.slice(length).every((text) => text === "") ? length : header.length;
}

/** The length that most rows have, the larger of two equally frequent. */
function usualLength(rows: readonly (readonly string[])[]): number {
  const frequency = new Map<number, number>();
  for (const { length } of rows) frequency.set(length, (frequency.get(length) ?? 0) + 1);
  return [...frequency].reduce(
    (best, one) => (one[1] > best[1] || (one[1] === best[1] && one[0] > best[0]) ? one : best),
    [0, 0],
  )[0];
}

/** Why there is no first row. */
function unreadable(sample: Sample, shape: DetectedShape, start: number): RowferryError {
  const { file, complete, text } = sample;
  const rest = text.slice(Math.max(0, start));
  if (rest.trim() === "") {
    if (complete) return new RowferryError("file-empty", "the file holds nothing but blank lines", { place: { file } });
    return new RowferryError("header-missing", "the file begins with 256 KiB of blank lines", { place: { file } });
  }
  const line = shape.firstLine + (rest.slice(0, rest.search(/\S/)).split(/\r\n|\r|\n/).length - 1);
  const quoted = shape.quote !== null && rest.trimStart().startsWith(shape.quote);
  if (quoted || (shape.quote !== null && complete))
    return new RowferryError("quote-unclosed", `a quote (${shape.quote}) opens on line ${line} and is never closed`, {
      place: { file, row: line },
    });
  return new RowferryError("record-oversized", "the first row of the file is more than 256 KiB long", {
    place: { file, row: line },
  });
}

async function firstBytes(file: Bytes): Promise<{ bytes: Buffer; complete: boolean }> {
  const parts: Buffer[] = [];
  let total = 0;
  for await (const chunk of file.chunks()) {
    parts.push(Buffer.from(chunk));
    total += chunk.length;
    if (total > SAMPLE_BYTES) return { bytes: Buffer.concat(parts).subarray(0, SAMPLE_BYTES), complete: false };
  }
  return { bytes: Buffer.concat(parts), complete: true };
}

async function sampleOf(file: Bytes, encoding: Encoding, head: { bytes: Buffer; complete: boolean }): Promise<Sample> {
  async function* chunks() {
    yield head.bytes;
  }
  let text = "";
  for await (const piece of decoded({ name: file.name, chunks }, encoding)) text += piece;
  return { file: file.name, text, complete: head.complete };
}
