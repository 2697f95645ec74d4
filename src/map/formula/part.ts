/** What formulas are compiled to, what they may name, and how values of one type stand in for another. */
import type { ASTNode } from "@marcbachmann/cel-js";
import { MAX_TEXT } from "../column/cells.js";
import type { HeaderUse } from "../column/headers.js";
import type { Table } from "../column/table.js";
import { asText, type Eval, type Type, type Value, type View } from "../column/view.js";
import type { ConversionName } from "../convert/conversion.js";
import { Exact } from "../convert/exact.js";
import { shorten } from "../../model/fold.js";
import type { MappingSource } from "../language/source.js";
import { FormulaFailure, type FunctionKind } from "./functions.js";
import { FormulaRefusal } from "./parse.js";

/** What a formula may name. */
export interface FormulaNames {
  source: MappingSource;
  /** Whether the rows of a group are looked at together. */
  grouped: boolean;
  functions: ReadonlyMap<string, (...values: unknown[]) => unknown>;
  functionKinds: ReadonlyMap<string, FunctionKind>;
  names(): Iterable<string>;
  /** Undefined: there is none. Null: it has a mistake, which has been reported. */
  column(name: string): Column | undefined | null;
  tables: ReadonlyMap<string, Table | null>;
  taxIdPart(given: Part, name: "type" | "country"): Eval;
  /** A place where a row's value is remembered. */
  slot(): number;
}

export interface Column {
  name: string;
  slot: number;
  type: Type;
  /** How its cells are converted; null: a formula. */
  as: ConversionName | null;
  read: Eval;
  /** Of a header: whether the cell holds something, readable or not. */
  filled: ((view: View) => boolean) | null;
  /** How its header is found; null: a formula, or a set. */
  use: HeaderUse | null;
  /** A set of columns: which headers it takes, and the value at one of them. */
  set: {
    pattern: string;
    fits: (header: string) => boolean;
    at: (view: View, index: number) => Value | undefined | null;
  } | null;
  reads: Reads;
  tree: string;
  /** Whether a key or an id is made of it. */
  identity: boolean;
  /** Of a tax id: what is said of its type and country. */
  taxId: { type: string | Formula | null; country: string | Formula | null } | null;
}

/** What a formula reads, the formulas of its columns included. */
export interface Reads {
  columns: Set<Column>;
  /** As `plants.region`. */
  tables: Set<string>;
  functions: Set<string>;
  /** Whether the row's number enters. */
  row: boolean;
  aggregate: boolean;
}

export interface Formula {
  type: Type;
  run: Eval;
  reads: Reads;
  /** What it is made of, headers instead of names: equal texts, and equal tables, mean equal values. */
  tree: string;
  /** The column where it is nothing but one. */
  column: Column | null;
}

/** A node of a formula, compiled. */
export interface Part {
  type: Type;
  run: Eval;
  column?: Column;
}

export interface Compiling {
  scope: FormulaNames;
  reads: Reads;
  /** `rounded`: whether a quotient gets an end. */
  compile(node: ASTNode, rounded?: boolean): Part;
  /** As a value of that type. @throws FormulaRefusal where it cannot be that. */
  typed(node: ASTNode, type: Type, rounded?: boolean): Part;
}

export function newReads(): Reads {
  return { columns: new Set(), tables: new Set(), functions: new Set(), row: false, aggregate: false };
}

/** What one reads, the other does too. */
export function take(reads: Reads, { columns, tables, functions, row, aggregate }: Reads): Reads {
  for (const column of columns) reads.columns.add(column);
  for (const table of tables) reads.tables.add(table);
  for (const name of functions) reads.functions.add(name);
  reads.row ||= row;
  reads.aggregate ||= aggregate;
  return reads;
}

export function merged(all: readonly Reads[]): Reads {
  return all.reduce(take, newReads());
}

/** The only column that is read, whose header a problem then names. */
export function onlyColumn({ columns }: Reads): Column | undefined {
  return columns.size === 1 ? [...columns][0] : undefined;
}

const NAMES: { [type in Type]: string } = {
  text: "text",
  taxId: "a tax id",
  number: "a number",
  boolean: "true or false",
  timestamp: "a time",
  any: "anything",
  blank: "nothing",
};

export function typeName(type: Type): string {
  return NAMES[type];
}

/** The part as the type that its place takes. @throws FormulaRefusal where it cannot be that. */
export function wanted(given: Part, type: Type, node: ASTNode): Part {
  if (given.type === type || given.type === "blank" || (given.type === "taxId" && type === "text")) return given;
  if (given.type === "any") return { ...given, type, run: narrowed(given.run, type) };
  const { column } = given;
  const bare = column !== undefined && given.type === "text";
  const cast = type === "text" ? "Make text of it with text(x)." : null;
  const hint = bare ? `Give the column "${column.name}" \`as: ${type}\`.` : cast;
  throw new FormulaRefusal(node.start, `${typeName(type)} is needed here, and this is ${typeName(given.type)}`, hint);
}

/** Checked row by row. */
function narrowed(run: Eval, type: Type): Eval {
  const form = type === "number" ? "object" : type === "boolean" ? "boolean" : "string";
  return (view) => {
    const value = run(view);
    if (value == null || typeof value === form) return value;
    const found = JSON.stringify(shorten(asText(value)));
    throw new FormulaFailure(`${typeName(type)} is needed, and a function gave ${found}`);
  };
}

/** A function of values, which is asked only where none of them is blank. */
export function lift(
  type: Type,
  parts: readonly Part[],
  // oxlint-disable-next-line typescript/no-explicit-any -- the parts have been typed when the mapping loads
  apply: (...values: any[]) => Value | undefined | null,
): Part {
  return {
    type,
    run: (view) => {
      const values = parts.map(({ run }) => run(view));
      // All are read, so that all problems are told.
      if (values.includes(null)) return null;
      if (values.includes(undefined)) return undefined;
      const value = apply(...values);
      return typeof value === "string" ? bounded(value) : value;
    },
  };
}

export function bounded(text: string): string {
  if (text.length > MAX_TEXT) throw new FormulaFailure(`it makes a text of more than ${MAX_TEXT} characters`);
  return text;
}

/** Less than zero, zero or more; both values are of one type. */
export function compare(a: Value, b: Value): number {
  if (a instanceof Exact && b instanceof Exact) return a.compare(b);
  const [one, two] = typeof a === typeof b ? [a, b] : [asText(a), asText(b)];
  return one < two ? -1 : one > two ? 1 : 0;
}
