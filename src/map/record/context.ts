import type { DocumentRecord } from "../../model/records.js";
import type { Scope } from "../column/scope.js";
import type { Made } from "../column/view.js";
import type { Piece, Reads } from "../piece.js";

export interface KeyMaker {
  /** `manifest`, or `manifest/pickup`. */
  name: string;
  tree: string;
  reads: Reads;
  /** The same without its label. */
  kin: string;
  declaredNew: boolean;
}

export interface DocumentPart extends Piece<DocumentRecord> {
  /** The name in keys; differs from the mapping's after `was`. */
  kind: string;
  hasParticipant: boolean;
  hasAddress: boolean;
  /** Known even in an otherwise invalid row. */
  key: Piece<string>;
  maker: KeyMaker;
}

type Parties<K extends "participants" | "addresses"> = Map<string, Piece<NonNullable<Made[K][number]>>>;

export interface MappingNames {
  /** Names that `ref` may use, over all inputs and `elsewhere`. */
  known: { [kinds in keyof Made]: ReadonlySet<string> };
  /** Documents with another name in keys, by their label. */
  labels: ReadonlyMap<string, string>;
  /** Where `settings.late` keeps the original time; null: nowhere. */
  lateAttribute: string | null;
}

export interface RecordContext extends MappingNames {
  scope: Scope;
  /** The parties that records of a row can name. */
  participants: Parties<"participants">;
  addresses: Parties<"addresses">;
  documents: Map<string, DocumentPart>;
  /** Adds a shared record from the mapping's top, if there is one. */
  share(kind: "participants" | "addresses", name: string): void;
}
