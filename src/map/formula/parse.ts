/** Parses formulas (CEL), and explains mistakes in a spreadsheet user's words. */
import { type ASTNode, Environment, ParseError } from "@marcbachmann/cel-js";

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
  try {
    return environment.parse(text).ast;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return refuseNode(error.range ?? { start: 0 }, explain(error, text), habitOf(text));
  }
}

const TOKENS: { [name: string]: string } = {
  EOF: "the end",
  LPAREN: '"("',
  RPAREN: '")"',
  LBRACKET: '"["',
  RBRACKET: '"]"',
  COMMA: '","',
  COLON: '":"',
  IDENTIFIER: "a name",
  NUMBER: "a number",
  STRING: "a text",
};

function explain({ code, summary, range }: ParseError, text: string) {
  const named = summary.replaceAll(/\b[A-Z]{2,}\b/g, (name) => TOKENS[name] ?? name.toLowerCase());
  if (code === "expected_token") {
    const [wanted = "", found = ""] = named.replace("Expected ", "").split(", got ");
    return `${wanted} is expected here, not ${found}`;
  }
  if (code === "unexpected_token") return `${named.replace("Unexpected token: ", "")} is not expected here`;
  if (code === "unexpected_character") return `${JSON.stringify(text.at(range?.start ?? 0) ?? "")} is not allowed here`;
  if (code === "unterminated_string") return "a text that begins here has no closing quote";
  if (code === "limit_exceeded") return "it is too long or too deep; give parts of it names under `columns:`";
  if (code === "reserved_identifier") return `${summary.replace("Reserved identifier: ", "")} is a reserved word`;
  return summary.toLowerCase().replace(/\.$/, "");
}

/** Habits from spreadsheets and other languages. */
const HABITS: readonly [sign: RegExp, hint: string][] = [
  [/[“”„«»‘’]/, 'Write straight quotes: "text".'],
  [/<>/, "Write != for “is not equal”."],
  [/(?:^|[^&])&(?:$|[^&])/, 'Join texts with +, as in code + "-1". && means “and”.'],
  [/;/, "Arguments are separated by commas: iff(test, a, b)."],
  [/\d,\d/, "Write a decimal point: 1.5."],
  [/(?:^|[^=!<>])=(?:$|[^=])/, 'Write == to compare: event == "Coleta".'],
  [/\b(?:and|or|not)\b/i, "Write && for “and”, || for “or”, ! for “not”."],
];

function habitOf(text: string): string | null {
  const code = withoutTexts(text);
  return HABITS.find(([sign]) => sign.test(code))?.[1] ?? null;
}

/** Leaves an opening quote in the place of each text. */
export function withoutTexts(formula: string): string {
  return formula.replace(/(["'])(?:\\.|(?!\1)[^\\])*\1?/gs, "$1");
}

/** The replacement for functions of spreadsheets and of CEL. */
const FUNCTION_HABITS = new Map(
  Object.entries({
    and: "Write a && b.",
    or: "Write a || b.",
    not: "Write !a.",
    e: "Write a && b.",
    ou: "Write a || b.",
    se: "Write iff(test, a, b).",
    if: "Write iff(test, a, b).",
    concatenate: "Join texts with +.",
    concat: "Join texts with +.",
    isblank: "Write blank(x).",
    vlookup: "Read a table: tables.plants[code].region.",
    procv: "Read a table: tables.plants[code].region.",
    len: "Write size(x).",
    trim: "Cells are trimmed already.",
    value: "Give the column `as: number`, or write number(x).",
    has: "Write filled(x).",
    string: "Write text(x).",
    int: "Give the column `as: number`, or write number(x).",
    double: "Give the column `as: number`, or write number(x).",
  }),
);

export const functionHabit = (name: string): string | undefined => FUNCTION_HABITS.get(name.toLowerCase());
