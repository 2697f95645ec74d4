/** The ledger stores 160 bits, without the prefix `rf1-`. */
export const keyBytes = (deduplicationId: string): Buffer => Buffer.from(deduplicationId.slice(4), "hex");
export const keyText = (bytes: Buffer): string => `rf1-${bytes.toString("hex")}`;

/** The columns of `events` with what a row says about its event. */
export const CONTENT = [
  "name",
  "at",
  "rank",
  "participant_ref",
  "address_ref",
  "related_document",
  "related_id",
  "mirrored",
  "target_document",
  "payload",
] as const satisfies (keyof EventContent)[];

export interface EventContent {
  name: string;
  /** In ms. */
  at: number;
  rank: number;
  participant_ref: number;
  address_ref: number;
  related_document: number | null;
  related_id: string | null;
  mirrored: number;
  target_document: number | null;
  payload: string;
}

/** A row of `events_now`. */
export interface EventNow extends EventContent {
  id: number;
  document_id: number;
  deduplication_id: Buffer;
  content_hash: Buffer;
  event: string;
  /** JSON. */
  key_parts: string;
  as_document: number;
  input_id: number;
  state: string;
  reason: string | null;
  service_event_id: string | null;
  target_document_id: string | null;
  changed_hash: Buffer | null;
  changed_content: string | null;
  dismissed: number;
  unsent: number;
}

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
