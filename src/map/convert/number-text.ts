/** Reads numbers as people write them, exactly: decimal digits in, decimal digits out, no floating point between. */

/** Exact: (-1)^negative × whole.fraction; `whole` without leading zeros ("0" at least), `fraction` without trailing ones. */
export interface ReadNumber {
  negative: boolean;
  whole: string;
  fraction: string;
  /** What stood before or behind the number, such as `kg` or `R$`; "" for none. */
  unit: string;
}

/** White space that groups digits (U+00A0, U+2009 and U+202F among it) and Swiss apostrophes. */
const spaceGroups = /^\d{1,3}(?:[\s'’]\d{3})+$/u;
const hasExponent = /^[-+\d.,\s]*\d[.,]?\d*[eE][+-]?\d+$/u;
const parts =
  /^([^\d.,+\-−()]*?)\s*(\()?\s*([-+−])?\s*([^\d.,+\-−()]*?)\s*([\d.,][\d.,\s'’]*)(-)?(\))?\s*([^\d.,()].*)?$/su;

/** A unit begins with a letter or a sign of its own, so that `1/2` and `10-20` are no numbers with units. */
const unitStart = /^[\p{Letter}\p{Currency_Symbol}%‰°]/u;
/** What most cells hold; the general reading costs four times as much. */
const simple = { ",": /^(-?)(\d+)(?:,(\d+))?$/, ".": /^(-?)(\d+)(?:\.(\d+))?$/ };

export type NumberFault = "exponent" | "grouping" | "sign" | "form";

/**
 * Reads one number under one decimal mark; the other mark, white space or apostrophes may group thousands, in full
 * groups of three only, so that a decimal point in a comma file (`1.5`) is a fault and not fifteen.
 */
export function readNumber(text: string, decimal: "," | "."): ReadNumber | NumberFault {
  const trimmed = text.trim();
  const plain = simple[decimal].exec(trimmed);
  if (plain !== null) return exactly(plain[1] === "-", plain[2] ?? "", plain[3] ?? "", "");
  if (hasExponent.test(trimmed)) return "exponent";
  const found = parts.exec(trimmed);
  if (found === null) return "form";
  const [, before = "", open, sign, currency = "", raw = "", trailingSign, closed, after = ""] = found;
  if ((open === undefined) !== (closed === undefined)) return "sign";
  const minuses = [open, sign === "-" || sign === "−" ? sign : undefined, trailingSign].filter(
    (mark) => mark !== undefined,
  );
  if (minuses.length > 1 || (sign === "+" && minuses.length > 0)) return "sign";
  const units = [before, currency, after].map((unit) => unit.trim()).filter((unit) => unit !== "");
  if (units.length > 1 || units.some((unit) => !unitStart.test(unit))) return "form";
  const body = raw.trimEnd();
  const mark = body.lastIndexOf(decimal);
  const wholeText = mark === -1 ? body : body.slice(0, mark);
  const fractionText = mark === -1 ? "" : body.slice(mark + 1);
  if (!/^\d*$/.test(fractionText) || (mark !== -1 && fractionText === "")) return "form";
  const whole = ungroup(wholeText, decimal);
  if (whole === null) return "grouping";
  if (whole === "" && fractionText === "") return "form";
  return exactly(minuses.length === 1, whole, fractionText, units[0] ?? "");
}

function exactly(negative: boolean, whole: string, fraction: string, unit: string): ReadNumber {
  return { negative, whole: whole.replace(/^0+(?=\d)/, "") || "0", fraction: fraction.replace(/0+$/, ""), unit };
}

/** The digits of a whole part; null when its groups are not groups of three under one mark. */
function ungroup(text: string, decimal: "," | "."): string | null {
  if (/^\d*$/.test(text)) return text;
  const grouped = decimal === "," ? /^\d{1,3}(?:\.\d{3})+$/ : /^\d{1,3}(?:,\d{3})+$/;
  if (grouped.test(text) || spaceGroups.test(text)) return text.replace(/\D/gu, "");
  return null;
}

/** Plain canonical notation: a point, no grouping, no exponent, no superfluous zeros, no negative zero. */
export function plainNotation({
  negative,
  whole,
  fraction,
}: {
  negative: boolean;
  whole: string;
  fraction: string;
}): string {
  const zero = whole === "0" && /^0*$/.test(fraction);
  return `${negative && !zero ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/** The number times a factor in plain notation, exactly. */
export function multiply(
  number: { negative: boolean; whole: string; fraction: string },
  factor: string,
): { negative: boolean; whole: string; fraction: string } {
  const [factorWhole = "0", factorFraction = ""] = factor.split(".");
  const places = number.fraction.length + factorFraction.length;
  const product = BigInt(number.whole + number.fraction) * BigInt(factorWhole + factorFraction);
  const all = product.toString().padStart(places + 1, "0");
  return {
    negative: number.negative,
    whole: all.slice(0, all.length - places),
    fraction: all.slice(all.length - places).replace(/0+$/, ""),
  };
}
