/**
 * What a lane knows about its document's events beyond the ledger: which duplicate is a receipt, and which refusal
 * proves that an event never landed (H1–H3).
 */
import type { Writer } from "../ledger/writer.js";
import type { WorkEvent } from "../ledger/work.js";
import type { EventReceipt } from "../submit/answers.js";
import type { Answer, ServiceError } from "../submit/call.js";
import type { Session } from "./session.js";

export interface Evidence {
  /** Sent before in a request that may have been carried out, so a duplicate is a receipt. */
  attempted: Set<number>;
  /** An attempt went unanswered, so a refusal proves nothing. */
  doubtful: Set<number>;
  /** Part of a refused request, which may have been kept in part (open point 9); with that refusal. */
  refusedWith: Map<number, ServiceError>;
  /** The newest instant confirmed by a duplicate; null: none. */
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

/** Splits events by doubt: a mixed request could be refused for either kind. */
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

/** The refused request may have been kept up to the faulty event. */
export function noteRefusal(evidence: Evidence, events: readonly WorkEvent[], error: ServiceError): void {
  for (const { id } of events) if (!evidence.refusedWith.has(id)) evidence.refusedWith.set(id, error);
}

/** An event of a refused request was accepted later, so that request was not kept up to it, nor beyond. */
export function noteAccepted(evidence: Evidence): void {
  evidence.refusedWith.clear();
}

/** Accepted, but the answer does not name each event: in doubt until a duplicate settles it. */
export function noteUnread(evidence: Evidence, events: readonly WorkEvent[]): void {
  for (const { id } of events) {
    evidence.attempted.add(id);
    evidence.doubtful.add(id);
  }
}

/** The document did not exist, so nothing sent to it has landed (H4). */
export function forgetAttempts(evidence: Evidence, events: readonly WorkEvent[]): void {
  for (const { id } of events) {
    evidence.attempted.delete(id);
    evidence.doubtful.delete(id);
    evidence.refusedWith.delete(id);
  }
}

export const mayHaveLanded = (evidence: Evidence, { id }: WorkEvent): boolean =>
  evidence.doubtful.has(id) || evidence.refusedWith.has(id);

/** Whether a duplicate of this event is about our own attempt (H3). */
export const isOurs = (evidence: Evidence, event: WorkEvent): boolean =>
  evidence.attempted.has(event.id) || mayHaveLanded(evidence, event);

/**
 * Records a duplicate that confirms `event`. @returns whether the service checks duplicates before lateness (open point
 * 19): it named an earlier event after this later one had landed
 */
export function noteConfirmed(evidence: Evidence, event: WorkEvent, answer: Answer): boolean {
  const shown = evidence.confirmedAt !== null && event.at > evidence.confirmedAt && !answer.inDoubt;
  evidence.confirmedAt = event.at;
  return shown;
}

/** Whether the refusal of this single event proves that it never landed (H1). */
export function isProven(
  evidence: Evidence,
  { id }: WorkEvent,
  answer: Answer & { result: "refused" },
  { duplicatesAreSeen, refusedAlone }: Pick<Session, "duplicatesAreSeen" | "refusedAlone">,
): boolean {
  if (evidence.doubtful.has(id)) return false;
  const earlier = evidence.refusedWith.get(id);
  // Without a message it may be the duplicate itself (open point 23).
  if (answer.unexplainedConflict === true) return earlier === undefined && !evidence.attempted.has(id);
  if (earlier === undefined) return true;
  // If the request had been kept in part, this event would now be refused as late or closed instead. What was refused
  // alone before, for the same reason, cannot have passed in between.
  const alone = refusedAlone.get(id) ?? earlier;
  return duplicatesAreSeen || saysTheSame(earlier, answer.error) || saysTheSame(alone, answer.error);
}

/** Ignores the event's place in the request. */
export function saysTheSame(a: ServiceError, b: ServiceError): boolean {
  const words = ({ message }: ServiceError) => message?.replace(/\[\d+\]/g, "[]");
  return a.message !== null && a.status === b.status && words(a) === words(b);
}

/** Events without an outcome return to their former state, or stay in doubt. */
export function giveBack(
  t: Writer,
  evidence: Evidence,
  events: readonly WorkEvent[],
  now: number,
  reason: "refused-in-doubt" | "interrupted-in-doubt" | "document-stranded" = "refused-in-doubt",
): void {
  for (const event of events) {
    if (mayHaveLanded(evidence, event)) t.stalled("event", event.id, reason, now);
    else if (event.state === "stalled") t.unanswered(event.id, now);
    else t.unsent("event", event.id, now);
  }
}

/** No answer came: in doubt, unless none of them can have landed. */
export function leaveUnanswered(t: Writer, evidence: Evidence, events: readonly WorkEvent[], now: number): void {
  for (const event of events) {
    if (mayHaveLanded(evidence, event)) t.stalled("event", event.id, "service-unanswered", now);
    else t.unanswered(event.id, now);
  }
}

/** Those whose intent is written, and no outcome. */
export function begunAmong({ work }: Session, events: readonly WorkEvent[]): WorkEvent[] {
  const begun = new Set(work.sending(events.map(({ id }) => id)).map(({ id }) => id));
  return events.filter(({ id }) => begun.has(id));
}

/**
 * Matches by position, if the number is right (open point 24, H6). `mirrorAt`: when back-references took place, ms;
 * null: at their events' times.
 */
export function recordLandings(
  t: Writer,
  events: readonly WorkEvent[],
  receipts: readonly EventReceipt[] | null,
  mirrorAt: number | null,
  now: number,
): void {
  const matched = receipts !== null && receipts.length === events.length;
  events.forEach((event, position) => {
    const receipt = receipts?.[position];
    if (!matched || receipt === undefined) t.stalled("event", event.id, "answer-unreadable", now);
    else t.landed(event.id, receipt.eventId, receipt.targetDocumentId, mirrorAt, now);
  });
}
