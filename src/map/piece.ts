/**
 * Pieces of a compiled mapping: what each reads, its fingerprint, and its value in a row. Columns and formulas are
 * pieces; records are made of pieces. A compiler reports a mistake and continues with `BROKEN`; a mapping with mistakes
 * never runs.
 */
import { detachText } from "../model/fold.js";
import { parseJson } from "../model/json.js";
import type { Spell } from "./column/cells.js";
import type { HeaderUse } from "./column/headers.js";
import type { Eval, Made, Type, Value, View } from "./column/view.js";
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
  /** The row's number and the names of its file and sheet, all rows of its group, a custom function, the mapping's formats of dates. */
  others: Set<"row" | "file" | "sheet" | "group" | "function" | "dates">;
}

/** One of each kind of record. */
export const CALLED = {
  participants: "participant",
  addresses: "address",
  documents: "document",
  events: "event",
} as const;

/** What to write instead of a text that a value never is; null: it may be that text. */
export type Never = (text: string) => string | null;

/** What a formula, or a part of one, gives. */
export interface Typed {
  type: Type;
  run: Eval;
  /** Absent: it may be any text. */
  never?: Never | undefined;
  /** The column, if it is only that. */
  column?: Column | undefined;
}

export type Formula = Piece<Value> & Typed;

/** One that reads no cell has neither `spell` nor `filled`, and neither `use` nor `set`. */
export interface Column extends Piece<Value> {
  name: string;
  slot: number;
  type: Type;
  never?: Never | undefined;
  /** Absent: a formula. */
  as?: ConversionName | undefined;
  /** The zone of its local times, such as `America/Manaus`; absent: it holds no times. */
  zone?: string | undefined;
  /** A typed cell in the column's own formats. */
  spell?: Spell;
  /** Whether the cell has content, readable or not. */
  filled?: Eval<boolean>;
  use?: HeaderUse;
  /** A set of columns: the headers it takes, and the value at each. */
  set?: {
    pattern: string;
    fits: (header: string) => boolean;
    at: (view: View, index: number) => ReturnType<Eval>;
    optional: boolean;
  };
  /** Whether a key or an id uses it. */
  identity: boolean;
  /** What its tree leaves out if it is lean. */
  lists: KeyList[];
  /** The settings by which its typed cells have been read as text so far. */
  spelling: ReadonlySet<string>;
}

/** A list of a column, or a table, that may grow without giving landed records other keys. */
export interface KeyList {
  name: string;
  entries: ReadonlyMap<string, string>;
  /** Whether a text that it lacks still gets a key. */
  fallback: boolean;
  /** Whether a text of an entry that is gone may get another key. */
  keeps: boolean;
}

/** A record exists only where this is true; a blank is false. */
export interface Condition extends Piece<boolean> {
  words: string;
}

type Parties<K extends "participants" | "addresses"> = Map<
  string,
  // The key by which other rows refer to it is known even in an otherwise invalid row.
  Piece<NonNullable<Made[K][number]>> & { key: Piece<string[]> | undefined }
>;

/** What the records of a row can name, in the order of the mapping. */
export interface RecordParts {
  participants: Parties<"participants">;
  addresses: Parties<"addresses">;
  documents: Map<string, DocumentPart>;
}

export interface DocumentPart extends Piece<NonNullable<Made["documents"][number]>> {
  /** The name in keys; differs from the mapping's after `was`. */
  kind: string;
  has: { participant: boolean; address: boolean };
  /** Known even in an otherwise invalid row. */
  key: Piece<string>;
  maker: KeyMaker;
}

export interface KeyMaker extends Pick<Piece<unknown>, "tree" | "reads"> {
  /** `manifest`, or `manifest/pickup`. */
  name: string;
  /** The same without its label. */
  kin: string;
  declaredNew: boolean;
}

export const newReads = (): Reads => ({ columns: new Set(), tables: new Set(), others: new Set() });

export function take(reads: Reads, more: Reads): Reads {
  for (const column of more.columns) reads.columns.add(column);
  for (const table of more.tables) reads.tables.add(table);
  for (const other of more.others) reads.others.add(other);
  return reads;
}

export function merged(all: readonly ({ reads: Reads } | undefined)[]): Reads {
  return all.reduce((reads, one) => (one === undefined ? reads : take(reads, one.reads)), newReads());
}

/** The only column with a header that is read, so that a problem can name it. */
export function onlyColumn({ columns }: Reads): Column | undefined {
  const [first, ...others] = [...columns].filter(({ use }) => use !== undefined);
  return others.length === 0 ? first : undefined;
}

export const BROKEN: Formula & Piece<never> = {
  reads: newReads(),
  tree: "",
  run: () => null,
  type: "any",
};

export function constantPiece<T>(constant: T, tree: string): Piece<T> {
  return { run: () => constant, reads: newReads(), tree, constant };
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

const CAPACITY = 5000;

/**
 * Rows with the same cells share one record object, which saves work here and in the ledger: remembers the results for
 * some thousands of different cells.
 */
export function share<T>({ reads, run }: Piece<T>, table: View): Piece<T>["run"] {
  const { others } = reads;
  if (others.has("row") || others.has("file") || others.has("sheet")) return run;
  const indexes = new Set([...reads.columns].map(({ slot }) => table.index[slot] ?? -1));
  const known = new Map<string, T>();
  return (view) => {
    const { cells, kinds } = view.current;
    // Kinds change how text is read, and groups read several rows.
    if (view.members !== null || kinds !== null) return run(view);
    let key = "";
    for (const index of indexes) key += `${cells[index] ?? ""}\u0000`;
    const shared = known.get(key);
    if (shared !== undefined) return shared;
    const record = run(view);
    // A failure must report its problems for every row.
    if (record == null) return record;
    if (known.size >= CAPACITY) known.clear();
    // A copy, because a cell is a slice that keeps its whole chunk of the file in memory.
    const kept = parseJson(JSON.stringify(record)) as T;
    known.set(detachText(key), kept);
    return kept;
  };
}
