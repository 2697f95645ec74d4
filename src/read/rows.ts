/**
 * Turns a reader's rows into rows of a table: without blank ones, a cell for each column, and with notes on oddities.
 */
import type { Code } from "../model/codes.js";
import { detachText, listed } from "../model/fold.js";
import { columnLetters } from "../model/formula.js";
import type { Problem } from "../model/problem.js";
import { type CellKind, HIDDEN, type Looks, type Row, shownUnit } from "../model/row.js";
import { foldedNames, isBlank, isFilled, isValue, repeats, valueColumns } from "./header.js";

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
  hint: string | null;
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
  /^[*#=>\s-]{0,5}(?:(?:grand|sub)[- ]?)?(?:totals?|totais|totales|soma|suma|summe|somme|gesamt\w*|zwischensumme|ergebnis|resultado|sald[oi]s?|saldo\w+|solde|kontostand|anfangssaldo|endsaldo|(?:opening|closing|starting|ending|previous) balance|balance (?:at|brought|carried|forward)|(?:n[º°]|qtde?|quantidade|cantidad|number|count|anzahl|nombre)\.?(?: de| of| der)? (?:registros|lancamentos|lançamentos|linhas|filas|records|rows|datens[äa]tze|lignes)|合計|小計|総計)(?![\w-])/iu;

/** A line of a printed list or of a query's result; narrow columns have short ones. */
const RULE = /^[-=+_:]+$/;
const RULE_LENGTH = 3;

/** With the zeros in front; not 0 itself. */
const DIGITS = /^(0*)[1-9]\d{0,30}$/;

/** A date as a person types it, whose day or month comes first. */
const TYPED_DATE = /^\s*(\d\d?)[-/.](\d\d?)[-/.]\d\d(?:\d\d)?(?!\d)/;

/** Fewer dates among other values are hardly dates: a spreadsheet makes one of a lot 2/25. */
const USUAL = 3;

/** What programs write for a date that they found in a workbook: pandas adds 00:00:00. */
const WRITTEN_DATE = /^\s*\d{4}-\d\d-(\d\d)(?!\d)/;

/** A spreadsheet of another country makes a date, with day and month swapped, of `2/1/2025`, and leaves `13/1/2025` a text. */
function doubtfulDates(header: readonly string[]) {
  const seen: { dates: number; first: number; texts: number; others: number; isSound: boolean; isText: boolean }[] = [];
  return {
    look({ number, cells, kinds }: Row): void {
      for (const [column, cell] of cells.entries()) {
        if (cell === "") continue;
        const found = (seen[column] ??= { dates: 0, first: number, texts: 0, others: 0, isSound: false, isText: true });
        const kind = kinds?.[column] ?? "text";
        const written = kind === "text" || kind === "date" ? WRITTEN_DATE.exec(cell) : null;
        const typed = kind === "text" && written === null ? TYPED_DATE.exec(cell) : null;
        if (written !== null) {
          if (found.dates++ === 0) found.first = number;
          found.isSound ||= Number(written[1]) > 12;
          found.isText &&= kind === "text";
        } else if (typed === null) found.others++;
        else {
          found.texts++;
          found.isSound ||= Number(typed[1]) <= 12 && Number(typed[2]) <= 12;
        }
      }
    },
    notes: (): string[] =>
      seen.flatMap(({ dates, first, texts, others, isSound, isText }, column) => {
        if (dates === 0) return [];
        const name = header[column] || columnLetters(column + 1);
        if (dates * USUAL <= others) {
          if (isText) return [];
          return `"${name}" holds dates among other values, the first in row ${first}: a spreadsheet may have made them of codes such as 1-2.`;
        }
        if (texts === 0 || isSound) return [];
        const forms = isText ? "as 2025-01-10, and the others as 13/10/2025" : "and the others as texts";
        return `"${name}" holds dates up to the 12th of a month${isText ? " " : ", "}${forms}: a spreadsheet may have swapped day and month of the dates.`;
      }),
  };
}

/** Digits of one width, some of which begin with zeros, and shorter ones: a spreadsheet takes 00123 for a number. */
function lostZeros(header: readonly string[]) {
  interface Seen {
    /** Of those that begin with zeros; 0: of several widths. */
    width: number;
    example: string;
    padded: number;
    mostZeros: number;
    longest: number;
    bare: Map<number, { row: number; text: string; count: number }>;
  }
  const seen = new Map<number, Seen>();
  return {
    look({ number, cells }: Row): void {
      for (const [column, cell] of cells.entries()) {
        // Most cells begin with a letter.
        const [text, zeros = ""] = (cell.charCodeAt(0) > 57 ? null : DIGITS.exec(cell.trim())) ?? [];
        if (text === undefined) continue;
        const { length } = text;
        const found = seen.get(column) ?? {
          width: 0,
          example: "",
          padded: 0,
          mostZeros: 0,
          longest: 0,
          bare: new Map(),
        };
        seen.set(column, found);
        found.longest = Math.max(found.longest, length);
        if (zeros === "") {
          const one = found.bare.get(length) ?? { row: number, text: detachText(text), count: 0 };
          found.bare.set(length, one);
          one.count++;
        } else if (found.padded++ === 0) Object.assign(found, { width: length, example: detachText(text) });
        else if (found.width !== length) found.width = 0;
        found.mostZeros = Math.max(found.mostZeros, zeros.length);
      }
    },
    notes: (): string[] =>
      [...seen].flatMap(([column, { width, example, padded, mostZeros, longest, bare }]) => {
        const isShort = (length: number) => length < width && width - length <= mostZeros;
        // A CPF among CNPJs has lost nothing.
        const short = [...bare].flatMap(([length, one]) =>
          isShort(length) && !(width === 14 && length === 11) ? one : [],
        );
        const count = short.reduce((sum, one) => sum + one.count, 0);
        const [first] = short.toSorted((one, other) => one.row - other.row);
        if (first === undefined || longest > width || padded < 2 || padded < count) return [];
        const name = header[column] || columnLetters(column + 1);
        const rows =
          count === 1 ? `row ${first.row} has` : `${count} rows have fewer, the first of them row ${first.row} with`;
        return `Numbers of "${name}" have ${width} digits with their zeros, such as ${example}, but ${rows} ${first.text}: a spreadsheet may have dropped the zeros.`;
      }),
  };
}

/** `Weight (kg)`; not `Value (BRL)`, which formats show as R$. */
const UNIT_IN_HEADER = /\((?![A-Z]{3}\))(\p{Letter}{1,4})\)/u;

/** A report of SAP or Excel may show tonnes in one row and kilograms in the next, by nothing but the formats of the cells. */
function shownUnits(header: readonly string[]) {
  const seen = new Map<number, Set<string>>();
  return {
    look({ looks = [] }: Row): void {
      for (const [column, look] of looks.entries()) {
        const unit = shownUnit(look);
        if (unit !== undefined && look?.unitRead !== true) seen.set(column, (seen.get(column) ?? new Set()).add(unit));
      }
    },
    notes: (): string[] =>
      [...seen].flatMap(([column, shown]) => {
        const name = header[column] || columnLetters(column + 1);
        const [, said] = UNIT_IN_HEADER.exec(name) ?? [];
        const units = [...(said === undefined ? [] : [said]), ...shown];
        if (new Set(units.map((unit) => unit.toLowerCase())).size < 2) return [];
        return `The formats of "${name}" show its numbers with different units (${listed(units, 5)}), which only \`units\` in the mapping reads, such as \`units: { kg: 1, t: 1000 }\`.`;
      }),
  };
}

export function rowFinisher({ header, headerRow, width, hidden, sample }: TableShape) {
  const names = headerRow === null ? null : foldedNames(header);
  /** Each line of the table begins and ends with a delimiter, as in lists that programs print. */
  const isFramed =
    width !== null &&
    header.length > 2 &&
    header[0] === "" &&
    header.at(-1) === "" &&
    sample.every((cells) => cells.length === 1 || !isFilled(cells[0] ?? ""));
  const blankHeadings = header.flatMap((text, column) => (text === "" ? [column] : []));
  const ofValues = valueColumns(sample.slice(1));
  const done = hidden === "skip" ? ": skipped" : ": read; `excel: { hidden: skip }` skips hidden rows";
  const hiddenRows = tally("is hidden", "are hidden", done);
  const repeated = tally("repeats the header", "repeat the header", ": skipped");
  const outside = tally(
    "is outside the lines that frame the table",
    "are outside the lines that frame the table",
    ": skipped",
  );
  const ruled = tally("is a ruled line", "are ruled lines", ": skipped");
  const sparse = tally("has only one filled cell", "have only one filled cell");
  const totals = tally(
    "looks like a total",
    "look like totals",
    ": read like any other unless `skip` in the mapping leaves such rows out",
  );
  const labels = tally(
    "reads like a header",
    "read like headers",
    ": another table may begin there, or the header has several rows",
  );
  const unheaded = new Map<number, Tally>();
  const dates = doubtfulDates(header);
  const units = shownUnits(header);
  const zeros = lostZeros(header);
  /** The last row of several cells. */
  let above: Row | undefined;

  function problemOf({ column, ...fault }: Fault): Problem {
    return { ...fault, column: column === null ? null : header[column] || columnLetters(column + 1) };
  }

  /** Fills a row to the width of the header, and cuts it unless cells beyond it are filled, which its rejected file shows. */
  function fit(row: Row): void {
    const { cells, kinds } = row;
    const count = cells.length;
    const add = (code: Code, message: string) =>
      (row.problems = [...(row.problems ?? []), { code, message, hint: null, column: null }]);
    const filled = cells.slice(header.length).filter(isFilled);
    if (filled.length === 0) {
      cells.splice(header.length);
      kinds?.splice(header.length);
    }
    while (cells.length < header.length) {
      cells.push("");
      kinds?.push("text");
    }
    if (row.leftOut !== undefined) return;
    const isRegular = width === null || count === width;
    if (filled.length > 0) {
      if (row.problems?.some(({ code }) => code === "row-long")) return;
      const list = filled.map((cell) => JSON.stringify(cell.slice(0, 40))).join(", ");
      add("row-long", `more cells than the header has (${header.length}); beyond them: ${list.slice(0, 80)}`);
    } else if (count > header.length && !isRegular) {
      const message = `${count} cells where the other rows have ${width}: the last is blank, so there is one delimiter too many`;
      add("row-long", message);
    } else if (count < header.length && !isRegular) {
      const missing = header.slice(count).find((text) => text !== "");
      const end = missing === undefined ? "" : `; the row ends before column "${missing.slice(0, 40)}"`;
      const wanted = width === header.length ? `the header has ${width}` : `the other rows have ${width}`;
      add("row-short", `${count} ${count === 1 ? "cell" : "cells"} where ${wanted}${end}`);
    }
  }

  /**
   * Words in every column of numbers or dates, if there are at least two; otherwise in every column, below a row of two
   * values; below a gap words alone, if the row above has a value.
   */
  function readsLikeHeader(row: Row): boolean {
    const { cells, number } = row;
    const before = above;
    above = row;
    const isWord = (cell = "") => isFilled(cell) && !isValue(cell);
    const values = () => before?.cells.filter(isValue).length ?? 0;
    const isHeading =
      ofValues.length > 1 ? ofValues.every((at) => isWord(cells[at])) : cells.every(isWord) && values() > 1;
    if (isHeading) return true;
    const isApart = before !== undefined && number > before.number + 1;
    return isApart && cells.filter(isFilled).every(isWord) && values() > 0;
  }

  function lookAt(row: Row): void {
    const { number, cells } = row;
    dates.look(row);
    units.look(row);
    zeros.look(row);
    const first = cells.findIndex(isFilled);
    const text = (cells[first] ?? "").trimStart();
    if (header.length > 2 && !cells.some((cell, column) => column > first && isFilled(cell))) sparse.add(number);
    else if (text.length < 30 && TOTAL.test(text)) totals.add(number);
    else if (readsLikeHeader(row)) labels.add(number);
    for (const column of blankHeadings) {
      if (!isFilled(cells[column] ?? "")) continue;
      const place = `column ${columnLetters(column + 1)}, which has no heading`;
      const counted =
        unheaded.get(column) ?? tally(`fills ${place}`, `fill ${place}`, ": only `header: none` reads that, by letter");
      unheaded.set(column, counted);
      counted.add(number);
    }
  }

  return {
    finish(raws: readonly RawRow[]): Row[] {
      const rows: Row[] = [];
      for (const { number, cells, kinds, looks, faults, hidden: isHidden } of raws) {
        if (number <= (headerRow ?? 0) || (faults === null && isBlank(cells))) continue;
        const isOutside = isFramed && cells.length === 1;
        const row: Row = { number, cells, kinds, problems: faults?.map(problemOf) ?? null };
        if (looks !== undefined) row.looks = looks;
        rows.push(row);
        if (isHidden === true) hiddenRows.add(number);
        if (isHidden === true && hidden === "skip") leaveOut(row, HIDDEN);
        if (cells.length !== header.length || (width !== null && width !== header.length)) fit(row);
        if (isRule(cells)) {
          leaveOut(row, "it is a ruled line");
          ruled.add(number);
        } else if (isOutside) {
          leaveOut(row, "it is outside the lines that frame the table");
          outside.add(number);
        }
        if (!repeats(cells, names)) continue;
        leaveOut(row, "it repeats the header");
        repeated.add(number);
      }
      return rows;
    },
    /** To be called when the mapping has seen the rows: of those that it skips there is nothing to tell. */
    look(rows: readonly Row[]): void {
      for (const row of rows) if (row.leftOut === undefined) lookAt(row);
    },
    notes(): string[] {
      const tallies = [repeated, ruled, outside, sparse, totals, labels, ...[...unheaded.values()].slice(0, 5)];
      const said = [...(hidden === "read" ? [] : [hiddenRows]), ...tallies].flatMap((one) => one.said());
      return [...said, ...dates.notes(), ...units.notes(), ...zeros.notes()];
    },
  };
}

function isRule(cells: readonly string[]): boolean {
  const isRuled = (cell: string) => RULE.test(cell.trim());
  return (
    isRuled(cells.find(isFilled) ?? "") &&
    cells.every((cell) => !isFilled(cell) || isRuled(cell)) &&
    cells.some((cell) => cell.trim().length >= RULE_LENGTH)
  );
}

function leaveOut(row: Row, why: string): void {
  row.leftOut = why;
  row.problems = null;
}

type Tally = ReturnType<typeof tally>;

/** Counts rows for a note. `one` and `many`: what one row does, and what several do. */
export function tally(one: string, many: string, tail = "") {
  let count = 0;
  let first = 0;
  return {
    add(row: number): void {
      if (count++ === 0) first = row;
    },
    said(): string[] {
      if (count === 0) return [];
      return [
        count === 1 ? `Row ${first} ${one}${tail}.` : `${count} rows ${many}, the first of them row ${first}${tail}.`,
      ];
    },
  };
}

const GARBLED = /Ã[\u00a1-\u00bf]/;

/** `Concei??o`; not a question without a blank behind it, nor an address with a query. */
const REPLACED = /(?:\p{Lu}\?{1,2}\p{L}|\p{Ll}\?{1,2}\p{Ll})(?![\w.-]*=)/u;

/** Counts the rows of a file, or of a workbook that a spreadsheet made of one, whose letters were misread before. */
export function garbledRows() {
  const replaced = tally(
    "has a question mark within a word",
    "have question marks within words",
    ": some program may have written them for letters that its encoding lacks; export the file again, as UTF-8",
  );
  const misread = tally(
    "has letters like Ã¼",
    "have letters like Ã¼",
    ": UTF-8 that some program read in another encoding; export the file again",
  );
  return {
    look(number: number, cells: readonly string[]): void {
      if (cells.some((cell) => GARBLED.test(cell))) misread.add(number);
      if (cells.some((cell) => REPLACED.test(cell))) replaced.add(number);
    },
    said: (): string[] => [misread, replaced].flatMap((one) => one.said()),
  };
}
