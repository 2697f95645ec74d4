/**
 * Where records live: in memory or in an SQLite file. A store knows no rule of the service; it keeps, finds and undoes.
 * Everything is synchronous but the wait for durability.
 */
import type { AddressRecord, DocumentRecord, EventRecord, ParticipantRecord, TokenRecord } from "./records.js";

export interface Store {
  /** All that `work` writes, or nothing when it throws. May be nested: an inner failure undoes the inner part only. */
  transaction<T>(work: () => T): T;
  /** Null when everything written so far is durable, else a promise of that; an answer must wait for it. Rejects when it could not be made durable. */
  settled(): Promise<void> | null;
  /** Makes everything durable and frees the file. Safe to call twice. */
  close(): void;

  participant(id: string): ParticipantRecord | undefined;
  /** Of all datasets, oldest first. */
  participantsByKey(naturalKey: string): ParticipantRecord[];
  addParticipant(record: ParticipantRecord): void;
  participants(): ParticipantRecord[];

  address(id: string): AddressRecord | undefined;
  /** Oldest first. */
  addressesOf(participantId: string): AddressRecord[];
  /** The oldest one of this dataset at that place (see `placeOf`). */
  addressAt(participantId: string, dataset: string, place: string): AddressRecord | undefined;
  addAddress(record: AddressRecord): void;
  addresses(): AddressRecord[];

  document(id: string): DocumentRecord | undefined;
  hasExternalId(dataset: string, externalId: string): boolean;
  addDocument(record: DocumentRecord): void;
  documents(): DocumentRecord[];

  /** In the order of the timeline. */
  eventsOf(documentId: string): EventRecord[];
  /** Adds an event; `document` is the document after it: state, lastAt and eventCount. The rest of a document never changes. */
  append(document: DocumentRecord, event: EventRecord): void;

  /** False when the key is taken within that scope. */
  claimKey(scope: string, key: string): boolean;
  /** One direction. Repeating it changes nothing. */
  relate(from: string, to: string): void;
  /** In the order in which they were related. */
  relatedTo(documentId: string): string[];

  tokens(): TokenRecord[];
  /** Adds a token, or replaces its expiry. */
  saveToken(record: TokenRecord): void;
}
