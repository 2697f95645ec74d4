/** Parses formulas (CEL), and explains mistakes in a spreadsheet user's words. */
import { type ASTNode, Environment, ParseError } from "@marcbachmann/cel-js";
import { foldName } from "../../model/fold.js";

const environment = new Environment({
  limits: { maxAstNodes: 250, maxDepth: 32, maxListElements: 200, maxMapEntries: 1, maxCallArguments: 16 },
});
const MAX_LENGTH = 4000;

export class FormulaRefusal extends Error {
  readonly offset: number;
  readonly hint: string | null;

  constructor(offset: number, message: string, hint: string | null = null) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}

export function refuseNode({ start }: Pick<ASTNode, "start">, message: string, hint: string | null = null): never {
  throw new FormulaRefusal(start, message, hint);
}

export function parseFormula(text: string): ASTNode {
  if (text.length > MAX_LENGTH)
    refuseNode({ start: 0 }, `it has ${text.length} characters; at most ${MAX_LENGTH} are allowed`);
  // The parser would leave out the rest as a comment.
  const comment = [...text.matchAll(TEXTS_AND_SLASHES)].find(([found]) => found === "//");
  if (comment !== undefined)
    refuseNode({ start: comment.index }, "// has no meaning in a formula", "Write round(a / b, 2) to divide.");
  try {
    return environment.parse(text).ast;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const start = error.range?.start ?? 0;
    const rest = text.slice(start);
    const hint = HINTS[error.code]?.(rest) ?? habitsOf(text) ?? unjoined(text, start);
    return refuseNode({ start }, explain(error, rest), hint);
  }
}

/** The names in a text if it is read as a formula; none: it is not a formula. */
function namesIn(text: string): string[] {
  const names = (node: unknown): string[] => {
    if (Array.isArray(node)) return node.flatMap(names);
    if (typeof node !== "object" || node === null || !("op" in node)) return [];
    const { op, args } = node as ASTNode;
    return op === "id" ? [args] : names(args);
  };
  try {
    return names(parseFormula(text));
  } catch {
    return [];
  }
}

const TOKENS: { [name: string]: string } = {
  EOF: "the end",
  LPAREN: '"("',
  RPAREN: '")"',
  LBRACKET: '"["',
  RBRACKET: '"]"',
  COLON: '":"',
  IDENTIFIER: "a name",
};

/** `rest`: the formula from the fault on. */
const HINTS: { [code: string]: (rest: string) => string | undefined } = {
  invalid_escape_sequence: () => `In a pattern write [.] for a dot, [0-9] for a digit; elsewhere double the backslash.`,
  reserved_identifier: (rest) => functionHabit(/^\w+/.exec(rest)?.[0] ?? ""),
};

/** `rest`: the formula from the fault on. */
function explain({ code, summary }: ParseError, rest: string) {
  const [word = ""] = /^[\p{L}\p{N}_]+|^\S?/u.exec(rest) ?? [];
  const found = word === "" ? "the end" : JSON.stringify(word);
  if (code === "expected_token") {
    const [, wanted = ""] = /([A-Z]{2,})/.exec(summary) ?? [];
    return `${TOKENS[wanted] ?? "something else"} is expected here, not ${found}`;
  }
  if (code === "unexpected_token" || code === "unexpected_character") return `${found} is not expected here`;
  if (code === "unterminated_string") return "a text that begins here has no closing quote";
  if (code === "limit_exceeded") return "it is too long or too deeply nested; give parts of it names under `columns:`";
  if (code === "invalid_escape_sequence") return `${rest.slice(0, 2)} means nothing in a text`;
  if (code === "reserved_identifier") return `${found} cannot be a name`;
  return summary.toLowerCase().replace(/\.$/, "");
}

/** Two things that stand side by side. */
function unjoined(text: string, start: number): string | null {
  const words = [...text.matchAll(/[\p{L}\p{N}_]+/gu)];
  const [word = ""] = words.find(({ index, 0: one }) => index <= start && start < index + one.length) ?? [];
  if (word !== "" && /^\P{ASCII}/u.test(text.slice(start)))
    return `Names of columns have no accents: write ${foldName(word)}.`;
  const isBeside = /[\p{L}\p{N}_)"']\s*$/u.test(text.slice(0, start)) && /^[\p{L}\p{N}_("']/u.test(text.slice(start));
  return isBeside ? "An operator or a comma is missing before it, or the brackets of a function: filled(x)." : null;
}

const CELL = /\$?\b[A-Z]{1,3}\$?\d{1,6}\b/;
export const ASK_BLANK = "Write blank(x) or filled(x).";
const COLUMNS_ONLY = "Formulas name columns, not cells: gross - tare.";

/** Habits from spreadsheets and other languages. */
const HABITS: readonly [sign: RegExp, hint: string][] = [
  [/^=/, "One = begins a formula."],
  [/[“”„«»‘’]/, 'Write straight quotes: "text".'],
  [/[−–×÷]/, "Write - * / as they are on the keyboard."],
  [/\bin\s*\(/, 'Write x in ["a", "b"].'],
  [/<>/, "Write != for “is not equal”."],
  [/(?:^|[^&])&(?:$|[^&])/, 'Join texts with +, as in code + "-1". && means “and”.'],
  [/;/, "Arguments are separated by commas: iff(test, a, b)."],
  [/\d,\d/, "Write a decimal point: 1.5."],
  [/\d\s*%/, "Write 0.1 for 10%."],
  [/\^/, "Write x * x for x^2."],
  [/\?\?|\?:/, "Write default(x, y), for a blank."],
  [/=[<>]/, "Write <= or >=."],
  [/[^=!<>]=(?![=<>])|[!=]==|\bis\b/, 'Write == to compare, != for the opposite: event == "Coleta".'],
  [/\b(?:and|or|not)\b/i, "Write && for “and”, || for “or”, ! for “not”."],
  [/\b(?:void|undefined)\b/, ASK_BLANK],
  [new RegExp(`${CELL.source}:|\\$|@|(?:^|[^\\w\\]])\\[[^\\]"']*\\]`), COLUMNS_ONLY],
];

function habitsOf(text: string): string | null {
  const code = withoutTexts(text);
  const hints = HABITS.flatMap(([sign, hint]) => (sign.test(code) ? hint : []));
  return hints.length === 0 ? null : hints.join(" ");
}

const TEXT = /(["'])(?:\\.|(?!\1)[^\\])*(\1?)/gs;
const TEXTS_AND_SLASHES = new RegExp(`${TEXT.source}|//`, TEXT.flags);

/** Whether it reads as a formula, all of whose names are these columns. */
export function isBareFormula(text: string, columns: Iterable<string>): boolean {
  const names = namesIn(text);
  const known = new Set(columns);
  return names.length > 0 && !known.has(text) && names.every((name) => known.has(name));
}

/** Leaves an opening quote in the place of each text. */
function withoutTexts(formula: string) {
  return formula.replace(TEXT, "$1");
}

/** Whether a text or a bracket is not closed. */
export function isOpen(formula: string): boolean {
  const code = withoutTexts(formula);
  const isCut = [...formula.matchAll(TEXT)].some(([, , end]) => end === "");
  return isCut || code.split("(").length > code.split(")").length || code.split("[").length > code.split("]").length;
}

/** What a name that is no column may mean elsewhere. */
export function nameHabit(name: string): string | null {
  if (/^(?:empty|nil|none|na|nothing|undefined|vazio|nulo)$/i.test(name)) return ASK_BLANK;
  if (/^(?:true|false|verdadeiro|falso|wahr|falsch|vrai|faux)$/i.test(name)) return "Write true or false.";
  return CELL.exec(name)?.[0] === name ? COLUMNS_ONLY : null;
}

export const TIME_OF_DAY =
  "A header can be named a second time: once with `as: date` for days, once with `as: timestamp` for times.";
/** The text of a time is in UTC. */
export const DAY_OF_TIME =
  'Name its header a second time with `as: date`, and take it from there: extract(day, "^[0-9]{4}"). A time as text is in UTC.';

/** The replacement for functions of spreadsheets and of CEL. */
const FUNCTION_HABITS: readonly [names: string, hint: string][] = [
  ["and e y et und", "Write a && b."],
  ["or ou o oder", "Write a || b."],
  ["not não nao no nicht", "Write !a."],
  ["if ifs se si wenn switch", "Write iff(test, a, b)."],
  ["iferror ifna seerro sierror wennfehler ifnull coalesce nvl", "Write default(x, y), for a blank."],
  ["concatenate concat concatenar textjoin verketten", "Join texts with +."],
  ["isblank isempty isnull", "Write blank(x)."],
  ["vlookup procv sverweis xlookup procx lookup index match", "Read a table: tables.plants[code].region."],
  ["len length comprimento", "Write size(x)."],
  ["trim arrumar", "Cells are trimmed already."],
  ["value valor int double float integer", "Give the column `as: number`, or write number(x)."],
  ["has", "Write filled(x)."],
  ["string str texto", "Write text(x)."],
  ["sum soma suma summe", "Write a + b; sum(x) adds up the rows of a group."],
  ["max máximo maximo maximum", "Write iff(a > b, a, b); max(x) is over the rows of a group."],
  ["min mínimo minimo minimum", "Write iff(a < b, a, b); min(x) is over the rows of a group."],
  ["sumif sumifs countif countifs somase", "Write sum(iff(test, x, null)), over the rows of a group."],
  ["average avg mean media média mittelwert", "Write round(sum(x) / count(x), 2), over the rows of a group."],
  [
    "left right mid substr substring slice split regexextract esquerda direita links rechts",
    'Write extract(x, "^.{3}"), with a pattern.',
  ],
  ["substitute substituir sustituir", 'Write replace(x, "-", "").'],
  [
    "proper touppercase tolowercase ucase lcase maiúscula minúscula mayusc minusc gross klein",
    "Write upper(x) or lower(x).",
  ],
  [
    "regex regexmatch test search find includes indexof procurar localizar",
    'Write matches(x, "^a"), or contains(x, "a").',
  ],
  ["format dateformat strftime formatar year month day hour ano mes mês dia hora", DAY_OF_TIME],
  [
    "today now hoje agora hoy ahora heute jetzt",
    "Take the time from a column: with the time of import, rows would differ on every import.",
  ],
];

export const functionHabit = (name: string): string | undefined =>
  FUNCTION_HABITS.find(([names]) => names.split(" ").includes(name.toLowerCase()))?.[1];
