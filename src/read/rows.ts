/**
 * Turns a reader's rows into rows of a table: without blank ones, a cell for each column, and with notes on oddities.
 */
import type { Code } from "../model/codes.js";
import { columnLetters } from "../model/formula.js";
import type { Problem } from "../model/problem.js";
import type { CellKind, Looks, Row } from "../model/row.js";
import { isBlank, isFilled, isValue, repeats, valueColumns } from "./header.js";

export interface RawRow {
  /** As a person sees it in the file, from 1. */
  number: number;
  /** "" if missing or blank. */
  cells: string[];
  /** Null: all text. */
  kinds: CellKind[] | null;
  looks?: Looks;
  faults: Fault[] | null;
  hidden?: boolean;
}

export interface Fault {
  /** From 0; null: not a single cell. */
  column: number | null;
  code: Code;
  message: string;
  hint?: string;
}

export interface TableShape {
  header: readonly string[];
  /** Rows up to it are left out; null: no header. */
  headerRow: number | null;
  /** A regular row has this many cells. Null: rows may end early, as in a sheet. */
  width: number | null;
  /** Null: hidden rows are read, with a note. */
  hidden: "read" | "skip" | null;
  /** Rows below the header, which show the columns of numbers and dates. */
  sample: readonly (readonly string[])[];
}

/** Such cells begin a row of sums, if the rest of the row has gaps. */
export const TOTAL =
  /^[*#=>\s-]{0,5}(?:(?:grand|sub)[- ]?)?(?:totals?|totais|totales|soma|suma|summe|somme|gesamt\w*|zwischensumme|ergebnis|resultado|合計|小計|総計)(?![\w-])/iu;

export class RowFinisher {
  readonly #shape: TableShape;
  readonly #blankHeadings: number[];
  readonly #valueColumns: number[];
  readonly #repeated = new Tally("repeats the header", "repeat the header", ": skipped");
  readonly #sparse = new Tally("has one filled cell only", "have one filled cell only");
  readonly #totals = new Tally(
    "looks like a total",
    "look like totals",
    ": only `skip` in the mapping leaves such rows out",
  );
  readonly #labels = new Tally(
    "reads like a header",
    "read like headers",
    ": another table may begin there, or the header has several rows",
  );
  readonly #hidden: Tally;
  /** The last row of several cells. */
  #above: Row | undefined;
  readonly #unheaded = new Map<number, Tally>();

  constructor(shape: TableShape) {
    this.#shape = shape;
    this.#blankHeadings = shape.header.flatMap((text, column) => (text === "" ? [column] : []));
    this.#valueColumns = valueColumns(shape.sample.slice(1));
    const done = shape.hidden === "skip" ? ": skipped" : ": read; `excel: { hidden: skip }` skips hidden rows";
    this.#hidden = new Tally("is hidden", "are hidden", done);
  }

  finish(raws: readonly RawRow[]): Row[] {
    const { header, headerRow, width, hidden } = this.#shape;
    const rows: Row[] = [];
    for (const { number, cells, kinds, looks, faults, hidden: isHidden } of raws) {
      if (number <= (headerRow ?? 0) || (faults === null && isBlank(cells))) continue;
      if (isHidden === true) this.#hidden.add(number);
      const row: Row = { number, cells, kinds, problems: null };
      if (looks !== undefined) row.looks = looks;
      rows.push(row);
      if (isHidden === true && hidden === "skip") row.leftOut = "hidden in its sheet";
      else if (faults !== null) row.problems = faults.map((fault) => this.#problem(fault));
      if (cells.length !== header.length || (width !== null && width !== header.length)) this.#fit(row);
      if (headerRow !== null && repeats(cells, header)) {
        row.leftOut = "it repeats the header";
        row.problems = null;
        this.#repeated.add(number);
      }
    }
    return rows;
  }

  /** To be called when the mapping has seen the rows: of those that it skips there is nothing to tell. */
  look(rows: readonly Row[]): void {
    for (const row of rows) if (row.leftOut === undefined) this.#look(row);
  }

  notes(): string[] {
    const told = this.#shape.hidden === "read" ? [] : [this.#hidden];
    const unheaded = [...this.#unheaded.values()].slice(0, 5);
    const tallies = [...told, this.#repeated, this.#sparse, this.#totals, this.#labels, ...unheaded];
    return tallies.flatMap((tally) => tally.said());
  }

  #problem({ column, code, message, hint }: Fault): Problem {
    const name = column === null ? null : this.#shape.header[column] || columnLetters(column + 1);
    return { code, message, hint: hint ?? null, column: name };
  }

  #fit(row: Row): void {
    const { cells, kinds } = row;
    const { header, width } = this.#shape;
    const count = cells.length;
    const add = (code: Code, message: string) =>
      (row.problems = [...(row.problems ?? []), this.#problem({ column: null, code, message })]);
    const filled = cells.splice(header.length).filter(isFilled);
    kinds?.splice(header.length);
    while (cells.length < header.length) {
      cells.push("");
      kinds?.push("text");
    }
    if (width === null || row.leftOut !== undefined) return;
    if (filled.length > 0) {
      const list = filled.map((cell) => JSON.stringify(cell.slice(0, 40))).join(", ");
      add("row-long", `more cells than the ${header.length} columns of the header; beyond them: ${list.slice(0, 80)}`);
    } else if (count > header.length && count !== width) {
      const message = `${count} cells where the other rows have ${width}: the last is blank, so a delimiter is too many`;
      add("row-long", message);
    } else if (count < header.length && count !== width) {
      const missing = header.slice(count).find((text) => text !== "");
      const end = missing === undefined ? "" : `; the row ends before column "${missing.slice(0, 40)}"`;
      const wanted = width === header.length ? `the header has ${width}` : `the other rows have ${width}`;
      add("row-short", `${count} cells where ${wanted}${end}`);
    }
  }

  #look(row: Row): void {
    const { number, cells } = row;
    const first = cells.findIndex(isFilled);
    const text = (cells[first] ?? "").trimStart();
    if (this.#shape.header.length > 2 && !cells.some((cell, column) => column > first && isFilled(cell)))
      this.#sparse.add(number);
    else if (text.length < 30 && TOTAL.test(text)) this.#totals.add(number);
    else if (this.#readsLikeHeader(row)) this.#labels.add(number);
    for (const column of this.#blankHeadings) {
      if (!isFilled(cells[column] ?? "")) continue;
      const place = `column ${columnLetters(column + 1)}, which has no heading`;
      const tally =
        this.#unheaded.get(column) ?? new Tally(`fills ${place}`, `fill ${place}`, ": no mapping can read that");
      this.#unheaded.set(column, tally);
      tally.add(number);
    }
  }

  /**
   * Words in every column of numbers or dates, if there are at least two; otherwise in every column, below a row of two
   * values; below a gap words alone, if the row above has a value.
   */
  #readsLikeHeader(row: Row): boolean {
    const { cells } = row;
    const above = this.#above;
    this.#above = row;
    const isWord = (cell = "") => isFilled(cell) && !isValue(cell);
    const values = () => above?.cells.filter(isValue).length ?? 0;
    if (
      this.#valueColumns.length > 1
        ? this.#valueColumns.every((at) => isWord(cells[at]))
        : cells.every(isWord) && values() > 1
    )
      return true;
    const isApart = above !== undefined && row.number > above.number + 1;
    return isApart && cells.filter(isFilled).every(isWord) && values() > 0;
  }
}

export class Tally {
  readonly #verbs: readonly [one: string, many: string, tail: string];
  #count = 0;
  #first = 0;

  /** `one` and `many`: what one row does, and what several do. */
  constructor(one: string, many: string, tail = "") {
    this.#verbs = [one, many, tail];
  }

  add(row: number): void {
    if (this.#count++ === 0) this.#first = row;
  }

  said(): string[] {
    if (this.#count === 0) return [];
    const [one, many, tail] = this.#verbs;
    if (this.#count === 1) return [`Row ${this.#first} ${one}${tail}.`];
    return [`${this.#count} rows ${many}, the first of them row ${this.#first}${tail}.`];
  }
}
