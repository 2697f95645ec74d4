/**
 * Text into records, each numbered by the line on which it begins. Knows quotes, escapes and all three line endings
 * (mixed, too); knows nothing of headers, widths, encodings or files. Why this is not csv-parse:
 * docs/decisions/csv-tokenizer.md.
 */
import { RowferryError } from "../../model/error.js";
import type { Problem } from "../../model/problem.js";
import type { Row } from "../../model/row.js";
import { countLineBreaks } from "./line-breaks.js";

/** Longest record in UTF-16 units; what is longer ends the reading of its file. */
export const MAX_RECORD_LENGTH = 1_048_576;

const LF = 10;
const CR = 13;

export interface TokenizerOptions {
  /** One character or more. */
  delimiter: string;
  /** One character; null: no quoting. */
  quote: string | null;
  /** One character; the quote itself: doubling; null: as the quote. Doubling is understood beside any escape. */
  escape: string | null;
  /** For error messages. */
  file: string;
  /** Number of the first line; default 1. */
  firstLine?: number;
  /** Default {@link MAX_RECORD_LENGTH}. */
  maxRecordLength?: number;
}

/**
 * Fed with text piece by piece; gives the records that are complete so far. A quote within an unquoted cell is text,
 * as everywhere. Text behind a closing quote (other than blanks, which are kept) marks the record `quote-stray`, its
 * cell being the raw text; if such a record also spans lines, its quote is taken as never closed, since any number
 * of rows may hide in it.
 */
export class CsvTokenizer {
  /** The line on which the next record begins. */
  line: number;
  /** How many cells were quoted so far. */
  quotedCells = 0;

  readonly #options: TokenizerOptions;
  readonly #delimiter: string;
  readonly #quoteCode: number;
  readonly #quote: string;
  readonly #escape: string;
  readonly #maximum: number;

  /** The incomplete record at the end of the text so far. */
  #carry = "";
  #text = "";
  #last = false;
  #position = 0;
  /** Positions of the next of each kind at or behind `#position`, found once and kept; Infinity: none in `#text`. */
  #nextDelimiter = -1;
  #nextLf = -1;
  #nextCr = -1;
  #nextEscape = -1;
  /** Line breaks within quoted cells of the record at hand. */
  #innerBreaks = 0;
  /** Where the first stray quote of the record at hand opened; null: none. */
  #stray: { cell: number; line: number } | null = null;

  constructor(options: TokenizerOptions) {
    this.#options = options;
    this.#delimiter = options.delimiter;
    this.#quote = options.quote ?? "";
    this.#quoteCode = options.quote === null ? -1 : options.quote.charCodeAt(0);
    this.#escape = options.escape ?? this.#quote;
    this.#maximum = options.maxRecordLength ?? MAX_RECORD_LENGTH;
    this.line = options.firstLine ?? 1;
  }

  /**
   * The records completed by `text`; `last`: nothing follows. Cells are slices of the text: whoever keeps one for
   * long keeps its chunk in memory. `rows`: what to append to; holds the records before the fault when this throws.
   * @throws RowferryError `quote-unclosed` or `record-oversized`; no call may follow.
   */
  push(text: string, last: boolean, rows: Row[] = []): Row[] {
    this.#text = this.#carry === "" ? text : this.#carry + text;
    this.#last = last;
    this.#position = 0;
    this.#nextDelimiter = this.#nextLf = this.#nextCr = this.#nextEscape = -1;
    let start = 0;
    while (this.#position < this.#text.length) {
      const row = this.#record();
      if (row === null) break;
      if (this.#position - start > this.#maximum) throw this.#oversized(row.number);
      rows.push(row);
      start = this.#position;
    }
    this.#carry = this.#text.slice(start);
    if (this.#carry.length > this.#maximum) throw this.#oversized(this.line);
    return rows;
  }

  /** The record at `#position`, or null where the text ends before it does. */
  #record(): Row | null {
    const cells: string[] = [];
    this.#innerBreaks = 0;
    this.#stray = null;
    for (;;) {
      const quoted = this.#position < this.#text.length && this.#text.charCodeAt(this.#position) === this.#quoteCode;
      const cell = quoted ? this.#quotedCell(cells.length) : this.#plainCell();
      if (cell === null) return null;
      cells.push(cell);
      const next = this.#position < this.#text.length ? this.#text.charCodeAt(this.#position) : -1;
      if (next === LF) {
        this.#position++;
        break;
      }
      if (next === CR) {
        if (this.#position + 1 === this.#text.length && !this.#last) return null;
        this.#position += this.#text.charCodeAt(this.#position + 1) === LF ? 2 : 1;
        break;
      }
      if (next === -1) {
        if (!this.#last) return null;
        break;
      }
      this.#position += this.#delimiter.length;
    }
    const problems = this.#stray === null ? null : [this.#strayProblem(cells)];
    const row = { number: this.line, cells, kinds: null, problems };
    this.line += this.#innerBreaks + 1;
    return row;
  }

  /** From `#position` to the next delimiter or line break, where `#position` then stands; null: neither yet. */
  #plainCell(): string | null {
    const start = this.#position;
    const end = this.#endOfPlain(start);
    if (end === Number.POSITIVE_INFINITY) {
      if (!this.#last) return null;
      this.#position = this.#text.length;
    } else {
      this.#position = end;
    }
    return this.#text.slice(start, this.#position);
  }

  #endOfPlain(from: number): number {
    if (this.#nextDelimiter < from) this.#nextDelimiter = this.#find(this.#delimiter, from);
    if (this.#nextLf < from) this.#nextLf = this.#find("\n", from);
    if (this.#nextCr < from) this.#nextCr = this.#find("\r", from);
    const lineEnd = this.#nextLf < this.#nextCr ? this.#nextLf : this.#nextCr;
    return this.#nextDelimiter < lineEnd ? this.#nextDelimiter : lineEnd;
  }

  /** From the opening quote at `#position`; afterwards as `#plainCell`. */
  #quotedCell(index: number): string | null {
    const opening = this.#position;
    const line = this.line + this.#innerBreaks;
    const closing = this.#closingQuote(opening + 1);
    if (closing === -1) {
      if (this.#last) throw this.#unclosed(line);
      return null;
    }
    this.#position = closing + 1;
    const tail = this.#plainCell();
    if (tail === null) return null;
    this.quotedCells++;
    this.#innerBreaks += countLineBreaks(this.#text, opening, closing);
    if (tail !== "" && tail.trim() !== "") this.#stray ??= { cell: index, line };
    if (this.#stray !== null) {
      if (this.#innerBreaks > 0) throw this.#unclosed(this.#stray.line);
      if (tail.trim() !== "") return this.#text.slice(opening, this.#position);
    }
    return this.#unescape(this.#text.slice(opening + 1, closing)) + tail;
  }

  /** Where the cell's closing quote stands; -1: not in the text so far, or not to be told yet. */
  #closingQuote(from: number): number {
    const doubling = this.#escape === this.#quote;
    let position = from;
    for (;;) {
      const found = this.#text.indexOf(this.#quote, position);
      if (found === -1) return -1;
      if (!doubling) {
        if (this.#nextEscape < position) this.#nextEscape = this.#find(this.#escape, position);
        if (this.#nextEscape < found) {
          // Only a quote or another escape can be escaped: `C:\temp` is text.
          const escaped = this.#text[this.#nextEscape + 1];
          position = this.#nextEscape + (escaped === this.#quote || escaped === this.#escape ? 2 : 1);
          continue;
        }
      }
      if (found + 1 === this.#text.length) return this.#last ? found : -1;
      if (this.#text.charCodeAt(found + 1) !== this.#quoteCode) return found;
      position = found + 2;
    }
  }

  #unescape(raw: string): string {
    const quote = this.#quote;
    if (this.#escape === quote) return raw.includes(quote) ? raw.replaceAll(quote + quote, quote) : raw;
    if (!raw.includes(this.#escape) && !raw.includes(quote)) return raw;
    let text = "";
    for (let position = 0; position < raw.length; position++) {
      const here = raw.charAt(position);
      const next = raw.charAt(position + 1);
      const escapes = here === this.#escape ? next === quote || next === this.#escape : here === quote;
      if (escapes && next !== "") position++;
      text += escapes && next !== "" ? next : here;
    }
    return text;
  }

  #find(what: string, from: number): number {
    const found = this.#text.indexOf(what, from);
    return found === -1 ? Number.POSITIVE_INFINITY : found;
  }

  #strayProblem(cells: string[]): Problem {
    const cell = cells[this.#stray?.cell ?? 0] ?? "";
    const shown = cell.length > 80 ? `${cell.slice(0, 79)}…` : cell;
    return {
      code: "quote-stray",
      message: `cell ${(this.#stray?.cell ?? 0) + 1} goes on behind its closing quote: ${shown}`,
      hint: null,
      column: null,
    };
  }

  #unclosed(line: number): RowferryError {
    return new RowferryError("quote-unclosed", `a quote (${this.#quote}) opens on line ${line} and is never closed`, {
      place: { file: this.#options.file, row: line },
    });
  }

  #oversized(row: number): RowferryError {
    const length = `more than ${this.#maximum.toLocaleString("en")} characters`;
    return new RowferryError("record-oversized", `the row that begins here is ${length} long`, {
      place: { file: this.#options.file, row },
    });
  }
}
