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

export function parseFormula(text: string): ASTNode {
  if (text.length > MAX_LENGTH)
    throw new FormulaRefusal(0, `it has ${text.length} characters; at most ${MAX_LENGTH} are allowed`);
  try {
    return environment.parse(text).ast;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new FormulaRefusal(error.range?.start ?? 0, explain(error, text), habitOf(text));
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

function explain({ code, summary, range }: ParseError, text: string): string {
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

/** Habits from spreadsheets and other languages; null: none. */
function habitOf(text: string): string | null {
  const code = withoutTexts(text);
  if (/[“”„«»‘’]/.test(code)) return 'Write straight quotes: "text".';
  if (code.includes("<>")) return "Write != for “is not equal”.";
  if (/(?:^|[^&])&(?:$|[^&])/.test(code)) return 'Join texts with +, as in code + "-1". && means “and”.';
  if (code.includes(";")) return "Arguments are separated by commas: iff(test, a, b).";
  if (/\d,\d/.test(code)) return "Write a decimal point: 1.5.";
  if (/(?:^|[^=!<>])=(?:$|[^=])/.test(code)) return 'Write == to compare: event == "Coleta".';
  if (/\b(?:and|or|not)\b/i.test(code)) return "Write && for “and”, || for “or”, ! for “not”.";
  return null;
}

export function withoutTexts(formula: string): string {
  let code = "";
  let quote = "";
  for (let at = 0; at < formula.length; at++) {
    const sign = formula[at] ?? "";
    if (quote === "") code += sign;
    if (quote === "" && (sign === '"' || sign === "'")) quote = sign;
    else if (quote !== "" && sign === "\\") at++;
    else if (sign === quote) quote = "";
  }
  return code;
}

const FUNCTION_HABITS: { [name: string]: string } = {
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
};

/** The replacement for a function of spreadsheets or CEL. */
export function functionHabit(name: string): string | null {
  const known = name.toLowerCase();
  return Object.hasOwn(FUNCTION_HABITS, known) ? (FUNCTION_HABITS[known] ?? null) : null;
}
