/**
 * What rows become: participants, addresses, documents and events that refer to each other by natural keys.
 * No id that the service returned appears here, so the same rows give the same records on any machine.
 */
import type { ExactNumber, JsonObject, JsonValue } from "./json.js";

/** countryCode + taxIdType + taxId (service.md, Participant), length-prefixed; see `lengthPrefixed`. */
export type NaturalKey = string;

/** How a record names a participant. `alias`: the mapping's name for the record and the value of its `key:`. */
export type ParticipantRef =
  | { by: "natural"; key: NaturalKey }
  | { by: "alias"; kind: string; key: string }
  | { by: "id"; id: string };

/** How a record names an address. `identity` is relative to its participant. */
export type AddressRef =
  | { by: "identity"; participant: ParticipantRef; identity: string }
  | { by: "alias"; kind: string; key: string }
  | { by: "id"; id: string };

/** How a record names a document: by its kind (name in the mapping) and key, or by the id the service gave it. */
export type DocumentRef = { by: "key"; kind: string; key: string } | { by: "id"; documentId: string };

export interface ParticipantRecord {
  /** Name in the mapping. */
  kind: string;
  /** Value of the mapping's `key:`, by which other rows may refer to it; null when it has none. */
  alias: string | null;
  natural: NaturalKey;
  /** The five create fields (service.md, Participant). */
  data: { countryCode: string; name: string; taxId: string; taxIdType: string; type: string };
}

export interface AddressRecord {
  kind: string;
  /** Value of the mapping's `key:`; null when it has none. */
  alias: string | null;
  participant: ParticipantRef;
  /** HARD-CASES H30: all create fields, folded; or the mapping's `key:`. Unique under its participant. */
  identity: string;
  /** The six create fields (service.md, Address). */
  data: { city: string; countryCode: string; countryState: string; name: string; number: string; street: string };
  /** complement, neighborhood, zipCode (text), latitude, longitude (numbers), as far as mapped; sent only where the setting says so. */
  extended: { [field: string]: string | number | ExactNumber };
}

export interface DocumentRecord {
  /** Name in the mapping; part of every key of the document and of its events (HARD-CASES H21). */
  kind: string;
  key: string;
  /** `create`: made by us when it is not there. `existing`: only appended to. */
  mode: "create" | "existing";
  /** The service's id where the mapping gives it (`existing` only); null: known to the ledger by its key. */
  documentId: string | null;
  /** Null only for `existing`. */
  participant: ParticipantRef | null;
  address: AddressRef | null;
  externalId: string | null;
  /** What the mapping writes under `fields`; goes through untouched (open-points 7). */
  fields: JsonObject;
  /** Created even while it has no due event (HARD-CASES H28). */
  createEmpty: boolean;
}

/** One `metadata.attributes` entry (service.md, Event). */
export interface Attribute {
  name: string;
  value: string;
  isPublic: boolean;
}

/** relatedDocument without its documentId (service.md, Event endpoints, rule 10). Absent members are not sent. */
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
  /** Name in the mapping (`pickup`), part of the deduplicationId. */
  event: string;
  /** Distinguishes events of one name on one document. `content`: the ledger makes it of the content hash and an ordinal. */
  key: { by: "once" } | { by: "fields"; parts: string[] } | { by: "content"; within: "file" | "import" };
  /** The service's `name`: `Pick-up`, `CLOSE`. */
  name: string;
  /** externalCreatedAt, in ms since 1970; sent as ISO 8601 with milliseconds and Z. */
  at: number;
  isPublic: boolean;
  participant: ParticipantRef;
  address: AddressRef;
  attributes: Attribute[];
  related: { document: DocumentRef; options: RelationOptions } | null;
  /** The downstream document this event creates; `fields` goes through untouched (open-points 7). */
  target: {
    document: { kind: string; key: string };
    fields: JsonObject;
    participant: ParticipantRef | null;
    address: AddressRef | null;
    externalId: string | null;
  } | null;
  propagate: boolean | null;
  value: JsonValue | undefined;
  /** Further fields, knowingly (open-points 8). */
  extra: JsonObject;
}

export interface Records {
  participants: ParticipantRecord[];
  addresses: AddressRecord[];
  documents: DocumentRecord[];
  events: EventRecord[];
}
