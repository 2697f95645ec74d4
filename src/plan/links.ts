/**
 * What ties documents together: a relation needs its related document, a target's rows need the event that makes the
 * document, and an event that writes on two timelines is a meeting point of both (HARD-CASES H16–H19).
 */
import type { WorkEvent } from "../ledger/work.js";
import type { Assessment, Held } from "./assess-document.js";

/** Time, rank, staging sequence: the ledger's one total order (HARD-CASES H16). */
export function compareEvents(a: WorkEvent, b: WorkEvent): number {
  return a.at - b.at || a.rank - b.rank || a.id - b.id;
}

/** Something that has to happen before an event: the creation of a document, or the landing of another event. */
export type Need = { document: number } | { event: number };

export interface LinkContext {
  linkTime: "event" | "server";
  /** Documents that any event of the ledger relates to this one. */
  relatedTo(document: number): number[];
  /** A document outside the component, or one without open events. */
  outside(document: number): { exists: boolean; known: boolean; cancelled: boolean; stranded: boolean };
}

/** The other timelines an event writes on. */
export function touched(event: WorkEvent, relatedTo: (document: number) => number[]): number[] {
  if (!event.mirrored) return [];
  return event.relatedDocument !== null ? [event.relatedDocument] : relatedTo(event.document);
}

/**
 * Needs of every ready event of a component. Events whose needs can never be met in this run leave `ready` for
 * `held`, together with all that is later on their documents; what waits for those follows, until nothing moves.
 */
export function linkEvents(assessments: ReadonlyMap<number, Assessment>, context: LinkContext): Map<number, Need[]> {
  const needs = new Map<number, Need[]>();
  const makers = new Map<number, WorkEvent>();
  for (const { ready } of assessments.values()) {
    for (const event of ready) if (event.target !== null) makers.set(event.target, event);
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
  for (const { document } of assessments.values()) {
    const maker = makers.get(document.id);
    if (document.mode === "target" && document.state === "planned" && maker !== undefined) {
      append(needs, -document.id, { event: maker.id });
    }
  }
  holdUnmet(assessments, needs, makers, context);
  return needs;
}

/** Under `server`, two events that mirror on each other's documents cannot both go last: the total order decides. */
function isBackReference(other: WorkEvent, event: WorkEvent, context: LinkContext): boolean {
  return (
    context.linkTime === "server" &&
    touched(other, context.relatedTo).includes(event.document) &&
    compareEvents(event, other) < 0
  );
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
      for (const event of assessment.ready.splice(index)) {
        ready.delete(event.id);
        assessment.held.push({ event, ...why });
      }
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
      if (outside.cancelled && event.mirrored) return { reason: "related-cancelled", waitsFor };
    }
    for (const other of touched(event, context.relatedTo)) {
      const blocking = assessments
        .get(other)
        ?.held.find(({ event: held }) => context.linkTime === "server" || compareEvents(held, event) < 0);
      if (blocking !== undefined) return { reason: "behind-linked", waitsFor: `event:${blocking.event.id}` };
    }
    for (const need of needs.get(event.id) ?? []) {
      if ("event" in need && !ready.has(need.event))
        return { reason: "behind-linked", waitsFor: `event:${need.event}` };
    }
    return null;
  }

  function canBeCreated(assessment: Assessment): boolean {
    if (assessment.blocked !== null) return false;
    return assessment.ready.length > 0 || assessment.document.createEmpty;
  }
}
