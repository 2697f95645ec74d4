/** Pieces of records: what each reads, what it is made of, and what a row gives. Records are pieces made of pieces. */
import type { Scope } from "../column/scope.js";
import type { View } from "../column/view.js";
import { merged, newReads, type Reads } from "../formula/part.js";
import type {
  AddressRecord,
  AddressRef,
  DocumentRecord,
  ParticipantRecord,
  ParticipantRef,
} from "../../model/records.js";

/** Undefined: it is blank, or does not exist in this row. Null: it could not be made; why has been reported. */
export type Maybe<T> = T | undefined | null;

/** What one row has yielded so far, in the order of the mapping. */
export interface Made {
  participants: Maybe<{ record: ParticipantRecord; ref: ParticipantRef }>[];
  addresses: Maybe<{ record: AddressRecord; ref: AddressRef }>[];
  documents: Maybe<DocumentRecord>[];
}

export interface Piece<T> {
  /** Everything it depends on, the records that it refers to included. */
  reads: Reads;
  /** What it is made of, for fingerprints. */
  tree: string;
  run(view: View, made: Made): Maybe<T>;
  /** What every row has; undefined: it depends on the row. */
  constant?: T | undefined;
}

type Pieces = { [name: string]: Piece<unknown> | undefined | null };
type Values<P extends Pieces> = {
  [name in keyof P]: NonNullable<P[name]> extends Piece<infer T>
    ? T | (undefined extends P[name] ? undefined : never)
    : never;
};

/** Several as one; those that are undefined are left out. Null where one of them cannot be used. */
export function combine<P extends Pieces>(pieces: P): Piece<Values<P>> | null {
  const used: [string, Piece<unknown>][] = [];
  for (const [name, piece] of Object.entries(pieces)) {
    if (piece === null) return null;
    if (piece !== undefined) used.push([name, piece]);
  }
  const names = used.map(([name]) => name);
  const parts = used.map(([, piece]) => piece);
  const isConstant = parts.every(({ constant }) => constant !== undefined);
  const constants = Object.fromEntries(used.map(([name, { constant }]) => [name, constant])) as Values<P>;
  return {
    reads: merged(parts.map(({ reads }) => reads)),
    tree: used.map(([name, { tree }]) => `${name} ${tree}`).join(" "),
    constant: isConstant ? constants : undefined,
    run: (view, made) => {
      const values: { [name: string]: unknown } = {};
      let whole = true;
      // All are read, so that all problems are told.
      for (let position = 0; position < parts.length; position++) {
        const piece = parts[position] as Piece<unknown>;
        const value = piece.constant === undefined ? piece.run(view, made) : piece.constant;
        if (value === null && piece.constant === undefined) whole = false;
        else if (value !== undefined) values[names[position] as string] = value;
      }
      return whole ? (values as Values<P>) : null;
    },
  };
}

/** What is made of a piece, in rows that have it. */
export function derive<T, U>(piece: Piece<T> | null, make: (value: T, view: View) => Maybe<U>): Piece<U> | null {
  if (piece === null) return null;
  const { reads, tree, run } = piece;
  return {
    reads,
    tree,
    run: (view, made) => {
      const value = run(view, made);
      if (value === null) return null;
      return value === undefined ? undefined : make(value, view);
    },
  };
}

export function constantPiece<T>(value: T, tree: string): Piece<T> {
  return { run: () => value, reads: newReads(), tree, constant: value };
}

export function optional<S, T>(spec: S | undefined, compile: (spec: S) => T): T | undefined {
  return spec === undefined ? undefined : compile(spec);
}

/** A record that rows have, or lack. */
export interface Condition {
  /** A blank one is false. */
  holds: (view: View) => boolean | null;
  reads: Reads;
  words: string;
}

/** The record exists only in rows where the condition holds. */
export function onlyWhere<T>(condition: Condition | undefined | null, piece: Piece<T> | null): Piece<T> | null {
  if (condition === undefined || piece === null) return piece;
  if (condition === null) return null;
  return {
    ...piece,
    reads: merged([condition.reads, piece.reads]),
    run: (view, made) => {
      const holds = condition.holds(view);
      return holds === true ? piece.run(view, made) : holds === null ? null : undefined;
    },
  };
}

/** What makes the keys of one kind of document or event. */
export interface KeyMaker {
  /** `manifest`, or `manifest/pickup`. */
  name: string;
  tree: string;
  reads: Reads;
  /** What is left of it when its label is another one. */
  kin: string;
  declaredNew: boolean;
}

export interface DocumentPart extends Piece<DocumentRecord> {
  /** Its name in keys: in the mapping, unless `was` says otherwise. */
  kind: string;
  hasParticipant: boolean;
  hasAddress: boolean;
  /** Only its key, for rows that are otherwise invalid. */
  key: Piece<string>;
  maker: KeyMaker;
}

/** Names that `ref` may use, over all inputs and `elsewhere`: participants and addresses with a key, and documents. */
export interface Known {
  participants: ReadonlySet<string>;
  addresses: ReadonlySet<string>;
  documents: ReadonlySet<string>;
}

/** What the compilers of one input's records share. */
export interface RecordContext {
  scope: Scope;
  known: Known;
  /** Documents that go by another name in keys: by their label in the mapping. */
  labels: ReadonlyMap<string, string>;
  /** The attribute in which `settings.late` keeps the original time; null: none. */
  lateAttribute: string | null;
  /** What a row's records can refer to by name alone, in the order of the mapping; null: it has mistakes of its own. */
  participants: Map<string, Piece<NonNullable<Made["participants"][number]>> | null>;
  addresses: Map<string, Piece<NonNullable<Made["addresses"][number]>> | null>;
  documents: Map<string, DocumentPart | null>;
  /** Adds a record that stands at the top of the mapping, where there is one of that name. */
  share(kind: "participants" | "addresses", name: string): void;
}
