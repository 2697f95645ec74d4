/**
 * Few requests: maximal runs of a document's consecutive events within the caps, creation riding with the first.
 * A run ends before an event whose needs are not met yet, so the graph of requests has no circle (HARD-CASES H17).
 */
import type { WorkDocument, WorkEvent } from "../ledger/work.js";
import type { Assessment } from "./assess-document.js";
import { compareEvents, type Need } from "./links.js";

export interface PlannedRequest {
  document: WorkDocument;
  /** Whether the document is created by it. */
  creates: boolean;
  events: WorkEvent[];
  /** Requests of the same component that must have landed before; the document's previous one among them. */
  waits: PlannedRequest[];
}

export interface Caps {
  maxEvents: number;
  maxBytes: number;
}

/** What a body adds around an event's payload: keys, times, ids. */
const EVENT_OVERHEAD = 400;
const sizeOf = (event: WorkEvent): number => Buffer.byteLength(event.payload) * 1.1 + EVENT_OVERHEAD;

/** Caps on what one request carries (open-points 10); a service that says 413 lowers them for the rest of the run. */
export interface RequestCaps extends Caps {
  /** The longest prefix that fits; never empty. */
  fit(events: readonly WorkEvent[]): WorkEvent[];
  /** A request of `count` events was too large. */
  lower(count: number): void;
}

export function createRequestCaps(initial: Caps): RequestCaps {
  const caps: RequestCaps = {
    ...initial,
    fit: (events) => events.slice(0, countThatFit(events, caps)),
    lower(count) {
      caps.maxEvents = Math.max(1, Math.min(caps.maxEvents, Math.floor(count / 2)));
    },
  };
  return caps;
}

/** At least one, where there is one. */
function countThatFit(events: readonly WorkEvent[], { maxEvents, maxBytes }: Caps): number {
  let bytes = 0;
  for (const [index, event] of events.entries()) {
    bytes += sizeOf(event);
    if (index > 0 && (index >= maxEvents || bytes > maxBytes)) return index;
  }
  return events.length;
}

interface Lane {
  assessment: Assessment;
  next: number;
  created: boolean;
  last: PlannedRequest | null;
}

/**
 * The requests of one component, in an order in which they could all be sent one after another. `after`: by event, the one
 * that should go before it; where only that is in the way of everything, the earliest such event goes all the same.
 * `circle`: the first event of each document that cannot be sent at all, for events wait for each other, and what it needs.
 */
export function batch(
  assessments: ReadonlyMap<number, Assessment>,
  needs: ReadonlyMap<number, Need[]>,
  caps: Caps,
  after: ReadonlyMap<number, number> = new Map(),
): { requests: PlannedRequest[]; circle: { event: WorkEvent; need: Need }[] } {
  const requests: PlannedRequest[] = [];
  const sentIn = new Map<number, PlannedRequest>();
  const createdIn = new Map<number, PlannedRequest>();
  const lanes = new Map<number, Lane>();
  for (const assessment of assessments.values()) {
    const { document } = assessment;
    const exists = document.serviceId !== null;
    const wanted = assessment.ready.length > 0 || (document.createEmpty && !exists && assessment.blocked === null);
    if (wanted) lanes.set(document.id, { assessment, next: 0, created: exists, last: null });
  }

  const met = (need: Need): boolean => {
    if ("event" in need) return sentIn.has(need.event);
    const lane = lanes.get(need.document);
    return lane === undefined || lane.created;
  };
  const hasItsNeeds = (id: number): boolean => (needs.get(id) ?? []).every(met);
  const outOfOrder = new Set<number>();
  const isFree = (id: number): boolean => {
    const before = after.get(id);
    return hasItsNeeds(id) && (before === undefined || sentIn.has(before) || outOfOrder.has(id));
  };

  /** How many events can go now, and whether something outside the document ends the run. */
  const run = (lane: Lane): { count: number; cut: boolean } => {
    const { ready, document } = lane.assessment;
    if (!lane.created && !isFree(-document.id)) return { count: -1, cut: true };
    const next = ready.slice(lane.next, lane.next + Math.max(1, caps.maxEvents));
    const held = next.findIndex(({ id }) => !isFree(id));
    const count = countThatFit(held < 0 ? next : next.slice(0, held), caps);
    return { count, cut: count === held };
  };

  const emit = (lane: Lane, count: number): void => {
    const { document, ready } = lane.assessment;
    const events = ready.slice(lane.next, lane.next + count);
    const isTarget = document.mode === "target";
    const waits = new Set<PlannedRequest>();
    if (lane.last !== null) waits.add(lane.last);
    for (const id of [-document.id, ...events.map((event) => event.id)]) {
      for (const need of needs.get(id) ?? []) {
        const before = "event" in need ? sentIn.get(need.event) : createdIn.get(need.document);
        if (before !== undefined) waits.add(before);
      }
      const inOrder = sentIn.get(after.get(id) ?? Number.NaN);
      if (inOrder !== undefined) waits.add(inOrder);
    }
    const request = { document, creates: !lane.created && !isTarget, events, waits: [...waits] };
    lane.next += count;
    for (const event of events) sentIn.set(event.id, request);
    if (!lane.created) createdIn.set(document.id, request);
    lane.created = true;
    lane.last = request;
    if (events.length > 0 || request.creates) requests.push(request);
    if (lane.next >= ready.length) lanes.delete(document.id);
  };

  while (lanes.size > 0) {
    let emitted = false;
    let fallback: { lane: Lane; count: number } | null = null;
    for (const lane of lanes.values()) {
      const { count, cut } = run(lane);
      if (!cut && count >= 0) {
        emit(lane, count);
        emitted = true;
      } else if (count > 0 || (count === 0 && !lane.created)) {
        if (fallback === null || isBetter(lane, count, fallback)) fallback = { lane, count };
      }
    }
    if (emitted) continue;
    if (fallback !== null) {
      emit(fallback.lane, fallback.count);
      continue;
    }
    const heads = [...lanes.values()].flatMap(({ assessment, next, created }) =>
      created || hasItsNeeds(-assessment.document.id) ? assessment.ready.slice(next, next + 1) : [],
    );
    const [earliest] = heads.filter(({ id }) => hasItsNeeds(id) && !outOfOrder.has(id)).toSorted(compareEvents);
    if (earliest === undefined) break;
    outOfOrder.add(earliest.id);
  }
  const circle = [...lanes.values()].flatMap(({ assessment, next, created }) => {
    const event = assessment.ready[next];
    const ids = event === undefined ? [] : [...(created ? [] : [-assessment.document.id]), event.id];
    const need = ids.flatMap((id) => needs.get(id) ?? []).find((one) => !met(one));
    return event === undefined || need === undefined ? [] : [{ event, need }];
  });
  return { requests, circle };
}

/** Of runs that are cut short, one with events before an empty creation, then the earliest. */
function isBetter(lane: Lane, count: number, than: { lane: Lane; count: number }): boolean {
  if (count > 0 !== than.count > 0) return count > 0;
  const [a, b] = [lane.assessment.ready[lane.next], than.lane.assessment.ready[than.lane.next]];
  return a !== undefined && b !== undefined && compareEvents(a, b) < 0;
}
