/** What one cell holds, from its type, its stored value and its number format. The rules are told in docs/excel-reading.md. */
import type { Code } from "../../model/codes.js";
import type { CellKind } from "../../model/row.js";
import { pictured, type SectionKind } from "./format-section.js";
import { generalFormat } from "./number-format.js";
import { isNumberText, plainNumber } from "./plain-number.js";
import { isoCell, serialDate, serialDuration, serialTime } from "./serial-date.js";
import type { SharedStrings } from "./shared-strings.js";
import type { Styles } from "./styles.js";
import { unescapeText } from "./text-runs.js";

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

export interface BookContext {
  strings: SharedStrings;
  styles: Styles;
  date1904: boolean;
}

/** Where `evaluateCell` leaves its result; reused, since there are millions of cells. */
export interface CellResult {
  text: string;
  kind: CellKind;
  fault: { code: Code; message: string } | null;
}

export function evaluateCell(cell: StoredCell, context: BookContext, result: CellResult): void {
  result.text = "";
  result.kind = "text";
  result.fault = null;
  const { type, value } = cell;
  if (type === "str" && value !== null) {
    result.text = unescapeText(value);
    return;
  }
  if (cell.inline !== null) {
    result.text = cell.inline;
    return;
  }
  const stored = value === null ? "" : trimmed(value);
  if (stored === "") {
    if (cell.hasFormula) fault(result, "formula-without-value", "a formula whose result the file does not hold");
    return;
  }
  switch (type) {
    case "s":
      return sharedText(stored, context, result);
    case "inlineStr":
      result.text = unescapeText(value ?? "");
      return;
    case "b":
      return truth(stored, result);
    case "e":
      result.text = unescapeText(stored);
      result.kind = "error";
      return;
    case "d":
      return isoText(stored, result);
    case "":
    case "n":
      return numeric(stored, cell.style, context, result);
    default:
      return fault(result, "cell-unreadable", `a cell of the unknown type ${quote(type)}`);
  }
}

function sharedText(stored: string, { strings }: BookContext, result: CellResult): void {
  const text = strings.get(wholeNumber(stored));
  if (text !== undefined) result.text = text;
  else fault(result, "cell-unreadable", `the text number ${quote(stored)}, of ${strings.count} in the workbook`);
}

function truth(stored: string, result: CellResult): void {
  const text = /^(?:1|true)$/i.test(stored) ? "true" : /^(?:0|false)$/i.test(stored) ? "false" : null;
  if (text === null) return fault(result, "cell-unreadable", `${quote(stored)} as a truth value`);
  result.text = text;
  result.kind = "boolean";
}

function isoText(stored: string, result: CellResult): void {
  const found = isoCell(stored);
  if (found === null) return fault(result, "cell-unreadable", `${quote(stored)} as a date`);
  result.text = found.text;
  result.kind = found.kind;
}

function numeric(stored: string, style: string, { styles, date1904 }: BookContext, result: CellResult): void {
  const format = styles[style === "" ? 0 : wholeNumber(style)] ?? generalFormat;
  if (format !== generalFormat) {
    const value = isNumberText(stored) ? Number(stored) : Number.NaN;
    if (Number.isFinite(value) && formatted(stored, value, format(value), date1904, result)) return;
  }
  const plain = plainNumber(stored);
  if (plain === null) return fault(result, "cell-unreadable", `${quote(stored)} as a number`);
  result.text = plain;
  result.kind = "number";
}

/** Whether the format makes something else than a number of it. */
function formatted(stored: string, value: number, format: SectionKind, date1904: boolean, result: CellResult): boolean {
  switch (format.kind) {
    case "number":
      return false;
    case "date":
      return dateOrTime(value, format, date1904, result);
    case "duration":
      result.text = serialDuration(value);
      result.kind = "duration";
      return true;
    case "digits": {
      const plain = plainNumber(stored) ?? "";
      if (!/^\d+$/.test(plain)) return false;
      result.text = pictured(plain, format.picture);
      return true;
    }
  }
}

/** Below 1 there is only a time, unless the calendar of 1904 makes 0 a day. A time of 1 or more has a day, which is kept. */
function dateOrTime(
  value: number,
  { hasDate, hasTime }: { hasDate: boolean; hasTime: boolean },
  date1904: boolean,
  result: CellResult,
): boolean {
  if (value >= 0 && value < 1 && (!hasDate || (value > 0 && !date1904))) {
    result.text = serialTime(value);
    result.kind = "time";
    return true;
  }
  const text = serialDate(value, date1904, hasTime);
  if (text === null) return false;
  result.text = text;
  result.kind = "date";
  return true;
}

function fault(result: CellResult, code: Code, holds: string): void {
  result.fault = { code, message: holds };
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}

/** Most values have no white space around them. */
function trimmed(text: string): string {
  return text.charCodeAt(0) > 32 && text.charCodeAt(text.length - 1) > 32 ? text : text.trim();
}

/** A short run of digits as a number, -1 for anything else; much faster than the general conversion. */
function wholeNumber(text: string): number {
  if (text.length > 9) return -1;
  let value = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}
