/**
 * The plan as a stream of components: linked documents together, all others alone. Memory holds one component and the
 * ids of linked documents.
 */
import type { RegistrationStore } from "../ledger/registrations.js";
import type { Hold, WorkDocument, WorkEvent, WorkStore } from "../ledger/work.js";
import { type Assessment, assessDocument, type Progress, type Retiming } from "./assess-document.js";
import { batch, type Caps, type PlannedRequest } from "./batch.js";
import {
  compareEvents,
  type Doubted,
  doubtedMirrors,
  holdBehindMakers,
  holdFrom,
  type LinkContext,
  linkEvents,
  nameOf,
  orderOfMirrors,
} from "./links.js";
import { cancelsBefore, holdWithoutContent } from "./replacements.js";

export interface Component {
  assessments: Assessment[];
  requests: PlannedRequest[];
  /** Events that the service may refuse because of another document. */
  doubted: Doubted[];
}

export interface PlanContext {
  work: WorkStore;
  registrations: RegistrationStore;
  /** In ms; later events are deferred. */
  dueBefore: number;
  retryStalled: boolean;
  caps: Caps;
  linkTimeOf(document: WorkDocument): "event" | "server";
  retimingOf(document: WorkDocument): Retiming;
}

/** For each linked document, the documents of its group; unlinked documents are absent. */
export type Groups = Map<number, number[]>;

export function groupDocuments(links: Iterable<{ document: number; other: number }>): Groups {
  const groups: Groups = new Map();
  for (const { document, other } of links) {
    const a = groups.get(document) ?? [document];
    const b = groups.get(other) ?? [other];
    if (a === b || document === other) continue;
    const [large, small] = a.length >= b.length ? [a, b] : [b, a];
    groups.set(document, large);
    groups.set(other, large);
    for (const member of small) {
      large.push(member);
      groups.set(member, large);
    }
  }
  return groups;
}

/** Components touched by the `first` inputs come first; each part by id. */
export function* componentsOf(
  work: Pick<WorkStore, "links" | "openDocuments">,
  first: readonly number[] = [],
): Generator<readonly number[]> {
  const groups = groupDocuments(work.links());
  const done = new Set<number[]>();
  for (const document of work.openDocuments(first)) {
    const group = groups.get(document);
    if (group === undefined) yield [document];
    else if (!done.has(group)) {
      done.add(group);
      yield group;
    }
  }
}

export function* planWork(context: PlanContext): Generator<Component> {
  for (const documents of componentsOf(context.work)) yield* planPieces(context, documents, EVENTS_A_PIECE * 3);
}

/** At least as many as one request may carry. */
const EVENTS_A_PIECE = 300;

/**
 * Plans a component. A lone document with more than `most` events, perhaps a million, comes in pieces of several
 * requests, each planned as if the earlier ones had been sent.
 */
export function* planPieces(
  context: PlanContext,
  documents: readonly number[],
  most = EVENTS_A_PIECE,
): Generator<Component> {
  const [only] = documents;
  const size = Math.max(most, context.caps.maxEvents * 3);
  const start = documents.length === 1 && only !== undefined ? context.work.events(only, size + 1) : null;
  if (only === undefined || start === null || start.length <= size) {
    yield planComponent(context, documents, start === null ? null : { events: start });
    return;
  }
  const ids = context.work.eventIds(only);
  const holds = context.work.holds(only);
  let from: Progress | null = null;
  let isMade = false;
  for (let next = 0; next < ids.length; ) {
    const some = ids.slice(next, next + size);
    const events = context.work.eventsById(some);
    const known = { events, holds, from, isMade };
    let piece = planComponent(context, documents, known);
    next += some.length;
    // The last request may have room for more events, so it begins the next piece.
    const [first] = piece.requests.at(-1)?.events ?? [];
    const cut = next < ids.length ? events.findIndex(({ id }) => id === first?.id) : -1;
    if (cut > 0) {
      piece = planComponent(context, documents, { ...known, events: events.slice(0, cut) });
      next -= some.length - some.indexOf(first?.id ?? 0);
    }
    from = piece.assessments[0]?.end ?? null;
    isMade ||= piece.requests.length > 0;
    yield piece;
  }
}

interface Known {
  events: WorkEvent[];
  holds?: Hold[];
  from?: Progress | null;
  /** An earlier piece creates it. */
  isMade?: boolean;
}

export function planComponent(
  context: PlanContext,
  documents: readonly number[],
  known: Known | null = null,
): Component {
  const open = new Map<number, { document: WorkDocument; events: WorkEvent[] }>();
  for (const id of documents) {
    const document = context.work.document(id);
    if (document === null) continue;
    const { serviceId } = document;
    const made = known?.isMade === true ? { ...document, serviceId: serviceId ?? "" } : document;
    open.set(id, { document: made, events: known?.events ?? context.work.events(id) });
  }
  const own = [...open.values()].map(({ document }) => context.linkTimeOf(document));
  const linkTime = own.includes("server") ? "server" : "event";
  const { makers, assessments, early } = assessAll(context, open, linkTime, known);
  const all = [...assessments.values()];
  const linked =
    all.length > 1 || all.some(({ document, ready }) => document.mode === "target" || ready.some(isLinking));
  const ties = {
    relatedTo: once(context.work.relatedTo),
    tiedAlready: once(context.work.tiedAlready),
    tyingIn: once((ready: readonly WorkEvent[]) =>
      ready.filter(({ relatedDocument, target }) => relatedDocument !== null || target !== null),
    ),
  };
  const links: LinkContext = {
    linkTime,
    relatedTo: (event) => copiesGoTo(ties, assessments, event, linkTime),
    document: (id) => assessments.get(id)?.document ?? context.work.document(id),
    makers,
    cancels: linked ? cancelsBefore(open) : new Map(),
  };
  holdWithoutContent(open, assessments);
  const needs = linked ? linkEvents(assessments, links) : new Map();
  const after = linked && linkTime === "event" ? orderOfMirrors(assessments, links) : undefined;
  const { requests, circle } = batch(assessments, needs, context.caps, after);
  for (const { event, need } of circle) {
    const assessment = assessments.get(event.document);
    if (assessment === undefined) continue;
    const isUnmade = assessment.document.mode === "target" && assessment.document.state === "planned";
    holdFrom(assessment, event, { reason: isUnmade ? "target-not-created" : "link-circle", waitsFor: nameOf(need) });
  }
  holdBehindMakers(assessments, early);
  const doubted = linked ? doubtedMirrors(assessments, links) : [];
  return { assessments: all, requests, doubted };
}

/**
 * Assesses each document by itself; one that an event creates, from that event on (open point 11), or without it if the
 * event can never be sent. `early`: documents that have events before their creation.
 */
function assessAll(
  context: PlanContext,
  open: ReadonlyMap<number, { document: WorkDocument; events: readonly WorkEvent[] }>,
  linkTime: LinkContext["linkTime"],
  known: Known | null,
) {
  const { dueBefore, retryStalled, registrations, work } = context;
  const common = { ...registrations, dueBefore, retryStalled, document: work.document };
  const never = new Set<number>();
  // One document may make thousands of others.
  const readyOf = once(({ ready }: Assessment) => new Map(ready.map((event) => [event.id, event])));
  const refusedOf = once(({ refused }: Assessment) => new Set(refused.map(({ event }) => event.id)));
  for (;;) {
    const makers = makersOf(open, never);
    const assessments = new Map<number, Assessment>();
    const assess = (id: number, begins: number | null): Assessment | undefined => {
      const found = open.get(id);
      if (found === undefined) return undefined;
      const document = makers.has(id) ? { ...found.document, mode: "target" as const } : found.document;
      const retiming = begins === Number.POSITIVE_INFINITY ? null : context.retimingOf(found.document);
      const holds = known?.holds ?? work.holds(id);
      const own = { ...common, retiming, begins };
      const assessment = assessDocument(document, found.events, holds, own, known?.from);
      assessments.set(id, assessment);
      return assessment;
    };
    for (const id of open.keys()) assess(id, null);
    // In the order of their makers: a document that is created too late creates nothing itself.
    const early = new Map<Assessment, WorkEvent>();
    for (const [id, { id: event, document }] of makers) {
      const making = assessments.get(document);
      // As it will be sent: `settings.late` may have moved it.
      const maker = making && readyOf(making).get(event);
      if (maker === undefined) continue;
      makers.set(id, maker);
      const made = assess(id, linkTime === "server" ? Number.POSITIVE_INFINITY : maker.at);
      if (made !== undefined && made.refused.length > 0) early.set(made, maker);
    }
    const before = never.size;
    for (const { id, document } of makers.values()) {
      const making = assessments.get(document);
      if (making !== undefined && refusedOf(making).has(id)) never.add(id);
    }
    if (never.size === before) return { makers, assessments, early };
  }
}

/**
 * The event that creates each target document (service.md, Event endpoints, rule 6; H19): the first that names it, unless
 * the document exists or the event's own document comes from it. `refused`: events that can never be sent.
 */
function makersOf(
  documents: ReadonlyMap<number, { document: WorkDocument; events: readonly WorkEvent[] }>,
  refused: ReadonlySet<number>,
): Map<number, WorkEvent> {
  const makers = new Map<number, WorkEvent>();
  const comesFrom = (document: number, ancestor: number): boolean => {
    for (let at: number | undefined = document; at !== undefined; at = makers.get(at)?.document)
      if (at === ancestor) return true;
    return false;
  };
  const candidates = [...documents.values()].flatMap(({ events }) =>
    events.filter(
      ({ id, target, state, dismissed, reason }) =>
        // Whoever sent a foreign event that a person has accepted made its target, too.
        target !== null && (!dismissed || state === "foreign") && reason !== "dismissed" && !refused.has(id),
    ),
  );
  for (const event of candidates.toSorted(compareEvents)) {
    const target = event.target as number;
    const state = documents.get(target)?.document.state;
    if (state === "planned" && !makers.has(target) && !comesFrom(event.document, target)) makers.set(target, event);
  }
  return makers;
}

/**
 * Documents that may receive copies of a propagated event: those related to its document, and those that its document
 * created (open points 29, 40). Copied at the service's time, it precedes relations still to be made.
 */
function copiesGoTo(
  ties: {
    relatedTo(document: number): number[];
    tiedAlready(document: number): number[];
    tyingIn(ready: readonly WorkEvent[]): WorkEvent[];
  },
  assessments: ReadonlyMap<number, Assessment>,
  event: WorkEvent,
  linkTime: "event" | "server",
): number[] {
  const own = ties
    .tyingIn(assessments.get(event.document)?.ready ?? [])
    .filter((other) => compareEvents(other, event) < 0)
    .flatMap(({ relatedDocument, target }) => [relatedDocument, target].filter((id) => id !== null));
  const others = linkTime === "server" ? [] : ties.relatedTo(event.document);
  const all = new Set([...ties.tiedAlready(event.document), ...own, ...others]);
  return [...all].filter((other) => other !== event.document && other !== event.target);
}

/** Remembers answers: nothing lands during planning, and a document may have thousands of propagated events. */
function once<Key, Found>(find: (key: Key) => Found): (key: Key) => Found {
  const found = new Map<Key, Found>();
  return (key) => {
    const known = found.get(key) ?? find(key);
    found.set(key, known);
    return known;
  };
}

const isLinking = (event: { relatedDocument: number | null; mirrored: boolean; target: number | null }): boolean =>
  event.relatedDocument !== null || event.mirrored || event.target !== null;
