/**
 * What ties documents together: a relation needs its related document, a target's rows need the event that makes the
 * document, and an event that writes on two timelines is a meeting point of both (HARD-CASES H16–H19).
 */
import type { WorkEvent } from "../ledger/work.js";
import type { Code } from "../model/codes.js";
import { isOn } from "../model/safeguards.js";
import type { Assessment, Held } from "./assess-document.js";

type Placed = Pick<WorkEvent, "at" | "rank" | "id">;

/** Time, rank, staging sequence: the ledger's one total order (HARD-CASES H16). */
export function compareEvents(a: Placed, b: Placed): number {
  return a.at - b.at || a.rank - b.rank || a.id - b.id;
}

/** Something that has to happen before an event: the creation of a document, or the landing of another event. */
export type Need = { document: number } | { event: number };

export interface LinkContext {
  linkTime: "event" | "server";
  /** Documents that a propagated event is copied to. */
  relatedTo(event: WorkEvent): number[];
  /** A document outside the component, or one without open events. */
  outside(document: number): { exists: boolean; known: boolean; cancelled: boolean; stranded: boolean };
}

/** The other timelines an event writes on. */
export function touched(event: WorkEvent, relatedTo: LinkContext["relatedTo"]): number[] {
  if (!event.mirrored || !isOn("meeting-points")) return [];
  const related = event.relatedDocument === null ? [] : [event.relatedDocument];
  return event.payload.includes('"propagateEvent":true') ? [...related, ...relatedTo(event)] : related;
}

/**
 * Needs of every ready event of a component. Events whose needs can never be met in this run leave `ready` for
 * `held`, together with all that is later on their documents; what waits for those follows, until nothing moves.
 */
export function linkEvents(
  assessments: ReadonlyMap<number, Assessment>,
  context: LinkContext,
): { needs: Map<number, Need[]>; early: ReadonlyMap<Assessment, WorkEvent> } {
  const needs = new Map<number, Need[]>();
  const makers = new Map<number, WorkEvent>();
  for (const { ready } of assessments.values()) {
    for (const event of ready) if (event.target !== null) makers.set(event.target, event);
  }
  const early = new Map<Assessment, WorkEvent>();
  for (const assessment of assessments.values()) {
    const maker = makers.get(assessment.document.id);
    if (maker === undefined || assessment.document.serviceId !== null) continue;
    if (refuseBeforeMaker(assessment, maker, context)) early.set(assessment, maker);
  }
  for (const assessment of assessments.values()) {
    for (const event of assessment.ready) {
      const own: Need[] = [];
      if (event.relatedDocument !== null && !context.outside(event.relatedDocument).exists) {
        own.push({ document: event.relatedDocument });
      }
      for (const other of touched(event, context.relatedTo)) {
        for (const earlier of assessments.get(other)?.ready ?? []) {
          if (earlier.id === event.id || isBackReference(earlier, event, context)) continue;
          if (context.linkTime === "server" || compareEvents(earlier, event) < 0) own.push({ event: earlier.id });
          else append(needs, earlier.id, { event: event.id });
        }
      }
      for (const need of own) append(needs, event.id, need);
    }
  }
  // A meeting point that stands open holds what is later on the other timeline, whatever holds it itself.
  for (const { held, bars } of context.linkTime === "event" ? assessments.values() : []) {
    const waiting = [...held.map(({ event }) => event), ...bars.flatMap(({ event }) => event ?? [])];
    for (const event of waiting.filter(({ state }) => state !== "foreign")) {
      for (const other of touched(event, context.relatedTo)) {
        if (other === event.document) continue;
        for (const later of assessments.get(other)?.ready ?? []) {
          if (compareEvents(event, later) < 0) append(needs, later.id, { event: event.id });
        }
      }
    }
  }
  for (const { document } of assessments.values()) {
    const maker = makers.get(document.id);
    if (document.mode === "target" && document.state === "planned" && maker !== undefined) {
      append(needs, -document.id, { event: maker.id });
    }
  }
  holdUnmet(assessments, needs, makers, context);
  return { needs, early };
}

/** Once it is clear what goes: a target's events that were refused for its maker's sake wait when the maker does not go. */
export function holdBehindMakers(
  assessments: ReadonlyMap<number, Assessment>,
  early: ReadonlyMap<Assessment, WorkEvent>,
): void {
  for (const [assessment, maker] of early) {
    const isMade = assessments.get(maker.document)?.ready.includes(maker) ?? false;
    const why = { reason: "target-not-created", waitsFor: `event:${maker.id}` } as const;
    if (!isMade) holdRefused(assessment, (reason) => reason === "late", why);
  }
}

/** What was refused only because of an event that is held now waits with it. */
function holdRefused(assessment: Assessment, isAffected: (reason: Code) => boolean, why: Omit<Held, "event">): void {
  const affected = assessment.refused.filter(({ reason }) => isAffected(reason));
  assessment.refused = assessment.refused.filter(({ reason }) => !isAffected(reason));
  for (const { event } of affected) assessment.held.push({ event, ...why });
}

/** Takes events off `ready`; what a CLOSE or CANCEL among them would have shut out waits as they do. */
export function hold(assessment: Assessment, events: readonly WorkEvent[], why: Omit<Held, "event">): void {
  const gone = new Set(events.map(({ id }) => id));
  assessment.ready = assessment.ready.filter(({ id }) => !gone.has(id));
  for (const event of events) assessment.held.push({ event, ...why });
  const { state } = assessment.document;
  const isShutBy = (rank: number) => assessment.ready.some((event) => event.rank >= rank);
  if (state !== "cancelled" && !isShutBy(2)) holdRefused(assessment, (reason) => reason === "after-cancel", why);
  if (state !== "cancelled" && state !== "closed" && !isShutBy(1))
    holdRefused(assessment, (reason) => reason === "after-close", why);
}

/** A target's timeline begins with the event that makes it, at that event's time or at the service's (open-points 11). */
function refuseBeforeMaker(assessment: Assessment, maker: WorkEvent, context: LinkContext): boolean {
  const isLate = ({ at }: WorkEvent) => context.linkTime === "server" || at < maker.at;
  const begins = context.linkTime === "server" ? "when it is made" : `at ${new Date(maker.at).toISOString()}`;
  for (const event of assessment.ready.filter(isLate)) {
    const time = new Date(event.at).toISOString();
    const message = `${event.name} took place at ${time}, but the timeline begins ${begins}, with the event that makes the document.`;
    assessment.refused.push({ event, reason: "late", message });
  }
  const count = assessment.ready.length;
  assessment.ready = assessment.ready.filter((event) => !isLate(event));
  return assessment.ready.length < count;
}

/** Under `server`, two events that mirror on each other's documents cannot both go last: the total order decides. */
function isBackReference(other: WorkEvent, event: WorkEvent, context: LinkContext): boolean {
  return (
    context.linkTime === "server" &&
    touched(other, context.relatedTo).includes(event.document) &&
    compareEvents(event, other) < 0
  );
}

/** Whether it writes a back-reference: bidirectional is the default (service.md, Event endpoints, rule 10). */
function mirrorsOn(event: WorkEvent): boolean {
  return event.mirrored && event.relatedDocument !== null && !event.payload.includes('"bidirectional":false');
}

function append(needs: Map<number, Need[]>, event: number, need: Need): void {
  const list = needs.get(event);
  if (list === undefined) needs.set(event, [need]);
  else list.push(need);
}

function holdUnmet(
  assessments: ReadonlyMap<number, Assessment>,
  needs: ReadonlyMap<number, Need[]>,
  makers: ReadonlyMap<number, WorkEvent>,
  context: LinkContext,
): void {
  const ready = new Set<number>();
  for (const { ready: events } of assessments.values()) for (const event of events) ready.add(event.id);
  let moved = true;
  while (moved) {
    moved = false;
    for (const assessment of assessments.values()) {
      const index = assessment.ready.findIndex((event) => unmet(event, assessment) !== null);
      const first = assessment.ready[index];
      if (first === undefined) continue;
      const why = unmet(first, assessment);
      if (why === null) continue;
      const rest = assessment.ready.slice(index);
      for (const event of rest) ready.delete(event.id);
      hold(assessment, rest, why);
      moved = true;
    }
  }

  function unmet(event: WorkEvent, assessment: Assessment): Omit<Held, "event"> | null {
    const { document } = assessment;
    if (document.mode === "target" && document.state === "planned") {
      const maker = makers.get(document.id);
      if (maker === undefined || !ready.has(maker.id)) {
        return {
          reason: "target-not-created",
          waitsFor: maker === undefined ? `document:${document.id}` : `event:${maker.id}`,
        };
      }
    }
    if (event.relatedDocument !== null) {
      const outside = context.outside(event.relatedDocument);
      const inside = assessments.get(event.relatedDocument);
      const waitsFor = `document:${event.relatedDocument}`;
      if (outside.stranded) return { reason: "document-stranded", waitsFor };
      if (!outside.exists && !outside.known) return { reason: "reference-unknown", waitsFor };
      if (!outside.exists && (inside === undefined || !canBeCreated(inside)))
        return { reason: "related-not-created", waitsFor };
      const willBeCancelled = inside?.ready.some((one) => one.rank === 2 && isNeeded(event, one)) ?? false;
      if ((outside.cancelled || willBeCancelled) && mirrorsOn(event)) return { reason: "related-cancelled", waitsFor };
    }
    for (const other of touched(event, context.relatedTo)) {
      if (other === event.document) continue;
      const there = assessments.get(other);
      const isBefore = (placed: Placed) => context.linkTime === "server" || compareEvents(placed, event) < 0;
      const blocking = there?.held.find(({ event: held }) => isBefore(held));
      if (blocking !== undefined) return { reason: "behind-linked", waitsFor: `event:${blocking.event.id}` };
      const bar = there?.bars.find(isBefore);
      if (bar !== undefined) return { reason: "behind-linked", waitsFor: bar.waitsFor };
    }
    for (const need of needs.get(event.id) ?? []) {
      if ("event" in need && !ready.has(need.event))
        return { reason: "behind-linked", waitsFor: `event:${need.event}` };
    }
    return null;
  }

  function isNeeded(event: WorkEvent, before: WorkEvent): boolean {
    return (needs.get(event.id) ?? []).some((need) => "event" in need && need.event === before.id);
  }

  function canBeCreated(assessment: Assessment): boolean {
    if (assessment.blocked !== null) return false;
    return assessment.ready.length > 0 || assessment.document.createEmpty;
  }
}
