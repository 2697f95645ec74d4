/** Reads numbers as people write them, exactly: decimal digits in, decimal digits out, no floating point between. */
import { RE2JS } from "re2js";
import { Exact, TooLong } from "./exact.js";

export interface ReadNumber {
  /** Plain canonical notation: a point, no grouping, no exponent, no superfluous zeros, no minus before zero. */
  text: string;
  /** What stood before or behind the number, such as `kg` or `R$`; "" for none. */
  unit: string;
}

export type NumberFault = "exponent" | "grouping" | "ambiguous" | "sign" | "form" | "digits";

/** A longer text is no number that anybody wrote. */
const LONGEST = 200;

/** What most cells hold: digits and marks, perhaps a minus in front. */
const BARE = /^(-?)(\d[\d.,]*)$/;
const EXPONENT = /^[-+\d.,\s]*[\d.,][eE][+-]?\d+$/;
/** A unit begins with a letter or a sign of its own, so that `1/2` and `10-20` are no numbers with units. */
const UNIT = "[\\p{L}\\p{Sc}%‰°]";
/** A unit, a parenthesis, a sign and a unit before the digits; a minus, a parenthesis and a unit behind them. */
const FORM = RE2JS.compile(
  [
    `(?P<before>${UNIT}[^-+−()\\d.,]*)?(?P<open>\\()? *(?P<sign>[-+−])? *(?P<after>${UNIT}[^-+−()\\d.,]*)?`,
    "(?P<body>[\\d.,][\\d.,'’ ]*)",
    `(?P<minus>-)?(?P<closed>\\))? *(?P<unit>${UNIT}.*)?`,
  ].join(""),
);
/** Full groups of three; a first group of zeros is no grouping: `0.500` is a half, or a mistake, and never 500. */
const GROUPED = { ",": /^[1-9]\d{0,2}(?:\.\d{3})+$/, ".": /^[1-9]\d{0,2}(?:,\d{3})+$/ };
/** White space and Swiss apostrophes group digits too. */
const SPACED = /^[1-9]\d{0,2}(?:[ '’]\d{3})+$/u;
/** One group alone may as well be a fraction under the other mark. */
const ONE_GROUP = /^\d{1,3}[.,]\d{3}$/;

/** `1.234` or `1,234 kg`: by itself a thousand as well as a fraction. A column of which all marked numbers are so tells neither. */
export function isEither(text: string): boolean {
  return /^\D{0,20}[1-9]\d{0,2}[.,]\d{3}\D{0,20}$/.test(text);
}

/**
 * Reads one number under one decimal mark; the other mark, white space or apostrophes may group thousands, in full
 * groups of three only, so that a decimal point in a comma file (`1.5`) is a fault and not fifteen. `grouping`: whether
 * the file is known to group; if not, `1.234` under a comma is ambiguous, while `1.234,5` and `1.234.567` are not.
 */
export function readNumber(text: string, decimal: "," | ".", grouping: boolean): ReadNumber | NumberFault {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST) return /^-?\d+(?:[.,]\d*)?$/.test(trimmed) ? "digits" : "form";
  const [bare, minus = "", digits = ""] = BARE.exec(trimmed) ?? [];
  if (bare !== undefined) return fromMarks(digits, minus, decimal, grouping);
  if (EXPONENT.test(trimmed)) return "exponent";
  const matcher = FORM.matcher(trimmed.replace(/\s/gu, " "));
  if (!matcher.matches()) return "form";
  const part = (name: string) => matcher.group(name)?.trim() ?? "";
  const minuses = [part("open") !== "", /[-−]/.test(part("sign")), part("minus") !== ""].filter(Boolean).length;
  const open = part("open") !== "" && part("closed") === "";
  const closed = part("open") === "" && part("closed") !== "";
  if (open || closed || minuses > 1 || (part("sign") === "+" && minuses > 0)) return "sign";
  const [unit = "", ...units] = ["before", "after", "unit"].map(part).filter((one) => one !== "");
  if (units.length > 0) return "form";
  const number = fromMarks(part("body"), minuses === 1 ? "-" : "", decimal, grouping);
  return typeof number === "string" ? number : { ...number, unit };
}

/** @param body digits and whatever groups and divides them. */
function fromMarks(body: string, minus: string, decimal: "," | ".", grouping: boolean): ReadNumber | NumberFault {
  const mark = body.lastIndexOf(decimal);
  const whole = mark === -1 ? body : body.slice(0, mark);
  const fraction = mark === -1 ? "0" : body.slice(mark + 1);
  if (!/^\d+$/.test(fraction)) return "form";
  if (!/^\d*$/.test(whole)) {
    if (!GROUPED[decimal].test(whole) && !SPACED.test(whole)) return "grouping";
    if (!grouping && mark === -1 && ONE_GROUP.test(whole)) return "ambiguous";
  }
  try {
    return { text: Exact.of(`${minus}${whole.replace(/\D/gu, "") || "0"}.${fraction}`).text, unit: "" };
  } catch (error) {
    if (error instanceof TooLong) return "digits";
    throw error;
  }
}
