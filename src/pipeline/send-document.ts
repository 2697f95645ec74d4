/**
 * Sends one planned request: creates its document when it has to, with the first events, or appends. A create whose
 * answer is lost leaves a document whose id cannot be looked up, so doubt is kept as such (HARD-CASES H4, H6).
 */
import type { RequestResult } from "../ledger/requests.js";
import type { Transitions } from "../ledger/transitions.js";
import type { WorkDocument, WorkEvent } from "../ledger/work.js";
import type { Code } from "../model/codes.js";
import type { PlannedRequest } from "../plan/batch.js";
import { batchReceiptOf } from "../submit/answers.js";
import type { Answer, ServiceError } from "../submit/call.js";
import { createDocument, createWithEvents } from "../submit/calls.js";
import { describeRefusal } from "./describe-refusal.js";
import { type Evidence, gatherEvidence, recordLandings, sendEvents } from "./send-events.js";
import type { Session } from "./session.js";

/** True: everything of it has landed. */
export async function sendRequest(session: Session, request: PlannedRequest): Promise<boolean> {
  if (session.stopped !== null) return false;
  const document = session.work.document(request.document.id);
  if (document === null) return false;
  const evidence = gatherEvidence(request.events);
  if (document.serviceId !== null) {
    return sendEvents(session, lane(session, document, document.serviceId), request.events, evidence);
  }
  if (!request.creates) return false;
  return create(session, document, request.events, evidence);
}

const lane = (session: Session, document: WorkDocument, serviceId: string) => ({
  id: document.id,
  serviceId,
  mirrorsNow: session.settings.get(document.settings).linkTime === "server",
});

async function create(
  session: Session,
  document: WorkDocument,
  events: readonly WorkEvent[],
  evidence: Evidence,
): Promise<boolean> {
  const { creation } = session.settings.get(document.settings);
  const attempted = document.state === "stalled" || document.state === "sending";
  const first = creation === "with-events" ? session.caps.fit(events) : [];
  let riding = first;
  let known: Known = { attempted, refusedWith: null };
  for (;;) {
    const made = await sendCreate(session, document, riding, known, evidence);
    if (made.next === "stop") {
      giveBack(session, document, first, evidence);
      return false;
    }
    if (made.next === "created") {
      const rest = events.slice(riding.length);
      if (rest.length === 0) return true;
      return sendEvents(session, lane(session, document, made.serviceId), rest, evidence);
    }
    // Fewer and fewer under the same key: what is refused with nothing else beside it is its own fault (HARD-CASES H4).
    known = { attempted: true, refusedWith: made.refusedWith };
    riding = made.next === "with-first-event" ? riding.slice(0, 1) : [];
  }
}

type Created =
  | { next: "created"; serviceId: string }
  /** Try the document with its first event only, or without events. */
  | { next: "with-first-event" | "alone"; refusedWith: ServiceError | null }
  | { next: "stop" };

interface Known {
  /** Whether an earlier create of this document may have been kept. */
  attempted: boolean;
  /** The refusal of the batch the document stood in; null: none. */
  refusedWith: ServiceError | null;
}

async function sendCreate(
  session: Session,
  document: WorkDocument,
  events: readonly WorkEvent[],
  known: Known,
  evidence: Evidence,
): Promise<Created> {
  const { bodies, clock, requests, submitter } = session;
  const call =
    events.length > 0 ? createWithEvents(bodies.create(document, events)) : createDocument(bodies.document(document));
  const intent = { kind: call.kind, subject: "document" as const, subjectId: document.id, creates: true };
  const ids = events.map(({ id }) => id);
  const request = requests.begin({ ...intent, runId: session.run.id, events: ids }, clock.now());
  const answer = await submitter.send(call, session.recordRetries(request));
  const now = clock.now();
  const end = (outcome: (t: Transitions) => void, result: RequestResult = answer.result) =>
    requests.end(request, result, answer.attempts.at(-1), now, outcome);
  if (answer.inDoubt) for (const id of ids) evidence.doubtful.add(id);
  const stallEvents = (t: Transitions, reason: Code) => {
    for (const id of ids) t.stalled(id, reason, now);
  };

  switch (answer.result) {
    case "accepted": {
      const receipt = batchReceiptOf(answer.body);
      const { documentId } = receipt;
      if (documentId === null) {
        end((t) => {
          stallEvents(t, "document-stranded");
          t.stranded(
            document.id,
            "document-stranded",
            strandedMessage("was created, but the answer held no id", answer),
            now,
          );
        });
        return { next: "stop" };
      }
      const mirrorAt = lane(session, document, documentId).mirrorsNow ? submitter.serviceNow() : null;
      end((t) => {
        t.opened(document.id, documentId, now);
        recordLandings(t, events, receipt.events, mirrorAt, now);
      });
      const matched = events.length === 0 || receipt.events?.length === events.length;
      return matched ? { next: "created", serviceId: documentId } : { next: "stop" };
    }
    case "duplicate": {
      if (events.length > 0 && answer.key !== bodies.documentKey(document)) {
        end(() => {});
        for (const id of ids) if (known.attempted || answer.inDoubt) evidence.attempted.add(id);
        return { next: "alone", refusedWith: null };
      }
      const ours = known.attempted || answer.inDoubt;
      end((t) => {
        if (ours) stallEvents(t, "document-stranded");
        else for (const id of ids) t.unsent(id, now);
        const why = ours ? "exists already by an attempt of ours" : "exists already, and this ledger never sent it";
        t.stranded(document.id, ours ? "document-stranded" : "foreign-collision", strandedMessage(why, answer), now);
      });
      return { next: "stop" };
    }
    case "refused": {
      const doubt = answer.inDoubt || (known.attempted && known.refusedWith === null);
      if (!doubt && events.length > 0) {
        end(() => {});
        if (answer.tooLarge) session.caps.lower(events.length);
        for (const id of ids) {
          evidence.attempted.add(id);
          if (!answer.tooLarge) evidence.refusedWith.set(id, answer.error);
        }
        return { next: events.length > 1 ? "with-first-event" : "alone", refusedWith: answer.error };
      }
      const proven = !doubt && isOwnFault(session, known, answer.error);
      end((t) => {
        const note = { code: "service-refused" as const, message: describeRefusal(known.refusedWith ?? answer.error) };
        if (proven) t.documentRejected(document.id, note, now);
        else t.documentStalled(document.id, "refused-in-doubt", now);
        if (doubt) stallEvents(t, "refused-in-doubt");
      });
      return { next: "stop" };
    }
    case "unanswered":
      end((t) => {
        t.documentStalled(document.id, "service-unanswered", now);
        stallEvents(t, "service-unanswered");
      });
      return { next: "stop" };
    case "stopped": {
      session.stop(answer);
      const doubt = answer.inDoubt || known.attempted;
      end((t) => {
        if (doubt) t.documentStalled(document.id, "interrupted-in-doubt", now);
        else t.documentUnsent(document.id, now);
        for (const id of ids) {
          if (doubt || evidence.doubtful.has(id)) t.stalled(id, "interrupted-in-doubt", now);
          else t.unsent(id, now);
        }
      });
      return { next: "stop" };
    }
  }
}

function isOwnFault(session: Session, known: Known, error: ServiceError): boolean {
  const earlier = known.refusedWith;
  if (earlier === null || session.batchesAreWhole) return true;
  return earlier.message !== null && earlier.message === error.message;
}

function strandedMessage(why: string, answer: Answer): string {
  const ids = answer.attempts.flatMap(({ requestIds }) => requestIds);
  const when = answer.attempts[0] === undefined ? "" : ` Sent ${new Date(answer.attempts[0].startedAt).toISOString()}.`;
  return `The document ${why}; its id cannot be looked up.${when}${ids.length > 0 ? ` Request ids: ${ids.join(", ")}.` : ""}`;
}

/** Events of a create that came to nothing: in doubt where an attempt may have been kept. */
function giveBack(session: Session, document: WorkDocument, events: readonly WorkEvent[], evidence: Evidence): void {
  const now = session.clock.now();
  const isStranded = session.work.document(document.id)?.state === "stranded";
  const reason = isStranded ? "document-stranded" : "refused-in-doubt";
  session.outcomes((t) => {
    for (const { id } of session.work.sending(events.map((event) => event.id))) {
      if (evidence.doubtful.has(id)) t.stalled(id, reason, now);
      else t.unsent(id, now);
    }
  });
}
