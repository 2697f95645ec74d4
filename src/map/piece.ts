/**
 * Pieces of a compiled mapping: what each reads, its fingerprint, and its value in a row. Columns and formulas are
 * pieces; records are made of pieces. A compiler reports a mistake and continues with `BROKEN`; a mapping with mistakes
 * never runs.
 */
import type { HeaderUse } from "./column/headers.js";
import type { Eval, Type, Value, View } from "./column/view.js";
import type { ConversionName } from "./convert/conversion.js";

export interface Piece<T> {
  /** Includes the records that it refers to. */
  reads: Reads;
  /** The piece with headers instead of names: equal trees and tables give equal values. */
  tree: string;
  run: Eval<T>;
  /** Undefined: it depends on the row. */
  constant?: T | undefined;
}

/** Includes the formulas of its columns. */
export interface Reads {
  columns: Set<Column>;
  /** As `plants.region`. */
  tables: Set<string>;
  functions: Set<string>;
  /** Whether it uses the row's number. */
  row: boolean;
  aggregate: boolean;
}

export interface Formula extends Piece<Value> {
  type: Type;
  /** The column, if the piece is only that. */
  column: Column | null;
}

export interface Column extends Piece<Value> {
  name: string;
  slot: number;
  type: Type;
  /** Null: a formula. */
  as: ConversionName | null;
  /** Of its local times, `America/Manaus`; null: it holds no times. */
  zone: string | null;
  /** Whether the cell has content, readable or not. */
  filled: Eval<boolean> | null;
  /** Null: a formula or a set. */
  use: HeaderUse | null;
  /** A set of columns: the headers it takes, and the value at each. */
  set: {
    pattern: string;
    fits: (header: string) => boolean;
    at: (view: View, index: number) => ReturnType<Eval>;
  } | null;
  /** Whether a key or an id uses it. */
  identity: boolean;
  /** The type and country of a tax id. */
  taxId: { type: Piece<Value> | undefined; country: Piece<Value> | undefined };
}

/** A record exists only where this is true; a blank is false. */
export interface Condition extends Piece<boolean> {
  words: string;
}

export function newReads(): Reads {
  return { columns: new Set(), tables: new Set(), functions: new Set(), row: false, aggregate: false };
}

export function take(reads: Reads, { columns, tables, functions, row, aggregate }: Reads): Reads {
  for (const column of columns) reads.columns.add(column);
  for (const table of tables) reads.tables.add(table);
  for (const name of functions) reads.functions.add(name);
  reads.row ||= row;
  reads.aggregate ||= aggregate;
  return reads;
}

export function merged(all: readonly ({ reads: Reads } | undefined)[]): Reads {
  return all.reduce((reads, one) => (one === undefined ? reads : take(reads, one.reads)), newReads());
}

/** The only column that is read, so that a problem can name its header. */
export function onlyColumn({ columns }: Reads): Column | undefined {
  return columns.size === 1 ? [...columns][0] : undefined;
}

export const BROKEN: Piece<never> & { type: "any"; column: null } = {
  reads: newReads(),
  tree: "",
  run: () => null,
  type: "any",
  column: null,
};

export function constantPiece<T>(value: T, tree: string): Piece<T> {
  return { run: () => value, reads: newReads(), tree, constant: value };
}

type Pieces = { [name: string]: Piece<unknown> | undefined };
type Values<P extends Pieces> = {
  [name in keyof P]: P[name] extends Piece<infer T>
    ? T
    : P[name] extends Piece<infer T> | undefined
      ? T | undefined
      : never;
};

/** Undefined pieces are left out. */
export function combine<P extends Pieces>(pieces: P): Piece<Values<P>> {
  const used = Object.entries(pieces).flatMap(([name, piece]) => (piece === undefined ? [] : [{ name, piece }]));
  const isConstant = used.every(({ piece }) => piece.constant !== undefined);
  const constants = Object.fromEntries(used.map(({ name, piece }) => [name, piece.constant])) as Values<P>;
  return {
    reads: merged(used.map(({ piece }) => piece)),
    tree: used.map(({ name, piece }) => `${name} ${piece.tree}`).join(" "),
    constant: isConstant ? constants : undefined,
    run: (view) => {
      const values: { [name: string]: unknown } = {};
      let whole = true;
      // Reads all of them, so that all problems are reported.
      for (const { name, piece } of used) {
        const value = piece.constant === undefined ? piece.run(view) : piece.constant;
        if (value === null && piece.constant === undefined) whole = false;
        else if (value !== undefined) values[name] = value;
      }
      return whole ? (values as Values<P>) : null;
    },
  };
}

export function derive<T, U>(
  { reads, tree, run }: Piece<T>,
  make: (value: T, view: View) => ReturnType<Eval<U>>,
): Piece<U> {
  return {
    reads,
    tree,
    run: (view) => {
      const value = run(view);
      if (value === undefined || value === null) return value as undefined | null;
      return make(value, view);
    },
  };
}

export function onlyWhere<T>(condition: Condition | undefined, piece: Piece<T>): Piece<T> {
  if (condition === undefined) return piece;
  return {
    ...piece,
    reads: merged([condition, piece]),
    run: (view) => {
      const holds = condition.run(view);
      return holds === true ? piece.run(view) : holds === null ? null : undefined;
    },
  };
}

export function optional<S, T>(spec: S | undefined, compile: (spec: S) => T): T | undefined {
  return spec === undefined ? undefined : compile(spec);
}
