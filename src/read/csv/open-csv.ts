/**
 * A CSV file as an `Input`: `open` decides encoding, shape and header from the beginning; the rows come as a stream.
 */
import type { CsvOptions, HeaderOption, ReadOptions } from "../../model/dialect.js";
import type { RowferryError } from "../../model/error.js";
import type { Row } from "../../model/row.js";
import { correctedCsv, correctedOptions } from "../corrected.js";
import { headerOf, headerTexts, isBlank, lettersOf, locateHeader, mostFrequent, spreadHeadings } from "../header.js";
import { type Fault, garbledRows, rowFinisher, tally } from "../rows.js";
import { headOf, type OpenedFile } from "../opened-file.js";
import type { Input, Table } from "../table.js";
import { type DetectedShape, detectShape, startOfLine } from "./dialect.js";
import { asUtf8, type Chunks, chooseEncoding, MARK } from "./encoding.js";
import { type CsvRecord, firstRecords, lineBreaks, readRecords, type Sample, unclosed } from "./records.js";

type Inherited = "name" | "fault" | "bytes" | "position" | "checkUnchanged" | "close";

export interface CsvFile extends Pick<OpenedFile, Inherited> {
  chunks: Chunks;
  /** Known from an earlier pass. */
  isUtf8?: boolean;
  contentHash: string;
  compression: "none" | "gzip" | "zip" | "zstd";
}

const SAMPLE_BYTES = 256 * 1024;

/** Files of a byte order mark only, left by exports that found nothing. */
const ONLY_MARK: ReadonlySet<string> = new Set(["efbbbf", "fffe", "feff"]);

export function openCsv(file: CsvFile): Input {
  const { name, contentHash, bytes, position, close } = file;
  return {
    name,
    nameless: false,
    format: "csv",
    contentHash,
    bytes,
    sheets: [{ sheet: null, hidden: false }],
    corrected: async () => {
      const found = correctedCsv(await headOf(file.chunks(), SAMPLE_BYTES));
      return found === null ? null : { sheet: null, reference: found.reference };
    },
    each: (options) => Promise.resolve([options]),
    open: (options) => openTable(file, options),
    position,
    close,
  };
}

const ODD =
  "the row's line ends differently from the others, and the next line is too short: a line break within a cell may have cut it";
const QUOTE_IT = "Put quotes around cells that hold line breaks, or remove the breaks.";

/** What DOS and old Macintosh letters become in windows-1252. */
const MISREAD = "‚ƒ„†‡ˆ‰‹˜™›";
/** Without them no cell can be one of those below, which are looked for cell by cell. */
const WARNING_SIGNS = ["Ã", "?", "'", "\\", ...Array.from(MISREAD)];
const MISREAD_WORD = new RegExp(`\\p{L}[${MISREAD}]\\p{L}`, "u");
/** As databases write line breaks, tabs and quotes; paths of Windows are something else. */
const ESCAPED = /^(?!(?:[A-Za-z]:)?\\).*\\(?:[nrt"\\\n\r]|$)/s;
/** Text as a person types it into a spreadsheet, so that it keeps zeros and signs. */
const MARKED = /^'(?:[\d=+@-][^']*|(?=\D*\d)[^'\s]+)$/;

/** @throws RowferryError `encoding-*`, `dialect-invalid`, `header-missing`, `file-empty`. */
async function openTable(file: CsvFile, options: ReadOptions): Promise<Table> {
  const { fault, compression } = file;
  const begin = await headOf(file.chunks(), SAMPLE_BYTES + 1);
  const head = begin.subarray(0, SAMPLE_BYTES);
  if (head.length === 0 || ONLY_MARK.has(head.toString("hex"))) throw fault("file-empty", "the file is empty");
  const corrected = correctedCsv(head);
  const csv: CsvOptions = corrected === null ? (options.csv ?? {}) : correctedOptions(options.csv ?? {}, corrected);
  const encoding = await chooseEncoding(file, head, csv);
  const pieces: Buffer[] = [];
  for await (const piece of asUtf8([head], encoding)) pieces.push(piece);
  const sample = { fault, text: Buffer.concat(pieces).toString(), complete: begin.length <= SAMPLE_BYTES };
  const wanted = corrected === null ? (options.header ?? "auto") : "auto";
  const shape = detectShape(sample, csv, typeof wanted === "string" ? null : Math.min(...[wanted].flat()));
  const isRagged = corrected === null && csv.shortRows === "blank";
  const found = findTable(sample, shape, corrected === null ? wanted : shape.firstLine, isRagged);
  const { header, width, firstLine, offset } = found;
  const { lineEnding } = shape;
  const notes = [...encoding.notes, ...shape.notes, ...found.notes];

  async function* rows(): AsyncGenerator<Row[]> {
    const finisher = rowFinisher({ ...header, width, hidden: null, sample: found.sample });
    const oddities = cellOddities();
    let suspicious = false;
    let wary = false;
    let ended = true;
    let ends = false;
    /** The last row, if its line ends differently from the others. */
    let odd: Row | undefined;
    const cut = (row: Row, message: string, hint: string | null = null) =>
      (row.problems = [...(row.problems ?? []), { code: "line-cut", message, hint, column: null }]);
    async function* text(): AsyncGenerator<Buffer> {
      let skip = offset;
      for await (const piece of asUtf8(file.chunks(), encoding)) {
        const rest = piece.subarray(skip);
        skip = Math.max(0, skip - piece.length);
        if (rest.length === 0) continue;
        suspicious ||= rest.includes(MARK) || rest.includes(0);
        wary ||= WARNING_SIGNS.some((sign) => rest.includes(sign));
        ended = rest.at(-1) === 10 || rest.at(-1) === 13;
        ends ||= rest.includes(10) || rest.includes(13);
        yield rest;
      }
    }
    function* seen(some: Row[]): Generator<Row[]> {
      if (some.length > 0) yield some;
      finisher.look(some);
    }
    // The last row waits until the end shows whether its line has one.
    let last: Row[] = [];
    for await (const records of readRecords(text, { shape, fault, firstLine })) {
      const unlike = new Set<number>();
      for (const record of records) {
        if (record.lineEnding !== null && record.lineEnding !== lineEnding) unlike.add(record.number);
        if (suspicious) findBadCharacters(record, encoding.name);
        oddities.look(record, wary);
      }
      const finished = finisher.finish(records);
      if (finished.length === 0) continue;
      for (const row of finished) {
        if (odd !== undefined && row.problems?.some(({ code }) => code === "row-short") === true)
          cut(odd, ODD, QUOTE_IT);
        odd = unlike.has(row.number) && row.leftOut === undefined ? row : undefined;
      }
      yield* seen(last);
      last = finished;
    }
    await file.checkUnchanged();
    const row = last.at(-1);
    if (row !== undefined && !ended && ends) {
      const why = "the file's last line has no line end, though the others have one: the file may be cut off";
      if (csv.endsWithNewline === "required") cut(row, why);
      else notes.push(`Row ${row.number}: ${why}; with \`csv: { endsWithNewline: required }\`, such a row is invalid.`);
    }
    yield* seen(last);
    notes.push(...finisher.notes(), ...oddities.notes());
  }

  const { delimiter, quote, escape, trim } = shape;
  const { name, bom } = encoding;
  return {
    sheet: null,
    ...header,
    dialect: { format: "csv", encoding: name, bom, delimiter, quote, escape, trim, lineEnding, compression },
    notes,
    rows,
  };
}

/** Counts the rows whose cells look odd. */
function cellOddities() {
  const innerQuotes = tally(
    "has quotes inside a cell that is not quoted",
    "have quotes inside cells that are not quoted",
    ": read as text",
  );
  const garbled = garbledRows();
  const marked = tally(
    "has a cell like '00123",
    "have cells like '00123",
    ": this mark for a spreadsheet is read as part of the text; `as: digits`, `as: taxId` and replace() drop it",
  );
  const misread = tally(
    "has signs like ‡ within words",
    "have signs like ‡ within words",
    ": the file may be in another encoding, such as cp850 or macintosh; `csv: { encoding }` names it",
  );
  const escaped = tally(
    "has a backslash before a letter or a quote, such as \\n, or at the end of a cell",
    "have backslashes before letters or quotes, such as \\n, or at the ends of cells",
    ": read as text, though some programs mean a line break by that; export the file as quoted CSV",
  );
  return {
    /** `wary`: warning signs have been seen. */
    look({ number, cells, faults, innerQuotes: hasQuotes }: CsvRecord, wary: boolean): void {
      const holds = (odd: RegExp) => wary && cells.some((cell) => odd.test(cell));
      if (faults === null && wary) garbled.look(number, cells);
      if (holds(MARKED)) marked.add(number);
      if (holds(MISREAD_WORD)) misread.add(number);
      if (holds(ESCAPED)) escaped.add(number);
      if (hasQuotes && faults === null) innerQuotes.add(number);
    },
    notes: (): string[] => [innerQuotes, garbled, marked, misread, escaped].flatMap((one) => one.said()),
  };
}

function findBadCharacters(record: CsvRecord, encoding: string): void {
  const bad = (column: number, code: Fault["code"], what: string) =>
    (record.faults = [...(record.faults ?? []), { column, code, message: `cell ${column + 1} ${what}`, hint: null }]);
  for (const [column, cell] of record.cells.entries()) {
    if (cell.includes("\0")) bad(column, "nul-character", "contains a NUL character");
    else if (cell.includes(MARK)) {
      record.cells[column] = cell.replaceAll(MARK, "");
      bad(column, "encoding-mixed", `has bytes that are not text in ${encoding}, the encoding of the rest of the file`);
    }
  }
}

/** @throws RowferryError `header-missing`, `file-empty`. */
function findTable(sample: Sample, shape: DetectedShape, option: HeaderOption, isRagged: boolean) {
  const from = typeof option === "string" ? shape.firstLine : Math.min(...[option].flat());
  const start = from < 1 ? -1 : startOfLine(sample.text, from);
  const records = start === -1 ? [] : firstRecords({ ...sample, text: sample.text.slice(start) }, shape, from);
  const filled = records.filter(({ cells }) => !isBlank(cells));
  if (typeof option === "string" && filled.length === 0) throw unreadable(sample, shape, start);
  const { headers, notes } = locateHeader(filled, option, sample.fault);
  const last = headers.at(-1)?.number ?? 0;
  const below = filled.filter(({ number, faults }) => number > last && faults === null).map(({ cells }) => cells);
  const texts = headerTexts(spreadHeadings(headers.map(({ cells }) => cells)));
  if (texts.some((text) => text.includes(MARK)))
    notes.push(
      "The header has bytes that are not text in the file's encoding; name the right one in `csv: { encoding }`.",
    );
  const widths = below.map(({ length }) => length);
  const named =
    option === "none"
      ? lettersOf(isRagged ? Math.max(0, ...widths) : mostFrequent(widths))
      : texts.map((text) => text.replaceAll(MARK, ""));
  // A single such row may have a delimiter in a cell.
  if (
    option !== "none" &&
    below.length > 1 &&
    below.every((cells) => cells.length === named.length + 1 && (cells.at(-1) ?? "").trim() !== "")
  )
    notes.push(
      "Every row has one more cell than the header: R writes row names this way, without a heading (export with `row.names = FALSE` or `col.names = NA`); or cells hold the delimiter, such as a decimal comma, without quotes.",
    );
  const rows = below.slice(0, 100);
  const header = headerOf(headers, { header: named, sample: rows, option }, notes);
  for (const { number, faults, innerQuotes } of headers)
    if (faults !== null || innerQuotes)
      notes.push(`The header in row ${number} has a quote in the wrong place; its names are used as they are.`);
  /** The line and byte at which the first header row begins, or without a header the first row. */
  const firstLine = headers[0]?.number ?? shape.firstLine;
  const offset = Buffer.byteLength(sample.text.slice(0, Math.max(0, startOfLine(sample.text, firstLine))));
  return { header, width: isRagged ? null : regularWidth(named, below), sample: rows, firstLine, offset, notes };
}

/** The header's width, unless every row has a surplus of blank cells or lacks the same columns without headings. */
function regularWidth(header: readonly string[], below: readonly (readonly string[])[]): number {
  const usual = below.length === 0 ? header.length : mostFrequent(below.map((cells) => cells.length));
  const isSurplus = below.every((cells) => cells.length > header.length && isBlank(cells.slice(header.length)));
  const lacks = below.every((cells) => cells.length === usual) && header.slice(usual).every((text) => text === "");
  return isSurplus || lacks ? usual : header.length;
}

/** Why there is no first row. */
function unreadable({ fault, complete, text }: Sample, shape: DetectedShape, start: number): RowferryError {
  const rest = text.slice(Math.max(0, start));
  const blank = rest.length - rest.trimStart().length;
  if (blank === rest.length) {
    if (complete) return fault("file-empty", "the file contains only blank lines");
    return fault("header-missing", "the file begins with 256 KiB of blank lines");
  }
  const row = shape.firstLine + lineBreaks(rest.slice(0, blank));
  if (shape.quote !== null && (complete || rest.startsWith(shape.quote, blank))) return unclosed(shape, fault, row);
  return fault("record-oversized", "the first row of the file is more than 256 KiB long", { row });
}
