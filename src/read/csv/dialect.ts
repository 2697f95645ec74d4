/** Decides a CSV file's delimiter, quote, escape and blanks, from the mapping and from a sample. */
import type { CsvOptions } from "../../model/dialect.js";
import type { FaultOf } from "../opened-file.js";
import { findHeader, isBlank, isLabels, mostFrequent } from "../header.js";
import { type CsvRecord, firstRecords, type Sample, SAMPLE_RECORDS, type Shape } from "./records.js";

export interface DetectedShape extends Shape {
  lineEnding: "\n" | "\r\n" | "\r";
  /** 2 where line 1 is Excel's `sep=;`, else 1. */
  firstLine: 1 | 2;
  /** Doubtful decisions, one sentence each. */
  notes: string[];
}

/**
 * The last two are the unit separators of old systems. Among equals a later one beats the comma, which texts and
 * numbers hold.
 */
const DELIMITERS = [";", "\t", "|", ",", "\u001f", "\u0001"];
/** Too common within texts to be taken; suggested when nothing else fits. */
const UNUSUAL = ["^", "~", "¦", "#", "*", "/", ":", " "];
const CONVINCING = 0.3;
const DOUBLE_QUOTED = /(^|[,;\t|\r\n]) ?"/;
const APOSTROPHES = /(^|[,;\t|\r\n])'[^'\r\n]*'(?=[,;\t|\r\n]|$)/;
const NUMBER = /^[-+]?\d[\d.,]*%?$/;

/** @param tableLine the line on which the table begins, where that is known. @throws RowferryError `dialect-invalid`. */
export function detectShape(sample: Sample, options: CsvOptions, tableLine: number | null): DetectedShape {
  const given = givenOf(options, sample.fault);
  const declared = /^sep=([^\r\n])\r?(?:\n|$|\r)/i.exec(sample.text)?.[1];
  const firstLine = declared === undefined ? 1 : 2;
  const start = startOfLine(sample.text, Math.max(firstLine, tableLine ?? 1));
  const table = { ...sample, text: sample.text.slice(Math.max(start, 0)) };
  const notes = declared === undefined ? [] : [`Line 1 (sep=${declared}) names the delimiter and is not a row.`];
  const shape = bestShape(table, declared === undefined ? given : { delimiter: declared, ...given }, notes);
  if (given.quote === undefined && shape.quote === "'") notes.push("Cells are quoted with apostrophes (').");
  if (given.escape === undefined && shape.escape === "\\")
    notes.push(`Quotes within cells are escaped with a backslash (\\${shape.quote}).`);
  if (given.trim === undefined && shape.trim)
    notes.push("Blanks between delimiters and quotes are not part of the cells (`csv: { trim: true }`).");
  return { ...shape, lineEnding: usualLineEnding(table.text), firstLine, notes };
}

interface Given {
  delimiter?: string;
  quote?: string | null;
  escape?: string;
  trim?: boolean;
}

function givenOf(options: CsvOptions, fault: FaultOf): Given {
  const { delimiter, quote, escape, trim } = options;
  const said = Object.entries({ delimiter, quote, escape, trim });
  const given: Given = Object.fromEntries(said.filter(([, option]) => option !== undefined && option !== "auto"));
  const mark = given.delimiter?.[0];
  const wrong =
    given.delimiter !== undefined && /^$|[\r\n]/.test(given.delimiter)
      ? "the delimiter is empty or a line break"
      : mark !== undefined && (mark === given.escape || mark === (given.quote === undefined ? '"' : given.quote))
        ? "the delimiter is also the quote or the escape"
        : null;
  if (wrong !== null) throw fault("dialect-invalid", wrong);
  return given;
}

interface Judged {
  shape: Shape;
  /** From 0 to 1. */
  score: number;
  faults: number;
}

/** Takes doubled double quotes unless something rarer explains the sample better. */
function bestShape(sample: Sample, given: Given, notes: string[]): Shape {
  const delimiters = given.delimiter === undefined ? DELIMITERS : [given.delimiter];
  const quote = given.quote === undefined ? '"' : given.quote;
  const escape = quote === null ? null : (given.escape ?? quote);
  const trim = given.trim ?? false;
  const judge = (variant: Partial<Shape>): Judged[] =>
    delimiters
      .map((delimiter) => judged(sample, { delimiter, quote, escape, trim, ...variant }))
      .toSorted((one, other) => other.score - one.score);
  const usual = judge({});
  const rarer: Judged[][] = [];
  if (quote !== null && usual[0]?.faults !== 0) {
    if (given.escape === undefined && sample.text.includes(`\\${quote}`)) rarer.push(judge({ escape: "\\" }));
    if (given.trim === undefined && (sample.text.includes(` ${quote}`) || sample.text.includes(`${quote} `)))
      rarer.push(judge({ trim: true }));
  }
  if (given.quote === undefined && !DOUBLE_QUOTED.test(sample.text) && APOSTROPHES.test(sample.text))
    for (const one of given.escape === undefined ? ["'", "\\"] : [given.escape])
      rarer.push(judge({ quote: "'", escape: one }));
  const better = rarer.filter(([best]) => isBetter(best as Judged, usual[0] as Judged));
  const ranking = better.toSorted((one, other) => (other[0]?.score ?? 0) - (one[0]?.score ?? 0))[0] ?? usual;
  const [best, second] = ranking as [Judged, Judged | undefined];
  if (given.delimiter === undefined && best.score < CONVINCING) return oneColumn(sample, ranking, notes);
  if (second !== undefined && second.score > CONVINCING && second.score > best.score * 0.9) {
    const [taken, other] = [best, second].map(({ shape }) => nameOf(shape.delimiter));
    notes.push(
      `Read with the delimiter ${taken}, though ${other} fits nearly as well; set \`csv: { delimiter }\` to be sure.`,
    );
  }
  return best.shape;
}

function isBetter(rare: Judged, usual: Judged): boolean {
  if (rare.shape.quote !== usual.shape.quote) return rare.faults === 0 && rare.score >= usual.score;
  return rare.faults < usual.faults && rare.score > usual.score;
}

/** Texts with runs of blanks between them. */
const isAligned = (line: string) => line.trim().includes("  ");

/** One column; notes the characters that might separate columns all the same. */
function oneColumn({ text }: Sample, ranking: readonly Judged[], notes: string[]): Shape {
  const lines = text
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== "")
    .slice(0, 200);
  const inLines = (mark: string) => lines.filter((line) => line.includes(mark)).length;
  const [mark, count] = [...DELIMITERS, ...UNUSUAL]
    .map((one): [string, number] => [one, inLines(one)])
    .reduce((most, one) => (one[1] > most[1] ? one : most), ["", 0]);
  if (lines.filter(isAligned).length * 2 > lines.length)
    notes.push("Read as one column: its columns seem to be aligned with spaces; export them with a delimiter.");
  else if (count > 0 && lines.every((line) => /^".*"$/.test(line)))
    notes.push("Read as one column: each line is quoted as a whole. Remove these quotes, or export the file again.");
  else if (count > 0 && count * 2 >= lines.length) {
    const where = `${count} of the first ${lines.length} lines have ${nameOf(mark)}`;
    notes.push(
      `Read as one column: no delimiter splits the rows evenly. ${where}; \`csv: { delimiter: ${JSON.stringify(mark)} }\` would split them there.`,
    );
  }
  const { shape } = ranking[0] as Judged;
  const absent = [",", ...DELIMITERS].find((delimiter) => !text.includes(delimiter));
  return { ...shape, delimiter: absent ?? shape.delimiter };
}

export function nameOf(delimiter: string): string {
  if (delimiter === "\t") return "tab";
  return delimiter === " " ? "a blank" : `"${delimiter}"`;
}

/**
 * Scores consistency (the share of records with the usual width, preamble aside) times the share of cells that look
 * whole (a number, quoted, or text without another usual delimiter). A header that reads like data and faulty quotes
 * lower the score.
 */
function judged(sample: Sample, shape: Shape): Judged {
  if (!sample.text.includes(shape.delimiter)) return { shape, score: 0, faults: 0 };
  const all = firstRecords(sample, shape, 1);
  const rows = all.filter(({ cells }) => !isBlank(cells));
  const faults = rows.filter((row) => row.faults !== null).length;
  const width = mostFrequent(rows.map((row) => row.cells.length).filter((cells) => cells > 1));
  if (width < 2) return { shape, score: 0, faults };
  const from = rows.findIndex(({ cells }) => cells.length === width);
  const table = rows.slice(from);
  const even = table.filter(({ cells }) => cells.length >= width && isBlank(cells.slice(width))).length;
  let cells = 0;
  let whole = 0;
  for (const row of table) {
    cells += row.cells.length;
    for (const cell of row.cells) if (isWhole(cell, row.raw, shape.quote)) whole++;
  }
  const found = findHeader(rows);
  const header = rows[found];
  const labelled = header !== undefined && header.cells.length > 1 && (header === rows[0] || isLabels(header.cells));
  const unread = sample.complete || all.length === SAMPLE_RECORDS ? 0 : unreadPart(sample.text, all);
  const score =
    (even / table.length) *
    (0.3 + (0.7 * whole) / cells) *
    (labelled ? 1 : 0.3) *
    (1 - (0.9 * faults) / rows.length) *
    (1 - from / rows.length / 4) *
    (1 - unread / 2);
  return { shape, score, faults };
}

/** The share of a sample that was not cut into records, as under a quote that is never closed. */
function unreadPart(text: string, records: readonly CsvRecord[]): number {
  const lines = text.split(/\r\n|\r|\n/).length;
  const last = records.at(-1)?.number ?? 0;
  return lines < 10 ? 0 : Math.max(0, (lines - last - 2) / lines);
}

function isWhole(cell: string, raw: string, quote: string | null): boolean {
  if (!DELIMITERS.some((delimiter) => cell.includes(delimiter)) || NUMBER.test(cell.trim())) return true;
  return quote !== null && raw.includes(quote + cell + quote);
}

function usualLineEnding(text: string): "\n" | "\r\n" | "\r" {
  const crlf = text.split("\r\n").length - 1;
  const lf = text.split("\n").length - 1 - crlf;
  const cr = text.split("\r").length - 1 - crlf;
  if (crlf >= lf && crlf >= cr && crlf > 0) return "\r\n";
  return cr > lf ? "\r" : "\n";
}

/** The offset of a line, counting from 1; -1: the text has fewer lines. */
export function startOfLine(text: string, line: number): number {
  let position = 0;
  for (let at = 1; at < line; at++) {
    const end = /\r\n|\r|\n/g;
    end.lastIndex = position;
    if (end.exec(text) === null) return -1;
    position = end.lastIndex;
  }
  return position;
}
