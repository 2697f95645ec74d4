/** Reads numbers as people write them, without floating point. */
import { RE2JS } from "re2js";
import { detachText } from "../../model/fold.js";
import { attempt, Refused } from "./conversion-kind.js";
import { Exact } from "./exact.js";

export interface ReadNumber {
  /** Plain notation, without grouping, exponent, superfluous zeros or a minus before zero. */
  text: string;
  /** Text next to the number, such as `kg` or `R$`; "" for none. */
  unit: string;
}

export type NumberFault = "exponent" | "grouping" | "ambiguous" | "sign" | "bracket" | "form" | "digits";

const LONGEST = 200;

/** The form of most cells. */
const BARE = /^(-?)(\d[\d.,]*)$/;
/** As R and pandas write 100000 and 0.00001, with all their digits; spreadsheets write `E+`. */
const WHOLE = /^(-?)(\d(?:[.,]\d+)?)(e[-+]\d\d)$/;
/** As Java and Spark write 12500000 and 0.0001; and exact decimals only from `1E-7` and `0E-7` on, so that a room 2E-2 is none. */
const JAVA = /^(-?)(\d(?:[.,]\d+|(?=E-(?:[7-9]|\d\d))))(E-?[1-9]\d?)$/;
const EXPONENT = /^[-+\d.,\s]*[\d.,][eE][+-]?\d+$/;
/** A unit begins with a letter or such a sign, so that `1/2` and `10-20` are not numbers with units. */
const UNIT = "[\\p{L}\\p{Sc}%‰°]";
/** Before the digits: unit, parenthesis, sign, unit; after them: minus, unit, parenthesis, unit. */
const FORM = RE2JS.compile(
  [
    `(?P<before>${UNIT}[^-+−()\\d.,]*)?(?P<open>\\()? *(?P<sign>[-+−])? *(?P<after>${UNIT}[^-+−()\\d.,]*)?`,
    "(?P<body>[\\d.,][\\d.,'’ ]*)",
    `(?P<minus>-)?(?:(?P<within>${UNIT}[^()]*)?(?P<closed>\\)))? *(?P<unit>${UNIT}.*)?`,
  ].join(""),
);
/** Full groups of three, or Indian ones (`12,34,567`). A group of zeros cannot come first: `0.500` is a half, or a mistake, and never 500. */
const GROUPED = {
  ",": /^[1-9]\d{0,2}(?:\.\d{3})+$/,
  ".": /^(?:[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d{2})+,\d{3})$/,
};
/** White space and Swiss apostrophes also group digits. */
const SPACED = /^[1-9]\d{0,2}(?:[ '’]\d{3})+$/u;
/** A single group could be a fraction under the other mark. */
const ONE_GROUP = /^\d{1,3}[.,]\d{3}$/;

/** `1.234` or `1,234 kg`: could be a thousand or a fraction. A column with only such numbers shows neither. */
export function isEither(text: string): boolean {
  return /^\D{0,20}[1-9]\d{0,2}[.,]\d{3}\D{0,20}$/.test(text);
}

/** The number with exactly so many digits after the point. `label`: what a message calls it. @throws Refused if it has more. */
export function withPlaces(plain: string, places: number, label: string, hint: string | null = null): string {
  const [whole = "", fraction = ""] = plain.split(".");
  if (fraction.length > places) {
    const message = `${label} has too many digits after the decimal mark: ${fraction.length}, where the most is ${places}`;
    throw new Refused(message, "number-range", hint);
  }
  return places === 0 ? whole : `${whole}.${fraction.padEnd(places, "0")}`;
}

/** A spreadsheet keeps this many digits of a number; the others become zeros. */
const KEPT = 15;
/** Fewer zeros may be chance. */
const TELLING = 3;

/** Looks for ids that a spreadsheet rounded: all numbers of a column beyond fifteen digits end in zeros. */
export class Rounding {
  readonly #seen = new Set<string>();
  #zeros = 0;
  #first: string | null = null;

  see(text: string): void {
    if (this.#zeros === -1 || !/^\d{16,40}$/.test(text) || this.#seen.size > 100 || this.#seen.has(text)) return;
    this.#first ??= detachText(text);
    this.#seen.add(detachText(text));
    this.#zeros = /^0+$/.test(text.slice(KEPT)) ? this.#zeros + text.length - KEPT : -1;
  }

  get example(): string | null {
    return this.#zeros < TELLING ? null : this.#first;
  }

  said(header: string): string {
    return `all numbers of "${header}" with more than ${KEPT} digits end in zeros, such as ${this.#first}: a spreadsheet may have rounded them`;
  }
}

/**
 * The other mark, white space or apostrophes may group thousands, in full groups only, so that `1.5` in a comma file is
 * a fault and not 15. Unless `grouping` is set, `1.234` under a comma is ambiguous; `1.234,5` and `1.234.567` are not.
 */
export function readNumber(text: string, decimal: "," | ".", grouping: boolean): ReadNumber | NumberFault {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST) return /^-?\d+(?:[.,]\d*)?$/.test(trimmed) ? "digits" : "form";
  const [bare, minus = "", digits = ""] = BARE.exec(trimmed) ?? [];
  if (bare !== undefined) return fromMarks(digits, minus, decimal, grouping);
  const [whole, negative = "", mantissa = "", power = ""] = WHOLE.exec(trimmed) ?? JAVA.exec(trimmed) ?? [];
  if (whole !== undefined) return fromMarks(mantissa, negative, decimal, grouping, power);
  if (EXPONENT.test(trimmed)) return "exponent";
  const matcher = FORM.matcher(trimmed.replace(/\s/gu, " "));
  if (!matcher.matches()) return "form";
  const part = (name: string) => matcher.group(name)?.trim() ?? "";
  const inBrackets = part("open") !== "";
  if (inBrackets !== (part("closed") !== "")) return "bracket";
  const minuses = [inBrackets, /[-−]/.test(part("sign")), part("minus") !== ""].filter(Boolean).length;
  if (minuses > 1 || (part("sign") === "+" && minuses > 0)) return "sign";
  const [unit = "", ...units] = ["before", "after", "within", "unit"].map(part).filter((one) => one !== "");
  if (units.length > 0) return "form";
  const number = fromMarks(part("body"), minuses === 1 ? "-" : "", decimal, grouping);
  return typeof number === "string" ? number : { ...number, unit };
}

function fromMarks(
  body: string,
  minus: string,
  decimal: "," | ".",
  grouping: boolean,
  power = "",
): ReadNumber | NumberFault {
  const mark = body.lastIndexOf(decimal);
  const whole = mark === -1 ? body : body.slice(0, mark);
  const fraction = mark === -1 ? "0" : body.slice(mark + 1);
  if (!/^\d+$/.test(fraction)) return "form";
  if (!/^\d*$/.test(whole)) {
    if (!GROUPED[decimal].test(whole) && !SPACED.test(whole)) return "grouping";
    if (!grouping && mark === -1 && ONE_GROUP.test(whole)) return "ambiguous";
  }
  const number = attempt(() => Exact.of(`${minus}${whole.replace(/\D/gu, "") || "0"}.${fraction}${power}`));
  return number instanceof Refused ? "digits" : { text: number.text, unit: "" };
}
