/** The functions of formulas. Blank in, blank out, except those in `forms.ts`. */
import type { ASTNode } from "@marcbachmann/cel-js";
import { RE2JS, RE2JSSyntaxException } from "re2js";
import { foldName, shorten } from "../../model/fold.js";
import { MAX_TEXT } from "../column/cells.js";
import type { Conversions } from "../column/column.js";
import { asText, type Type, type Value } from "../column/view.js";
import { conversionNames } from "../convert/conversion.js";
import { quoteCell, Refused } from "../convert/conversion-kind.js";
import { Exact } from "../convert/exact.js";
import { withPlaces } from "../convert/number-text.js";
import type { Never } from "../piece.js";
import { forms } from "./forms.js";
import { refuseNode } from "./parse.js";
import { type Callable, lift, type Part, wanted } from "./part.js";

/** For the reference: what each gives. */
export const formulaFunctions = {
  "filled(x), blank(x)":
    "Whether there is a value, or none. Like `==`, `!=`, `in` and `count()`, they are never blank.",
  "default(x, y)": "x, or y if x is blank.",
  "required(x)": "x; a blank is a problem of the row.",
  "iff(test, a, b)":
    "a if the test is true; b if it is false or blank. `null` gives a blank. The same as `test ? a : b`.",
  "x in [a, b]": "Whether x is one of them. Text is compared exactly: see `fold`.",
  "fold(text)": 'Case, accents and white space folded: `fold(status) == "rascunho"`.',
  "upper(text), lower(text), digits(text), slug(text)": "The same as the column type of that name.",
  "number(text), date(text), timestamp(text), boolean(text), taxId(text) …":
    'Every column type except `hash` is also a function, for values that are assembled first: `timestamp(day + " " + time)`.',
  "text(x)":
    'Anything as text, in the form that keys and attributes have: `text(net) + " kg"`. A time as text is in UTC: for its day, month or year, name its header a second time with `as: date`.',
  "round(number, places)":
    "Rounded, halves away from zero. Put divisions inside it, because a quotient may have endless digits.",
  "fixed(number, places)": "As text with exactly this many places; a number with more is a problem of the row.",
  "abs(number)": "The number without its sign.",
  "size(text)": "How many characters the text has.",
  "padLeft(text, length, with)": 'Padded on the left, to at most 1000 characters: `padLeft(ticket, 6, "0")`.',
  "contains(text, part), startsWith(text, part), endsWith(text, part)": "Compared exactly.",
  "matches(text, pattern)":
    "Whether any part matches the RE2 pattern, which must be a literal text. In texts a backslash is doubled, so prefer `[.]` and `[0-9]`.",
  "extract(text, pattern)": "The first match, or its first group; blank if nothing matches.",
  "replace(text, pattern, by)": "The text with every match replaced; in a literal replacement, `$1` means a group.",
  "sum(x), min(x), max(x), count(x), first(x), last(x), join(x, between)":
    "Over the rows of a group. Blanks do not count; `join` uses each text once.",
};

const MAX_PLACES = 20;
const MAX_PADDED = 1000;

// oxlint-disable-next-line typescript/no-explicit-any -- the types of arguments are checked by `takes`
type Run = (...values: any[]) => Value | undefined;
/** A literal pattern is compiled when the mapping loads. `written`: a text, or a number as it is. */
type Takes = Type | "pattern" | "replacement" | "written";

export function ofValues(takes: readonly Takes[], gives: Type, run: Run, never?: Never): Callable {
  return {
    takes: [takes.length],
    compile: (args, { compile }) => {
      const patterns = new Map<number, RE2JS>();
      const parts = args.map((arg, position): Part => {
        const type = takes[position] ?? "text";
        if (type !== "pattern") return argument(arg, type, compile(arg));
        refuseSlip(arg, args[position + 1]);
        patterns.set(position, patternOf(arg));
        return { type: "text", run: () => "" };
      });
      const part = lift(gives, parts, (...values: Value[]) => {
        const value = run(...values.map((given, position) => patterns.get(position) ?? given));
        return value === "" ? undefined : value;
      });
      return { ...part, never };
    },
  };
}

/** Signs of patterns that were meant as they stand. */
function refuseSlip(node: ASTNode, by: ASTNode | undefined) {
  if (node.op !== "value" || typeof node.args !== "string") return;
  if (node.args === "." && by?.op === "value" && /^[ ,;/-]?$/.test(String(by.args)))
    refuseNode(node, "in a pattern, . means any character", "Write [.] for a dot.");
  if (/^(?:R|US)\$|\$ *[\w.,]/.test(node.args.replaceAll(/\\.|\[[^[\]]*\]/gs, "")))
    refuseNode(node, "in a pattern, $ means the end of the text", "Write [$] for a dollar sign.");
}

/** Text functions take any value as keys write it; numbers stay numbers. */
function argument(node: ASTNode, type: Exclude<Takes, "pattern">, given: Part): Part {
  if (type === "written") return given.type === "number" ? given : argument(node, "text", given);
  if (type !== "text" && type !== "replacement") return wanted(given, type, node);
  const part = given.type === "number" ? given : wanted(given, "text", node);
  // In a cell, `US$10` names no group.
  const isPlain = type === "text" || given.written !== undefined;
  const plain = isPlain ? (text: string) => text : RE2JS.quoteReplacement;
  return lift("text", [part], (value: Value) => plain(asText(value, given.type)));
}

function patternOf(node: ASTNode): RE2JS {
  if (node.op !== "value" || typeof node.args !== "string")
    return refuseNode(node, "the pattern must be a literal text");
  try {
    return compileRegularExpression(node.args);
  } catch (error) {
    return refuseNode(node, (error as Error).message, PATTERN_SIGNS);
  }
}

/** They take text, numbers and booleans, and return text, a number, a boolean or null (blank). */
export type CustomFunction = (...values: unknown[]) => unknown;

/** Functions named like column types use the mapping's defaults. `refuse`: why a custom function cannot be called. */
export function callables(
  conversions: Conversions,
  custom: ReadonlyMap<string, CustomFunction>,
  refuse: (why: string) => void,
): ReadonlyMap<string, Callable> {
  const table = new Map(forms);
  for (const name of conversionNames) {
    if (name === "text" || name === "hash") continue;
    // The text of a number is not in the mapping's form.
    const convert = (given: string | Exact) =>
      conversions.get(name)(asText(given), typeof given === "string" ? "text" : "number");
    const run = (given: string | Exact) => {
      const result = convert(given);
      if (!(result instanceof Refused)) return result;
      throw new Refused(`${name}(): ${result.message}`, result.code, result.hint);
    };
    const spelling = (text: string) => {
      const result = convert(text);
      return result instanceof Refused ? null : String(result);
    };
    table.set(
      name,
      ofValues(
        [typeOf(name) === "number" ? "written" : "text"],
        typeOf(name),
        run,
        SPELLS.has(name) ? neverBut(spelling) : undefined,
      ),
    );
  }
  for (const [name, takes, gives, run] of FUNCTIONS)
    table.set(name, ofValues(takes, gives, run, name === "fold" ? neverBut(foldName) : undefined));
  for (const [name, call] of custom) {
    if (table.has(name)) refuse(`${name}() has the name of a built-in function`);
    table.set(name, {
      takes: [call.length],
      compile: (args, { compile, reads }) => {
        reads.others.add("function");
        const parts = args.map(compile);
        const types = parts.map(({ type }) => type);
        return lift("any", parts, (...values: Value[]) => callCustom(name, call, values, types));
      },
    });
  }
  return table;
}

/** Applying them twice changes nothing. */
const SPELLS: ReadonlySet<string> = new Set(["upper", "lower", "slug", "digits", "country", "state", "phone"]);

/** For a function that spells all texts in one way. */
function neverBut(spelling: (text: string) => string | null): Never {
  return (text) => {
    const better = spelling(text);
    return better === text ? null : better ? `Write "${better}".` : "It never gives such a text.";
  };
}

const fixed = ({ text }: Exact, places: Exact) =>
  withPlaces(text, placesOf(places), `fixed(): ${text}`, "Round it first: fixed(round(x, 2), 2).");

const FUNCTIONS: readonly [name: string, takes: readonly Takes[], gives: Type, run: Run][] = [
  ["fold", ["text"], "text", foldName],
  ["size", ["text"], "number", (text: string) => Exact.of(Array.from(text).length)],
  ["round", ["number", "number"], "number", (number: Exact, places: Exact) => number.round(placesOf(places))],
  ["fixed", ["number", "number"], "text", fixed],
  ["abs", ["number"], "number", (number: Exact) => (number.text.startsWith("-") ? number.negated() : number)],
  ["padLeft", ["text", "number", "text"], "text", padLeft],
  ["contains", ["text", "text"], "boolean", (text: string, part: string) => text.includes(part)],
  ["startsWith", ["text", "text"], "boolean", (text: string, part: string) => text.startsWith(part)],
  ["endsWith", ["text", "text"], "boolean", (text: string, part: string) => text.endsWith(part)],
  ["matches", ["text", "pattern"], "boolean", (text: string, by: RE2JS) => by.test(text)],
  ["extract", ["text", "pattern"], "text", extract],
  ["replace", ["text", "pattern", "replacement"], "text", replace],
];

function padLeft(text: string, length: Exact, fill: string) {
  if (Number(length.text) > MAX_PADDED) throw new Refused(`padLeft() fills up to at most ${MAX_PADDED} characters`);
  return text.padStart(Number(length.text), fill);
}

/** The first match, or its first group; "" for no match. */
function extract(text: string, by: RE2JS) {
  const matcher = by.matcher(text);
  return matcher.find() ? (matcher.group(by.groupCount() > 0 ? 1 : 0) ?? "") : "";
}

/** `$1` means a group. */
function replace(text: string, by: RE2JS, to: string) {
  if (text.length * (to.length + 1) > 16 * MAX_TEXT) throw new Refused("replace() would make too long a text");
  return by.matcher(text).replaceAll(to);
}

function placesOf({ text }: Exact) {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0 && number <= MAX_PLACES) return number;
  throw new Refused(`${text} is not a number of places from 0 to ${MAX_PLACES}`);
}

export function typeOf(conversion: string): Type {
  if (conversion === "number" || conversion === "integer") return "number";
  return conversion === "boolean" || conversion === "timestamp" || conversion === "taxId" ? conversion : "text";
}

const MAX_PATTERN = 1000;
const MAX_PROGRAM = 20_000;

/** RE2, whose time is proportional to the text. @throws Error with a sentence about the pattern's mistake. */
export function compileRegularExpression(pattern: string): RE2JS {
  if (pattern.length > MAX_PATTERN)
    throw new Error(`the pattern has ${pattern.length} characters; at most ${MAX_PATTERN} are allowed`);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (cause) {
    const { error, input } = cause instanceof RE2JSSyntaxException ? cause : { error: "", input: null };
    const why = PATTERN_FAULTS[error] ?? "it is not a regular expression";
    throw new Error(`the pattern ${quoteCell(pattern)} cannot be read: ${why}${input === null ? "" : `: ${input}`}`, {
      cause,
    });
  }
  if (compiled.programSize() > MAX_PROGRAM)
    throw new Error("the pattern is too large once its repetitions are written out");
  return compiled;
}

export const PATTERN_SIGNS =
  "Some pattern syntax (RE2): .* any text, [0-9]{5} five digits, [A-Z]+ letters, (a|b) one of two, \\. a dot.";

const PATTERN_FAULTS: { [theirs: string]: string } = {
  "missing argument to repetition operator": "nothing comes before a repetition operator",
  "invalid nested repetition operator": "two repetition operators follow each other",
  "invalid repeat count": "that many repetitions are not possible",
  "missing closing ]": "a [ is not closed",
  "missing closing )": "a ( is not closed",
  "unexpected )": "a ) was never opened",
  "invalid character class range": "a range in [ ] runs backwards",
  "invalid escape sequence": "the character after the \\ has no meaning",
  "trailing backslash at end of expression": "it ends with a \\",
  "invalid or unsupported Perl syntax": "this is not part of RE2, which has no look-ahead or look-behind",
};

function callCustom(
  name: string,
  call: CustomFunction,
  given: readonly Value[],
  types: readonly Type[],
): Value | undefined {
  const fail = (message: string, hint: string | null = null): never => {
    throw new Refused(`the custom function ${name} ${message}`, "function-failed", hint);
  };
  const values = given.map((value, position) => {
    if (typeof value === "boolean") return value;
    const text = asText(value, types[position]);
    if (!(value instanceof Exact)) return text;
    if (String(Number(text)) === text) return Number(text);
    return fail(
      `was given ${text}, and a JavaScript number would lose some of its digits`,
      "Pass it as text: text(x).",
    );
  });
  let result: unknown;
  try {
    result = call(...values);
  } catch (error) {
    fail(`threw: ${whyOf(error)}`);
  }
  if (result === undefined || result === null || result === "") return undefined;
  if (typeof result === "string" || typeof result === "boolean") return result;
  if (typeof result === "bigint" || (typeof result === "number" && Number.isFinite(result)))
    return Exact.of(String(result));
  if (!(result instanceof Promise))
    return fail(
      `gave ${typeof result === "number" ? result : `a value of type ${typeof result}`}, not text, a number, true, false or null`,
    );
  result.catch(() => undefined);
  return fail("returned a promise; custom functions must be synchronous");
}

/** Modules of users throw anything. */
export function whyOf(error: unknown): string {
  try {
    return shorten(error instanceof Error ? error.message : error);
  } catch {
    return "something that has no text";
  }
}
