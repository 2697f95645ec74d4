/**
 * A document and its next generation form one unit: the next one's events wait for the CANCEL, and the CANCEL waits
 * while one of them lacks its content (H26).
 */
import type { WorkDocument, WorkEvent } from "../ledger/work.js";
import type { Assessment } from "./assess-document.js";
import { holdFrom } from "./links.js";
import { isUnsent } from "../model/states.js";

type Open = ReadonlyMap<number, { document: WorkDocument; events: readonly WorkEvent[] }>;

interface Replacement {
  /** Of the old generation; neither landed nor dismissed. */
  cancel: WorkEvent;
  next: number;
}

function replacementsIn(open: Open): Replacement[] {
  return [...open.values()].flatMap(({ document, events }) => {
    const cancel = events.find(({ event, dismissed }) => event === "#replaced" && !dismissed);
    if (cancel === undefined) return [];
    const next = [...open.values()].find(({ document: other }) => isNextOf(other, document));
    return next === undefined ? [] : [{ cancel, next: next.document.id }];
  });
}

function isNextOf(other: WorkDocument, { namespace, kind, key, generation }: WorkDocument): boolean {
  return (
    other.generation === generation + 1 && other.key === key && other.kind === kind && other.namespace === namespace
  );
}

/** An event without content may be the earliest of its document, so all of it waits. Before links are handled. */
export function holdWithoutContent(open: Open, assessments: ReadonlyMap<number, Assessment>): void {
  for (const { document, events } of open.values()) {
    const isWaiting = (event: WorkEvent) => !event.dismissed && (isUnsent(event) || document.generation > 1);
    const missing = events.find((event) => event.payload === "" && isWaiting(event));
    if (missing === undefined) continue;
    const why = { reason: "content-missing", waitsFor: `event:${missing.id}` } as const;
    const assessment = assessments.get(document.id);
    if (assessment !== undefined) {
      assessment.blocked ??= why;
      const [first] = assessment.ready;
      if (first !== undefined) holdFrom(assessment, first, why);
    }
    const cancel = replacementsIn(open).find(({ next }) => next === document.id)?.cancel;
    const old = cancel && assessments.get(cancel.document);
    const ready = old?.ready.find(({ id }) => id === cancel?.id);
    if (old !== undefined && ready !== undefined) holdFrom(old, ready, why);
  }
}

/** By document: the CANCEL that has to land before it is created. */
export const cancelsBefore = (open: Open): Map<number, WorkEvent> =>
  new Map(replacementsIn(open).map(({ cancel, next }) => [next, cancel]));
