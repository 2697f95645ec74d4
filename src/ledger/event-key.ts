import type { LedgerDatabase } from "./ledger-database.js";

/** The ledger stores 160 bits, without the prefix `rf1-`. */
export const keyBytes = (deduplicationId: string): Buffer => Buffer.from(deduplicationId.slice(4), "hex");
export const keyText = (bytes: Buffer): string => `rf1-${bytes.toString("hex")}`;

/** References as the ledger stores them. */
export interface NewEvent {
  document: number;
  key: Buffer;
  hash: Buffer;
  event: string;
  parts: string;
  name: string;
  /** In ms. */
  at: number;
  rank: number;
  participant: number;
  address: number;
  relatedDocument?: number | null;
  relatedId?: string | null;
  mirrored?: number;
  target?: number | null;
  payload: string;
  input: number;
}

export const addEvent = (database: LedgerDatabase, event: NewEvent): number =>
  database.insert(
    `INSERT INTO events (document_id, deduplication_id, content_hash, event, key_parts, name, at, rank, participant_ref,
       address_ref, related_document, related_id, mirrored, target_document, payload, input_id)
     VALUES (@document, @key, @hash, @event, @parts, @name, @at, @rank, @participant, @address, @relatedDocument, @relatedId,
       @mirrored, @target, @payload, @input)`,
    { relatedDocument: null, relatedId: null, mirrored: 0, target: null, ...event },
  );

/** What a row says of its event. */
export type EventContent = Required<
  Pick<
    NewEvent,
    | "name"
    | "at"
    | "rank"
    | "participant"
    | "address"
    | "relatedDocument"
    | "relatedId"
    | "mirrored"
    | "target"
    | "payload"
  >
>;

export const setContent = (database: LedgerDatabase, id: number, hash: Buffer, content: EventContent): void =>
  void database.run(
    `UPDATE events SET content_hash = @hash, name = @name, at = @at, rank = @rank, participant_ref = @participant,
       address_ref = @address, related_document = @relatedDocument, related_id = @relatedId, mirrored = @mirrored,
       target_document = @target, payload = @payload WHERE id = @id`,
    { ...content, id, hash },
  );

/** Finds one row of `event_states` by @id. */
export const OF_EVENT = "(document_id, event_id) = (SELECT document_id, id FROM events WHERE id = @id)";

/**
 * Documents that receive copies of document @id's propagated events: those that landed relations tie to it (open points
 * 11, 29).
 */
export const COPIED_TO = `SELECT iif(r.document_id = @id, r.related_document, r.document_id) FROM events_now r
  WHERE r.related_document IS NOT NULL AND r.mirrored = 1 AND r.landed
    AND (r.state = 'landed' OR r.attempted_at IS NULL OR r.attempted_link = r.related_document)
    AND (r.document_id = @id OR r.related_document = @id)`;

export type RegistrationKind = "participant" | "address";

/** The id behind a reference; NULL: an undeclared alias. */
export const resolved = (ref: string): string =>
  `iif(${ref} > 0, ${ref}, (SELECT registration_id FROM aliases WHERE id = -${ref}))`;
