/** The rows below the header as a stream: decode, cut into records, leave out blank ones, bring to the header's width. */
import type { Problem } from "../../model/problem.js";
import type { Row } from "../../model/row.js";
import type { ChosenEncoding } from "./choose-encoding.js";
import { holdsUndecodable, textPieces, withoutDosEnd } from "./decode.js";

import { LineSkipper } from "./line-skipper.js";
import type { CsvFile } from "./open-csv.js";
import type { CsvShape } from "./sample.js";
import { CsvTokenizer } from "./tokenizer.js";

/**
 * Rows given at once, and characters that are cut into rows at once: few. V8 decides early on, and for good, to allocate in
 * the old space what outlives a collection; of hundreds of rows at once everything does, and every row then waits for a
 * full collection (100 MiB and a fifth of the time, measured on a million rows).
 */
const BATCH_ROWS = 64;
const PIECE_CHARACTERS = 8 * 1024;

export interface RowsOptions {
  encoding: ChosenEncoding;
  shape: CsvShape;
  /** The header's texts; rows get as many cells. */
  columns: readonly string[];
  /** The line on which the first record begins, header included. */
  firstLine: number;
  /** The last header row's line: rows up to it are left out; 0: there is no header. */
  headerLine: number;
  maxRecordLength?: number;
}

/** @throws RowferryError where the rest cannot be read; what came before it is then worth nothing (HARD-CASES H14). */
export async function* readRows(file: CsvFile, options: RowsOptions): AsyncGenerator<Row[]> {
  const tokenizer = new CsvTokenizer({ ...options.shape, ...options, file: file.name });
  const finisher = new RowFinisher(options);
  for await (const { text, last } of textOf(file, options)) {
    for (let start = 0; start < text.length || start === 0; start += PIECE_CHARACTERS) {
      const piece = text.slice(start, start + PIECE_CHARACTERS);
      const isLast = last && start + PIECE_CHARACTERS >= text.length;
      const rows = finisher.finish(tokenizer.push(piece, isLast), tokenizer.line, piece);
      for (let first = 0; first < rows.length; first += BATCH_ROWS) {
        yield rows.length <= BATCH_ROWS ? rows : rows.slice(first, first + BATCH_ROWS);
      }
    }
  }
  await file.checkUnchanged();
}

/** The file's text from line `firstLine` on, without byte order marks and the DOS end mark (0x1a). */
async function* textOf(file: CsvFile, options: RowsOptions): AsyncGenerator<{ text: string; last: boolean }> {
  const pieces = textPieces(options.encoding.encoding);
  const skipper = new LineSkipper(options.firstLine - 1);
  let toSkip = options.encoding.bomBytes;
  let atStart = true;
  let held = "";
  for await (const chunk of file.chunks()) {
    const skipped = Math.min(toSkip, chunk.length);
    toSkip -= skipped;
    let text = pieces.write(skipped === 0 ? chunk : chunk.subarray(skipped));
    if (atStart) text = text.replace(/^\uFEFF+/, "");
    atStart &&= text === "";
    text = skipper.skip(text);
    if (text === "") continue;
    if (held !== "") yield { text: held, last: false };
    held = text;
  }
  held += pieces.end();
  yield { text: withoutDosEnd(held), last: true };
}

class RowFinisher {
  readonly #options: RowsOptions;
  readonly #width: number;
  readonly #encoding: string;
  /** Whether the record carried over from the last text may hold a suspicious character. */
  #suspicious = false;

  constructor(options: RowsOptions) {
    this.#options = options;
    this.#width = options.columns.length;
    this.#encoding = options.encoding.encoding;
  }

  /** @param nextLine the line on which the record behind the last of `rows` begins. */
  finish(rows: Row[], nextLine: number, text: string): Row[] {
    const odd = this.#options.encoding.oddLines;
    const here = text.includes("\0") || holdsUndecodable(text, this.#encoding);
    if (here || this.#suspicious) for (const row of rows) this.#findBadCharacters(row);
    this.#suspicious = here || (rows.length === 0 && this.#suspicious);
    const kept: Row[] = [];
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] as Row;
      if (row.number <= this.#options.headerLine || isBlank(row.cells)) continue;
      if (odd.size > 0) this.#findOddLines(row, rows[index + 1]?.number ?? nextLine);
      if (row.cells.length !== this.#width) this.#fit(row);
      kept.push(row);
    }
    return kept;
  }

  /** A row that is short or long is invalid, unless it lacks only columns without a header or is longer by blanks. */
  #fit(row: Row): void {
    const { cells } = row;
    const { columns } = this.#options;
    if (cells.length > this.#width) {
      const extra = cells.splice(this.#width).filter((cell) => cell.trim() !== "");
      if (extra.length === 0) return;
      const shown = extra
        .map((cell) => JSON.stringify(cell.slice(0, 40)))
        .join(", ")
        .slice(0, 80);
      const message = `more cells than the ${this.#width} columns of the header; beyond them: ${shown}`;
      addProblem(row, { code: "row-long", message, hint: null, column: null });
      return;
    }
    const count = cells.length;
    while (cells.length < this.#width) cells.push("");
    const missing = columns.slice(count).find((header) => header !== "");
    if (missing === undefined) return;
    const message = `${count} cells where the header has ${this.#width}; the row ends before column "${missing.slice(0, 40)}"`;
    addProblem(row, { code: "row-short", message, hint: null, column: null });
  }

  #findOddLines(row: Row, nextNumber: number): void {
    for (let line = row.number; line < nextNumber; line++) {
      if (!this.#options.encoding.oddLines.has(line)) continue;
      const message = `line ${line} is not in the encoding of the rest of the file (${this.#encoding})`;
      addProblem(row, { code: "encoding-mixed", message, hint: null, column: null });
      return;
    }
  }

  #findBadCharacters(row: Row): void {
    for (const [index, cell] of row.cells.entries()) {
      const column = this.#options.columns[index] ?? null;
      if (cell.includes("\0")) {
        const message = `cell ${index + 1} contains a NUL character`;
        addProblem(row, { code: "nul-character", message, hint: null, column });
      } else if (holdsUndecodable(cell, this.#encoding)) {
        const message = `cell ${index + 1} has bytes that are no text in ${this.#encoding}`;
        addProblem(row, { code: "encoding-mixed", message, hint: null, column });
      }
    }
  }
}

function isBlank(cells: readonly string[]): boolean {
  for (const cell of cells) {
    if (cell === "") continue;
    const code = cell.charCodeAt(0);
    // Most cells begin with visible ASCII, and trimming each would cost.
    if ((code > 32 && code < 127) || cell.trim() !== "") return false;
  }
  return true;
}

function addProblem(row: Row, problem: Problem): void {
  row.problems = [...(row.problems ?? []), problem];
}
