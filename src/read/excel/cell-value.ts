/**
 * The value of a cell, from its type, its stored value and its number format; docs/reference/workbooks.md has the
 * rules.
 */
import { Big } from "big.js";
import type { Code } from "../../model/codes.js";
import type { CellKind } from "../../model/row.js";
import { generalFormat, pictured, type ShownAs } from "./number-format.js";
import type { Format } from "./styles.js";
import { isoCell, serialDate, serialDuration, serialTime } from "./serial-date.js";
import { unescapeText } from "./shared-strings.js";
import type { BookContext } from "./workbook.js";

export interface StoredCell {
  /** "" if absent. */
  type: string;
  format: Format;
  /** Null: no such element. */
  formula: string | null;
  /** Null: no such element. */
  value: string | null;
  /** Null: no such element. */
  inline: string | null;
}

export interface CellResult {
  text: string;
  kind: CellKind;
  fault: { code: Code; message: string } | null;
  /** The number whose digits the text shows; null: the text is what the file holds. */
  stored: string | null;
}

/** The result is overwritten by the next call. */
export function evaluateCell(cell: StoredCell, context: BookContext): CellResult {
  const { type, value } = cell;
  if (type === "str" && value !== null) return found(unescapeText(value));
  if (cell.inline !== null) return found(cell.inline);
  const stored = value === null ? "" : trimmed(value);
  if (stored === "") {
    if (cell.formula === null) return found("");
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
      return numeric(stored, cell.format, context.date1904);
    default:
      return faulty(`a cell of the unknown type ${quote(type)}`);
  }
}

/** One object for millions of cells, valid until the next call. */
const result: CellResult = { text: "", kind: "text", fault: null, stored: null };

function found(text: string, kind: CellKind = "text"): CellResult {
  result.text = text;
  result.kind = kind;
  result.fault = null;
  result.stored = null;
  return result;
}

function faulty(message: string, code: Code = "cell-unreadable"): CellResult {
  found("").fault = { code, message };
  return result;
}

function numeric(stored: string, { shown }: Format, date1904: boolean): CellResult {
  if (shown !== generalFormat) {
    const value = NUMBER.test(stored) ? Number(stored) : Number.NaN;
    const special = Number.isFinite(value) ? formatted(stored, value, shown(value), date1904) : null;
    if (special !== null) return special;
  }
  const plain = plainNumber(stored);
  return plain === null ? faulty(`${quote(stored)} as a number`) : found(plain, "number");
}

/** Null: the format shows a plain number. */
function formatted(stored: string, value: number, shown: ShownAs, date1904: boolean): CellResult | null {
  switch (shown.kind) {
    case "number":
      return null;
    case "date": {
      const { hasDate, hasTime } = shown;
      // Below 1 there is only a time, unless the calendar of 1904 makes 0 a day.
      if (value >= 0 && value < 1 && (!hasDate || (value > 0 && !date1904))) return found(serialTime(value), "time");
      const text = serialDate(value, date1904, hasTime);
      return text === null ? null : found(text, "date");
    }
    case "duration":
      return found(serialDuration(value), "duration");
    case "digits": {
      const plain = plainNumber(stored) ?? "";
      if (!/^\d+$/.test(plain)) return null;
      found(pictured(plain, shown.picture)).stored = plain;
      return result;
    }
  }
}

/** As workbooks store numbers; JavaScript also accepts blanks, `0x10` and `Infinity`. */
const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;
/** Plain notation already. */
const PLAIN = /^(?:0|-?(?:[1-9]\d*|0(?=\.))(?:\.\d+)?)$/;
const LONG_INTEGER = /^-?[1-9]\d{15,307}$/;

/**
 * A stored number in plain decimal notation (`-1234.5`). Keeps fifteen digits, as spreadsheets show them, because
 * further digits are noise of binary arithmetic (`7780.4000000000005`). Longer whole numbers of other programs stay.
 * Null: not a number.
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

function trimmed(text: string): string {
  return text.charCodeAt(0) > 32 && text.charCodeAt(text.length - 1) > 32 ? text : text.trim();
}
