/** The functions of formulas: what they take and give, what they do. Blank in, blank out, unless `formula.ts` knows one by name. */
import { RE2JS } from "re2js";
import type { Code } from "../../model/codes.js";
import { conversionNames } from "../convert/conversion.js";
import { asText, type Type, type Value } from "../column/view.js";
import type { Conversions } from "../column/column.js";
import { MAX_TEXT } from "../column/cells.js";
import { Exact } from "../convert/exact.js";
import { foldName, shorten } from "../../model/fold.js";

/** Why a formula has no value for a row. */
export class FormulaFailure extends Error {
  readonly code: Code;
  readonly hint: string | null;

  constructor(message: string, code: Code = "expression-failed", hint: string | null = null) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** For the reference: signature and meaning of every function. */
export const formulaFunctions: readonly { signature: string; meaning: string }[] = [
  {
    signature: "filled(x), blank(x)",
    meaning: "Whether there is something, or nothing. Only these two are never blank.",
  },
  { signature: "default(x, y)", meaning: "x, or y where x is blank." },
  { signature: "required(x)", meaning: "x; a blank is a problem of the row." },
  {
    signature: "iff(test, a, b)",
    meaning: "a where the test is true, else b. `null` is a blank branch. The same as `test ? a : b`.",
  },
  { signature: "x in [a, b]", meaning: "Whether x is one of them. Text is compared exactly: see `fold`." },
  { signature: "fold(text)", meaning: 'Case, accents and white space folded: `fold(status) == "rascunho"`.' },
  { signature: "upper(text), lower(text), digits(text), slug(text)", meaning: "As the types of columns do it." },
  {
    signature: "number(text), date(text), timestamp(text), boolean(text), taxId(text) …",
    meaning: 'Every type of a column is a function, for what is put together first: `timestamp(day + " " + time)`.',
  },
  { signature: "text(x)", meaning: 'Anything as text, as keys and attributes have it: `text(net) + " kg"`.' },
  {
    signature: "round(number, places)",
    meaning: "Halves away from zero. A division stands inside it, for a quotient may have no end.",
  },
  {
    signature: "fixed(number, places)",
    meaning: "As text with exactly so many places; more of them in the number are a problem of the row.",
  },
  { signature: "abs(number)", meaning: "Without its sign." },
  { signature: "size(text)", meaning: "How many characters it has." },
  { signature: "padLeft(text, length, with)", meaning: 'Filled up from the left: `padLeft(ticket, 6, "0")`.' },
  { signature: "contains(text, part), startsWith(text, part), endsWith(text, part)", meaning: "Compared exactly." },
  { signature: "matches(text, pattern)", meaning: "Whether some part matches the RE2 pattern, which is written out." },
  { signature: "extract(text, pattern)", meaning: "The first match, or its first group; blank where nothing matches." },
  { signature: "replace(text, pattern, by)", meaning: "Every match replaced; `$1` stands for a group." },
  {
    signature: "sum(x), min(x), max(x), count(x), first(x), last(x), join(x, between)",
    meaning: "Over the rows of a group. Blanks do not count; `join` takes each text once.",
  },
];

const MAX_PLACES = 20;
const MAX_PADDED = 1000;

export interface FunctionKind {
  /** Of each argument; a literal pattern is compiled when the mapping loads. */
  takes: readonly (Type | "pattern")[];
  gives: Type;
  // oxlint-disable-next-line typescript/no-explicit-any -- the types of arguments are checked by `takes`
  run: (...values: any[]) => Value | undefined;
}

/** By name; those that types of columns lend follow the mapping's defaults. */
export function functionTable(conversions: Conversions): Map<string, FunctionKind> {
  const table = new Map<string, FunctionKind>();
  for (const name of conversionNames) {
    if (name === "text" || name === "hash") continue;
    table.set(name, {
      takes: ["text"],
      gives: typeOf(name),
      run: (text: string) => {
        const result = conversions.get(name)(text, "text");
        if ("value" in result) return valueOf(result.value, name);
        throw new FormulaFailure(`${name}(): ${result.problem.message}`, result.problem.code, result.problem.hint);
      },
    });
  }
  const add = (name: string, takes: FunctionKind["takes"], gives: Type, run: FunctionKind["run"]) =>
    table.set(name, { takes, gives, run });
  add("fold", ["text"], "text", foldName);
  add("size", ["text"], "number", (text: string) => Exact.of(String(Array.from(text).length)));
  add("round", ["number", "number"], "number", (number: Exact, places: Exact) => number.round(placesOf(places)));
  add("fixed", ["number", "number"], "text", fixed);
  add("abs", ["number"], "number", (number: Exact) => (number.text.startsWith("-") ? number.negated() : number));
  add("padLeft", ["text", "number", "text"], "text", (text: string, length: Exact, fill: string) =>
    text.padStart(Math.min(Number(length.text), MAX_PADDED), fill),
  );
  add("contains", ["text", "text"], "boolean", (text: string, part: string) => text.includes(part));
  add("startsWith", ["text", "text"], "boolean", (text: string, part: string) => text.startsWith(part));
  add("endsWith", ["text", "text"], "boolean", (text: string, part: string) => text.endsWith(part));
  add("matches", ["text", "pattern"], "boolean", (text: string, by: RegularExpression) => by.matchesPart(text));
  add("extract", ["text", "pattern"], "text", (text: string, by: RegularExpression) => by.extract(text));
  add("replace", ["text", "pattern", "text"], "text", (text: string, by: RegularExpression, to: string) => {
    if (text.length * (to.length + 1) > 16 * MAX_TEXT) throw new FormulaFailure("replace() would make too long a text");
    return by.replace(text, to);
  });
  return table;
}

/** What a conversion gave, as formulas have it. */
export function valueOf(value: string | number | boolean, conversion: string): Value {
  return typeOf(conversion) === "number" ? Exact.of(String(value), String(value)) : value;
}

/** The type of a column's values. */
export function typeOf(conversion: string): Type {
  if (conversion === "number" || conversion === "integer") return "number";
  return conversion === "boolean" || conversion === "timestamp" || conversion === "taxId" ? conversion : "text";
}

const MAX_PATTERN = 1000;
const MAX_PROGRAM = 20_000;

/** A regular expression of a mapping: RE2, whose time is proportional to the text. */
export interface RegularExpression {
  /** Whether the whole text matches. */
  matchesWhole(text: string): boolean;
  /** Whether some part of the text matches. */
  matchesPart(text: string): boolean;
  /** The text with every match replaced; `$1` stands for a group. */
  replace(text: string, replacement: string): string;
  /** The first match, or its first group where it has groups; "" where nothing matches. */
  extract(text: string): string;
}

/** @throws Error with a sentence about what is wrong with the pattern. */
export function compileRegularExpression(pattern: string): RegularExpression {
  if (pattern.length > MAX_PATTERN)
    throw new Error(`the pattern has ${pattern.length} characters; at most ${MAX_PATTERN} are allowed`);
  const compiled = RE2JS.compile(pattern);
  if (compiled.programSize() > MAX_PROGRAM)
    throw new Error("the pattern is too large once its repetitions are written out");
  return {
    matchesWhole: (text) => compiled.testExact(text),
    matchesPart: (text) => compiled.test(text),
    replace: (text, replacement) => compiled.matcher(text).replaceAll(replacement),
    extract: (text) => {
      const matcher = compiled.matcher(text);
      if (!matcher.find()) return "";
      return matcher.group(compiled.groupCount() > 0 ? 1 : 0) ?? "";
    },
  };
}

function placesOf(places: Exact): number {
  const number = Number(places.text);
  if (!Number.isInteger(number) || number < 0 || number > MAX_PLACES)
    throw new FormulaFailure(`${places.text} is no number of places from 0 to ${MAX_PLACES}`);
  return number;
}

function fixed(number: Exact, places: Exact): string {
  const wanted = placesOf(places);
  const [whole = "", fraction = ""] = number.text.split(".");
  if (fraction.length > wanted) {
    const message = `fixed(): ${number.text} has ${fraction.length} digits after the decimal mark; ${wanted} are allowed`;
    throw new FormulaFailure(message, "number-range", "Round it first: fixed(round(x, 2), 2).");
  }
  return wanted === 0 ? whole : `${whole}.${fraction.padEnd(wanted, "0")}`;
}

/** A module's own function, which takes and gives what JavaScript has. */
export function callCustom(
  name: string,
  call: (...values: unknown[]) => unknown,
  given: readonly Value[],
  types: readonly Type[],
): Value | undefined {
  const values = given.map((value, position) => passed(name, value, types[position] ?? "text"));
  let result: unknown;
  try {
    result = call(...values);
  } catch (error) {
    const why = shorten(error instanceof Error ? error.message : error);
    throw new FormulaFailure(`the custom function ${name} threw: ${why}`, "function-failed");
  }
  if (result === undefined || result === null || result === "") return undefined;
  if (typeof result === "string" || typeof result === "boolean") return result;
  if (typeof result === "bigint" || (typeof result === "number" && Number.isFinite(result)))
    return Exact.of(String(result));
  if (result instanceof Promise) result.catch(() => undefined);
  const what =
    result instanceof Promise
      ? "a promise; custom functions are synchronous"
      : `${typeof result}, not text, a number, true, false or null`;
  throw new FormulaFailure(`the custom function ${name} gave ${what}`, "function-failed");
}

/** JavaScript's own number of ours, where it has all the digits; a time in ISO 8601. */
function passed(name: string, value: Value, type: Type): string | number | boolean {
  if (typeof value === "boolean") return value;
  const text = asText(value, type);
  if (!(value instanceof Exact)) return text;
  if (String(Number(text)) === text) return Number(text);
  const message = `the custom function ${name} was given ${text}, of which a JavaScript number loses digits`;
  throw new FormulaFailure(message, "function-failed", "Pass it as text: text(x).");
}
