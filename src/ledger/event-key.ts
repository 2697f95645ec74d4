/** Deduplication ids as the ledger stores them: after the prefix `rf1-`, 160 bits in hex. */
export const keyBytes = (deduplicationId: string): Buffer => Buffer.from(deduplicationId.slice(4), "hex");
export const keyText = (bytes: Buffer): string => `rf1-${bytes.toString("hex")}`;

/** Names one row of `event_states` by the event's @id. */
export const OF_EVENT = "(document_id, event_id) = (SELECT document_id, id FROM events WHERE id = @id)";

/** Selects the documents that a propagated event of document @id is copied to: what landed relations tie to it (open-points 11, 29). */
export const COPIED_TO = `SELECT iif(r.document_id = @id, r.related_document, r.document_id) FROM events_now r
  WHERE r.related_document IS NOT NULL AND r.mirrored = 1 AND r.landed
    AND (r.state = 'landed' OR r.attempted_at IS NULL OR r.attempted_link = r.related_document)
    AND (r.document_id = @id OR r.related_document = @id)`;

export type RegistrationKind = "participant" | "address";

/** The id behind a reference; NULL: an alias that nobody has declared. */
export const resolved = (ref: string): string =>
  `iif(${ref} > 0, ${ref}, (SELECT registration_id FROM aliases WHERE id = -${ref}))`;
