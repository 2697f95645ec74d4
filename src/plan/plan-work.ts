/**
 * The whole plan as a stream of components: documents that no link ties to others come alone, linked ones together.
 * Memory holds one component and the ids of linked documents.
 */
import type { RegistrationStore } from "../ledger/registrations.js";
import type { WorkDocument, WorkEvent, WorkStore } from "../ledger/work.js";
import { type Assessment, assessDocument } from "./assess-document.js";
import { batch, type Caps, type PlannedRequest } from "./batch.js";
import { compareEvents, hold, holdBehindMakers, type LinkContext, linkEvents } from "./links.js";
import type { Retiming } from "./retime.js";

export interface Component {
  assessments: Assessment[];
  requests: PlannedRequest[];
}

export interface PlanContext {
  work: WorkStore;
  registrations: RegistrationStore;
  /** ms; events at or after it are deferred. */
  dueBefore: number;
  retryStalled: boolean;
  caps: Caps;
  linkTimeOf(document: WorkDocument): "event" | "server";
  retimingOf(document: WorkDocument): Retiming;
}

/** Documents of each linked group, by any of its members; documents without links are absent. */
export type Groups = Map<number, number[]>;

export function groupDocuments(links: Iterable<{ document: number; other: number }>): Groups {
  const groups: Groups = new Map();
  for (const { document, other } of links) {
    const a = groups.get(document) ?? [document];
    const b = groups.get(other) ?? [other];
    if (a === b || document === other) continue;
    const [large, small] = a.length >= b.length ? [a, b] : [b, a];
    large.push(...small);
    groups.set(document, large);
    groups.set(other, large);
    for (const member of small) groups.set(member, large);
  }
  return groups;
}

/**
 * The documents of `first` come first, the others in the order of their ids. `skip`: true for documents that need no
 * planning; asked in that order, and never of linked ones.
 */
export function* planWork(
  context: PlanContext,
  first: Iterable<number> = [],
  skip: (document: number) => boolean = () => false,
): Generator<Component> {
  const groups = groupDocuments(context.work.links());
  const done = new Set<number[]>();
  const before = new Set<number>();
  const each = function* (documents: Iterable<number>): Generator<Component> {
    for (const document of documents) {
      if (before.has(document)) continue;
      const group = groups.get(document);
      if (group === undefined) {
        if (!skip(document)) yield planComponent(context, [document]);
      } else if (!done.has(group)) {
        done.add(group);
        yield planComponent(context, group);
      }
    }
  };
  for (const document of first) {
    yield* each([document]);
    before.add(document);
  }
  yield* each(context.work.openDocuments());
}

export function planComponent(context: PlanContext, documents: readonly number[]): Component {
  const assessments = new Map<number, Assessment>();
  for (const id of documents) {
    const document = context.work.document(id);
    if (document === null) continue;
    assessments.set(
      id,
      assessDocument(document, context.work.events(id), context.work.holds(id), {
        ...assessmentContext(context),
        retiming: context.retimingOf(document),
      }),
    );
  }
  const all = [...assessments.values()];
  const linked =
    all.length > 1 || all.some(({ document, ready }) => document.mode === "target" || ready.some(isLinking));
  const linkTime = all.some(({ document }) => context.linkTimeOf(document) === "server") ? "server" : "event";
  const { needs, early } = linked
    ? linkEvents(assessments, {
        linkTime,
        relatedTo: (event) => copiesGoTo(context.work, assessments, event, linkTime),
        outside: (id) => outside(assessments.get(id)?.document ?? context.work.document(id)),
      })
    : { needs: new Map(), early: new Map() };
  const { requests, circle } = batch(assessments, needs, context.caps);
  for (const event of circle) {
    const assessment = assessments.get(event.document);
    if (assessment === undefined) continue;
    hold(assessment, [event], { reason: "link-circle", waitsFor: `document:${event.document}` });
  }
  holdBehindMakers(assessments, early);
  return { assessments: all, requests };
}

/** Copied at the service's time, an event goes before the relations that others are still to make. */
function copiesGoTo(
  work: WorkStore,
  assessments: ReadonlyMap<number, Assessment>,
  event: WorkEvent,
  linkTime: "event" | "server",
): number[] {
  const own = (assessments.get(event.document)?.ready ?? [])
    .filter((other) => other.relatedDocument !== null && compareEvents(other, event) < 0)
    .map((other) => other.relatedDocument as number);
  const all = linkTime === "server" ? [...work.relatedAlready(event.document), ...own] : work.relatedTo(event.document);
  return all.filter((other) => other !== event.document);
}

const isLinking = (event: { relatedDocument: number | null; mirrored: boolean; target: number | null }): boolean =>
  event.relatedDocument !== null || event.mirrored || event.target !== null;

function outside(document: WorkDocument | null): ReturnType<LinkContext["outside"]> {
  return {
    exists: document?.serviceId != null,
    known: document?.declared ?? false,
    cancelled: document?.state === "cancelled",
    stranded: document?.state === "stranded",
  };
}

function assessmentContext(context: PlanContext) {
  return {
    dueBefore: context.dueBefore,
    retryStalled: context.retryStalled,
    participant: context.registrations.participant,
    address: context.registrations.address,
  };
}
