/**
 * Keys that differ only by case, width, leading zeros, the form of a dash or the marks of a number (`K1`, `k1`, `Ｋ1`; `007`, `7`; `T-1`, `T - 1`, `T–1`; `1021`, `1021.0`, `1.021`) and are often one; and what
 * spreadsheets make of a key, or of another cell.
 */

/** Equal for nearly equal keys. */
export function foldKey(key: string): string {
  const parts = withoutZeros(key).split(/[-\p{Pd}\u2212]/u);
  const bare = parts.map((part) => part.trim()).join("-");
  return /^\d{1,3}([.,]\d{3})+$/.test(bare) ? bare.replace(/[.,]/g, "") : bare.replace(/^(\d+)[.,]00?$/, "$1");
}

function withoutZeros(key: string): string {
  const folded = key.normalize("NFKC").trim().toUpperCase();
  let zeros = 0;
  while (zeros < folded.length - 1 && folded[zeros] === "0") zeros += 1;
  return folded.slice(zeros);
}

/** The folded key, unless it is the key itself. */
export function foldedKeys(parts: readonly string[]): string[][] {
  const other = parts.map(foldKey);
  return other.some((part, index) => part !== parts[index]) ? [other] : [];
}

/** To which SAP and banks fill up numbers. */
const WIDTHS = [10, 12, 18];

/** The folded key, and its forms after a spreadsheet: one part in lower case, with zeros or as 7.0. */
export function variants(parts: readonly string[]): string[][] {
  const zeros = ({ length }: string) => [...new Set([1, 2, 3, 4, 5, 6, ...WIDTHS.map((width) => width - length)])];
  const padded = (part: string) => zeros(part).flatMap((some) => (some > 0 ? "0".repeat(some) + part : []));
  const one = (at: number, part: string) => parts.map((own, index) => (index === at ? part : own));
  const made = parts.flatMap((part, at) => [
    ...(part === part.toLowerCase() ? [] : [one(at, part.toLowerCase())]),
    ...(/^\d/.test(part) ? [...padded(part), `${part}.0`].map((other) => one(at, other)) : []),
  ]);
  return [...foldedKeys(parts), ...made];
}

export function areNearlyEqual(one: string, other: string): boolean {
  if (one === other) return false;
  // The marks of a number tell its locale, which `looksRewritten` sees to.
  const isSame = withoutZeros(one) === withoutZeros(other);
  return isSame || isSamePower(one, other) || becameDay(one, other) || becameDay(other, one);
}

/** A spreadsheet reads 1-2 and MAR1 as days, and shows them as 02/jan, Mar-01, 2026-03-01. */
function becameDay(one: string, other: string): boolean {
  const isShort = /^(\d{1,2}[-/.]\d{1,2}|\p{L}{3,9}[- ]?\d{1,2})$/u.test(one);
  const isDay =
    /^(\d{1,2}[-/. ]\p{L}{3,9}\.?|\p{L}{3,9}\.?[-/. ]\d{1,2}|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}( [\d:]{5,8})?)$/u;
  return isShort && isDay.test(other);
}

/** A spreadsheet reads 12E5 as 1200000, and shows that as 1.20E+06: of its digits only the first. */
function isSamePower(one: string, other: string): boolean {
  if (![one, other].every((key) => /^\d+([.,]\d+)?(E[+-]?\d+)?$/i.test(key)) || !/E/i.test(one + other)) return false;
  const [first, second] = [one, other].map((key) => Number(key.replace(",", ".")).toPrecision(3));
  return first === second;
}

const TIME_TO_MINUTES = /^(\d{4}-\d\d-\d\dT\d\d:\d\d):/;

/** What a text means; null: nothing. */
type Read = (text: string) => string | null;

export function meansOther(before: string, after: string, read: Read): boolean {
  const [was, is] = [read(before), read(after)];
  return was !== null && is !== null && was !== is;
}

/**
 * Whether opening and saving the cell in a spreadsheet, perhaps of another country, may have made it mean something else:
 * 00123 became 123, 12.000 became 12, 08:05:30 became 08:05, and day and month changed places.
 */
export function looksRewritten(before: string, after: string, read: Read): boolean {
  const [was, is] = [read(before), read(after)];
  if (was === null || is === null || was === is) return false;
  const swapped = after.replace(/(\d\d?)([/.-])(\d\d?)(?=\2)/, "$3$2$1");
  const minute = TIME_TO_MINUTES.exec(is)?.[1];
  return (
    before.replace(/^\+?0*(?=\d)/, "") === after ||
    isSamePower(before, after) ||
    becameDay(before, after) ||
    numbersOf(before).some((one) => numbersOf(after).includes(one)) ||
    (minute !== undefined && is.startsWith(`${minute}:00`) && was.startsWith(minute)) ||
    read(swapped) === was
  );
}

/** What a number may be, by whichever mark is the decimal one. */
function numbersOf(text: string): number[] {
  if (!/^[-+]?(?!0\d)\d[\d.,]*$/.test(text)) return [];
  const all = [text.replaceAll(",", ""), text.replaceAll(".", "").replace(",", ".")];
  return all.map(Number).filter(Number.isFinite);
}
