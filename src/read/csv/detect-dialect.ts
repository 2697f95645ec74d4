/** Delimiter, quote and escape of a CSV file: as given, and where nothing is given, what explains a sample of it best. */
import type { CsvOptions } from "../../model/dialect.js";
import { RowferryError } from "../../model/error.js";
import type { Row } from "../../model/row.js";
import { startOfLine } from "./line-breaks.js";
import { CONVINCING, scoreDelimiter } from "./score-delimiter.js";
import { CsvTokenizer } from "./tokenizer.js";

export interface CsvShape {
  delimiter: string;
  quote: string | null;
  escape: string | null;
}

export interface Sample {
  /** For messages. */
  file: string;
  /** From the beginning of the file, without a byte order mark. */
  text: string;
  /** Whether `text` is the whole file. */
  complete: boolean;
}

export interface DetectedShape extends CsvShape {
  lineEnding: "\n" | "\r\n" | "\r";
  /** 2 where line 1 is Excel's `sep=;`, else 1. */
  firstLine: 1 | 2;
  notes: string[];
}

/** Records of a sample that are looked at for each guess. */
const SAMPLE_RECORDS = 500;
const DELIMITERS = [",", ";", "\t", "|"];

/** @param tableLine the line on which the table begins, where that is known. @throws RowferryError `dialect-invalid`. */
export function detectDialect(sample: Sample, options: CsvOptions, tableLine: number | null): DetectedShape {
  checkGiven(options, sample.file);
  const notes: string[] = [];
  const declared = /^sep=([^\r\n])\r?(\n|$|\r)/i.exec(sample.text)?.[1];
  const firstLine = declared === undefined ? 1 : 2;
  const start = startOfLine(sample.text, Math.max(firstLine, tableLine ?? 1));
  const body = { ...sample, text: sample.text.slice(start === -1 ? 0 : start) };
  if (declared !== undefined) notes.push(`Line 1 (sep=${declared}) names the delimiter and is no row.`);
  const given = options.delimiter ?? declared;
  const delimiters = given === undefined ? DELIMITERS : [given];
  const shape = bestShape(body, delimiters, options);
  if (shape.quote === "'" && options.quote === undefined) notes.push("Cells are quoted with apostrophes (').");
  if (shape.escape === "\\" && options.escape === undefined)
    notes.push('Quotes within cells are escaped with a backslash (\\").');
  return { ...shape, lineEnding: usualLineEnding(body.text), firstLine, notes };
}

export interface SampleRecords {
  /** As far as they can be read. */
  rows: Row[];
  /** How many cells were quoted. */
  quoted: number;
  /** What ended the reading early; null: nothing did. */
  failure: unknown;
}

/** The first records of a sample under a shape. */
export function sampleRecords(sample: Sample, shape: CsvShape, firstLine = 1): SampleRecords {
  const tokenizer = new CsvTokenizer({ ...shape, file: sample.file, firstLine });
  const rows: Row[] = [];
  let failure: unknown = null;
  try {
    const size = 16_384;
    for (let start = 0; start < sample.text.length && rows.length < SAMPLE_RECORDS; start += size) {
      tokenizer.push(
        sample.text.slice(start, start + size),
        sample.complete && start + size >= sample.text.length,
        rows,
      );
    }
  } catch (error) {
    failure = error;
  }
  return { rows, quoted: tokenizer.quotedCells, failure };
}

function bestShape(sample: Sample, delimiters: string[], options: CsvOptions): CsvShape {
  const quote = options.quote === undefined ? '"' : options.quote;
  const plain = best(
    sample,
    delimiters.map((delimiter) => ({ delimiter, quote, escape: options.escape ?? quote })),
  );
  const candidates = [plain];
  if (options.escape === undefined && quote !== null && sample.text.includes(`\\${quote}`)) {
    candidates.push(
      best(
        sample,
        delimiters.map((delimiter) => ({ delimiter, quote, escape: "\\" })),
      ),
    );
  }
  if (
    options.quote === undefined &&
    plain.quoted === 0 &&
    /(^|[,;\t|\r\n])'[^'\r\n]*'(?=[,;\t|\r\n]|$)/.test(sample.text)
  ) {
    const apostrophe = best(
      sample,
      delimiters.map((delimiter) => ({ delimiter, quote: "'", escape: options.escape ?? "'" })),
    );
    if (apostrophe.quoted > 1 && apostrophe.clean) candidates.push(apostrophe);
  }
  let chosen = plain;
  for (const candidate of candidates) if (candidate.rank > chosen.rank + 0.001) chosen = candidate;
  if (chosen === plain && candidates.includes(chosen)) {
    const apostrophe = candidates.find((candidate) => candidate.shape.quote === "'" && quote === '"');
    if (apostrophe !== undefined && apostrophe.rank >= plain.rank) chosen = apostrophe;
  }
  return chosen.shape;
}

interface Judged {
  shape: CsvShape;
  rank: number;
  quoted: number;
  /** No stray and no unclosed quote in the sample. */
  clean: boolean;
}

/** The best of several shapes; where none convinces, one column, under a delimiter that the sample does not contain. */
function best(sample: Sample, shapes: CsvShape[]): Judged {
  const judged = shapes.map((shape) => judge(sample, shape));
  let first = judged[0] as Judged;
  for (const candidate of judged) if (candidate.rank > first.rank) first = candidate;
  if (first.rank >= CONVINCING || shapes.length === 1) return first;
  return judged.find(({ shape }) => !sample.text.includes(shape.delimiter)) ?? first;
}

function judge(sample: Sample, shape: CsvShape): Judged {
  const { rows, quoted, failure } = sampleRecords(sample, shape);
  const clean = failure === null && rows.every((row) => row.problems === null);
  return { shape, rank: scoreDelimiter(rows) * (failure === null ? 1 : 0.5), quoted, clean };
}

function checkGiven(options: CsvOptions, file: string): void {
  const { delimiter, quote, escape } = options;
  const wrong =
    delimiter !== undefined && (delimiter === "" || /[\r\n]/.test(delimiter))
      ? "the delimiter is empty or a line break"
      : quote !== undefined && quote !== null && quote.length !== 1
        ? "the quote is not one character"
        : escape !== undefined && escape.length !== 1
          ? "the escape is not one character"
          : delimiter !== undefined &&
              (delimiter.startsWith(quote === undefined ? '"' : (quote ?? "\n")) || delimiter === escape)
            ? "the delimiter is also the quote or the escape"
            : null;
  if (wrong !== null) throw new RowferryError("dialect-invalid", wrong, { place: { file } });
}

function usualLineEnding(text: string): "\n" | "\r\n" | "\r" {
  const crlf = text.split("\r\n").length - 1;
  const lf = text.split("\n").length - 1 - crlf;
  const cr = text.split("\r").length - 1 - crlf;
  if (crlf >= lf && crlf >= cr && crlf > 0) return "\r\n";
  return cr > lf ? "\r" : "\n";
}
