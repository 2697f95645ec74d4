/**
 * Rows become participants, addresses, documents and events that refer to each other by natural keys. No returned id
 * appears here, so the same rows give the same records everywhere. Also what becomes of a row as a whole.
 */
import type { ExactNumber, JsonObject, JsonValue } from "./json.js";
import type { Problem } from "./problem.js";

/** countryCode + taxIdType + taxId (service.md, Participant), length-prefixed; see `lengthPrefixed`. */
export type NaturalKey = string;

/** `alias`: the mapping's name for the record and its `key:`. */
export type ParticipantRef =
  | { by: "natural"; key: NaturalKey }
  | { by: "alias"; kind: string; key: string }
  | { by: "id"; id: string };

/** `identity`: within its participant. */
export type AddressRef =
  | { by: "identity"; participant: ParticipantRef; identity: string }
  | { by: "alias"; kind: string; key: string }
  | { by: "id"; id: string };

/** By kind and key, or by service id. */
export type DocumentRef = { by: "key"; kind: string; key: string } | { by: "id"; documentId: string };

export interface ParticipantRecord {
  /** In the mapping. */
  kind: string;
  /** The mapping's `key:`, used by references; null: none. */
  alias: string | null;
  natural: NaturalKey;
  /** service.md, Participant. */
  data: { countryCode: string; name: string; taxId: string; taxIdType: string; type: string };
}

export interface AddressRecord {
  kind: string;
  /** The mapping's `key:`; null: none. */
  alias: string | null;
  participant: ParticipantRef;
  /** All create fields, folded, or the mapping's `key:` (H30). Unique within its participant. */
  identity: string;
  /** service.md, Address. */
  data: { city: string; countryCode: string; countryState: string; name: string; number: string; street: string };
  /** complement, neighborhood, zipCode (text), latitude, longitude (numbers), as mapped; sent only if set. */
  extended: { [field: string]: string | number | ExactNumber };
}

export interface DocumentRecord {
  /** In the mapping; part of every key of the document and its events (H21). */
  kind: string;
  key: string;
  /** `existing`: only appended to. */
  mode: "create" | "existing";
  /** For `existing`; null: known by its key. */
  documentId: string | null;
  /** Null only for `existing`. */
  participant: ParticipantRef | null;
  address: AddressRef | null;
  externalId: string | null;
  /** Sent unchanged (open point 7). */
  fields: JsonObject;
  /** Even without a due event (H28). */
  createEmpty: boolean;
}

/** service.md, Event. */
export interface Attribute {
  name: string;
  value: string;
  isPublic: boolean;
}

/** Without its documentId (service.md, Event endpoints, rule 10). Absent fields are not sent. */
export interface RelationOptions {
  bidirectional?: boolean;
  isPublic?: boolean;
  eventName?: string;
  eventLabel?: string;
  preserveSensitiveData?: boolean;
  isBackReference?: boolean;
}

export interface EventRecord {
  document: { kind: string; key: string };
  /** In the mapping (`pickup`); part of the deduplicationId. */
  event: string;
  /** Distinguishes events of one name on one document. `content`: from the content hash and an ordinal. */
  key: { by: "once" } | { by: "fields"; parts: string[] } | { by: "content"; within: "file" | "import" };
  /** As sent: `Pick-up`, `CLOSE`. */
  name: string;
  /** externalCreatedAt in ms. */
  at: number;
  isPublic: boolean;
  participant: ParticipantRef;
  address: AddressRef;
  attributes: Attribute[];
  related: { document: DocumentRef; options: RelationOptions } | null;
  /** The document that this event creates; `fields` are sent unchanged (open point 7). */
  target: {
    document: { kind: string; key: string };
    fields: JsonObject;
    participant: ParticipantRef | null;
    address: AddressRef | null;
    externalId: string | null;
  } | null;
  propagate: boolean | null;
  value: JsonValue | undefined;
  /** Other fields (open point 8). */
  extra: JsonObject;
}

export interface Records {
  participants: ParticipantRecord[];
  addresses: AddressRecord[];
  documents: DocumentRecord[];
  events: EventRecord[];
}

/**
 * What an invalid row shows of its event, so that it holds no more than necessary (H13–H15). `event: null` holds the
 * whole document.
 */
export interface Placement {
  /** `documentId`: the service's id, if the mapping gives it. */
  document: { kind: string; key: string; documentId?: string | null };
  /** Null: unknown. */
  event: string | null;
  /** [] for `once`; null: unreadable, or by content. */
  keyParts: string[] | null;
  /** In ms; null: unreadable, so it holds everything of its document. */
  at: number | null;
  /** The document that the event would create: without it, rows of its own would. Absent: none, or unknown. */
  target?: { kind: string; key: string } | undefined;
}

/** A participant or address that an invalid row would bring, as other rows refer to it. */
export interface PromisedParty {
  party: "participant" | "address";
  kind: string;
  key: string;
}

/** A mapped row or group: whole, or not at all. */
export interface MappedRow {
  /** The first row's number. */
  row: number;
  /** The group's other rows, ascending. */
  alsoRows: number[];
  /** Identifies a group that makes one event by content, or over which something is computed; absent or null: not such a group. */
  group?: string | null;
  /** Null: the mapping has no `rowId`. */
  rowId: string | null;
  outcome:
    | { fate: "skipped"; reason: string; warnings: Problem[] }
    | { fate: "invalid"; problems: Problem[]; placements: Placement[]; parties: PromisedParty[] }
    | { fate: "valid"; records: Records; warnings: Problem[] };
}
