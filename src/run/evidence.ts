/**
 * What a document's lane knows of its events beyond their rows in the ledger, and what follows from it: which
 * duplicate is a receipt, and which refusal proves that an event never landed (HARD-CASES H1–H3). And what an accepted request
 * says of its events.
 */
import type { PlainLanding, Writer } from "../ledger/writer.js";
import type { WorkEvent } from "../ledger/work.js";
import type { EventReceipt } from "../submit/answers.js";
import type { Answer, ServiceError } from "../submit/call.js";

export interface Evidence {
  /** Sent by an earlier request that may have been carried out: a duplicate of them is a receipt. */
  attempted: Set<number>;
  /** An attempt of them went unanswered: a refusal of them proves nothing. */
  doubtful: Set<number>;
  /** They stood in a refused request, which may have been kept in part (open-points 9); with that refusal. */
  refusedWith: Map<number, ServiceError>;
  /** The newest instant that a duplicate answer has confirmed in this lane; null: none. */
  confirmedAt: number | null;
}

export function gatherEvidence(events: readonly WorkEvent[]): Evidence {
  const doubtful = events.filter(({ state, doubt }) => doubt || state === "sending");
  return {
    attempted: new Set(events.filter(({ attempted }) => attempted).map(({ id }) => id)),
    doubtful: new Set(doubtful.map(({ id }) => id)),
    refusedWith: new Map(),
    confirmedAt: null,
  };
}

/** Runs of events that are all in doubt, or none of them: a request of both kinds would be refused for either's sake. */
export function byDoubt(events: readonly WorkEvent[], evidence: Evidence): WorkEvent[][] {
  const runs: WorkEvent[][] = [];
  let last: boolean | null = null;
  for (const event of events) {
    const isDoubtful = evidence.doubtful.has(event.id);
    if (isDoubtful === last) runs.at(-1)?.push(event);
    else runs.push([event]);
    last = isDoubtful;
  }
  return runs;
}

/** These stood in a request that was refused: it may have been kept up to the event at fault. */
export function noteRefusal(evidence: Evidence, events: readonly WorkEvent[], error: ServiceError): void {
  for (const { id } of events) if (!evidence.refusedWith.has(id)) evidence.refusedWith.set(id, error);
}

/**
 * An event that stood in a refused request was accepted when it came again, so that request was not kept up to it;
 * what stood behind it was not kept either.
 */
export function noteAccepted(evidence: Evidence): void {
  evidence.refusedWith.clear();
}

/** Accepted, but the answer does not say what became of each: in doubt, and a duplicate answer will settle it. */
export function noteUnread(evidence: Evidence, events: readonly WorkEvent[]): void {
  for (const { id } of events) {
    evidence.attempted.add(id);
    evidence.doubtful.add(id);
  }
}

/** The document did not exist until now: nothing that was sent to it can have landed (HARD-CASES H4). */
export function forgetAttempts(evidence: Evidence, events: readonly WorkEvent[]): void {
  for (const { id } of events) {
    evidence.attempted.delete(id);
    evidence.doubtful.delete(id);
    evidence.refusedWith.delete(id);
  }
}

export const mayHaveLanded = (evidence: Evidence, { id }: WorkEvent): boolean =>
  evidence.doubtful.has(id) || evidence.refusedWith.has(id);

/** Whether a duplicate answer for this event is about an attempt of ours (HARD-CASES H3). */
export const isOurs = (evidence: Evidence, event: WorkEvent): boolean =>
  evidence.attempted.has(event.id) || mayHaveLanded(evidence, event);

/**
 * Takes note of a duplicate answer that confirmed `event`. @returns whether it also shows that this service notices
 * duplicates before lateness (open-points 19): an earlier event was named although this later one had landed by then.
 */
export function noteConfirmed(evidence: Evidence, event: WorkEvent, answer: Answer): boolean {
  const shown = evidence.confirmedAt !== null && event.at > evidence.confirmedAt && !answer.inDoubt;
  evidence.confirmedAt = event.at;
  return shown;
}

/** Whether the refusal of this event, sent alone, says that it never landed (HARD-CASES H1). */
export function isProven(
  evidence: Evidence,
  { id }: WorkEvent,
  answer: Answer & { result: "refused" },
  duplicatesAreSeen: boolean,
): boolean {
  if (evidence.doubtful.has(id)) return false;
  const earlier = evidence.refusedWith.get(id);
  // Without words it may be the duplicate itself (open-points 23).
  if (answer.unexplainedConflict === true) return earlier === undefined && !evidence.attempted.has(id);
  if (earlier === undefined) return true;
  // Kept in part, it would now be refused as late or closed, in other words than the request was.
  return duplicatesAreSeen || saysTheSame(earlier, answer.error);
}

/** The same refusal, but for the event's place in the request. */
export function saysTheSame(a: ServiceError, b: ServiceError): boolean {
  const words = ({ message }: ServiceError) => message?.replace(/\[\d+\]/g, "[]");
  return a.message !== null && a.status === b.status && words(a) === words(b);
}

/** What was given up without an outcome of its own goes back to where it was, or stays in doubt. */
export function giveBack(
  t: Writer,
  evidence: Evidence,
  events: readonly WorkEvent[],
  now: number,
  reason: "refused-in-doubt" | "interrupted-in-doubt" | "document-stranded" = "refused-in-doubt",
): void {
  for (const event of events) {
    if (mayHaveLanded(evidence, event)) t.stalled(event.id, reason, now);
    else if (event.state === "stalled") t.unanswered(event.id, now);
    else t.unsent(event.id, now);
  }
}

/**
 * Matched by position, and only when the number is right (open-points 24, HARD-CASES H6). `mirrorAt`: when back-references
 * took place, ms; null: at their events' own times.
 */
export function recordLandings(
  t: Writer,
  events: readonly WorkEvent[],
  receipts: readonly EventReceipt[] | null,
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
function plainLandings(events: readonly WorkEvent[], receipts: readonly EventReceipt[]): PlainLanding[] | null {
  const landings: PlainLanding[] = [];
  for (const [position, { id, at, rank, mirrored, target }] of events.entries()) {
    const receipt = receipts[position];
    if (receipt?.eventId == null || rank !== 0 || mirrored || target !== null) return null;
    landings.push({ id, at, serviceId: receipt.eventId, targetId: receipt.targetDocumentId });
  }
  return landings;
}
