/** How a number format shows a number: as a date, a duration, a row of digits, or a plain number. */

export type ShownAs =
  /** `unit`: what its format shows next to it; `thousands`: how often it is shown divided by a thousand. */
  | { kind: "number"; unit: string; thousands: number }
  | { kind: "percent" }
  | { kind: "date"; hasDate: boolean; hasTime: boolean }
  | { kind: "duration" }
  /** Null: a digit's place. */
  | { kind: "digits"; picture: (string | null)[] };

/** A format may have sections for negative values, zero, or conditions. */
export type NumberFormat = (value: number) => ShownAs;

const plain: ShownAs = { kind: "number", unit: "", thousands: 0 };
export const generalFormat: NumberFormat = () => plain;

/** Files leave out the codes of these ids. 27 to 58 and 67 to 81 are dates in East Asian and Thai Excel; a plain one
 * stands for each. */
const BUILT_IN: readonly [from: number, to: number, code: string][] = [
  [1, 1, "0"],
  [2, 2, "0.00"],
  [3, 3, "#,##0"],
  [4, 4, "#,##0.00"],
  [9, 9, "0%"],
  [10, 10, "0.00%"],
  [11, 11, "0.00E+00"],
  [12, 12, "# ?/?"],
  [13, 13, "# ??/??"],
  [14, 14, "mm-dd-yy"],
  [15, 15, "d-mmm-yy"],
  [16, 16, "d-mmm"],
  [17, 17, "mmm-yy"],
  [18, 18, "h:mm AM/PM"],
  [19, 19, "h:mm:ss AM/PM"],
  [20, 20, "h:mm"],
  [21, 21, "h:mm:ss"],
  [22, 22, "m/d/yy h:mm"],
  // In Japanese 34, 35, 55 and 56 are dates, in Chinese times; values below 1 are read as times anyway.
  [27, 31, "yyyy-mm-dd"],
  [32, 33, "h:mm:ss"],
  [34, 36, "yyyy-mm-dd"],
  [37, 37, "#,##0 ;(#,##0)"],
  [38, 38, "#,##0 ;[Red](#,##0)"],
  [39, 39, "#,##0.00 ;(#,##0.00)"],
  [40, 40, "#,##0.00 ;[Red](#,##0.00)"],
  [45, 45, "mm:ss"],
  [46, 46, "[h]:mm:ss"],
  [47, 47, "mm:ss.0"],
  [48, 48, "##0.0E+0"],
  [49, 49, "@"],
  [50, 58, "yyyy-mm-dd"],
  [71, 74, "yyyy-mm-dd"],
  [75, 76, "h:mm:ss"],
  [77, 77, "yyyy-mm-dd h:mm"],
  [78, 78, "mm:ss"],
  [79, 79, "[h]:mm:ss"],
  [80, 80, "mm:ss.0"],
  [81, 81, "yyyy-mm-dd"],
];

export const builtInFormat = (id: number): string =>
  BUILT_IN.find(([from, to]) => id >= from && id <= to)?.[2] ?? "General";

/** Excel's own limit is 255. */
const MAX_CODE = 2048;
/** Names of General in files of other programs. */
const GENERAL = /^\s*(general|standard|estándar|geral|g\/標準|g\/通用格式)\s*$/i;
/** Quoted and escaped text, room and filling, brackets, `R$`, then runs of the letters of dates and times. */
const TOKENS =
  /"[^"]*"?|\\.?|[_*].?|\[[^\]]*\]?|\p{L}{1,3}\$|general|am\/pm|a\/p|上午\/下午|午前\/午後|(?<=[0#?])e[+-]|aaa+|y+|d+|e+|g+|b+|m+|h+|s+|[\s\S]/giu;

interface Token {
  mark: string;
  text: string;
}

interface Section {
  condition: ((value: number) => boolean) | null;
  tokens: Token[];
}

/** Compiles a format such as `[$-416]dd/mm/yyyy hh:mm;@`. A format that cannot be understood shows a plain number. */
export function compileNumberFormat(code: string): NumberFormat {
  if (code.length > MAX_CODE || GENERAL.test(code)) return generalFormat;
  const sections = readSections(code);
  // A last section with @ is for text only.
  if (sections.length > 1 && sections.at(-1)?.tokens.some(({ text }) => text === "@")) sections.pop();
  const [first, second, third] = sections.map(({ condition, tokens }) => ({ condition, shown: shownAs(tokens) }));
  if (first === undefined) return generalFormat;
  if (second === undefined && first.condition === null) return () => first.shown;
  const conditional = first.condition !== null || (second?.condition ?? null) !== null;
  if (!conditional && third === undefined) return (value) => (value < 0 && second ? second : first).shown;
  const isFirst = first.condition ?? ((value) => value > 0);
  const isSecond = second?.condition ?? ((value) => second !== undefined && value < 0);
  const rest = third ?? second ?? first;
  return (value) => (isFirst(value) ? first : second !== undefined && isSecond(value) ? second : rest).shown;
}

function readSections(code: string): Section[] {
  let section: Section = { condition: null, tokens: [] };
  const sections = [section];
  for (const token of code.match(TOKENS) ?? []) {
    if (token === ";") {
      section = { condition: null, tokens: [] };
      sections.push(section);
      continue;
    }
    section.condition ??= conditionOf(token);
    const text = token.startsWith('"') ? token.replaceAll('"', "") : token.replace(/^\\/, "");
    const mark = markOf(token, text);
    if (mark !== "") section.tokens.push({ mark, text });
  }
  return sections;
}

/** `l` punctuation, `t` words, `p` a percent sign, `x` other text, `g` General, `0` and `#` digits, `d` a part of a date, `m` months or minutes, `h`, `s`, `a` parts of a time, `H` and `S` elapsed ones. */
function markOf(token: string, text: string): string {
  const first = token.charAt(0).toLowerCase();
  // `_x` is a space as wide as x, `*x` fills with x; `[$-416]`, `[Red]` and conditions show nothing.
  if (first === "_" || first === "*") return "";
  if (first === "[") {
    if (/^\[(h+|m+|ช+|น+)\]$/i.test(token)) return "H";
    if (/^\[(s+|ท+)\]$/i.test(token)) return "S";
    return token.startsWith("[$") && !token.startsWith("[$-") ? "x" : "";
  }
  if (first === "0") return "0";
  if (first === "#" || first === "?") return "#";
  if (/^general$/i.test(token)) return "g";
  if (token === "%") return "p";
  if (token !== text) return /[\p{Sc}%]/u.test(text) ? "x" : /[\p{L}\p{N}]/u.test(text) ? "t" : "l";
  if (/^[-():+ ]$/.test(text)) return "l";
  if (text.endsWith("$")) return "x";
  if (text.length > 1 && text.includes("/")) return "a";
  if (/^e[+-]/i.test(token)) return "x";
  if (/^([ydegb]|aaa)/.test(token.toLowerCase())) return "d";
  return "mhs".includes(first) ? first : "x";
}

function conditionOf(token: string): Section["condition"] {
  const found = /^\[\s*(<=|>=|<>|<|>|=)\s*(-?\d+(?:[.,]\d+)?)\s*\]$/.exec(token);
  if (found === null) return null;
  const bound = Number((found[2] ?? "").replace(",", "."));
  const signs = found[1] ?? "";
  return (value) =>
    (signs.includes("<") && value < bound) ||
    (signs.includes(">") && value > bound) ||
    (signs !== "<>" && signs.includes("=") && value === bound);
}

function shownAs(tokens: readonly Token[]): ShownAs {
  const marks = tokens.map(({ mark }) => mark).join("");
  // Only zeros, at least two, with punctuation: a code whose leading zeros count. `"OS-"0000` and `0000"/2025"` too, but words behind are a unit.
  const isUnit = /^[^-/]/.test(tokens.at(-1)?.text ?? "") && marks.endsWith("t");
  if (/^[lt]*0[l0]*t?$/.test(marks) && !isUnit && marks.split("0").length > 2)
    return { kind: "digits", picture: tokens.map(({ mark, text }) => (mark === "0" ? null : text)) };
  if (marks.includes("p") && /[0#g]/.test(marks)) return { kind: "percent" };
  const letters = marks.replace(/([sS])[xlt]*0+/g, "$1").replace(/[xltp]/g, "");
  // Digits among letters: the letters are an unquoted unit.
  if (/[g0#]/.test(letters)) return { kind: "number", ...unitOf(tokens) };
  // Words in the place of a number, such as `"none"` for zero.
  if (letters === "") return plain;
  const withoutMinutes = letters.replace(/(?<=[hHS])m|m(?=[sS])/g, "");
  const hasTime = /[has]/.test(withoutMinutes);
  if (/[dm]/.test(withoutMinutes)) return { kind: "date", hasDate: true, hasTime };
  return /[HS]/.test(letters) ? { kind: "duration" } : { kind: "date", hasDate: false, hasTime: true };
}

/** `TO` of `#,##0.0\ "TO"`, `R$` of `[$R$-416] 0.00`; `0.0,"t"` shows 12500 as 12.5t. */
function unitOf(tokens: readonly Token[]) {
  const said = tokens.filter(
    ({ mark, text }) => mark === "t" || /[\p{Sc}%]/u.test(text) || (mark === "l" && text === "/"),
  );
  const unit = said.map(({ text }) => text.replace(/^\[\$([^\][-]*).*/, "$1")).join("");
  const places = tokens.map(({ mark, text }) => (/[0#]/.test(mark) ? "0" : mark === "x" && text === "," ? "," : " "));
  const [, commas = ""] = /0(,+)(?![0,])/.exec(places.join("")) ?? [];
  // A quoted sign may precede it: `"-R$ "0.00`.
  return {
    unit: /[\p{L}\p{Sc}%]/u.test(unit) ? unit.trim().replace(/^[-+] ?/, "") : "",
    thousands: commas.length,
  };
}

/** `01.234.567/0001-95` for 1234567000195. */
export function pictured(digits: string, picture: readonly (string | null)[]): string {
  const places = picture.filter((part) => part === null).length;
  const padded = digits.padStart(places, "0");
  // Surplus digits go before the first zero's place.
  const shown = [padded.slice(0, padded.length - places + 1), ...padded.slice(padded.length - places + 1).split("")];
  return picture.map((part) => part ?? shown.shift() ?? "").join("");
}
