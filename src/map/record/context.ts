/** What the compilers of one input's records share. */
import type { DocumentRecord } from "../../model/records.js";
import type { Scope } from "../column/scope.js";
import type { Made } from "../column/view.js";
import type { Piece, Reads } from "../piece.js";

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

type Parties<K extends "participants" | "addresses"> = Map<string, Piece<NonNullable<Made[K][number]>>>;

export interface MappingNames {
  /** Names that `ref` may use, over all inputs and `elsewhere`: participants and addresses with a key, and documents. */
  known: { [kinds in keyof Made]: ReadonlySet<string> };
  /** Documents that go by another name in keys: by their label in the mapping. */
  labels: ReadonlyMap<string, string>;
  /** The attribute in which `settings.late` keeps the original time; null: none. */
  lateAttribute: string | null;
}

export interface RecordContext extends MappingNames {
  scope: Scope;
  /** What a row's records can refer to by name alone, in the order of the mapping. */
  participants: Parties<"participants">;
  addresses: Parties<"addresses">;
  documents: Map<string, DocumentPart>;
  /** Adds a record that stands at the top of the mapping, where there is one of that name. */
  share(kind: "participants" | "addresses", name: string): void;
}
