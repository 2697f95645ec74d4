/** Drains the plan: one lane a component, requests of linked documents in the order their links ask for. */
import type { Transitions } from "../ledger/transitions.js";
import type { WorkEvent } from "../ledger/work.js";
import type { PlannedRequest } from "../plan/batch.js";
import { type Component, type PlanContext, planComponent, planWork } from "../plan/plan-work.js";
import { createLanes } from "../submit/lanes.js";
import { DUE_MARGIN_MS } from "./due.js";
import { sendRequest } from "./send-document.js";
import type { Session } from "./session.js";

export interface SendLimits {
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

/** Sends what can be sent; @returns how many documents were begun. */
export async function sendWork(session: Session, limits: SendLimits, onProgress: () => void): Promise<number> {
  const lanes = createLanes({ concurrency: lanesFor(session) });
  const isOver = () =>
    session.stopped !== null ||
    session.signal.aborted ||
    limits.isOver() ||
    (limits.until !== null && session.clock.now() >= limits.until);
  let documents = 0;
  for (const component of planWork(planContext(session, true))) {
    if (isOver()) break;
    if (limits.documents !== null && documents >= limits.documents) break;
    if (component.requests.length === 0) {
      settleComponent(session, component);
      continue;
    }
    documents += component.assessments.length;
    await lanes.add(async () => {
      if (!isOver()) await drainComponent(session, component, onProgress);
    });
  }
  await lanes.settled();
  return documents;
}

/** Lanes for 4 s of requests: enough for slow answers and some in backoff, few enough to end soon when told to. */
export function lanesFor({ target }: Pick<Session, "target">): number {
  return Math.min(512, Math.max(64, (target.rate ?? 0) * 4));
}

async function drainComponent(session: Session, planned: Component, onProgress: () => void): Promise<void> {
  const ids = planned.assessments.map(({ document }) => document.id);
  // Planned while other lanes were busy: look again, the ledger may have moved on.
  let component = planComponent(planContext(session, true), ids);
  let tried = "";
  while (component.requests.length > 0 && session.stopped === null) {
    settleComponent(session, component);
    await sendRequests(session, component.requests, onProgress);
    component = planComponent(planContext(session, false), ids);
    // What failed blocks from now on; what is left can go, unless it is just what was tried.
    const next = component.requests.flatMap(({ events }) => events.map(({ id }) => id)).join(" ");
    if (next === tried) break;
    tried = next;
  }
  settleComponent(session, component);
}

async function sendRequests(
  session: Session,
  requests: readonly PlannedRequest[],
  onProgress: () => void,
): Promise<void> {
  const results = new Map<PlannedRequest, Promise<boolean>>();
  for (const request of requests) {
    const waits = request.waits.flatMap((wait) => results.get(wait) ?? []);
    results.set(
      request,
      (async () => {
        const before = await Promise.all(waits);
        if (before.includes(false)) return false;
        const landed = await sendRequest(session, request);
        onProgress();
        return landed;
      })(),
    );
  }
  await Promise.all(results.values());
}

/** Writes what the plan says of events that are not sent: held, deferred, refused, released. */
export function settleComponent(session: Session, component: Component): void {
  const writes: ((t: Transitions) => void)[] = [];
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
