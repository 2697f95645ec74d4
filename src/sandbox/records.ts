/** The stored records. They are replaced, never changed in place. Times are ms. */
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

/** The six create fields, which identify a participant's address. */
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
  /** By POST, or by an event's target. */
  origin: "created" | "target";
  state: DocumentState;
  /** The time of the last event; null: the timeline is empty. */
  lastAt: number | null;
  /** Below the millisecond. */
  lastBeyond: string;
  eventCount: number;
  participantId: string | null;
  addressId: string | null;
  externalId: string | null;
  deduplicationId: string | null;
  /** All other fields of the document. */
  fields: JsonObject;
  createdAt: number;
}

/**
 * The event's origin: its sender, a bidirectional relation, a propagation, or a target (service.md, Events rules 6, 10,
 * 11).
 */
export type EventOrigin = "sent" | "mirror" | "propagated" | "target";

export interface EventRecord {
  documentId: string;
  /** On the timeline, from 1. */
  sequence: number;
  eventId: string;
  origin: EventOrigin;
  name: string;
  /** externalCreatedAt, with its digits below the millisecond. */
  at: number;
  beyond: string;
  isPublic: boolean;
  participantId: string | null;
  addressId: string | null;
  deduplicationId: string | null;
  targetDocumentId: string | null;
  /** Metadata, relatedDocument, value and so on, as sent. */
  body: JsonObject;
  recordedAt: number;
}

export interface TokenRecord {
  token: string;
  clientId: string;
  /** In ms, without the clock offset. */
  expiresAt: number;
}

/** service.md, Participant. */
export function naturalKey(of: { countryCode: string; taxIdType: string; taxId: string }): string {
  return JSON.stringify([of.countryCode, of.taxIdType, of.taxId]);
}

export function placeOf({ name, street, number, city, countryState, countryCode }: Place): string {
  return JSON.stringify([name, street, number, city, countryState, countryCode]);
}
