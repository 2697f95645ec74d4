/** What the sandbox keeps. Records are never changed in place: the store is handed a new one. Times are ms since 1970. */
import type { JsonObject } from "./json.js";

export interface ParticipantRecord {
  id: string;
  snapshotId: string;
  /** The dataset of the credential that registered it. */
  dataset: string;
  countryCode: string;
  taxIdType: string;
  taxId: string;
  name: string;
  type: string;
  businessName: string;
  email: string;
  mobileNumber: string;
  telephoneNumber: string;
}

/** The six create fields: what makes two addresses of one participant the same place. */
export interface Place {
  name: string;
  street: string;
  number: string;
  city: string;
  countryState: string;
  countryCode: string;
}

export interface AddressRecord extends Place {
  id: string;
  snapshotId: string;
  dataset: string;
  participantId: string;
  complement: string | null;
  neighborhood: string | null;
  zipCode: string | null;
  latitude: number | null;
  longitude: number | null;
  geography: JsonObject;
}

export type DocumentState = "open" | "closed" | "cancelled";

export interface DocumentRecord {
  id: string;
  dataset: string;
  /** Given by POST, or created by an event's target. */
  origin: "created" | "target";
  state: DocumentState;
  /** The time of the last recorded event; null on an empty timeline. */
  lastAt: number | null;
  /** Its digits below the millisecond. */
  lastBeyond: string;
  eventCount: number;
  participantId: string | null;
  addressId: string | null;
  externalId: string | null;
  deduplicationId: string | null;
  /** Whatever else came with the document. */
  fields: JsonObject;
  createdAt: number;
}

/** Who wrote an event: its sender, a bidirectional relation, a propagation, or a target (service.md, Events rules 6, 10, 11). */
export type EventOrigin = "sent" | "mirror" | "propagated" | "target";

export interface EventRecord {
  documentId: string;
  /** Its place on the timeline, counting from 1. */
  sequence: number;
  eventId: string;
  origin: EventOrigin;
  name: string;
  /** externalCreatedAt as an instant, and its digits below the millisecond. */
  at: number;
  beyond: string;
  isPublic: boolean;
  participantId: string | null;
  addressId: string | null;
  deduplicationId: string | null;
  targetDocumentId: string | null;
  /** Metadata, relatedDocument, value and the like, as sent. */
  body: JsonObject;
  recordedAt: number;
}

export interface TokenRecord {
  token: string;
  clientId: string;
  /** ms since 1970 on the injected clock, without the clock offset. */
  expiresAt: number;
}

/** The natural key of a participant (service.md, Participant), in one text. */
export function naturalKey(of: { countryCode: string; taxIdType: string; taxId: string }): string {
  return JSON.stringify([of.countryCode, of.taxIdType, of.taxId]);
}

export function placeOf({ name, street, number, city, countryState, countryCode }: Place): string {
  return JSON.stringify([name, street, number, city, countryState, countryCode]);
}
