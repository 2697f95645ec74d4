/** From records to rows: blank ones left out, cells brought to the header's width, and whatever is wrong with a row said. */
import type { Code } from "../../model/codes.js";
import type { Problem } from "../../model/problem.js";
import type { Row } from "../../model/row.js";
import { repeats } from "../header.js";
import { MARK } from "./encoding.js";
import type { CsvRecord } from "./records.js";

export interface RowsShape {
  /** Header texts; rows get as many cells. */
  header: readonly string[];
  /** Cells of a regular record: as many as the header has, unless all records have the same blank surplus. */
  width: number;
  /** The last header row's line: records up to it are left out; 0: there is no header. */
  headerLine: number;
  encoding: string;
}

/** Goes along with the records of a file, from the header on. */
export class RowFinisher {
  readonly #shape: RowsShape;
  #innerQuotes = tally();
  #repeated = tally();
  #sparse = tally();
  #totals = tally();
  #unheaded = new Map<number, { count: number; first: number }>();
  readonly #blankHeaders: number[];

  constructor(shape: RowsShape) {
    this.#shape = shape;
    this.#blankHeaders = shape.header.flatMap((text, column) => (text === "" ? [column] : []));
  }

  /** @param suspicious whether some cell may hold a {@link MARK} or a NUL. */
  finish(records: readonly CsvRecord[], suspicious: boolean): Row[] {
    const { header, width, headerLine } = this.#shape;
    const rows: Row[] = [];
    for (const { line, cells, fault, innerQuotes } of records) {
      if (line <= headerLine || isBlank(cells)) continue;
      if (cells[0]?.startsWith("\uFEFF")) cells[0] = cells[0].replace(/^\uFEFF+/, "");
      const row: Row = { number: line, cells, kinds: null, problems: null };
      if (suspicious) this.#findBadCharacters(row);
      if (fault !== null) {
        const text = cells[fault.cell] ?? "";
        const hint = fault.what.startsWith("blanks")
          ? "Write `csv: { trim: true }` in the mapping if blanks stand around quotes in all rows; else remove them."
          : null;
        add(row, "quote-stray", `cell ${fault.cell + 1} (${shown(text)}): ${fault.what}`, hint, header[fault.cell]);
      } else if (innerQuotes) this.#innerQuotes.add(line);
      if (cells.length !== width || width !== header.length) this.#fit(row);
      if (headerLine > 0 && repeats(cells, header)) {
        row.leftOut = "it repeats the header";
        row.problems = null;
        this.#repeated.add(line);
      } else if (header.length > 2 && isSparse(cells)) this.#sparse.add(line);
      else if (isTotal(cells)) this.#totals.add(line);
      for (const column of this.#blankHeaders)
        if ((cells[column] ?? "").trim() !== "") this.#countUnheaded(column, line);
      rows.push(row);
    }
    return rows;
  }

  /** What shows at the end only. */
  notes(): string[] {
    const notes = [
      this.#repeated.say("repeats the header: skipped", "repeat the header: skipped"),
      this.#sparse.say("has one filled cell only", "have one filled cell only"),
      this.#totals.say(
        "looks like a total and is read like any other; `skip` in the mapping leaves it out",
        "look like totals and are read like any others; `skip` in the mapping leaves them out",
      ),
      this.#innerQuotes.say(
        "has quotes inside a cell that is not quoted: read as text",
        "have quotes inside cells that are not quoted: read as text",
      ),
    ].filter((note) => note !== null);
    for (const [column, { count, first }] of [...this.#unheaded].slice(0, 5)) {
      const rows = count === 1 ? `row ${first}` : `${count} rows, the first of them row ${first}`;
      notes.push(`Column ${column + 1} has no heading but holds cells in ${rows}: nothing can read it.`);
    }
    return notes;
  }

  #fit(row: Row): void {
    const { cells } = row;
    const { header, width } = this.#shape;
    const count = cells.length;
    const columns = `${header.length} columns of the header`;
    if (count > header.length) {
      const extra = cells.splice(header.length);
      const filled = extra.filter((cell) => cell.trim() !== "");
      if (filled.length > 0) {
        const list = filled.map((cell) => JSON.stringify(cell.slice(0, 40))).join(", ");
        add(row, "row-long", `more cells than the ${columns}; beyond them: ${list.slice(0, 80)}`);
      } else if (count !== width) {
        add(
          row,
          "row-long",
          `${count} cells where the other rows have ${width}: the last is blank, so a delimiter is too many`,
        );
      }
      return;
    }
    while (cells.length < header.length) cells.push("");
    if (count === width) return;
    const missing = header.slice(count).find((text) => text !== "");
    const end = missing === undefined ? "" : `; the row ends before column "${missing.slice(0, 40)}"`;
    const wanted = width === header.length ? `the header has ${width}` : `the other rows have ${width}`;
    add(row, "row-short", `${count} cells where ${wanted}${end}`);
  }

  #findBadCharacters(row: Row): void {
    const { header, encoding } = this.#shape;
    for (const [index, cell] of row.cells.entries()) {
      if (cell.includes("\0"))
        add(row, "nul-character", `cell ${index + 1} contains a NUL character`, null, header[index]);
      else if (cell.includes(MARK)) {
        row.cells[index] = cell.replaceAll(MARK, "");
        const message = `cell ${index + 1} has bytes that are no text in ${encoding}, the encoding of the rest of the file`;
        add(row, "encoding-mixed", message, null, header[index]);
      }
    }
  }

  #countUnheaded(column: number, line: number): void {
    const known = this.#unheaded.get(column);
    if (known === undefined) this.#unheaded.set(column, { count: 1, first: line });
    else known.count++;
  }
}

function tally() {
  let count = 0;
  let first = 0;
  return {
    add(line: number): void {
      if (count++ === 0) first = line;
    },
    say(one: string, many: string): string | null {
      if (count === 0) return null;
      return count === 1 ? `Row ${first} ${one}.` : `${count} rows, the first of them row ${first}, ${many}.`;
    },
  };
}

function add(row: Row, code: Code, message: string, hint: string | null = null, column: string | null = null): void {
  const problem: Problem = { code, message, hint, column: column === "" ? null : column };
  row.problems = [...(row.problems ?? []), problem];
}

function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}

export function isBlank(cells: readonly string[]): boolean {
  return !cells.some(isFilled);
}

function isSparse(cells: readonly string[]): boolean {
  const first = cells.findIndex(isFilled);
  return first === -1 || cells.findIndex((cell, index) => index > first && isFilled(cell)) === -1;
}

function isTotal(cells: readonly string[]): boolean {
  const first = cells.find(isFilled) ?? "";
  return (
    first.length < 30 && /^(?:(?:grand|sub)[- ]?)?(?:total|totais|summe|gesamt|soma\b|suma\b)/i.test(first.trimStart())
  );
}

/** Most cells begin with visible ASCII, and trimming each would cost. */
function isFilled(cell: string): boolean {
  if (cell === "") return false;
  const code = cell.charCodeAt(0);
  return (code > 32 && code < 127) || cell.trim() !== "";
}
