/** Deduplication ids as the ledger stores them: after the prefix `rf1-`, 160 bits in hex. */
export const keyBytes = (deduplicationId: string): Buffer => Buffer.from(deduplicationId.slice(4), "hex");
export const keyText = (bytes: Buffer): string => `rf1-${bytes.toString("hex")}`;

/** Names one row of `event_states` by the event's id. */
export const OF_EVENT = "(document_id, event_id) = (SELECT document_id, id FROM events WHERE id = ?)";
