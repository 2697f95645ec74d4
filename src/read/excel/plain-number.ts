/** Numbers as a workbook stores them, in plain canonical decimal notation: `-1234.5`, no exponent, no grouping. */

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
/** Of sixteen digits and more. */
const longInteger = /^-?[1-9]\d{15,307}$/;
const stored = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;

/** Whether it is a number as workbooks store them: JavaScript alone would take blanks, `0x10` and `Infinity` too. */
export function isNumberText(text: string): boolean {
  return stored.test(text);
}

/**
 * The stored text where it is plain already; else its first fifteen digits, which are all that a spreadsheet shows: what
 * lies beyond them is the noise of binary arithmetic (`7780.4000000000005`, `1.1000000000000001`). Whole numbers of more
 * digits, as other programs write them, stay as they are. Null: not a number.
 */
export function plainNumber(text: string): string | null {
  if (isShortPlain(text) || longInteger.test(text)) return text;
  if (!stored.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? plainDouble(Number(value.toPrecision(15))) : null;
}

/** Plain notation of at most fifteen digits, which a double keeps; told without a pattern, since there are millions. */
function isShortPlain(text: string): boolean {
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  const end = text.length;
  let point = -1;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === POINT && point === -1) point = at;
    else if (code < ZERO || code > ZERO + 9) return false;
  }
  const wholeEnd = point === -1 ? end : point;
  if (wholeEnd === start || end - start > (point === -1 ? 15 : 16)) return false;
  if (text.charCodeAt(start) === ZERO && (wholeEnd > start + 1 || (point === -1 && start === 1))) return false;
  return point === -1 || (point < end - 1 && text.charCodeAt(end - 1) !== ZERO);
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
