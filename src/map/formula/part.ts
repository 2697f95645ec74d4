/** Compiled nodes of a formula, and conversions between their types. */
import type { ASTNode } from "@marcbachmann/cel-js";
import { foldName, shorten } from "../../model/fold.js";
import { MAX_TEXT } from "../column/cells.js";
import type { Scope } from "../column/scope.js";
import { asText, type Eval, type Maybe, type Type, type Value, type View } from "../column/view.js";
import { quoteCell, Refused, type ConvertDefaults } from "../convert/conversion-kind.js";
import { Exact } from "../convert/exact.js";
import { readNumber } from "../convert/number-text.js";
import type { Reads, Typed } from "../piece.js";
import { DAY_OF_TIME, refuseNode, TIME_OF_DAY } from "./parse.js";

export interface Part extends Typed {
  /** A literal text, with its quotes. */
  written?: string;
}

export interface Compiling {
  scope: Scope;
  reads: Reads;
  /** Whether a quotient gets a last digit here. */
  rounded: boolean;
  compile(node: ASTNode): Part;
  /** @throws FormulaRefusal if it cannot have that type. */
  typed(node: ASTNode, type: Type): Part;
}

/** Of a function or an operator: only as many as it takes. */
export type Args = [ASTNode, ASTNode, ASTNode];

export interface Callable {
  takes: readonly number[];
  compile(args: Args, context: Compiling, node: ASTNode): Part;
}

/** What it is called, and its form in a row. */
const TYPES: { [type in Type]: [name: string, form: string] } = {
  text: ["text", "string"],
  taxId: ["a tax id", "string"],
  number: ["a number", "object"],
  boolean: ["true or false", "boolean"],
  timestamp: ["a time", "number"],
  any: ["anything", "string"],
  blank: ["nothing", "string"],
};

export const typeName = (type: Type): string => TYPES[type][0];
export const formOf = (type: Type): string => TYPES[type][1];

/** @throws FormulaRefusal if it cannot have the type. */
export function wanted(given: Part, type: Type, node: ASTNode): Part {
  if (given.type === type || given.type === "blank" || (given.type === "taxId" && type === "text")) return given;
  if (given.type === "any") return { ...given, type, run: narrowed(given.run, type) };
  return refuseNode(
    node,
    `${typeName(type)} is needed here, and this is ${typeName(given.type)}`,
    remedyFor(given, type, node),
  );
}

export const sourceOf = ({ input, start, end }: ASTNode): string => input.slice(start, end);

/** How to give the value that type. */
function remedyFor(given: Part, type: Type, node: ASTNode): string | null {
  const { column, written } = given;
  if (type === "number" && (column?.as === "date" || given.type === "timestamp"))
    return "Days and times can be compared; to calculate with them, write a function (`functions:`).";
  if (column && given.type === "text")
    return column.use?.isFormula
      ? `A formula begins with =: \`${column.name}: =${column.use.headers[0]}\`.`
      : `Give the column "${column.name}" \`as: ${type}\`.`;
  if (written !== undefined) return "In quotes, it is text; write a column by its name.";
  if (type === "text" && given.type === "timestamp") return DAY_OF_TIME;
  const castable = type === "text" || given.type === "text";
  return castable ? `Write ${type}(${shorten(sourceOf(node))}).` : null;
}

/** Checks each row's value. */
function narrowed(run: Eval, type: Type): Eval {
  return (view) => {
    const value = run(view);
    if (value == null || typeof value === formOf(type)) return value;
    const given = typeof value === "string" ? quoteCell(value) : asText(value);
    const hint = `Write ${type}(…) around the function.`;
    throw new Refused(`${typeName(type)} is needed, and a function gave ${given}`, undefined, hint);
  };
}

export function common(one: Part, left: ASTNode, two: Part, right: ASTNode): Type {
  const [a, b] = [one.type, two.type];
  if (a === b || b === "blank") return a;
  if (a === "blank") return b;
  const plain = [a, b].map((type) => (type === "taxId" ? "text" : type));
  const [known = "any", second] = new Set(plain.filter((type) => type !== "any"));
  if (second === undefined) return known;
  const other = plain.find((type) => type !== "text");
  const [text, node, otherNode] = a === other ? ([two, right, left] as const) : ([one, left, right] as const);
  const isDay = text.column?.as === "date" && other === "timestamp";
  const hint = isDay
    ? TIME_OF_DAY
    : plain.includes("text")
      ? `Make their types match, with ${other}(${shorten(sourceOf(node))}) or text(${shorten(sourceOf(otherNode))}). Columns are text unless they say \`as: ${other}\`.`
      : plain.includes("timestamp")
        ? 'A time is written timestamp("…"), in a format of the mapping.'
        : null;
  return refuseNode(node, `${typeName(a)} and ${typeName(b)} cannot be combined`, hint);
}

/** Undefined: one of them is blank. Null: one is unreadable. */
export function valuesOf(parts: readonly Part[], view: View): Maybe<Value[]> {
  // Reads all of them, so that all problems are reported.
  const values = parts.map((part) => part.run(view));
  if (values.includes(null)) return null;
  return values.includes(undefined) ? undefined : (values as Value[]);
}

/** Calls `apply` only if no value is blank. */
export function lift(
  type: Type,
  parts: readonly Part[],
  // oxlint-disable-next-line typescript/no-explicit-any -- the parts have been typed when the mapping loads
  apply: (...values: any[]) => Maybe<Value>,
): Part {
  const run: Eval = (view) => {
    const values = valuesOf(parts, view);
    if (values == null) return values;
    const value = apply(...values);
    if (typeof value === "string" && value.length > MAX_TEXT)
      throw new Refused(`it makes a text of more than ${MAX_TEXT} characters`);
    return value;
  };
  return { type, run };
}

export type Order = (a: Value, b: Value) => number;

/**
 * Which comes first. Texts are ordered letter by letter, which is refused where they are numbers or days of another order:
 * days come in order only in forms such as `yyyy-MM-dd`.
 */
export function orderBy({ decimal = "." }: ConvertDefaults): Order {
  const marks = decimal === "." ? ([".", ","] as const) : ([",", "."] as const);
  return (a, b) => {
    const found = compare(a, b);
    if (typeof a !== "string" || typeof b !== "string") return found;
    const both = [a, b];
    const refuse = (what: string, as: string): never => {
      const hint = `Texts are ordered letter by letter: give their columns \`as: ${as}\`, or compare ${as}(x).`;
      throw new Refused(`${quoteCell(a)} and ${quoteCell(b)} are texts here, and ${what}`, undefined, hint);
    };
    if (both.some((text) => DAY.test(text)) && !both.every((text) => YEAR_FIRST.test(text)))
      refuse("not in the order of days", "date");
    for (const mark of marks) {
      const [one, two] = both.map((text) => readNumber(text, mark, true));
      if (typeof one !== "object" || typeof two !== "object") continue;
      // `A-1` and `B-2` are codes, not numbers of two units.
      if (one.unit !== "" && two.unit !== "" && foldName(one.unit) !== foldName(two.unit)) return found;
      if (Exact.of(one.text).compare(Exact.of(two.text)) === found) return found;
      return refuse("another order of numbers", "number");
    }
    return found;
  };
}

const DAY = /^\d{1,4}([-./])\d{1,2}\1\d{1,4}(?!\d)/;
const YEAR_FIRST = /^\d{4}(?:$|[-./]\d\d(?!\d))/;

export function compare(a: Value, b: Value): number {
  if (a instanceof Exact && b instanceof Exact) return a.compare(b);
  const [one, two] = typeof a === "number" && typeof b === "number" ? [a, b] : [asText(a), asText(b)];
  return one < two ? -1 : one > two ? 1 : 0;
}
