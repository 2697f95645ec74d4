/** One section of a number format, as far as it decides what a number is: a date, a duration, digits, or a number. */

export type SectionKind =
  | { kind: "number" }
  | { kind: "date"; hasDate: boolean; hasTime: boolean }
  | { kind: "duration" }
  /** Zeros with punctuation between them: a null stands for a digit. */
  | { kind: "digits"; picture: (string | null)[] };

export interface FormatSection {
  condition: ((value: number) => boolean) | null;
  kind: SectionKind;
}

export const plainSection: SectionKind = { kind: "number" };

/** What the section's characters amount to, one entry a run of equal letters. */
interface Token {
  type: "date" | "time" | "m" | "elapsed" | "digit" | "general" | "literal" | "other";
  text: string;
}

export function readSection(code: string): FormatSection {
  const tokens: Token[] = [];
  let condition: FormatSection["condition"] = null;
  for (let at = 0; at < code.length; ) {
    const { token, next, condition: found } = nextToken(code, at, tokens.at(-1));
    if (token !== null) tokens.push(token);
    condition ??= found ?? null;
    at = next;
  }
  return { condition, kind: kindOf(tokens) };
}

const digitPlaceholders = "0#?";

function nextToken(
  code: string,
  at: number,
  last: Token | undefined,
): { token: Token | null; next: number; condition?: FormatSection["condition"] } {
  const char = code[at] as string;
  const lower = char.toLowerCase();
  if (char === '"') {
    const end = code.indexOf('"', at + 1);
    const next = end === -1 ? code.length : end + 1;
    return { token: { type: "literal", text: code.slice(at + 1, end === -1 ? code.length : end) }, next };
  }
  if (char === "\\") return { token: { type: "literal", text: code[at + 1] ?? "" }, next: at + 2 };
  // `_x` is room as wide as x, `*x` fills with x: neither is text.
  if (char === "_" || char === "*") return { token: null, next: at + 2 };
  if (char === "[") return bracket(code, at);
  if (code.slice(at, at + 7).toLowerCase() === "general") return { token: { type: "general", text: "" }, next: at + 7 };
  const meridiem = /^(?:am\/pm|a\/p|上午\/下午|午前\/午後)/i.exec(code.slice(at, at + 5));
  if (meridiem !== null) return { token: { type: "time", text: "a" }, next: at + meridiem[0].length };
  if (digitPlaceholders.includes(char)) return { token: { type: "digit", text: char }, next: at + 1 };
  if (lower === "e" && last?.type === "digit" && /^e[+-]/i.test(code.slice(at, at + 2))) {
    return { token: { type: "other", text: "E" }, next: at + 2 };
  }
  if ("ydegbmhs".includes(lower) || /^aaa/i.test(code.slice(at))) return letters(code, at, lower);
  const type = /[-()/:+ ]/.test(char) ? "literal" : "other";
  // An unquoted slash between digits is a fraction, not punctuation.
  return { token: { type: char === "/" ? "other" : type, text: char }, next: at + 1 };
}

function letters(code: string, at: number, letter: string): { token: Token; next: number } {
  let next = at;
  while (next < code.length && (code[next] as string).toLowerCase() === letter) next++;
  const type = letter === "m" ? "m" : letter === "h" || letter === "s" ? "time" : "date";
  return { token: { type, text: letter }, next };
}

function bracket(
  code: string,
  at: number,
): { token: Token | null; next: number; condition?: FormatSection["condition"] } {
  const end = code.indexOf("]", at);
  if (end === -1) return { token: null, next: code.length };
  const inner = code.slice(at + 1, end);
  const next = end + 1;
  if (/^(?:h+|m+|s+|ช+|น+|ท+)$/i.test(inner)) return { token: { type: "elapsed", text: inner }, next };
  // `[$R$-416]` is a currency sign, `[$-416]` only a language.
  if (inner.startsWith("$")) return { token: inner.startsWith("$-") ? null : { type: "other", text: inner }, next };
  const found = /^(<=|>=|<>|<|>|=)\s*(-?\d+(?:[.,]\d+)?)$/.exec(inner.trim());
  if (found === null) return { token: null, next };
  return { token: null, next, condition: comparison(found[1] ?? "=", Number((found[2] ?? "0").replace(",", "."))) };
}

function comparison(operator: string, bound: number): (value: number) => boolean {
  switch (operator) {
    case "<":
      return (value) => value < bound;
    case "<=":
      return (value) => value <= bound;
    case ">":
      return (value) => value > bound;
    case ">=":
      return (value) => value >= bound;
    case "<>":
      return (value) => value !== bound;
    default:
      return (value) => value === bound;
  }
}

function kindOf(tokens: Token[]): SectionKind {
  const meaning = tokens.filter(({ type }) => type !== "literal" && type !== "other");
  const first = meaning.find(({ type }) => type !== "general");
  // Letters among digits are an unquoted unit, unless the digits are fractions of seconds.
  if (first === undefined || meaning.some(({ type }) => type === "general")) return plainSection;
  if (first.type === "digit") return digitsOf(tokens);
  if (tokens.some((token, index) => token.type === "digit" && !isFraction(tokens, index))) return plainSection;
  const hasDate = meaning.some(({ type }, index) => type === "date" || (type === "m" && !isMinute(meaning, index)));
  if (hasDate) return { kind: "date", hasDate, hasTime: meaning.some(({ type }) => type === "time") };
  if (meaning.some(({ type }) => type === "elapsed")) return { kind: "duration" };
  return { kind: "date", hasDate: false, hasTime: true };
}

/** Whether a digit stands behind `s.`, as fractions of seconds do. */
function isFraction(tokens: Token[], index: number): boolean {
  const before = tokens.slice(0, index).findLast(({ type, text }) => type !== "digit" && text !== "." && text !== ",");
  return before?.text.toLowerCase().startsWith("s") === true && (before.type === "time" || before.type === "elapsed");
}

/** An `m` is minutes behind hours and before seconds, a month otherwise. */
function isMinute(tokens: Token[], index: number): boolean {
  const before = tokens[index - 1];
  const after = tokens.slice(index + 1).find(({ type }) => type !== "digit");
  const hours = before?.text.toLowerCase().startsWith("h") || before?.type === "elapsed";
  return hours || after?.text.toLowerCase().startsWith("s") === true;
}

/** Nothing but two or more zeros, with punctuation between them: a code whose leading zeros count. */
function digitsOf(tokens: Token[]): SectionKind {
  const zeros = tokens.filter(({ type }) => type === "digit");
  if (zeros.length < 2 || zeros.some(({ text }) => text !== "0")) return plainSection;
  if (
    tokens.some(({ type, text }) => type !== "digit" && (type !== "literal" || !/^[^\p{L}\p{N}\p{Sc}%]*$/u.test(text)))
  ) {
    return plainSection;
  }
  return { kind: "digits", picture: tokens.map(({ type, text }) => (type === "digit" ? null : text)) };
}

/** A whole number of zero or more under such a picture: `01.234.567/0001-95` for 1234567000195. */
export function pictured(digits: string, picture: (string | null)[]): string {
  const places = picture.filter((part) => part === null).length;
  const padded = digits.padStart(places, "0");
  let at = 0;
  let first = true;
  return picture
    .map((part) => {
      if (part !== null) return part;
      // More digits than zeros: all of them stand before the first zero's place.
      const count = first ? padded.length - places + 1 : 1;
      first = false;
      at += count;
      return padded.slice(at - count, at);
    })
    .join("");
}
