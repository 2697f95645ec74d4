/**
 * Groups consecutive events of a document into few requests within the caps; creation goes with the first. A group ends
 * before an event whose needs are not met, so that requests form no circle (H17).
 */
import type { WorkDocument, WorkEvent } from "../ledger/work.js";
import type { Assessment } from "./assess-document.js";
import { append, compareEvents, type Needs, type Place } from "./links.js";

export interface PlannedRequest {
  document: WorkDocument;
  creates: boolean;
  events: WorkEvent[];
  /** Requests that must have landed before, the document's previous one included. */
  waits: PlannedRequest[];
}

export interface Caps {
  maxEvents: number;
  maxBytes: number;
}

/** Keys, times and ids around an event's payload. */
const EVENT_OVERHEAD = 400;
const sizeOf = (event: WorkEvent): number => Buffer.byteLength(event.payload) * 1.1 + EVENT_OVERHEAD;

/** Limits of one request (open point 10); a 413 lowers them for the rest of the run. */
export function createRequestCaps(initial: Caps) {
  const caps = {
    ...initial,
    /** The longest prefix that fits; never empty. */
    fit: (events: readonly WorkEvent[]): WorkEvent[] => events.slice(0, countThatFit(events, caps)),
    lower(count: number): void {
      caps.maxEvents = Math.max(1, Math.min(caps.maxEvents, Math.floor(count / 2)));
    },
  };
  return caps;
}

/** At least one. */
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
  /** What could go in a request cut short here; null: nothing, or it has since changed. */
  short: Short | null;
}

/** Events of a lane, or its document alone, that can go before the next one, which waits for another document. */
interface Short {
  lane: Lane;
  count: number;
  /** The first event of the lane. */
  head: WorkEvent;
}

/**
 * The requests of a component, in a possible sending order. `after`: events that should precede another one; if only
 * they block everything, the earliest such event goes anyway. `circle`: the first events that can never be sent because they
 * wait for each other, with their needs.
 */
export function batch(
  assessments: ReadonlyMap<number, Assessment>,
  needs: Needs,
  caps: Caps,
  after: ReadonlyMap<number, readonly number[]> = new Map(),
): { requests: PlannedRequest[]; circle: { event: WorkEvent; need: Place }[] } {
  const requests: PlannedRequest[] = [];
  const sentIn = new Map<Place, PlannedRequest>();
  const lanes = new Map<number, Lane>();
  for (const assessment of assessments.values()) {
    const { document } = assessment;
    const exists = document.serviceId !== null;
    const wanted = assessment.ready.length > 0 || (document.createEmpty && !exists && assessment.blocked === null);
    if (wanted) lanes.set(document.id, { assessment, next: 0, created: exists, last: null, short: null });
  }

  const met = (need: Place): boolean => (need > 0 ? sentIn.has(need) : (lanes.get(-need)?.created ?? true));
  const hasItsNeeds = (id: number): boolean => (needs.get(id) ?? []).every(met);
  const outOfOrder = new Set<number>();
  /** What has to go first; null: nothing. */
  const missing = (place: Place): Place | null => {
    const before = outOfOrder.has(place) ? [] : (after.get(place) ?? []);
    return [...(needs.get(place) ?? []), ...before].find((one) => !met(one)) ?? null;
  };
  // Lanes to look at. A lane that cannot go is looked at again once what it waits for has gone.
  const turn = new Set(lanes.values());
  const waiting = new Map<number, Lane[]>();
  const cutShort = createHeap(isBetter);

  const wake = (id: number): void => {
    for (const lane of waiting.get(id) ?? []) turn.add(lane);
    waiting.delete(id);
  };

  /** Sends as many events as can go, unless one waits for another document: then other lanes may go first. */
  const look = (lane: Lane): void => {
    const { ready, document } = lane.assessment;
    lane.short = null;
    let need = lane.created ? null : missing(-document.id);
    if (need === null) {
      const next = ready.slice(lane.next, lane.next + Math.max(1, caps.maxEvents));
      const held = next.findIndex(({ id }) => missing(id) !== null);
      const count = countThatFit(held < 0 ? next : next.slice(0, held), caps);
      if (count !== held) {
        emit(lane, count);
        return;
      }
      need = missing(next[held]?.id ?? 0);
      const [head] = next;
      if (head !== undefined && (count > 0 || !lane.created)) {
        lane.short = { lane, count, head };
        cutShort.add(lane.short);
      }
    }
    if (need !== null) append(waiting, need, lane);
  };

  const emit = (lane: Lane, count: number): void => {
    const { document, ready } = lane.assessment;
    const events = ready.slice(lane.next, lane.next + count);
    const isTarget = document.mode === "target";
    const waits = new Set<PlannedRequest>();
    if (lane.last !== null) waits.add(lane.last);
    for (const id of [-document.id, ...events.map((event) => event.id)]) {
      for (const place of [...(needs.get(id) ?? []), ...(after.get(id) ?? [])]) {
        const before = sentIn.get(place);
        if (before !== undefined) waits.add(before);
      }
    }
    const request = { document, creates: !lane.created && !isTarget, events, waits: [...waits] };
    lane.next += count;
    lane.short = null;
    for (const event of events) sentIn.set(event.id, request);
    const isNew = !lane.created;
    if (isNew) sentIn.set(-document.id, request);
    lane.created = true;
    lane.last = request;
    if (events.length > 0 || request.creates) requests.push(request);
    if (lane.next >= ready.length) lanes.delete(document.id);
    else turn.add(lane);
    for (const event of events) wake(event.id);
    if (isNew) wake(-document.id);
  };

  for (;;) {
    for (const lane of turn) {
      turn.delete(lane);
      if (lanes.has(lane.assessment.document.id)) look(lane);
    }
    let best = cutShort.take();
    while (best !== null && best.lane.short !== best) best = cutShort.take();
    if (best !== null) {
      emit(best.lane, best.count);
      continue;
    }
    const heads = [...lanes.values()].flatMap(({ assessment, next, created }) =>
      created || hasItsNeeds(-assessment.document.id) ? assessment.ready.slice(next, next + 1) : [],
    );
    const [earliest] = heads.filter(({ id }) => hasItsNeeds(id) && !outOfOrder.has(id)).toSorted(compareEvents);
    const lane = lanes.get(earliest?.document ?? 0);
    if (earliest === undefined || lane === undefined) break;
    outOfOrder.add(earliest.id);
    turn.add(lane);
  }
  const circle = [...lanes.values()].flatMap(({ assessment, next, created }) => {
    const event = assessment.ready[next];
    const ids = event === undefined ? [] : [...(created ? [] : [-assessment.document.id]), event.id];
    const need = ids.flatMap((id) => needs.get(id) ?? []).find((one) => !met(one));
    return event === undefined || need === undefined ? [] : [{ event, need }];
  });
  return { requests, circle };
}

/** Prefers events over an empty creation, then the earliest. */
function isBetter(one: Short, than: Short): boolean {
  if (one.count > 0 !== than.count > 0) return one.count > 0;
  return compareEvents(one.head, than.head) < 0;
}

/** A binary heap: `take` gives the first of what was added, by `isBefore`. Items must not change their order while they are in it. */
function createHeap<Item>(isBefore: (one: Item, other: Item) => boolean) {
  const items: Item[] = [];
  const goesFirst = (one: number, other: number): boolean => isBefore(items[one] as Item, items[other] as Item);
  const swap = (one: number, other: number): void => {
    [items[one], items[other]] = [items[other] as Item, items[one] as Item];
  };
  return {
    add(item: Item): void {
      items.push(item);
      let at = items.length - 1;
      for (let parent = (at - 1) >> 1; at > 0 && goesFirst(at, parent); parent = (at - 1) >> 1) {
        swap(at, parent);
        at = parent;
      }
    },
    /** Null: it is empty. */
    take(): Item | null {
      if (items.length === 0) return null;
      swap(0, items.length - 1);
      const first = items.pop() as Item;
      for (let at = 0; ; ) {
        const [left, right] = [2 * at + 1, 2 * at + 2];
        let next = left < items.length && goesFirst(left, at) ? left : at;
        if (right < items.length && goesFirst(right, next)) next = right;
        if (next === at) return first;
        swap(at, next);
        at = next;
      }
    },
  };
}
