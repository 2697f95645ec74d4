/**
 * Checks the whole plan before anything is sent: writes down why events cannot go, and counts requests. `plan` rolls
 * the ledger back afterwards.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { RegistrationStore } from "../ledger/registrations.js";
import { describeWait } from "../ledger/views/describe-wait.js";
import type { Plan } from "../model/summary.js";
import type { PlannedRequest } from "../plan/batch.js";
import { planWork } from "../plan/plan-work.js";
import { total } from "../report/outcome.js";
import type { Session } from "./session.js";
import { planContext, settleComponent } from "./send.js";

interface Forecast extends Pick<Plan, "requests" | "secondsAtLimit" | "documents" | "events" | "doubted"> {
  /** Documents of the inputs that will be created empty although their first events could go with them. */
  shells: number;
}

export function secondsAtLimit(requests: number, { rate, burst }: { rate: number; burst: number }): number {
  return Math.max(0, requests - burst) / rate;
}

/** From service.md, Limits; for targets without a limit. */
const SERVICE_LIMIT = { rate: 20, burst: 30 };

export function limitOf({ target }: Pick<Session, "target">): { rate: number; burst: number } {
  const { rate, burst } = target;
  return rate === null ? SERVICE_LIMIT : { rate, burst };
}

/** Nothing is registered while planning, so each party is looked up once. */
function onceEach<Found>(find: (ref: number) => Found): (ref: number) => Found {
  const found = new Map<number, Found>();
  return (ref) => {
    const before = found.get(ref);
    if (before !== undefined) return before;
    if (found.size > 50_000) found.clear();
    const now = find(ref);
    found.set(ref, now);
    return now;
  };
}

/** Parties that will be registered first count as registered. */
export function assumeRegistered(registrations: RegistrationStore): RegistrationStore {
  const soon = <T extends { state: string } | null>(found: T): T =>
    found !== null && ["planned", "sending", "stalled"].includes(found.state)
      ? { ...found, state: "registered" }
      : found;
  return {
    ...registrations,
    party: onceEach((ref) => soon(registrations.party(ref))),
  };
}

/** As they will be sent: under `shell-first` a document is created empty, and its first events follow. */
export function sentAs(session: Session, request: PlannedRequest): PlannedRequest[] {
  const { document, creates, events } = request;
  const isShell = creates && events.length > 0 && session.settings.get(document.settings).creation === "shell-first";
  return isShell
    ? [
        { ...request, events: [] },
        { ...request, creates: false },
      ]
    : [request];
}

/** How many events are planned before the event loop does other work, such as answering Ctrl-C. */
const EVENTS_A_TURN = 1000;

/** Parties that will be registered first count as registered, to show what follows them. Cut short by an interruption. */
export async function forecast(session: Session, inputs: readonly number[] = []): Promise<Forecast> {
  const open = session.registrations.countOpen();
  const context = planContext(session, true);
  const result: Forecast = {
    requests: {
      "lookup-participant": open.lookups,
      "create-participant": open.participants,
      "list-addresses": open.lists,
      "create-address": open.addresses,
      "create-document": 0,
      "create-with-events": 0,
      "append-events": 0,
    },
    secondsAtLimit: 0,
    documents: 0,
    events: { ready: 0, held: 0, deferred: 0, refused: 0 },
    doubted: [],
    shells: 0,
  };
  const assumed = { ...context, registrations: assumeRegistered(session.registrations) };
  const count = (kind: string) => {
    result.requests[kind] = (result.requests[kind] ?? 0) + 1;
  };
  let last: number | null = null;
  let turn = 0;
  for (const component of planWork(assumed)) {
    if (turn >= EVENTS_A_TURN) {
      turn = 0;
      await nextTurn();
      if (session.signal.aborted) break;
    }
    for (const { event, code } of component.doubted) {
      const same = result.doubted.find((one) => one.code === code);
      if (same !== undefined) {
        same.count += 1;
        continue;
      }
      const other = describeWait(session.database, `document:${event.relatedDocument}`);
      const why =
        code === "mirror-closed" ? `later than the CLOSE of ${other}` : `earlier than the last event of ${other}`;
      const example = `${describeWait(session.database, `event:${event.id}`)}: ${why}`;
      result.doubted.push({ code, count: 1, place: null, column: null, example });
    }
    for (const planned of component.requests) {
      const sent = sentAs(session, planned);
      for (const request of sent) {
        if (!request.creates) count("append-events");
        else count(request.events.length > 0 ? "create-with-events" : "create-document");
      }
      const declaredBy = sent.length > 1 ? session.work.declaredBy(planned.document.id) : null;
      if (declaredBy !== null && inputs.includes(declaredBy)) result.shells += 1;
    }
    for (const { document, ready, held, deferred, refused } of component.assessments) {
      // A long document comes in pieces.
      if (ready.length > 0 && document.id !== last) {
        result.documents += 1;
        last = document.id;
      }
      turn += 1 + ready.length + held.length + deferred.length + refused.length;
      result.events.ready += ready.length;
      result.events.held += held.length;
      result.events.deferred += deferred.length;
      result.events.refused += refused.length;
    }
    settleComponent(session, component);
  }
  result.secondsAtLimit = secondsAtLimit(total(result.requests), limitOf(session));
  return result;
}

/**
 * Only `creation` saves requests that are known beforehand: parties are registered under `references: inline` too, and
 * what `create-first` saves depends on what the service has. Null: it saves a tenth at most.
 */
export function cheaperSetting(session: Session, { requests, shells }: Forecast, mapping: string): Plan["cheaper"] {
  const left = total(requests) - shells;
  if (shells * 10 <= total(requests)) return null;
  const seconds = secondsAtLimit(left, limitOf(session));
  return { setting: "creation: with-events", mapping, saves: shells, secondsAtLimit: seconds };
}
