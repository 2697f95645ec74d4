/**
 * The value of a cell, from its type, its stored value and its number format; docs/reference/workbooks.md has the
 * rules.
 */
import { Big } from "big.js";
import type { Code } from "../../model/codes.js";
import { shorten } from "../../model/fold.js";
import type { CellKind } from "../../model/row.js";
import type { Fault } from "../rows.js";
import { generalFormat, type NumberFormat, pictured } from "./number-format.js";
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
  fault: Omit<Fault, "column"> | null;
  /** The number whose digits the text shows; null: the text is what the file holds. */
  stored: string | null;
  /** A number with the unit that its format shows. */
  inUnit?: string;
}

const NOT_CALCULATED =
  "Open the workbook in Excel, save it, and import it again; in LibreOffice calculate it first (Ctrl+Shift+F9).";

/** `zeros`: whether a formula's result of 0 is real, or a placeholder for one that nobody has calculated. */
export function evaluateCell(
  cell: StoredCell,
  { strings, date1904 }: BookContext,
  zeros: "results" | "placeholders" = "results",
): CellResult {
  const { type, value, format } = cell;
  if (type === "str" && value !== null) return found(unescapeText(value));
  if (cell.inline !== null) return found(cell.inline);
  const stored = (value ?? "").trim();
  if (stored === "") {
    if (cell.formula === null) return found("");
    return faulty("a formula without a stored result", "formula-without-value");
  }
  if (zeros === "placeholders" && cell.formula !== null && stored === "0") {
    const message = "a formula that was never calculated: the program that wrote the file stored 0 instead of a result";
    return faulty(message, "formula-without-value", NOT_CALCULATED);
  }
  switch (type) {
    case "s": {
      const text = strings.get(/^\d{1,9}$/.test(stored) ? Number(stored) : -1);
      return text === undefined
        ? faulty(`the text number ${quote(stored)}, of ${strings.count} in the workbook`)
        : found(text);
    }
    case "inlineStr":
      return found(unescapeText(value ?? ""));
    case "b":
      if (/^(?:1|true)$/i.test(stored)) return found("true", "boolean");
      return /^(?:0|false)$/i.test(stored) ? found("false", "boolean") : faulty(`${quote(stored)} as a truth value`);
    case "e":
      return found(unescapeText(stored), "error");
    case "d": {
      const iso = isoCell(stored);
      return iso === null ? faulty(`${quote(stored)} as a date`) : found(iso.text, iso.kind);
    }
    case "":
    case "n":
      return numeric(stored, format.shown, date1904);
    default:
      return faulty(`a cell of the unknown type ${quote(type)}`);
  }
}

function found(text: string, kind: CellKind = "text", stored: string | null = null): CellResult {
  return { text, kind, fault: null, stored };
}

function faulty(message: string, code: Code = "cell-unreadable", hint: string | null = null): CellResult {
  return { text: "", kind: "text", fault: { code, message, hint }, stored: null };
}

function numeric(stored: string, shown: NumberFormat, date1904: boolean): CellResult {
  const value = shown === generalFormat || !NUMBER.test(stored) ? Number.NaN : Number(stored);
  const as = shown(value);
  if (Number.isFinite(value) && as.kind === "duration") return found(serialDuration(value), "duration");
  if (as.kind === "date") {
    // Below 1 there is only a time, unless the calendar of 1904 makes 0 a day.
    if (value >= 0 && value < 1 && (!as.hasDate || (value > 0 && !date1904))) return found(serialTime(value), "time");
    const text = serialDate(value, date1904, as.hasTime);
    if (text !== null) return found(text, "date");
  }
  const plain = plainNumber(stored);
  if (plain === null) return faulty(`${quote(stored)} as a number`);
  if (as.kind === "digits" && /^\d+$/.test(plain)) return found(pictured(plain, as.picture), "text", plain);
  if (as.kind === "percent") return found(plain, "percent");
  if (as.kind !== "number" || as.unit === "") return found(plain, "number");
  const shownNumber = as.thousands === 0 ? plain : new Big(plain).div(1000 ** as.thousands).toFixed();
  return { ...found(plain, "number"), inUnit: `${shownNumber} ${as.unit}` };
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
  return JSON.stringify(shorten(text, 60));
}
