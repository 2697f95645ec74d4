/** Sends the plan: a lane for each component, requests of linked documents in the order of their links. */
import { isUnsent } from "../model/states.js";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Writer } from "../ledger/writer.js";
import type { Code } from "../model/codes.js";
import type { Block } from "../plan/assess-document.js";
import { idsOf, type WorkDocument, type WorkEvent } from "../ledger/work.js";
import type { PlannedRequest } from "../plan/batch.js";
import { type Component, type PlanContext, componentsOf, planPieces } from "../plan/plan-work.js";
import { createGate, createLanes, type Gate, MOST_LANES } from "../submit/lanes.js";
import { DUE_MARGIN_MS, unsettled } from "./send-events.js";
import { sendRequest } from "./send-document.js";
import type { Session } from "./session.js";

export interface SendLimits {
  /** Inputs of this run, whose documents go first. */
  first: readonly number[];
  documents: Allowance;
  /** In ms; no lane begins afterwards. Null: no bound. */
  until: number | null;
  /** Called after every request; true ends the run. */
  isOver: () => boolean;
}

export type Allowance = ReturnType<typeof createAllowance>;

/** How many documents a run may send events of; null: all. A replacement is sent whole, or not begun. */
export function createAllowance(limit: number | null) {
  const begun = new Set<number>();
  const names = new Set<string>();
  const left = new WeakSet<PlannedRequest>();
  const isSpent = () => limit !== null && begun.size >= limit;
  const begins = ({ id, namespace, kind, key }: WorkDocument): boolean => {
    const name = JSON.stringify([namespace, kind, key]);
    if (isSpent() && !names.has(name)) return false;
    begun.add(id);
    names.add(name);
    return true;
  };
  return {
    isSpent,
    /**
     * The requests that may be sent: one that waits for another document's request is sent together with that, or not
     * at all.
     */
    within(requests: readonly PlannedRequest[]): PlannedRequest[] {
      if (limit === null) return [...requests];
      return requests.filter((request) => {
        const goes = !request.waits.some((wait) => left.has(wait)) && begins(request.document);
        if (!goes) left.add(request);
        return goes;
      });
    },
  };
}

export function planContext(session: Session, retryStalled: boolean): PlanContext {
  return {
    work: session.work,
    registrations: session.registrations,
    // The service's clock is known only after its first answer.
    get dueBefore() {
      return session.submitter.serviceNow() - DUE_MARGIN_MS;
    },
    retryStalled,
    caps: session.caps,
    linkTimeOf: (document) => session.settings.get(document.settings).linkTime,
    retimingOf(document) {
      const { late } = session.settings.get(document.settings);
      return late.refuse ? null : { attribute: late.attribute, isPublic: late.isPublic };
    },
  };
}

/** How many lanes begin before the event loop does other work. */
const LANES_A_TURN = 8;

export interface SendProgress {
  /** After a request and all its narrowing. */
  onRequest(): void;
  onDocuments(count: number): void;
}

/** Plans each document when its lane begins. */
export async function sendWork(session: Session, limits: SendLimits, progress: SendProgress): Promise<void> {
  const lanes = createLanes(lanesFor(session));
  // Thousands of documents may be linked to one, so a component's requests are limited to the number of lanes.
  const gate = createGate(lanesFor(session));
  const resting = createRestList(session);
  let added = 0;
  const isOver = () =>
    session.isEnded() ||
    limits.isOver() ||
    (limits.until !== null && session.clock.now() >= limits.until) ||
    limits.documents.isSpent();
  for (const documents of componentsOf(session.work, limits.first)) {
    if (isOver()) break;
    await lanes.add(async () => {
      if (isOver()) return;
      await drainComponent(session, documents, gate, resting, limits.documents, progress);
      progress.onDocuments(documents.length);
    });
    // Hundreds of lanes write intents as they begin; the first requests leave meanwhile.
    added += 1;
    if (added % LANES_A_TURN === 0) await nextTurn();
  }
  await lanes.settled();
  resting.flush();
}

/** Removes finished documents from the open list in bulk; after a kill they are merely looked at again. */
function createRestList({ requests, work }: Session): { add(documents: readonly number[]): void; flush(): void } {
  const AT_ONCE = 200;
  let ids: number[] = [];
  const flush = () => {
    const done = ids;
    ids = [];
    if (done.length > 0) requests.outcomes(() => done.forEach((id) => work.closeIfResting(id)));
  };
  return {
    add(documents) {
      ids.push(...documents);
      if (ids.length >= AT_ONCE) flush();
    },
    flush,
  };
}

/** Enough for 4 s of requests: room for slow answers and backoff, but a quick end. */
export function lanesFor({ target }: Pick<Session, "target">): number {
  return Math.min(MOST_LANES, Math.max(64, (target.rate ?? 0) * 4));
}

/** Plans and sends the component piece by piece until nothing can go. */
async function drainComponent(
  session: Session,
  documents: readonly number[],
  gate: Gate,
  resting: { add(documents: readonly number[]): void },
  allowance: Allowance,
  progress: SendProgress,
): Promise<void> {
  let tried = "";
  let retryStalled = true;
  for (let round = 0; ; round += 1) {
    let isLeft = false;
    let isSent = false;
    let isStopped = false;
    const pieces = planPieces(planContext(session, retryStalled), documents);
    // Failures block from now on; stalled work is tried once a run.
    retryStalled = false;
    for (const piece of pieces) {
      settleComponent(session, piece);
      const requests = allowance.within(piece.requests);
      if (!isWhole(piece) || requests.length < piece.requests.length) isLeft = true;
      if (requests.length === 0) continue;
      if (session.stopped !== null) return;
      if (round > 0 && !isSent) {
        // Whatever is left can go, unless it was just tried.
        const next = requests.flatMap(({ creates, events }) => [creates, ...idsOf(events)]).join(" ");
        if (next === tried) return;
        tried = next;
      }
      isSent = true;
      // Requests that waited for a failed one were not tried.
      const unsent = await sendRequests(session, requests, gate, progress);
      isStopped = unsent !== null;
      retryStalled = unsent?.some(isInDoubt) === true && !requests.some((one) => isLeftInDoubt(session, one, unsent));
      if (isStopped) break;
    }
    if (!isStopped && !isLeft) resting.add(documents);
    if (!isSent || (!isStopped && !isLeft)) return;
  }
}

/** Whether its requests carry all open work, so that nothing is left to plan. */
function isWhole({ assessments }: Component): boolean {
  return assessments.every(
    ({ held, deferred, refused, bars, blocked }) =>
      held.length + deferred.length + refused.length + bars.length === 0 && blocked === null,
  );
}

const isInDoubt = ({ document, creates, events }: PlannedRequest): boolean =>
  (creates && document.state === "stalled") || events.some(({ state }) => state === "stalled");

const isLeftInDoubt = ({ work }: Session, request: PlannedRequest, unsent: readonly PlannedRequest[]): boolean =>
  !unsent.includes(request) &&
  (work.document(request.document.id)?.state === "stalled" ||
    work.eventsById(idsOf(request.events)).some(({ state }) => state === "stalled"));

/** @returns null: all have landed; otherwise those that were not sent, because they waited for one that failed */
async function sendRequests(
  session: Session,
  requests: readonly PlannedRequest[],
  gate: Gate,
  progress: SendProgress,
): Promise<PlannedRequest[] | null> {
  const unsent: PlannedRequest[] = [];
  const results = new Map<PlannedRequest, Promise<boolean>>();
  for (const request of requests) {
    const waits = request.waits.flatMap((wait) => results.get(wait) ?? []);
    results.set(
      request,
      (async () => {
        const before = await Promise.all(waits);
        if (before.includes(false)) {
          unsent.push(request);
          return false;
        }
        // A request that waits for another must not take its place (H17).
        const landed = await gate(() => sendRequest(session, request));
        progress.onRequest();
        return landed;
      })(),
    );
  }
  return (await Promise.all(results.values())).includes(false) ? unsent : null;
}

/** The next run settles the doubt, or one word about its document. */
const isAskedAgain = (event: WorkEvent, reason: Code): boolean =>
  /^(behind|document)-(stalled|unsettled)$/.test(reason) ||
  event.reason === "doubt-unsettled" ||
  event.reason === "document-stranded";

/** Writes why events are not sent: held, deferred, refused, released. */
export function settleComponent(session: Session, component: Component): void {
  const writes: ((t: Writer) => void)[] = [];
  const now = session.clock.now();
  // A state refused by an earlier plan returns through planned.
  const revive = (event: WorkEvent) => {
    if (event.state === "rejected") writes.push((t) => t.released(event.id, now));
  };
  /** Null: the next run asks about it. */
  const holdInDoubt = (event: WorkEvent, why: Block | null) => {
    if (event.hold !== (why?.reason ?? null) || event.waitsFor !== (why?.waitsFor ?? null))
      writes.push((t) => t.heldInDoubt(event.id, why, now));
  };
  for (const { document, ready, held, deferred, refused, bars } of component.assessments) {
    for (const event of ready) {
      if (["held", "deferred", "rejected"].includes(event.state)) writes.push((t) => t.released(event.id, now));
    }
    for (const { event, reason, waitsFor } of held) {
      if (event.state === "held" && event.reason === reason && event.waitsFor === waitsFor) continue;
      if (!isUnsent(event)) {
        if (event.doubt && reason === "link-circle" && event.reason !== "doubt-unsettled")
          writes.push((t) => unsettled(session, t, event, "It and other events wait for each other", now));
        else if (event.state === "stalled")
          holdInDoubt(event, isAskedAgain(event, reason) ? null : { reason, waitsFor });
        continue;
      }
      revive(event);
      writes.push((t) => t.held(event.id, reason, waitsFor, now));
    }
    for (const { event } of bars) if (event?.state === "stalled") holdInDoubt(event, null);
    for (const event of deferred) {
      if (event.state === "deferred") continue;
      revive(event);
      writes.push((t) => t.deferred(event.id, now));
    }
    for (const { event, reason, message } of refused) {
      // The reason stays while it is true: the CANCEL may not have landed.
      const isTrue = event.reason !== "after-cancel" || document.state === "cancelled";
      if (event.state === "rejected" && (isTrue || event.reason === reason)) continue;
      writes.push((t) => t.rejected("event", event.id, { code: reason, message }, now));
    }
    const waiting = held.filter(({ event }) => !event.dismissed);
    const resting = ready.length + waiting.length + deferred.length === 0 && component.requests.length === 0;
    if (resting) writes.push(() => session.work.closeIfResting(document.id));
  }
  if (writes.length > 0) session.outcomes((t) => writes.forEach((write) => write(t)));
}
