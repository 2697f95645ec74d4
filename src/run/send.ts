/** Drains the plan: one lane a component, requests of linked documents in the order their links ask for. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Writer } from "../ledger/writer.js";
import type { WorkEvent } from "../ledger/work.js";
import type { PlannedRequest } from "../plan/batch.js";
import { type Component, type PlanContext, componentsOf, planPieces } from "../plan/plan-work.js";
import { createGate, createLanes, type Gate } from "../submit/lanes.js";
import { DUE_MARGIN_MS } from "./send-events.js";
import { sendRequest } from "./send-document.js";
import type { Session } from "./session.js";

export interface SendLimits {
  /** Inputs whose documents go before all others: what was staged by this run (DESIGN section 2). */
  first: readonly number[];
  /** At most so many documents; null: all. */
  documents: number | null;
  /** ms since 1970; no new lane is begun afterwards. Null: no bound. */
  until: number | null;
  /** Called after every request; true ends the run. */
  isOver: () => boolean;
}

export function planContext(session: Session, retryStalled: boolean): PlanContext {
  return {
    work: session.work,
    registrations: session.registrations,
    // The service's clock becomes known with its first answer, while the plan is under way.
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

/** Lanes that begin before the event loop comes to what else is due. */
const LANES_A_TURN = 8;

export interface SendProgress {
  /** A request has ended, with all that its narrowing took. */
  onRequest(): void;
  /** So many documents have been looked at, and what could be sent of them was. */
  onDocuments(count: number): void;
}

/** Plans and sends document by document, each planned when its lane begins; @returns how many were begun. */
export async function sendWork(session: Session, limits: SendLimits, progress: SendProgress): Promise<number> {
  const lanes = createLanes({ concurrency: lanesFor(session) });
  // Thousands of documents may be linked to one: a component has as many requests under way as there are lanes.
  const gate = createGate(lanesFor(session));
  const resting = createRestList(session);
  let begun = 0;
  let added = 0;
  const isOver = () =>
    session.stopped !== null ||
    session.signal.aborted ||
    limits.isOver() ||
    (limits.until !== null && session.clock.now() >= limits.until) ||
    (limits.documents !== null && begun >= limits.documents);
  for (const documents of componentsOf(session.work, limits.first)) {
    if (isOver()) break;
    await lanes.add(async () => {
      if (isOver()) return;
      const onBegun = () => void (begun += documents.length);
      await drainComponent(session, documents, gate, resting, { ...progress, onBegun });
      progress.onDocuments(documents.length);
    });
    // Hundreds of lanes write their intents as they begin: the first requests leave meanwhile.
    added += 1;
    if (added % LANES_A_TURN === 0) await nextTurn();
  }
  await lanes.settled();
  resting.flush();
  return begun;
}

/** Documents of which all has landed. Taken off the list of open work many at once: what a kill forgets is looked at again. */
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

/** Lanes for 4 s of requests: enough for slow answers and some in backoff, few enough to end soon when told to. */
export function lanesFor({ target }: Pick<Session, "target">): number {
  return Math.min(512, Math.max(64, (target.rate ?? 0) * 4));
}

/** Plans it and sends what can go, piece by piece, until nothing of it can go any more. */
async function drainComponent(
  session: Session,
  documents: readonly number[],
  gate: Gate,
  resting: { add(documents: readonly number[]): void },
  progress: SendProgress & { onBegun(): void },
): Promise<void> {
  let tried = "";
  for (let round = 0; ; round += 1) {
    let isLeft = false;
    let isSent = false;
    let isStopped = false;
    // What failed blocks from now on; what is stalled is tried once a run.
    for (const piece of planPieces(planContext(session, round === 0), documents)) {
      settleComponent(session, piece);
      if (!isWhole(piece)) isLeft = true;
      if (piece.requests.length === 0) continue;
      if (session.stopped !== null) return;
      if (round === 0 && !isSent) progress.onBegun();
      if (round > 0 && !isSent) {
        // What is left can go, unless it is just what was tried.
        const next = piece.requests
          .flatMap(({ creates, events }) => [creates, ...events.map(({ id }) => id)])
          .join(" ");
        if (next === tried) return;
        tried = next;
      }
      isSent = true;
      isStopped = !(await sendRequests(session, piece.requests, gate, progress));
      if (isStopped) break;
    }
    if (!isStopped && !isLeft) resting.add(documents);
    if (!isSent || (!isStopped && !isLeft)) return;
  }
}

/** Whether its requests carry all that is open: once they have landed, nothing is left to plan. */
function isWhole({ assessments }: Component): boolean {
  return assessments.every(
    ({ held, deferred, refused, bars, blocked }) =>
      held.length + deferred.length + refused.length + bars.length === 0 && blocked === null,
  );
}

/** True: all have landed. */
async function sendRequests(
  session: Session,
  requests: readonly PlannedRequest[],
  gate: Gate,
  progress: SendProgress,
): Promise<boolean> {
  const results = new Map<PlannedRequest, Promise<boolean>>();
  for (const request of requests) {
    const waits = request.waits.flatMap((wait) => results.get(wait) ?? []);
    results.set(
      request,
      (async () => {
        const before = await Promise.all(waits);
        if (before.includes(false)) return false;
        // Nothing that waits for another takes a place that the other needs (HARD-CASES H17).
        const landed = await gate(() => sendRequest(session, request));
        progress.onRequest();
        return landed;
      })(),
    );
  }
  return !(await Promise.all(results.values())).includes(false);
}

/** Writes what the plan says of events that are not sent: held, deferred, refused, released. */
export function settleComponent(session: Session, component: Component): void {
  const writes: ((t: Writer) => void)[] = [];
  const now = session.clock.now();
  // What an earlier plan had refused comes back by way of planned.
  const revive = (event: WorkEvent) => {
    if (event.state === "rejected") writes.push((t) => t.released(event.id, now));
  };
  for (const { document, ready, held, deferred, refused } of component.assessments) {
    for (const event of ready) {
      if (["held", "deferred", "rejected"].includes(event.state)) writes.push((t) => t.released(event.id, now));
    }
    for (const { event, reason, waitsFor } of held) {
      if (event.state === "held" && event.reason === reason && event.waitsFor === waitsFor) continue;
      if (!["planned", "held", "deferred", "rejected"].includes(event.state)) continue;
      revive(event);
      writes.push((t) => t.held(event.id, reason, waitsFor, now));
    }
    for (const event of deferred) {
      if (event.state === "deferred") continue;
      revive(event);
      writes.push((t) => t.deferred(event.id, now));
    }
    for (const { event, reason, message } of refused) {
      // Its reason stays while it is true: a CANCEL that was to shut it out may not have landed.
      const isTrue = event.reason !== "after-cancel" || document.state === "cancelled";
      if (event.state === "rejected" && (isTrue || event.reason === reason)) continue;
      writes.push((t) => t.rejected(event.id, { code: reason, message }, now));
    }
    const resting = ready.length + held.length + deferred.length === 0 && component.requests.length === 0;
    if (resting) writes.push(() => session.work.closeIfResting(document.id));
  }
  if (writes.length > 0) session.outcomes((t) => writes.forEach((write) => write(t)));
}
