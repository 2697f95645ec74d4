/** What formulas are compiled to, what they may name, and how values of one type stand in for another. */
import type { ASTNode } from "@marcbachmann/cel-js";
import type { HeaderUse } from "../column/headers.js";
import type { Table } from "../column/table.js";
import { asText, type Eval, type Type, type Value, type View } from "../column/view.js";
import type { ConversionName } from "../convert/conversion.js";
import { Exact } from "../convert/exact.js";
import { shorten } from "../fold.js";
import type { MappingSource } from "../language/source.js";
import { FormulaFailure, type FunctionKind, MAX_TEXT } from "./functions.js";
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
  tableNames(): Iterable<string>;
  /** Null: there is none, or none that can be used. */
  table(name: string): Table | null;
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
  /** What it is made of, headers instead of names: equal texts mean equal values. */
  tree: string;
  /** The column where it is nothing but one. */
  column: Column | null;
}

/** A node of a formula, compiled. */
export interface Part {
  type: Type;
  run: Eval;
  tree: string;
  /** Numbers as they are reckoned with. */
  exact?: Eval<Exact>;
  /** What every row has. */
  literal?: Value;
  column?: Column;
}

export interface Compiling {
  scope: FormulaNames;
  reads: Reads;
  /** Whether a quotient gets an end. */
  rounded: boolean;
  compile(node: ASTNode, rounded?: boolean): Part;
}

export function newReads(): Reads {
  return { columns: new Set(), tables: new Set(), functions: new Set(), row: false, aggregate: false };
}

export function merged(all: readonly Reads[]): Reads {
  const reads = newReads();
  for (const { columns, tables, functions, row, aggregate } of all) {
    for (const column of columns) reads.columns.add(column);
    for (const table of tables) reads.tables.add(table);
    for (const name of functions) reads.functions.add(name);
    reads.row ||= row;
    reads.aggregate ||= aggregate;
  }
  return reads;
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
  const hint =
    given.column !== undefined && given.type === "text"
      ? `Give the column "${given.column.name}" \`as: ${type}\`.`
      : type === "text"
        ? "Make text of it with text(x)."
        : null;
  throw new FormulaRefusal(node.start, `${typeName(type)} is needed here, and this is ${typeName(given.type)}`, hint);
}

/** Checked row by row. */
function narrowed(run: Eval, type: Type): Eval {
  return (view) => {
    const value = run(view);
    if (value == null) return value;
    if (type === "number" ? value instanceof Exact : typeof value === (type === "boolean" ? "boolean" : "string"))
      return value instanceof Exact ? value.text : value;
    throw new FormulaFailure(
      `${typeName(type)} is needed, and a function gave ${JSON.stringify(shorten(asText(value)))}`,
    );
  };
}

/** As `wanted` numbers, to be reckoned with. */
export function exactly(given: Part, node: ASTNode): Eval<Exact> {
  const { exact, run } = wanted(given, "number", node);
  if (exact !== undefined) return exact;
  return (view) => {
    const value = run(view);
    return value == null ? value : Exact.of(asText(value));
  };
}

export function bounded(text: string): string {
  if (text.length > MAX_TEXT) throw new FormulaFailure(`it makes a text of more than ${MAX_TEXT} characters`);
  return text;
}

export function byValue(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
