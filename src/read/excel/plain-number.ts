/** Numbers as a workbook stores them, in plain canonical decimal notation: `-1234.5`, no exponent, no grouping. */

/** A double is exact up to fifteen digits: such a text is the number itself. */
const shortInteger = /^-?[1-9]\d{0,14}$/;
const shortDecimal = /^-?(?:0|[1-9]\d{0,13})\.\d{0,13}[1-9]$/;
const longInteger = /^-?[1-9]\d{15,307}$/;
const stored = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;

/**
 * The stored text where it is plain already; else the shortest decimal that is the same double (Excel writes 1.1 as
 * `1.1000000000000001`). Whole numbers of more digits than a double holds, as other programs write them, stay as they
 * are. Null: not a number.
 */
export function plainNumber(text: string): string | null {
  if (shortInteger.test(text)) return text;
  if (text.length <= 16 && shortDecimal.test(text)) return text;
  if (text === "0" || longInteger.test(text)) return text;
  if (!stored.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? plainDouble(value) : null;
}

/** The shortest decimal that reads back as the same double, without exponent. */
export function plainDouble(value: number): string {
  const text = String(Object.is(value, -0) ? 0 : value);
  const mark = text.indexOf("e");
  if (mark === -1) return text;
  const exponent = Number(text.slice(mark + 1));
  const negative = text.startsWith("-");
  const [whole = "", fraction = ""] = text.slice(negative ? 1 : 0, mark).split(".");
  const digits = whole + fraction;
  const point = whole.length + exponent;
  const plain =
    point <= 0
      ? `0.${"0".repeat(-point)}${digits}`
      : point >= digits.length
        ? digits.padEnd(point, "0")
        : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return negative ? `-${plain}` : plain;
}
