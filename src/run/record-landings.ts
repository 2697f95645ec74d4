/** What an accepted request says of its events, into the ledger. */
import type { PlainLanding, Writer } from "../ledger/writer.js";
import type { WorkEvent } from "../ledger/work.js";

/**
 * Matched by position, and only when the number is right (open-points 24, HARD-CASES H6). `mirrorAt`: when back-references
 * took place, ms; null: at their events' own times.
 */
export function recordLandings(
  t: Writer,
  events: readonly WorkEvent[],
  receipts: readonly { eventId: string | null; targetDocumentId: string | null }[] | null,
  mirrorAt: number | null,
  now: number,
): void {
  const matched = receipts !== null && receipts.length === events.length;
  const plain = matched ? plainLandings(events, receipts) : null;
  const [first] = events;
  if (plain !== null && first !== undefined) {
    t.landedTogether(first.document, plain, now);
    return;
  }
  events.forEach((event, position) => {
    const receipt = receipts?.[position];
    if (!matched || receipt === undefined) t.stalled(event.id, "answer-unreadable", now);
    else if (receipt.eventId === null) t.acceptedWithoutId(event.id, receipt.targetDocumentId, mirrorAt, now);
    else t.landed(event.id, receipt.eventId, receipt.targetDocumentId, mirrorAt, now);
  });
}

/** Null: one of them has no id, closes or cancels its document, or writes on another timeline. */
function plainLandings(
  events: readonly WorkEvent[],
  receipts: readonly { eventId: string | null; targetDocumentId: string | null }[],
): PlainLanding[] | null {
  const landings: PlainLanding[] = [];
  for (const [position, { id, at, rank, mirrored, target }] of events.entries()) {
    const receipt = receipts[position];
    if (receipt?.eventId == null || rank !== 0 || mirrored || target !== null) return null;
    landings.push({ id, at, serviceId: receipt.eventId, targetId: receipt.targetDocumentId });
  }
  return landings;
}
