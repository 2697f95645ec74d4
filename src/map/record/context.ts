/** What the compilers of one input's records share, and what a row has yielded so far. */
import type {
  AddressRecord,
  AddressRef,
  DocumentRecord,
  ParticipantRecord,
  ParticipantRef,
} from "../../model/records.js";
import type { Scope } from "../column/scope.js";
import type { View } from "../column/view.js";
import type { Reads } from "../formula/part.js";

/** Undefined: it does not exist in this row. Null: it could not be made; why has been reported. */
export type Maybe<T> = T | undefined | null;

/** What one row has yielded so far, in the order of the mapping. */
export interface Made {
  participants: Maybe<{ record: ParticipantRecord; ref: ParticipantRef }>[];
  addresses: Maybe<{ record: AddressRecord; ref: AddressRef }>[];
  documents: Maybe<DocumentRecord>[];
}

export type Build<T> = (view: View, made: Made) => Maybe<T>;

/** A record, or a reference to one. Records of rows whose cells are the same may be one object; they are never changed. */
export interface Part<T> {
  /** Everything it depends on, the records that it refers to included. */
  reads: Reads;
  /** What it is made of, for fingerprints. */
  tree: string;
  build: Build<T>;
}

export interface DocumentPart extends Part<DocumentRecord> {
  /** Its name in keys: in the mapping, unless `was` says otherwise. */
  kind: string;
  hasParticipant: boolean;
  hasAddress: boolean;
  keyTree: string;
  keyReads: Reads;
  /** Only its key, for rows that are otherwise invalid. */
  key(view: View): string | null;
}

/** Names that `ref` may use, over all inputs and `elsewhere`: participants and addresses with a key, and documents. */
export interface Known {
  participants: ReadonlySet<string>;
  addresses: ReadonlySet<string>;
  documents: ReadonlySet<string>;
}

export interface RecordContext {
  scope: Scope;
  known: Known;
  /** Documents that go by another name in keys: by their label in the mapping. */
  labels: ReadonlyMap<string, string>;
  /** The attribute in which `settings.late` keeps the original time; null: none. */
  lateAttribute: string | null;
  /** What a row's records can refer to by name alone, in the order of the mapping; null: it has mistakes of its own. */
  participants: Map<string, Part<NonNullable<Made["participants"][number]>> | null>;
  addresses: Map<string, Part<NonNullable<Made["addresses"][number]>> | null>;
  documents: Map<string, DocumentPart | null>;
  /** Adds a record that stands at the top of the mapping, where there is one of that name. */
  share(kind: "participants" | "addresses", name: string): void;
}
