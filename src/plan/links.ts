/**
 * Dependencies between documents: a relation needs its related document, a target's rows need the event that creates
 * it, and an event on two timelines must fit both (H16–H19).
 */
import { idsOf, type WorkDocument, type WorkEvent } from "../ledger/work.js";
import type { Code } from "../model/codes.js";
import { type Assessment, type Bar, type Block, behind, type Held } from "./assess-document.js";

type Placed = Pick<WorkEvent, "at" | "rank" | "id">;

/** The ledger's total order: time, rank, staging sequence (H16). */
export function compareEvents(a: Placed, b: Placed): number {
  return a.at - b.at || a.rank - b.rank || a.id - b.id;
}

/** What must land or exist before something else: an event's id, or minus a document's id. */
export type Place = number;

/** By place, those that it needs before it. */
export type Needs = ReadonlyMap<Place, readonly Place[]>;

/** For people, and for the ledger. */
export const nameOf = (place: Place): string => (place > 0 ? `event:${place}` : `document:${-place}`);

export interface LinkContext {
  linkTime: "event" | "server";
  /** Documents that receive copies of a propagated event. */
  relatedTo(event: WorkEvent): number[];
  /** Null: unknown. */
  document(id: number): WorkDocument | null;
  /** By document. */
  makers: ReadonlyMap<number, WorkEvent>;
  /** The CANCEL of the generation before that has to land before a document is created, by the document. */
  cancels: ReadonlyMap<number, WorkEvent>;
}

export function touched(event: WorkEvent, relatedTo: LinkContext["relatedTo"]): number[] {
  if (!event.mirrored) return [];
  const related = event.relatedDocument === null ? [] : [event.relatedDocument];
  return event.payload.includes('"propagateEvent":true') ? [...related, ...relatedTo(event)] : related;
}

/**
 * The needs of every ready event. Events whose needs cannot be met in this run are held, with all later ones on their
 * documents and everything that waits for those.
 */
export function linkEvents(assessments: ReadonlyMap<number, Assessment>, context: LinkContext): Needs {
  const needs = new Map<Place, Place[]>();
  const { makers } = context;
  const all = [...assessments.values()];
  refuseVainMakers(assessments, context);
  for (const { ready } of all) {
    for (const event of ready) {
      const { id, relatedDocument } = event;
      if (relatedDocument !== null && !exists(context.document(relatedDocument)))
        append(needs, id, makers.get(relatedDocument)?.id ?? -relatedDocument);
      for (const other of touched(event, context.relatedTo)) {
        // Checking the neighbours is enough: a lane sends in order, and holding an event holds all later ones.
        const { before, after } = neighboursOf(event, assessments.get(other)?.ready ?? [], context);
        if (before !== undefined) append(needs, id, before.id);
        if (after !== undefined) append(needs, after.id, id);
      }
    }
  }
  const toCome = context.linkTime === "event" ? all.flatMap((assessment) => mirrorsToCome(assessment, context)) : [];
  holdBehindStalled(all, toCome, needs, context);
  // A waiting event that also writes on another timeline holds later events there, whatever it waits for itself.
  for (const { event, other } of toCome) {
    if (event.state === "foreign") continue;
    const { after } = neighboursOf(event, assessments.get(other)?.ready ?? [], context);
    if (after !== undefined) append(needs, after.id, event.id);
  }
  for (const { document } of all) {
    const maker = makers.get(document.id);
    if (document.mode === "target" && document.state === "planned" && maker !== undefined) {
      append(needs, -document.id, maker.id);
    }
  }
  for (const [next, cancel] of context.cancels) append(needs, -next, cancel.id);
  holdUnmet(assessments, needs, context);
  return needs;
}

interface MirrorToCome {
  event: WorkEvent;
  /** The document on whose timeline it also writes. */
  other: number;
  /** The next run will send it without a person's help. */
  isStalled: boolean;
}

/** Of waiting events. A timeline that has passed the event's time cannot take it any more (H12, H38). */
function mirrorsToCome({ held, bars }: Assessment, context: LinkContext): MirrorToCome[] {
  const waiting = [...held, ...bars.flatMap(({ event }) => (event === null ? [] : { event, reason: "" }))].map(
    ({ event, reason }) => ({
      event,
      isStalled:
        /^(behind|document)-stalled$/.test(reason) || (event.state === "stalled" && event.reason !== "doubt-unsettled"),
    }),
  );
  return waiting.flatMap((one) => {
    const { document, at } = one.event;
    return touched(one.event, context.relatedTo)
      .filter((other) => other !== document && (context.document(other)?.lastAt ?? at) <= at)
      .map((other) => ({ ...one, other }));
  });
}

/**
 * A stalled event holds later links of other documents to the same timeline: their mirrors would make it permanently too
 * early there (H38).
 */
function holdBehindStalled(
  assessments: readonly Assessment[],
  toCome: readonly MirrorToCome[],
  needs: Map<Place, Place[]>,
  context: LinkContext,
): void {
  const earliest = new Map<number, WorkEvent>();
  for (const { event, other } of toCome.filter(({ isStalled }) => isStalled)) {
    const known = earliest.get(other);
    if (known === undefined || compareEvents(event, known) < 0) earliest.set(other, event);
  }
  if (earliest.size === 0) return;
  for (const { ready } of assessments) {
    for (const event of ready) {
      for (const other of touched(event, context.relatedTo)) {
        const before = earliest.get(other);
        if (before !== undefined && compareEvents(before, event) < 0) append(needs, event.id, before.id);
      }
    }
  }
}

/**
 * Refuses events whose target already exists or is created by another event, because the service would refuse its key.
 * The row can still be corrected, so later events of the document wait (P3).
 */
function refuseVainMakers(assessments: ReadonlyMap<number, Assessment>, context: LinkContext): void {
  const isReady = (event: WorkEvent) => assessments.get(event.document)?.ready.includes(event) === true;
  const making = readyIn(assessments).filter(({ target }) => target !== null);
  for (const event of making.toSorted(compareEvents)) {
    const assessment = assessments.get(event.document);
    const target = event.target as number;
    const maker = context.makers.get(target);
    const mayHaveLanded = event.state === "sending" || (event.state === "stalled" && event.doubt);
    if (assessment === undefined || maker === event || mayHaveLanded || !isReady(event)) continue;
    const known = context.document(target);
    const isThere = exists(known) || known?.state === "stranded";
    const there = assessments.get(target);
    const why = vainBlock();
    if (why === null) {
      const how = isThere ? "exists already" : "is created in another way";
      const message = `${event.name} would create ${known?.kind} ${known?.key}, which ${how}.`;
      refuse(assessment, event, "target-exists", message);
    } else holdFrom(assessment, event, why);

    /** Null: the target exists, or will exist. */
    function vainBlock(): Block | null {
      if (isThere) return null;
      if (isInDoubt(known)) return { reason: "document-stalled", waitsFor: `document:${target}` };
      if (maker !== undefined)
        return isReady(maker) ? null : { reason: "behind-linked", waitsFor: `event:${maker.id}` };
      if (there !== undefined && canBeCreated(there)) return null;
      return { reason: "related-not-created", waitsFor: `document:${target}` };
    }
  }
}

/** Later events of its document wait for the correction. */
function refuse(assessment: Assessment, event: WorkEvent, reason: Code, message: string): void {
  const rest = assessment.ready.slice(assessment.ready.indexOf(event) + 1);
  const waitsFor = `event:${event.id}`;
  assessment.ready = assessment.ready.slice(0, assessment.ready.indexOf(event));
  hold(assessment, rest, { reason: "behind-rejected", waitsFor });
  assessment.refused.push({ event, reason, message });
  assessment.bars.push({ at: event.at, rank: event.rank, id: event.id, waitsFor, event });
}

/** Holds an event and all later ones of its document. */
export function holdFrom(assessment: Assessment, event: WorkEvent, why: Block): void {
  const rest = assessment.ready.slice(assessment.ready.indexOf(event) + 1);
  hold(assessment, [event], why);
  hold(assessment, rest, behind(event, why));
}

/** A target's events that were refused because of their maker wait if the maker is held. */
export function holdBehindMakers(
  assessments: ReadonlyMap<number, Assessment>,
  early: ReadonlyMap<Assessment, WorkEvent>,
): void {
  for (const [assessment, maker] of early) {
    const isMade = assessments.get(maker.document)?.ready.includes(maker) ?? false;
    const why = { reason: "target-not-created", waitsFor: `event:${maker.id}` } as const;
    if (!isMade) holdRefused(assessment, "late", why);
  }
}

/** Events refused because of an event that is now held wait with it. */
function holdRefused(assessment: Assessment, code: Code, why: Block): void {
  const affected = assessment.refused.filter(({ reason }) => reason === code);
  assessment.refused = assessment.refused.filter(({ reason }) => reason !== code);
  for (const { event } of affected) assessment.held.push({ event, ...why });
}

/** Events that a held CLOSE or CANCEL would have shut out wait as well. */
function hold(assessment: Assessment, events: readonly WorkEvent[], why: Block): void {
  const gone = new Set(idsOf(events));
  assessment.ready = assessment.ready.filter(({ id }) => !gone.has(id));
  for (const event of events) assessment.held.push({ event, ...why });
  const { state } = assessment.document;
  const isShutBy = (rank: number) => assessment.ready.some((event) => event.rank >= rank);
  if (state === "cancelled") return;
  if (!isShutBy(2)) holdRefused(assessment, "after-cancel", why);
  if (state !== "closed" && !isShutBy(1)) holdRefused(assessment, "after-close", why);
}

/**
 * On a timeline that `event` also writes on: which event must be sent before it, and which after it; under `server`,
 * none need be sent after it.
 */
function neighboursOf(
  event: WorkEvent,
  there: readonly WorkEvent[],
  context: LinkContext,
): { before: WorkEvent | undefined; after: WorkEvent | undefined } {
  if (context.linkTime === "server")
    return {
      before: there.findLast((one) => one.id !== event.id && goesBefore(one, event, context)),
      after: undefined,
    };
  // Thousands of documents may be linked to one of thousands of events.
  let [from, to] = [0, there.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compareEvents(there[middle] as WorkEvent, event) < 0) from = middle + 1;
    else to = middle;
  }
  return { before: there[from - 1], after: there[from]?.id === event.id ? there[from + 1] : there[from] };
}

/** Under `server`, two events that mirror on each other's documents cannot both be last: the total order decides. */
function goesBefore(one: WorkEvent, event: WorkEvent, { linkTime, relatedTo }: LinkContext): boolean {
  const isEarlier = compareEvents(one, event) < 0;
  return isEarlier || (linkTime === "server" && !touched(one, relatedTo).includes(event.document));
}

/**
 * Events of several documents that write on one timeline must also be sent in its order, or a mirror would be early
 * there (HARD-CASES H38). Gives, for each event, what is written before it on each timeline. A link that waits
 * for a person does not hold another document's link for this reason.
 */
export function orderOfMirrors(
  assessments: ReadonlyMap<number, Assessment>,
  { relatedTo }: Pick<LinkContext, "relatedTo">,
): Map<number, number[]> {
  const writing = readyIn(assessments).filter(({ mirrored }) => mirrored);
  const last = new Map<number, WorkEvent>();
  const after = new Map<number, number[]>();
  for (const event of writing.toSorted(compareEvents)) {
    for (const other of touched(event, relatedTo)) {
      const before = last.get(other);
      if (before !== undefined && before.document !== event.document)
        after.set(event.id, [...(after.get(event.id) ?? []), before.id]);
      last.set(other, event);
    }
  }
  return after;
}

export interface Doubted {
  event: WorkEvent;
  code: "mirror-early" | "mirror-closed";
}

/** Links that the service may refuse because of the other document's state (H38, open points 30 and 32). */
export function doubtedMirrors(assessments: ReadonlyMap<number, Assessment>, context: LinkContext): Doubted[] {
  const standsAt = (document: number) => context.makers.get(document)?.at ?? context.document(document)?.lastAt;
  const closing = readyOfRank(assessments, 1);
  return readyIn(assessments).flatMap(doubt);

  function doubt(event: WorkEvent): Doubted[] {
    const other = event.relatedDocument;
    if (other === null || !mirrorsOn(event)) return [];
    const closes = closing.get(other)?.some((one) => goesBefore(one, event, context)) ?? false;
    if (context.document(other)?.state === "closed" || closes) return [{ event, code: "mirror-closed" }];
    const isEarly = context.linkTime === "event" && (standsAt(other) ?? event.at) > event.at;
    return isEarly ? [{ event, code: "mirror-early" }] : [];
  }
}

/** The CLOSE (1) or CANCEL (2) events that are ready, by document. */
function readyOfRank(assessments: ReadonlyMap<number, Assessment>, rank: number): Map<number, WorkEvent[]> {
  const found = readyIn(assessments).filter((event) => event.rank === rank);
  return Map.groupBy(found, ({ document }) => document);
}

const readyIn = (assessments: ReadonlyMap<number, Assessment>): WorkEvent[] =>
  [...assessments.values()].flatMap(({ ready }) => ready);

/** Bidirectional is the default (service.md, Event endpoints, rule 10). */
function mirrorsOn(event: WorkEvent): boolean {
  return event.mirrored && event.relatedDocument !== null && !event.payload.includes('"bidirectional":false');
}

export function append<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function holdUnmet(assessments: ReadonlyMap<number, Assessment>, needs: Needs, context: LinkContext): void {
  const { makers } = context;
  const cancelling = readyOfRank(assessments, 2);
  const ready = new Set(idsOf(readyIn(assessments)));
  const leaningOn = dependents(assessments, needs, context);
  const earliestHeld = createEarliest<Held>(({ event }) => event);
  const earliestBar = createEarliest<Bar>((bar) => bar);
  // One after the other; documents that depend on one with something held are looked at again.
  const turn = new Set(assessments.values());
  for (const assessment of turn) {
    turn.delete(assessment);
    const cancel = behindCancel(assessment);
    if (cancel !== null && assessment.blocked === null) {
      assessment.blocked = cancel;
      for (const other of leaningOn.get(assessment.document.id) ?? []) turn.add(other);
    }
    const index = assessment.ready.findIndex((event) => unmet(event, assessment) !== null);
    const first = assessment.ready[index];
    if (first === undefined) continue;
    const why = unmet(first, assessment);
    if (why === null) continue;
    for (const event of assessment.ready.slice(index)) ready.delete(event.id);
    // An event with a cause of its own names it; the others wait only for the event before them.
    let before = behind(first, why);
    const causes = [{ cause: why, events: [first] }];
    for (const event of assessment.ready.slice(index + 1)) {
      const own = reference(event);
      const cause = own ?? before;
      const last = causes.at(-1);
      if (last?.cause === cause) last.events.push(event);
      else causes.push({ cause, events: [event] });
      if (own !== null) before = behind(event, own);
    }
    for (const { cause, events } of causes) hold(assessment, events, cause);
    turn.add(assessment);
    for (const other of leaningOn.get(assessment.document.id) ?? []) turn.add(other);
  }

  function unmet(event: WorkEvent, assessment: Assessment): Block | null {
    const { document } = assessment;
    const cancel = behindCancel(assessment);
    if (cancel !== null) return cancel;
    if (document.mode === "target" && document.state === "planned") {
      const maker = makers.get(document.id);
      const self = `document:${document.id}`;
      if (maker === undefined) return { reason: "reference-unknown", waitsFor: self };
      if (maker.dismissed) return { reason: "target-id-unknown", waitsFor: self };
      if (!ready.has(maker.id)) return { reason: "target-not-created", waitsFor: `event:${maker.id}` };
    }
    const unmetReference = reference(event);
    if (unmetReference !== null) return unmetReference;
    for (const other of touched(event, context.relatedTo)) {
      if (other === event.document) continue;
      const there = assessments.get(other);
      const isBefore = (placed: Placed) => context.linkTime === "server" || compareEvents(placed, event) < 0;
      const blocking = there && earliestHeld(there.held)?.event;
      if (blocking && isBefore(blocking)) return { reason: "behind-linked", waitsFor: `event:${blocking.id}` };
      const bar = there && earliestBar(there.bars);
      if (bar && isBefore(bar)) return { reason: "behind-linked", waitsFor: bar.waitsFor };
    }
    const need = needs.get(event.id)?.find((one) => one > 0 && !ready.has(one));
    return need === undefined ? null : { reason: "behind-linked", waitsFor: nameOf(need) };
  }

  /** A next generation whose predecessor is not about to be cancelled; null: any other document. */
  function behindCancel({ document }: Assessment): Block | null {
    const cancel = context.cancels.get(document.id);
    if (cancel === undefined || ready.has(cancel.id)) return null;
    return { reason: "behind-cancel", waitsFor: `event:${cancel.id}` };
  }

  /** Null: the event's link is usable. */
  function reference(event: WorkEvent): Block | null {
    if (event.relatedDocument === null) return null;
    const related = context.document(event.relatedDocument);
    const inside = assessments.get(event.relatedDocument);
    const waitsFor = `document:${event.relatedDocument}`;
    if (related?.state === "stranded") return { reason: "document-stranded", waitsFor };
    const maker = makers.get(event.relatedDocument);
    if (!exists(related) && maker !== undefined) {
      if (!ready.has(maker.id)) return { reason: "related-not-created", waitsFor: `event:${maker.id}` };
    } else if (!exists(related)) {
      // No open event could create it: no row describes it, or all its rows were dismissed.
      const bringing = inside?.bars.find(({ event: bar }) => bar === null);
      if (related?.declared !== true && bringing !== undefined)
        return { reason: "related-not-created", waitsFor: bringing.waitsFor };
      const isNowhere = !isInDoubt(related) && (inside === undefined || isEmpty(inside));
      if (related?.declared !== true || isNowhere) return { reason: "reference-unknown", waitsFor };
      if (inside === undefined || !canBeCreated(inside)) return { reason: "related-not-created", waitsFor };
    }
    const willBeCancelled =
      cancelling.get(event.relatedDocument)?.some((one) => ready.has(one.id) && goesBefore(one, event, context)) ??
      false;
    if ((related?.state === "cancelled" || willBeCancelled) && mirrorsOn(event))
      return { reason: "related-cancelled", waitsFor };
    return null;
  }
}

/** The earliest of a list that only grows: thousands of documents may be linked to one of thousands of held events. */
function createEarliest<Item>(placeOf: (item: Item) => Placed): (items: readonly Item[]) => Item | undefined {
  const known = new Map<readonly Item[], { seen: number; first: Item | undefined }>();
  return (items) => {
    let { seen, first } = known.get(items) ?? { seen: 0, first: items[0] };
    for (; seen < items.length; seen += 1) {
      const item = items[seen] as Item;
      if (first === undefined || compareEvents(placeOf(item), placeOf(first)) < 0) first = item;
    }
    known.set(items, { seen, first });
    return first;
  };
}

/** By document, those whose events may have to wait where one of its own does. */
function dependents(
  assessments: ReadonlyMap<number, Assessment>,
  needs: Needs,
  { makers, cancels, relatedTo }: LinkContext,
): ReadonlyMap<number, Assessment[]> {
  const found = new Map<number, Assessment[]>();
  const documentOf = new Map(readyIn(assessments).map(({ id, document }) => [id, document]));
  for (const assessment of assessments.values()) {
    const { id: own } = assessment.document;
    const on = new Set([makers.get(own)?.document, cancels.get(own)?.document]);
    for (const event of assessment.ready) {
      const { relatedDocument } = event;
      if (relatedDocument !== null) on.add(relatedDocument).add(makers.get(relatedDocument)?.document);
      for (const other of touched(event, relatedTo)) on.add(other);
      for (const need of needs.get(event.id) ?? []) on.add(need > 0 ? documentOf.get(need) : -need);
    }
    for (const id of on) if (id !== undefined && id !== own) append(found, id, assessment);
  }
  return found;
}

const exists = (document: WorkDocument | null): boolean => document?.serviceId != null;

/** Its creation. */
const isInDoubt = (document: WorkDocument | null): boolean =>
  document?.state === "sending" || document?.state === "stalled";

function canBeCreated(assessment: Assessment): boolean {
  if (assessment.blocked !== null) return false;
  return assessment.ready.length > 0 || assessment.document.createEmpty;
}

function isEmpty({ ready, held, deferred, bars, document }: Assessment): boolean {
  return ready.length + held.length + deferred.length + bars.length === 0 && !document.createEmpty;
}
