/**
 * What a lane knows about its document's events beyond the ledger: which duplicate is a receipt, and which refusal
 * proves that an event never landed (H1–H3).
 */
import type { Writer } from "../ledger/writer.js";
import { idsOf, type WorkEvent } from "../ledger/work.js";
import type { EventReceipt } from "../submit/answers.js";
import type { ServiceError } from "../model/attempt.js";
import type { Answer } from "../submit/call.js";
import type { Session } from "./session.js";

export type Evidence = ReturnType<typeof gatherEvidence>;

/** `refused`: events that an earlier run sent only with others, in requests that were refused; with the first refusal. */
export function gatherEvidence(begun: readonly WorkEvent[], refused: ReadonlyMap<number, ServiceError>) {
  /** Sent before in a request that may have been carried out, so a duplicate is a receipt. */
  const attempted = new Set(idsOf(begun.filter((event) => event.attempted)));
  /** An attempt went unanswered, so a refusal proves nothing. */
  const isLost = ({ id, state, doubt }: WorkEvent) => (doubt || state === "sending") && !refused.has(id);
  const doubtful = new Set(idsOf(begun.filter(isLost)));
  /** Part of a refused request, which may have been kept in part (open point 9); with that refusal. */
  const refusedWith = new Map(refused);
  /** The newest instant confirmed by a duplicate; null: none. */
  let confirmedAt: number | null = null;
  const mayHaveLanded = ({ id }: WorkEvent): boolean => doubtful.has(id) || refusedWith.has(id);
  return {
    mayHaveLanded,
    isDoubtful: ({ id }: WorkEvent): boolean => doubtful.has(id),

    /** Whether a duplicate of this event is about our own attempt (H3). */
    isOurs: (event: WorkEvent): boolean => attempted.has(event.id) || mayHaveLanded(event),

    /**
     * Splits events by doubt: a mixed request could be refused for either kind. What a person said has not landed goes
     * alone: refused with others, and without words, it would be in doubt again.
     */
    byDoubt(events: readonly WorkEvent[]): WorkEvent[][] {
      const runs: WorkEvent[][] = [];
      let last: "doubtful" | "said" | "new" | null = null;
      for (const event of events) {
        const kind = doubtful.has(event.id) ? "doubtful" : attempted.has(event.id) ? "said" : "new";
        if (kind === last && kind !== "said") runs.at(-1)?.push(event);
        else runs.push([event]);
        last = kind;
      }
      return runs;
    },

    /** An attempt of their request was not answered. */
    noteDoubt(events: readonly WorkEvent[]): void {
      for (const { id } of events) doubtful.add(id);
    },

    /** The refused request may have been kept up to the faulty event. */
    noteRefusal(events: readonly WorkEvent[], error: ServiceError): void {
      for (const { id } of events) if (!refusedWith.has(id)) refusedWith.set(id, error);
    },

    /** An event of a refused request was accepted later, so that request was not kept up to it, nor beyond. */
    noteAccepted: (): void => refusedWith.clear(),

    /** Accepted, but the answer does not name each event: in doubt until a duplicate settles it. */
    noteUnread(events: readonly WorkEvent[]): void {
      for (const { id } of events) {
        attempted.add(id);
        doubtful.add(id);
      }
    },

    /** The document did not exist, so nothing sent to it has landed (H4). */
    forgetAttempts(events: readonly WorkEvent[]): void {
      for (const { id } of events) for (const known of [attempted, doubtful, refusedWith]) known.delete(id);
    },

    /**
     * Records a duplicate that confirms `event`. @returns whether the service checks duplicates before lateness (open
     * point 19): it named an earlier event after this later one had landed
     */
    noteConfirmed(event: WorkEvent, answer: Answer): boolean {
      const shown = confirmedAt !== null && event.at > confirmedAt && !answer.inDoubt;
      confirmedAt = event.at;
      return shown;
    },

    /** Whether the refusal of this single event proves that it never landed (H1). */
    isProven(
      { id }: WorkEvent,
      answer: Answer & { result: "refused" },
      { duplicatesAreSeen, refusedAlone }: Pick<Session, "duplicatesAreSeen" | "refusedAlone">,
    ): boolean {
      if (doubtful.has(id)) return false;
      const earlier = refusedWith.get(id);
      if (earlier === undefined) return true;
      // Without a message it may be the duplicate itself (open point 23).
      if (answer.unexplainedConflict === true) return false;
      // If the request had been kept in part, this event would now be refused as late or closed instead. What was
      // refused alone before, for the same reason, cannot have passed in between.
      const alone = refusedAlone.get(id) ?? earlier;
      return duplicatesAreSeen || saysTheSame(earlier, answer.error) || saysTheSame(alone, answer.error);
    },

    /** Events without an outcome return to their former state, or stay in doubt. */
    giveBack(
      t: Writer,
      events: readonly WorkEvent[],
      now: number,
      reason: "refused-in-doubt" | "interrupted-in-doubt" | "document-stranded" = "refused-in-doubt",
    ): void {
      for (const event of events) {
        if (mayHaveLanded(event)) {
          const isAnswered = !doubtful.has(event.id) && reason !== "document-stranded";
          t.stalled("event", event.id, isAnswered ? "refused-with-others" : reason, now);
        } else if (event.state === "stalled" && !refused.has(event.id)) t.unanswered(event.id, now);
        else t.unsent("event", event.id, now);
      }
    },

    /** Without an answer, events are in doubt unless they cannot have landed. */
    leaveUnanswered(t: Writer, events: readonly WorkEvent[], now: number): void {
      for (const event of events) {
        if (mayHaveLanded(event)) t.stalled("event", event.id, "service-unanswered", now);
        else t.unanswered(event.id, now);
      }
    },
  };
}

/** Ignores the event's place in the request. */
export function saysTheSame(a: ServiceError, b: ServiceError): boolean {
  const words = ({ message }: ServiceError) => message?.replace(/\[\d+\]/g, "[]");
  return a.message !== null && a.status === b.status && words(a) === words(b);
}

/** Those whose intent is written, and no outcome. */
export function begunAmong({ work }: Session, events: readonly WorkEvent[]): WorkEvent[] {
  const begun = new Set(work.sending(idsOf(events)));
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
