/**
 * Sends a document's consecutive events until all have landed or one is in the way. A refused batch is narrowed to the
 * faulty event, in order; a duplicate is a receipt only by evidence; a refusal after doubt proves nothing (H1–H3, H6).
 */
import { idsOf, type WorkEvent } from "../ledger/work.js";
import type { Writer } from "../ledger/writer.js";
import { batchReceiptOf } from "../submit/answers.js";
import type { Answer } from "../submit/call.js";
import { readDocument } from "../submit/calls.js";
import { namesCode } from "../submit/classify.js";
import { askToSettle, describeEventRefusal, sameAnswer } from "./refusals.js";
import { begunAmong, type Evidence, recordLandings } from "./evidence.js";
import type { Session } from "./session.js";

/** An event is due when the service's clock is past it by this margin (H10). */
export const DUE_MARGIN_MS = 2000;

/** `mirrorsNow`: back-references take place at the service's time (open point 11). */
export interface LaneDocument {
  id: number;
  serviceId: string;
  mirrorsNow: boolean;
}

interface Lane {
  session: Session;
  serviceId: string;
  mirrorsNow: boolean;
  evidence: Evidence;
  /** Parts to send, in order. */
  queue: WorkEvent[][];
  /** Something blocks the events after `queue`. */
  barred: boolean;
  /** Events asked about again because the first answer was unreadable. */
  asked: Set<number>;
  /** Whether its last event was foreign, and accepted; null: to be asked. */
  afterAccepted: boolean | null;
  /** When this lane first sent events that were never sent before; ms, local clock. */
  firstSentAt: Map<number, number>;
  /** In ms. */
  pauseMs: number;
}

interface Turn extends Lane, Pick<Awaited<ReturnType<Session["send"]>>, "now" | "end"> {
  lane: Lane;
  chunk: readonly WorkEvent[];
  /** In the ledger. */
  request: number;
  /** When the back-references took place, ms; null: at their events' times. */
  mirrorAt: number | null;
}

/** Backoff begins at one second (service.md, Errors). */
const ASK_AGAIN_AFTER_MS = 1_000;

/**
 * `asked`: events that were sent with a creation whose answer was unreadable; they are asked about once more, after a
 * pause. @returns whether all have landed; otherwise the ledger says what is in the way, or the run was stopped
 */
export async function sendEvents(
  session: Session,
  document: LaneDocument,
  events: readonly WorkEvent[],
  evidence: Evidence,
  asked: readonly number[] = [],
): Promise<boolean> {
  const { clock, bodies } = session;
  const lane: Lane = {
    session,
    serviceId: document.serviceId,
    mirrorsNow: document.mirrorsNow,
    evidence,
    queue: evidence.byDoubt(events),
    barred: false,
    asked: new Set(asked),
    afterAccepted: null,
    firstSentAt: new Map(),
    pauseMs: asked.length > 0 ? ASK_AGAIN_AFTER_MS : 0,
  };
  const { queue } = lane;
  let refusedWhole = 0;
  let isClean = true;
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (lane.pauseMs > 0) await clock.sleep(lane.pauseMs, session.signal);
    lane.pauseMs = 0;
    const chunk = session.caps.fit(next);
    if (chunk.length < next.length) queue.unshift(next.slice(chunk.length));
    const call = bodies.append(document.serviceId, chunk);
    const ids = idsOf(chunk);
    const intent = { subject: "document" as const, subjectId: document.id, events: ids, creates: false };
    const { request, answer, now, end } = await session.send(call, intent);
    if (request === null) {
      session.outcomes((t) => withdraw(t, session, evidence, [...chunk, ...queue.flat()]));
      return false;
    }
    for (const { id, attempted } of chunk)
      if (!attempted && !lane.asked.has(id) && !lane.firstSentAt.has(id))
        lane.firstSentAt.set(id, answer.attempts[0]?.startedAt ?? now);
    if (answer.inDoubt && answer.result !== "accepted") evidence.noteDoubt(chunk);
    const mirrorAt = linkedAt(session, document, answer);
    const turn: Turn = { ...lane, lane, chunk, request, now, mirrorAt, end };
    if (answer.result === "refused" && !answer.tooLarge && chunk.length > 1) {
      refusedWhole = Math.max(refusedWhole, chunk.length);
    } else if (answer.result !== "accepted") isClean = false;
    if (!(await take(turn, answer))) return false;
  }
  if (lane.barred) return false;
  // The batch was refused, but all its parts were accepted: it was too large (open point 10).
  if (isClean && refusedWhole > 1) session.caps.lower(refusedWhole);
  return true;
}

/** The lane's next request did not leave: events of earlier requests are given back, the others are unchanged. */
export function withdraw(t: Writer, session: Session, evidence: Evidence, events: readonly WorkEvent[]): void {
  evidence.giveBack(t, begunAmong(session, events), session.clock.now(), "interrupted-in-doubt");
}

/**
 * When an accepted request's back-references and targets took place, ms; null: at their events' times. Under `server`
 * not before the request left: a time that is too late would make good rows late.
 */
export function linkedAt(session: Session, document: LaneDocument, { attempts }: Answer): number | null {
  return document.mirrorsNow ? session.submitter.serviceNow() - (attempts.at(-1)?.durationMs ?? 0) : null;
}

/**
 * The same for an event confirmed by a duplicate: not before it was first sent. Null also if that was before this lane,
 * because the clock may have been set since.
 */
function linkedSince({ session, lane }: Turn, { id }: WorkEvent): number | null {
  const first = lane.firstSentAt.get(id);
  const elapsed = session.clock.now() - (first ?? Number.POSITIVE_INFINITY);
  return lane.mirrorsNow && elapsed >= 0 ? session.submitter.serviceNow() - elapsed : null;
}

/** False: the lane ends. */
function take(turn: Turn, answer: Answer): boolean | Promise<boolean> {
  const { evidence, chunk, queue, now, end } = turn;
  switch (answer.result) {
    case "accepted":
      return takeAccepted(turn, answer);
    case "duplicate":
      return takeDuplicate(turn, answer);
    case "refused":
      return takeRefused(turn, answer);
    case "unanswered":
      return takeUnanswered(turn, answer);
    case "stopped":
      end((t) => evidence.giveBack(t, [...chunk, ...queue.flat()], now, "interrupted-in-doubt"));
      return false;
  }
}

function takeAccepted(turn: Turn, answer: Answer & { result: "accepted" }): boolean {
  const { lane, evidence, chunk, queue, mirrorAt, now, end } = turn;
  lane.afterAccepted = null;
  const { events } = batchReceiptOf(answer.body);
  const matched = events !== null && events.length === chunk.length;
  if (matched) evidence.noteAccepted();
  else evidence.noteUnread(chunk);
  const isAsked = chunk.some(({ id }) => lane.asked.has(id));
  end((t) => {
    recordLandings(t, chunk, events, mirrorAt, now);
    if (!matched && isAsked) evidence.giveBack(t, queue.flat(), now);
  });
  if (matched || isAsked) return matched;
  // The duplicate answers to each key will show it (H6).
  for (const { id } of chunk) lane.asked.add(id);
  lane.pauseMs = ASK_AGAIN_AFTER_MS;
  queue.unshift([...chunk]);
  return true;
}

const ACCEPTED_TOO =
  "Something else has sent this one too; it is accepted like the one before it (`rowferry dismiss --undo` undoes that).";

function takeDuplicate(turn: Turn, answer: Answer & { result: "duplicate" }): boolean | Promise<boolean> {
  const { lane, session, evidence, chunk, queue, now, end } = turn;
  const unreadable = answer.key === null;
  // Services quote, prefix or shorten keys (open point 23). A single event without a target has no other key.
  const isAlone = chunk.length === 1 && (unreadable || chunk[0]?.target === null);
  const index = isAlone ? 0 : chunk.findIndex((one) => answer.key?.includes(one.deduplicationId) === true);
  const event = chunk[index];
  if (event === undefined) {
    // The key that is taken may be a target document's, which is an ordinary conflict.
    if (!unreadable) return takeConflict(turn, answer);
    end();
    evidence.noteRefusal(chunk, answer.error);
    queue.unshift(...chunk.map((single) => [single]));
    return true;
  }
  const before = chunk.slice(0, index);
  const after = chunk.slice(index + 1);
  if (evidence.isOurs(event)) {
    lane.afterAccepted = null;
    const mirrorAt = linkedSince(turn, event);
    end((t) => {
      if (answer.inDoubt) t.sentInDoubt(event.id);
      t.landedWithoutId(event.id, mirrorAt, now);
    });
    if (evidence.noteConfirmed(event, answer)) session.duplicatesAreSeen = true;
    evidence.noteRefusal(before, answer.error);
    queue.unshift(...[before, after].filter(({ length }) => length > 0));
    return true;
  }
  // If something else has sent several events in a row, a person decides once for all of them.
  if (before.length === 0 && (lane.afterAccepted ??= session.work.followsAccepted(event))) {
    end((t) => t.foreignToo(event.id, ACCEPTED_TOO, now));
    if (after.length > 0) queue.unshift(after);
    return true;
  }
  // Events before a foreign collision are sent, later ones are held (H3).
  end((t) => {
    t.foreign(event.id, now);
    evidence.giveBack(t, [...after, ...queue.flat()], now);
  });
  evidence.noteRefusal(before, answer.error);
  return sendLast(turn, before);
}

/** Ends the lane after `events`. */
function sendLast({ lane, queue }: Turn, events: WorkEvent[]): boolean {
  lane.barred = true;
  queue.splice(0, queue.length, ...(events.length > 0 ? [events] : []));
  return events.length > 0;
}

function takeConflict(turn: Turn, answer: Answer & { result: "duplicate" }): Promise<boolean> {
  return takeRefused(turn, { ...answer, result: "refused", tooLarge: false, notFound: false });
}

/** What the service answers in the same way in two runs, while it answers a read, is about these events. */
async function takeUnanswered(turn: Turn, answer: Answer & { result: "unanswered" }): Promise<boolean> {
  const { session, serviceId, evidence, chunk, queue, request, now, end } = turn;
  const { error, attempts } = answer;
  const document = chunk[0]?.document ?? 0;
  const isSame =
    error !== null &&
    attempts.at(-1)?.inDoubt === true &&
    session.refusals.wasUnanswered(document, idsOf(chunk), request, error);
  const read = isSame ? await session.look({ kind: "document", id: document }, readDocument(serviceId)) : null;
  const isUnsettled = read?.result === "accepted" || read?.result === "refused";
  end((t) => {
    if (error === null || !isUnsettled) evidence.leaveUnanswered(t, chunk, now);
    else for (const event of chunk) unsettled(session, t, event, sameAnswer(error), now);
    evidence.giveBack(t, queue.flat(), now);
  });
  return false;
}

/**
 * The service's clock decides (H10): by its Date, events from this index on were too early, so it cannot have taken them.
 * -1: none.
 */
export function firstEarly(
  { submitter }: Session,
  evidence: Evidence,
  events: readonly WorkEvent[],
  { attempts, tooLarge }: Answer & { result: "refused" },
): number {
  if (tooLarge) return -1;
  const serviceNow = submitter.serviceNow();
  // Nor can it have taken earlier tries of the remaining events, even at the end of that second.
  const toCome = serviceNow + (attempts.at(-1)?.durationMs ?? 0) + DUE_MARGIN_MS;
  return events.findIndex((event) =>
    evidence.isDoubtful(event) ? event.at > toCome : event.at >= serviceNow - DUE_MARGIN_MS,
  );
}

async function takeRefused(turn: Turn, answer: Answer & { result: "refused" }): Promise<boolean> {
  const { session, evidence, chunk, queue, now, end } = turn;
  const early = firstEarly(session, evidence, chunk, answer);
  if (early >= 0) {
    const due = chunk.slice(0, early);
    evidence.noteRefusal(due, answer.error);
    end((t) => {
      for (const { id } of chunk.slice(early)) t.unsent("event", id, now);
      evidence.giveBack(t, queue.flat(), now);
    });
    return sendLast(turn, due);
  }
  const [first] = chunk;
  if (first === undefined) return false;
  if (chunk.length > 1) {
    end();
    if (answer.tooLarge) session.caps.lower(chunk.length);
    else evidence.noteRefusal(chunk, answer.error);
    // Without a message it may be a duplicate, and later refusals would look the same, so events go one by one, in
    // order.
    if (answer.error.message === null && !answer.tooLarge) queue.unshift(...chunk.map((single) => [single]));
    else {
      const middle = Math.ceil(chunk.length / 2);
      queue.unshift(chunk.slice(0, middle), chunk.slice(middle));
    }
    return true;
  }
  // What is gone has kept no part of a refused request.
  const gone = !evidence.isDoubtful(first) && (await isGone(turn, first, answer));
  const proven = gone || evidence.isProven(first, answer, session);
  if (proven) evidence.noteAccepted();
  // Asked again and refused again: another time would show no more (H1).
  const isUnsettled = !proven && session.refusals.ofEvent(first, turn.request, answer.error);
  end((t) => {
    const note = {
      code: gone ? ("document-gone" as const) : ("service-refused" as const),
      message: describeEventRefusal(answer.error, first, session.work),
    };
    if (proven) t.rejected("event", first.id, note, now);
    else if (isUnsettled) unsettled(turn.session, t, first, sameAnswer(answer.error), now);
    else t.stalled("event", first.id, "refused-in-doubt", now);
    evidence.giveBack(t, queue.flat(), now);
  });
  return false;
}

/** A person settles the document's doubt at once, but that of a CANCEL by its key: the name is then the next generation's. */
export function unsettled({ work, target }: Session, t: Writer, event: WorkEvent, why: string, now: number): void {
  const document = work.document(event.document);
  const isNamed = document !== null && event.event !== "#replaced";
  const name = isNamed ? `${document.kind}/${document.key}` : event.deduplicationId;
  t.unsettled("event", event.id, askToSettle(why, "event", name, target), now);
}

/**
 * Whether the service no longer knows a document that it has made for this ledger: no correction of a row helps. A read
 * decides: the 404 may be about the participant or the address.
 */
async function isGone(
  { session, serviceId }: Turn,
  { document, relatedDocument, target }: WorkEvent,
  answer: { notFound: boolean },
): Promise<boolean> {
  if (!answer.notFound || relatedDocument !== null || target !== null) return false;
  if (session.work.document(document)?.mode !== "create") return false;
  const found = await session.look({ kind: "document", id: document }, readDocument(serviceId));
  return found.result === "refused" && found.notFound && namesCode(found.error);
}
