/**
 * Reads numbers as people write them, exactly: decimal digits in, decimal digits out, no floating point between. Every
 * step takes one look at each character: cells come from outside, and a pattern with a choice of ways could take for ever.
 */
import { MAX_DIGITS } from "./exact.js";

export interface ReadNumber {
  /** Plain canonical notation: a point, no grouping, no exponent, no superfluous zeros, no minus before zero. */
  text: string;
  /** What stood before or behind the number, such as `kg` or `R$`; "" for none. */
  unit: string;
}

export type NumberFault = "exponent" | "grouping" | "ambiguous" | "sign" | "form" | "digits";

/** A longer text is no number that anybody wrote. */
const LONGEST = 200;

/** What most cells hold. */
const simple = { ",": /^(-?)(\d+)(?:,(\d+))?$/, ".": /^(-?)(\d+)(?:\.(\d+))?$/ };
/** A first group of zeros is no grouping: `0.500` is a half, or a mistake, and never 500. */
const grouped = { ",": /^[1-9]\d{0,2}(?:\.\d{3})+$/, ".": /^[1-9]\d{0,2}(?:,\d{3})+$/ };
/** White space that groups digits (U+00A0, U+2009 and U+202F among it) and Swiss apostrophes. */
const spaced = /^[1-9]\d{0,2}(?:[\s'’]\d{3})+$/u;
/** One group alone may as well be a fraction under the other mark. */
const oneGroup = /^\d{1,3}[.,]\d{3}$/;
/** A unit begins with a letter or a sign of its own, so that `1/2` and `10-20` are no numbers with units. */
const unitStart = /^[\p{Letter}\p{Currency_Symbol}%‰°]/u;

/**
 * Reads one number under one decimal mark; the other mark, white space or apostrophes may group thousands, in full
 * groups of three only, so that a decimal point in a comma file (`1.5`) is a fault and not fifteen. `grouping`: whether
 * the file is known to group; if not, `1.234` under a comma is ambiguous, while `1.234,5` and `1.234.567` are not.
 */
export function readNumber(text: string, decimal: "," | ".", grouping: boolean): ReadNumber | NumberFault {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST) return /^-?\d+(?:[.,]\d*)?$/.test(trimmed) ? "digits" : "form";
  const plain = simple[decimal].exec(trimmed);
  if (plain !== null) return canonical(plain[1] === "-", plain[2] ?? "", plain[3] ?? "", "");
  if (hasExponent(trimmed)) return "exponent";
  const start = trimmed.search(/[\d.,]/);
  if (start < 0) return "form";
  const raw = /^[\d.,\s'’]+/u.exec(trimmed.slice(start))?.[0] ?? "";
  const front = readFront(trimmed.slice(0, start));
  const back = readBack(trimmed.slice(start + raw.length));
  if (front === null || back === null) return "form";
  const minuses = [front.open, front.sign === "-", back.minus].filter(Boolean).length;
  if (front.open !== back.closed || minuses > 1 || (front.sign === "+" && minuses > 0)) return "sign";
  const units = [...front.units, back.unit].filter((unit) => unit !== "");
  if (units.length > 1 || units.some((unit) => !unitStart.test(unit))) return "form";
  const body = raw.trimEnd();
  const mark = body.lastIndexOf(decimal);
  const whole = mark === -1 ? body : body.slice(0, mark);
  const fraction = mark === -1 ? "" : body.slice(mark + 1);
  if (!/^\d*$/.test(fraction) || (mark !== -1 && fraction === "") || (whole === "" && fraction === "")) return "form";
  if (!/^\d*$/.test(whole)) {
    if (!grouped[decimal].test(whole) && !spaced.test(whole)) return "grouping";
    if (!grouping && mark === -1 && oneGroup.test(whole)) return "ambiguous";
  }
  return canonical(minuses === 1, whole.replace(/\D/gu, ""), fraction, units[0] ?? "");
}

/** `1,5E+10`: digits and marks, then e and a whole number. */
function hasExponent(text: string): boolean {
  const mark = Math.max(text.lastIndexOf("e"), text.lastIndexOf("E"));
  return mark > 0 && /^[+-]?\d+$/.test(text.slice(mark + 1)) && /^[-+\d.,\s]*[\d.,]$/.test(text.slice(0, mark));
}

/** What stands before the digits: a unit, a parenthesis, a sign, a unit, each at most once and in this order. */
function readFront(text: string): { units: string[]; open: boolean; sign: "-" | "+" | null } | null {
  const at = text.search(/[-+−()]/);
  if (at < 0) return { units: [text.trim()], open: false, sign: null };
  const before = text.slice(0, at).trim();
  const open = text[at] === "(";
  const rest = open ? text.slice(at + 1).trimStart() : text.slice(at);
  const first = rest[0] ?? "";
  const sign = first === "-" || first === "−" ? "-" : first === "+" ? "+" : null;
  const after = (sign === null ? rest : rest.slice(1)).trim();
  return /[-+−()]/.test(after) ? null : { units: [before, after], open, sign };
}

/** What stands behind the digits: a minus, a parenthesis, a unit. */
function readBack(text: string): { minus: boolean; closed: boolean; unit: string } | null {
  const minus = text.startsWith("-");
  const rest = minus ? text.slice(1) : text;
  const closed = rest.startsWith(")");
  const unit = (closed ? rest.slice(1) : rest).trim();
  return /^[()]/.test(unit) ? null : { minus, closed, unit };
}

function canonical(negative: boolean, whole: string, fraction: string, unit: string): ReadNumber | NumberFault {
  const digits = whole.replace(/^0+(?=\d)/, "") || "0";
  const places = fraction.slice(0, lastSignificant(fraction));
  if (digits.length + places.length > MAX_DIGITS) return "digits";
  const zero = digits === "0" && places === "";
  return { text: `${negative && !zero ? "-" : ""}${digits}${places === "" ? "" : `.${places}`}`, unit };
}

/** How long a fraction is without its trailing zeros. */
function lastSignificant(fraction: string): number {
  let length = fraction.length;
  while (fraction[length - 1] === "0") length--;
  return length;
}
