/** What one cell holds, from its type, its stored value and its number format. The rules are told in docs/reference/workbooks.md. */
import { Big } from "big.js";
import type { Code } from "../../model/codes.js";
import type { CellKind } from "../../model/row.js";
import { generalFormat, pictured, type NumberFormat, type ShownAs } from "./number-format.js";
import { isoCell, serialDate, serialDuration, serialTime } from "./serial-date.js";
import { type SharedStrings, unescapeText } from "./shared-strings.js";

/** A cell as its elements say; empty texts where they say nothing. */
export interface StoredCell {
  /** The attribute `t`; "" for none. */
  type: string;
  style: string;
  hasFormula: boolean;
  /** Text of `v`; null when there is no such element. */
  value: string | null;
  /** Text of `is`; null when there is no such element. */
  inline: string | null;
}

/** What cells refer to. */
export interface BookContext {
  strings: SharedStrings;
  /** By style index; a cell without a style has style 0. */
  formats: readonly NumberFormat[];
  date1904: boolean;
}

export interface CellResult {
  text: string;
  kind: CellKind;
  fault: { code: Code; message: string } | null;
}

/** The result is overwritten by the next call. */
export function evaluateCell(cell: StoredCell, context: BookContext): CellResult {
  const { type, value } = cell;
  if (type === "str" && value !== null) return found(unescapeText(value));
  if (cell.inline !== null) return found(cell.inline);
  const stored = value === null ? "" : trimmed(value);
  if (stored === "") {
    if (!cell.hasFormula) return found("");
    return faulty("a formula whose result the file does not hold", "formula-without-value");
  }
  switch (type) {
    case "s": {
      const text = context.strings.get(/^\d{1,9}$/.test(stored) ? Number(stored) : -1);
      return text === undefined
        ? faulty(`the text number ${quote(stored)}, of ${context.strings.count} in the workbook`)
        : found(text);
    }
    case "inlineStr":
      return found(unescapeText(value ?? ""));
    case "b": {
      const text = /^(?:1|true)$/i.test(stored) ? "true" : /^(?:0|false)$/i.test(stored) ? "false" : null;
      return text === null ? faulty(`${quote(stored)} as a truth value`) : found(text, "boolean");
    }
    case "e":
      return found(unescapeText(stored), "error");
    case "d": {
      const iso = isoCell(stored);
      return iso === null ? faulty(`${quote(stored)} as a date`) : found(iso.text, iso.kind);
    }
    case "":
    case "n":
      return numeric(stored, cell.style, context);
    default:
      return faulty(`a cell of the unknown type ${quote(type)}`);
  }
}

/** One for all cells, since there are millions: it holds until the next one is evaluated. */
const result: CellResult = { text: "", kind: "text", fault: null };

function found(text: string, kind: CellKind = "text"): CellResult {
  result.text = text;
  result.kind = kind;
  result.fault = null;
  return result;
}

/** @param message what the cell holds. */
function faulty(message: string, code: Code = "cell-unreadable"): CellResult {
  found("").fault = { code, message };
  return result;
}

function numeric(stored: string, style: string, { formats, date1904 }: BookContext): CellResult {
  const format = formats[style === "" ? 0 : Number(style)] ?? generalFormat;
  if (format !== generalFormat) {
    const value = NUMBER.test(stored) ? Number(stored) : Number.NaN;
    const shown = Number.isFinite(value) ? formatted(stored, value, format(value), date1904) : null;
    if (shown !== null) return shown;
  }
  const plain = plainNumber(stored);
  return plain === null ? faulty(`${quote(stored)} as a number`) : found(plain, "number");
}

/** Null: the format makes nothing else than a number of it. */
function formatted(stored: string, value: number, shown: ShownAs, date1904: boolean): CellResult | null {
  switch (shown.kind) {
    case "number":
      return null;
    case "date": {
      const { hasDate, hasTime } = shown;
      // Below 1 there is only a time, unless the calendar of 1904 makes 0 a day. A time of 1 or more has a day, which is kept.
      if (value >= 0 && value < 1 && (!hasDate || (value > 0 && !date1904))) return found(serialTime(value), "time");
      const text = serialDate(value, date1904, hasTime);
      return text === null ? null : found(text, "date");
    }
    case "duration":
      return found(serialDuration(value), "duration");
    case "digits": {
      const plain = plainNumber(stored) ?? "";
      return /^\d+$/.test(plain) ? found(pictured(plain, shown.picture)) : null;
    }
  }
}

/** A number as workbooks store it: JavaScript alone would take blanks, `0x10` and `Infinity` too. */
const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;
/** Plain notation already. */
const PLAIN = /^(?:0|-?(?:[1-9]\d*|0(?=\.))(?:\.\d+)?)$/;
/** Of sixteen digits and more. */
const LONG_INTEGER = /^-?[1-9]\d{15,307}$/;

/**
 * A stored number in plain decimal notation (`-1234.5`, no exponent): its first fifteen digits, which are all that a spreadsheet
 * shows, since what lies beyond them is the noise of binary arithmetic (`7780.4000000000005`, `1.1000000000000001`). Whole
 * numbers of more digits, as other programs write them, stay as they are. Null: not a number.
 */
export function plainNumber(text: string): string | null {
  const plain = text.length < 16 && PLAIN.test(text) && !(text.endsWith("0") && text.includes("."));
  if (plain || LONG_INTEGER.test(text)) return text;
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? new Big(value.toPrecision(15)).toFixed() : null;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}

/** Most values have no white space around them. */
function trimmed(text: string): string {
  return text.charCodeAt(0) > 32 && text.charCodeAt(text.length - 1) > 32 ? text : text.trim();
}
