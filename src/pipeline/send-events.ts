/**
 * Sends a document's consecutive events until all have landed or one stands in the way: a refused batch is narrowed
 * to the event at fault, in order; a duplicate is a receipt only by evidence; a refusal after doubt proves nothing
 * (HARD-CASES H1–H3, H6).
 */
import type { Transitions } from "../ledger/transitions.js";
import type { WorkEvent } from "../ledger/work.js";
import { batchReceiptOf } from "../submit/answers.js";
import type { Answer, ServiceError } from "../submit/call.js";
import { appendEvents } from "../submit/calls.js";
import { describeRefusal } from "./describe-refusal.js";
import type { Session } from "./session.js";

/** What is known of events beyond their row in the ledger, while one document's lane works on them. */
export interface Evidence {
  /** Attempted before, as far as this ledger knows: a duplicate of them is a receipt. */
  attempted: Set<number>;
  /** An attempt of them went unanswered: a refusal of them proves nothing. */
  doubtful: Set<number>;
  /** The refusal of a batch they stood in, which may have been kept in part. */
  refusedWith: Map<number, ServiceError>;
}

export function gatherEvidence(events: readonly WorkEvent[]): Evidence {
  const doubtful = events.filter(({ state, doubt }) => doubt || state === "sending" || state === "stalled");
  return {
    attempted: new Set(events.filter(({ attempted }) => attempted).map(({ id }) => id)),
    doubtful: new Set(doubtful.map(({ id }) => id)),
    refusedWith: new Map(),
  };
}

/** True: all have landed. False: one stands in the way, or the run was stopped; the ledger says which. */
export async function sendEvents(
  session: Session,
  document: { id: number; serviceId: string; mirrorsNow: boolean },
  events: readonly WorkEvent[],
  evidence: Evidence,
): Promise<boolean> {
  const { clock, requests, submitter, bodies } = session;
  let queue: WorkEvent[][] = [[...events]];
  let wholeBatchRefused = 0;

  const mirrorAt = () => (document.mirrorsNow ? submitter.serviceNow() : null);

  /** What was given up without an outcome of its own goes back to where it was. */
  const giveBack = (t: Transitions, now: number, rest: readonly WorkEvent[]): void => {
    for (const event of rest) {
      if (evidence.doubtful.has(event.id)) t.stalled(event.id, "refused-in-doubt", now);
      else t.unsent(event.id, now);
    }
  };

  for (;;) {
    const next = queue.shift();
    if (next === undefined) break;
    const chunk = session.caps.fit(next);
    if (chunk.length < next.length) queue.unshift(next.slice(chunk.length));
    const call = appendEvents(bodies.append(document.serviceId, chunk));
    const intent = { kind: call.kind, subject: "document" as const, subjectId: document.id, creates: false };
    const request = requests.begin(
      { ...intent, runId: session.run.id, events: chunk.map(({ id }) => id) },
      clock.now(),
    );
    const answer = await submitter.send(call, session.recordRetries(request));
    const last = answer.attempts.at(-1);
    const now = clock.now();
    const end = (outcome: (t: Transitions) => void) => requests.end(request, answer.result, last, now, outcome);
    const rest = queue.flat();

    if (answer.inDoubt && answer.result !== "accepted") for (const { id } of chunk) evidence.doubtful.add(id);

    switch (answer.result) {
      case "accepted": {
        const matched = recordAccepted(answer, chunk, mirrorAt(), end, now, rest, giveBack);
        if (!matched) return false;
        noteAtomicity(session, chunk, evidence);
        break;
      }
      case "duplicate": {
        const index = chunk.length === 1 ? 0 : chunk.findIndex(({ deduplicationId }) => deduplicationId === answer.key);
        const event = chunk[index];
        if (event === undefined) {
          end(() => {});
          for (const { id } of chunk) evidence.attempted.add(id);
          queue.unshift(...chunk.map((single) => [single]));
          break;
        }
        const before = chunk.slice(0, index);
        const after = chunk.slice(index + 1);
        if (evidence.attempted.has(event.id) || answer.inDoubt) {
          end((t) => void t.landedWithoutId(event.id, mirrorAt(), now));
          session.duplicatesAreSeen = true;
          for (const { id } of chunk) evidence.attempted.add(id);
          queue.unshift(...[before, after].filter(({ length }) => length > 0));
        } else {
          end((t) => {
            t.foreign(event.id, now);
            giveBack(t, now, [...after, ...rest]);
          });
          for (const { id } of before) evidence.attempted.add(id);
          queue = before.length > 0 ? [before] : [];
          if (before.length === 0) return false;
          await sendEvents(session, document, before, evidence);
          return false;
        }
        break;
      }
      case "refused": {
        if (chunk.length > 1) {
          end(() => {});
          if (answer.tooLarge) session.caps.lower(chunk.length);
          else {
            wholeBatchRefused = Math.max(wholeBatchRefused, chunk.length);
            for (const { id } of chunk) {
              evidence.attempted.add(id);
              if (!evidence.refusedWith.has(id)) evidence.refusedWith.set(id, answer.error);
            }
          }
          const middle = Math.ceil(chunk.length / 2);
          queue.unshift(chunk.slice(0, middle), chunk.slice(middle));
          break;
        }
        const [event] = chunk;
        if (event === undefined) return false;
        const proven = isProven(session, event, answer.error, evidence);
        end((t) => {
          const note = { code: "service-refused" as const, message: describeRefusal(answer.error) };
          if (proven) t.rejected(event.id, note, now);
          else t.stalled(event.id, "refused-in-doubt", now);
          giveBack(t, now, rest);
        });
        return false;
      }
      case "unanswered":
        end((t) => {
          for (const { id } of chunk) t.stalled(id, "service-unanswered", now);
          giveBack(t, now, rest);
        });
        return false;
      case "stopped":
        session.stop(answer);
        end((t) => {
          for (const event of chunk) {
            if (evidence.doubtful.has(event.id)) t.stalled(event.id, "interrupted-in-doubt", now);
            else t.unsent(event.id, now);
          }
          giveBack(t, now, rest);
        });
        return false;
    }
  }
  // A batch that was refused whole while all its parts passed was too large for the service (open-points 10).
  if (wholeBatchRefused > 1) session.caps.lower(wholeBatchRefused);
  return true;
}

function recordAccepted(
  answer: Answer & { result: "accepted" },
  chunk: readonly WorkEvent[],
  mirrorAt: number | null,
  end: (outcome: (t: Transitions) => void) => void,
  now: number,
  rest: readonly WorkEvent[],
  giveBack: (t: Transitions, now: number, rest: readonly WorkEvent[]) => void,
): boolean {
  const { events } = batchReceiptOf(answer.body);
  const matched = events !== null && events.length === chunk.length;
  end((t) => {
    recordLandings(t, chunk, events, mirrorAt, now);
    if (!matched) giveBack(t, now, rest);
  });
  return matched;
}

/** Matched by position, and only when the number is right (open-points 24, HARD-CASES H6). */
export function recordLandings(
  t: Transitions,
  events: readonly WorkEvent[],
  receipts: readonly { eventId: string | null; targetDocumentId: string | null }[] | null,
  mirrorAt: number | null,
  now: number,
): void {
  const matched = receipts !== null && receipts.length === events.length;
  events.forEach((event, position) => {
    const receipt = receipts?.[position];
    if (!matched || receipt === undefined) t.stalled(event.id, "answer-unreadable", now);
    else if (receipt.eventId === null) t.landedWithoutId(event.id, mirrorAt, now);
    else t.landed(event.id, receipt.eventId, receipt.targetDocumentId, mirrorAt, now);
  });
}

/**
 * An event that stood in a refused batch is accepted when it comes again: nothing of that batch had been kept, so
 * this service takes batches whole or not at all (open-points 9).
 */
function noteAtomicity(session: Session, chunk: readonly WorkEvent[], evidence: Evidence): void {
  if (chunk.some(({ id }) => evidence.refusedWith.has(id) && !evidence.doubtful.has(id)))
    session.batchesAreWhole = true;
}

/** Whether a refusal of this event alone says that it never landed (HARD-CASES H1). */
function isProven(session: Session, event: WorkEvent, error: ServiceError, evidence: Evidence): boolean {
  if (evidence.doubtful.has(event.id)) return false;
  const earlier = evidence.refusedWith.get(event.id);
  if (earlier === undefined || session.batchesAreWhole || session.duplicatesAreSeen) return true;
  // Kept in part, it would now be refused as late or closed, in other words than the batch was.
  return earlier.message !== null && earlier.message === error.message && earlier.status === error.status;
}
