/**
 * Sends one planned request: creates its document with the first events if necessary, or appends. A create whose answer
 * is lost leaves a document whose id cannot be looked up, so it stays in doubt (H4, H6).
 */
import type { Writer } from "../ledger/writer.js";
import { idsOf, type WorkDocument, type WorkEvent } from "../ledger/work.js";
import { createRegisteredView } from "../ledger/views/expected.js";
import { creationEvidence } from "../ledger/views/waiting.js";
import { inUtc } from "../model/clock.js";
import { documentDeduplicationId } from "../model/keys.js";
import type { PlannedRequest } from "../plan/batch.js";
import { countBeforeShut, isDisproved } from "../plan/shut-out.js";
import { batchReceiptOf } from "../submit/answers.js";
import type { ServiceError } from "../model/attempt.js";
import type { Answer } from "../submit/call.js";
import { askToSettle, sameAnswer, toldRefusal } from "./refusals.js";
import { begunAmong, type Evidence, gatherEvidence, recordLandings, saysTheSame } from "./evidence.js";
import { firstEarly, type LaneDocument, linkedAt, sendEvents, withdraw } from "./send-events.js";
import type { Session } from "./session.js";

/** @returns whether everything has landed */
export async function sendRequest(session: Session, request: PlannedRequest): Promise<boolean> {
  if (session.stopped !== null) return false;
  const document = session.work.document(request.document.id);
  if (document === null) return false;
  const evidence = gatherEvidence(request.events, session.refusals.withOthers(request.events));
  // A landing elsewhere may have advanced this timeline; then the plan is made again.
  const isOvertaken = (event: WorkEvent) => event.at < (document.lastAt ?? event.at) && !evidence.mayHaveLanded(event);
  const isOutdated = (event: WorkEvent) => isOvertaken(event) || isDisproved(document, event);
  if (document.state === "cancelled" || request.events.some(isOutdated)) return false;
  // Events in doubt after a CLOSE that would shut them out are planned again once the CLOSE has landed; a link to a
  // target whose event has landed without the target's id, once a person has looked that up.
  const isLinkless = ({ relatedDocument }: WorkEvent) =>
    relatedDocument !== null && session.work.document(relatedDocument)?.serviceId == null;
  const linkless = request.events.findIndex(isLinkless);
  const most = linkless < 0 ? request.events.length : linkless;
  const events = request.events.slice(0, Math.min(most, countBeforeShut(request.events)));
  const isWhole = events.length === request.events.length;
  if (events.length === 0 && !isWhole) return false;
  if (document.serviceId !== null) {
    const landed = await sendEvents(session, lane(session, document, document.serviceId), events, evidence);
    return landed && isWhole;
  }
  if (!request.creates) return false;
  const landed = await create(session, document, events, evidence);
  return landed && isWhole;
}

const lane = (session: Session, document: WorkDocument, serviceId: string): LaneDocument => ({
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
  const first = creation === "with-events" ? session.caps.fit(evidence.byDoubt(events)[0] ?? []) : [];
  let riding = first;
  let refused = riding;
  let known: Known = { inDoubt: attempted, refusedWith: null, duplicate: false };
  for (;;) {
    const made = await sendCreate(session, document, riding, known, evidence);
    if (made.next === "created") {
      // Nothing sent to this document before its creation can have landed.
      evidence.forgetAttempts(events);
      const [alone, ...more] = refused;
      if (known.refusedWith !== null && alone !== undefined && more.length === 0)
        session.refusedAlone.set(alone.id, known.refusedWith);
      const unread = made.isRead ? [] : riding;
      evidence.noteUnread(unread);
      // The plan took it for doubtful and did not check what would refuse it, so the plan is made again.
      const rest = [...unread, ...(made.lifted > 0 ? [] : events.slice(riding.length))];
      const asked = idsOf(unread);
      const landed =
        rest.length === 0 ||
        (await sendEvents(session, lane(session, document, made.serviceId), rest, evidence, asked));
      return landed && made.lifted === 0;
    }
    if (made.next === "stop") {
      if (riding !== first) leave(session, document, first, evidence);
      return false;
    }
    refused = riding;
    // Tries fewer and fewer events: whatever is refused alone is itself at fault (H4).
    riding = made.next === "fewer" ? session.caps.fit(riding) : made.next === "first-event" ? riding.slice(0, 1) : [];
    if (made.next === "fewer") continue;
    if (made.refusedWith !== null) evidence.noteRefusal(first, made.refusedWith);
    known = {
      inDoubt: known.inDoubt || made.inDoubt,
      refusedWith: made.refusedWith,
      duplicate: known.duplicate || made.duplicate,
    };
  }
}

type Created =
  /**
   * `isRead`: the answer named each event's outcome. `lifted`: events sent before the creation, which are planned
   * again.
   */
  | { next: "created"; serviceId: string; isRead: boolean; lifted: number }
  /** The request was too large: retry within the lowered cap. */
  | { next: "fewer" }
  /** Retry with the first event only, or without events. `refusedWith`: null: the request cannot have been kept in part. */
  | { next: "first-event" | "alone"; refusedWith: ServiceError | null; inDoubt: boolean; duplicate: boolean }
  | { next: "stop" };

interface Known {
  /** An earlier create may have been carried out. */
  inDoubt: boolean;
  /** The refusal of its request with events, which may have been kept in part; null: none. */
  refusedWith: ServiceError | null;
  /** A create with events was answered as a duplicate. */
  duplicate: boolean;
}

async function sendCreate(
  session: Session,
  document: WorkDocument,
  events: readonly WorkEvent[],
  known: Known,
  evidence: Evidence,
): Promise<Created> {
  const { bodies } = session;
  const call = bodies.create(document, events, session.documentsEndpointIsAbsent);
  const ids = idsOf(events);
  const intent = { subject: "document" as const, subjectId: document.id, events: ids, creates: true };
  const { request, answer, now, end } = await session.send(call, intent);
  const mayExist = known.inDoubt || answer.inDoubt || known.refusedWith !== null;
  const leaveDocument = (t: Writer, reason: "interrupted-in-doubt" | "service-unanswered", isDoubtful: boolean) => {
    if (isDoubtful) t.stalled("document", document.id, reason, now);
    else t.unsent("document", document.id, now);
  };
  const key = documentDeduplicationId(document);
  const unsettle = (t: Writer, error: ServiceError) =>
    t.unsettled("document", document.id, askToSettle(sameAnswer(error), "document", key, session.target), now);
  if (request === null) {
    session.outcomes((t) => {
      withdraw(t, session, evidence, events);
      const isBegun = session.work.document(document.id)?.state === "sending";
      if (isBegun) leaveDocument(t, "interrupted-in-doubt", mayExist);
    });
    return { next: "stop" };
  }
  if (answer.inDoubt) evidence.noteDoubt(events);

  switch (answer.result) {
    case "accepted": {
      const receipt = batchReceiptOf(answer.body);
      const { documentId } = receipt;
      const other = documentId === null ? null : session.work.otherOfId(document.id, documentId);
      if (documentId === null || other !== null) {
        end((t) => {
          for (const id of ids) t.stalled("event", id, "document-stranded", now);
          const why = other === null ? "held no id" : `named the id of ${other}`;
          const message = strandedMessage(session, document, `was created, but the answer ${why}`, answer);
          t.stranded(document.id, "document-stranded", message, now);
        });
        if (other === null) session.stopWithoutIds();
        return { next: "stop" };
      }
      const mirrorAt = linkedAt(session, lane(session, document, documentId), answer);
      let lifted = 0;
      end((t) => {
        lifted = t.opened(document.id, documentId, ids, now);
        recordLandings(t, events, receipt.events, mirrorAt, now);
      });
      const isRead = events.length === 0 || receipt.events?.length === events.length;
      return { next: "created", serviceId: documentId, isRead, lifted };
    }
    case "duplicate": {
      const [first] = events;
      if (first !== undefined && answer.key !== key) {
        end();
        // Whoever sent the first event, if not this ledger, made the document too (H3): this request wrote nothing.
        const isForeign = !mayExist && !evidence.isOurs(first) && answer.key?.includes(first.deduplicationId) === true;
        const refusedWith = isForeign ? null : answer.error;
        return { next: "alone", refusedWith, inDoubt: answer.inDoubt, duplicate: true };
      }
      end((t) => {
        // The key was taken, so this request wrote nothing; earlier ones may have.
        for (const event of events) {
          if (evidence.mayHaveLanded(event)) t.stalled("event", event.id, "document-stranded", now);
          else t.unsent("event", event.id, now);
        }
        // A postponed create may have been kept in part (open point 9).
        strand(session, t, document, mayExist || session.refusals.isPutOff(document.id, request), answer, now);
      });
      // An answer of another shape is asked for again.
      if (answer.attempts.some(({ status }) => status !== null && status < 300)) session.stopWithoutIds();
      break;
    }
    case "refused": {
      const early = firstEarly(session, evidence, events, answer);
      if (early >= 0) {
        // The creation waits with its events (H28); those that are due are planned again.
        end((t) => {
          leaveDocument(t, "interrupted-in-doubt", known.inDoubt);
          evidence.giveBack(t, events.slice(0, early), now);
          for (const { id } of events.slice(early)) t.unsent("event", id, now);
        });
        break;
      }
      if (events.length > 0) {
        end();
        if (answer.tooLarge && events.length > 1) {
          session.caps.lower(events.length);
          return { next: "fewer" };
        }
        const next = events.length > 1 ? "first-event" : "alone";
        return { next, refusedWith: answer.error, inDoubt: answer.inDoubt, duplicate: false };
      }
      if (call.kind === "create-document" && isAbsentEndpoint(answer)) {
        // The specification shows only that POST /documents exists (open point 25), so the other endpoint is tried
        // without events.
        end();
        session.documentsEndpointIsAbsent = true;
        return sendCreate(session, document, events, known, evidence);
      }
      end((t) => {
        // A conflict without a message under a key that we may have used means that the document exists (H4, open point
        // 23). So does a used event key of ours, because events exist only on documents.
        const exists = known.duplicate && known.inDoubt;
        if ((answer.unexplainedConflict === true && mayExist) || exists)
          strand(session, t, document, true, answer, now);
        else if (isOwnFault(known, answer)) {
          const words = toldRefusal(known.refusedWith ?? answer.error);
          t.rejected("document", document.id, { code: "service-refused", message: words }, now);
        } else if (session.refusals.ofDocument(document.id, request, answer.error)) {
          unsettle(t, answer.error);
        } else t.stalled("document", document.id, "refused-in-doubt", now);
      });
      break;
    }
    case "unanswered": {
      const { error } = answer;
      const isSame =
        error !== null && answer.inDoubt && session.refusals.wasUnanswered(document.id, ids, request, error);
      const isUnsettled = isSame && (await answersReads(session));
      if (isUnsettled && events.length > 0) {
        end();
        return { next: "alone", refusedWith: error, inDoubt: true, duplicate: false };
      }
      end((t) => {
        if (isUnsettled) {
          unsettle(t, error);
        } else leaveDocument(t, "service-unanswered", mayExist || events.length === 0);
        evidence.leaveUnanswered(t, events, now);
      });
      break;
    }
    case "stopped":
      end((t) => {
        leaveDocument(t, "interrupted-in-doubt", mayExist);
        evidence.giveBack(t, events, now, "interrupted-in-doubt");
      });
  }
  return { next: "stop" };
}

/** What the service answers in the same way in two runs, while it answers a read, is about the document. */
async function answersReads(session: Session): Promise<boolean> {
  const [known] = createRegisteredView(session.database).participantsAfter(0, 1);
  if (known === undefined) return false;
  return (await session.lookAtParticipant(known)).result === "accepted";
}

/**
 * Whether the refusal of the document alone proves that it does not exist: an identical body refused for anything but a
 * conflict cannot have passed before (H1, H4).
 */
function isOwnFault(known: Known, answer: Answer & { result: "refused" }): boolean {
  if (known.inDoubt || answer.inDoubt) return false;
  const { refusedWith } = known;
  return refusedWith === null || answer.error.status !== 409 || saysTheSame(refusedWith, answer.error);
}

function isAbsentEndpoint({ error }: Answer & { result: "refused" }): boolean {
  return error.status === 404 || error.status === 405 || error.status === 501;
}

function strand(session: Session, t: Writer, document: WorkDocument, ours: boolean, answer: Answer, now: number): void {
  const why = ours ? "exists already, from an earlier attempt" : "exists already, and this ledger never sent it";
  const message = strandedMessage(session, document, why, answer, ours ? "First sent" : "Found");
  t.stranded(document.id, ours ? "document-stranded" : "foreign-collision", message, now);
}

/** Call before the answer is recorded: its last attempt is not yet in the ledger. */
function strandedMessage(
  { database }: Session,
  document: WorkDocument,
  why: string,
  answer: Answer,
  did = "First sent",
): string {
  const { sentAt, requestIds } = creationEvidence(database, document.id);
  const ids = [...requestIds, ...(answer.attempts.at(-1)?.requestIds ?? [])];
  const when = `${did} at ${inUtc(sentAt)}.`;
  return `The document ${why}; its id cannot be looked up. ${when}${ids.length > 0 ? ` Request ids: ${ids.join(", ")}.` : ""}`;
}

/** Events of a create that failed: in doubt if an attempt may have been kept. */
function leave(session: Session, document: WorkDocument, events: readonly WorkEvent[], evidence: Evidence): void {
  const now = session.clock.now();
  const state = session.work.document(document.id)?.state;
  // A document refused for its own fault does not exist, nor do its events.
  if (state === "rejected" || state === "planned") evidence.forgetAttempts(events);
  const reason = state === "stranded" ? "document-stranded" : "refused-in-doubt";
  session.outcomes((t) => evidence.giveBack(t, begunAmong(session, events), now, reason));
}
