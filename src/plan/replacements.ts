/**
 * A document and its next generation form one unit: the next one's events wait for the CANCEL, and the CANCEL waits
 * while the next one lacks events (H26).
 */
import type { WorkDocument, WorkEvent } from "../ledger/work.js";
import type { Assessment } from "./assess-document.js";
import { holdFrom } from "./links.js";

type Open = ReadonlyMap<number, { document: WorkDocument; events: readonly WorkEvent[] }>;

interface Replacement {
  /** Of the old generation; neither landed nor dismissed. */
  cancel: WorkEvent;
  next: number;
  /** An event of the next generation without a body. */
  missing: WorkEvent | null;
}

function replacementsIn(open: Open): Replacement[] {
  return [...open.values()].flatMap(({ document, events }) => {
    const cancel = events.find(({ event, dismissed }) => event === "#replaced" && !dismissed);
    if (cancel === undefined) return [];
    const next = [...open.values()].find(({ document: other }) => isNextOf(other, document));
    if (next === undefined) return [];
    const missing = next.events.find(({ payload, dismissed }) => payload === "" && !dismissed) ?? null;
    return [{ cancel, next: next.document.id, missing }];
  });
}

function isNextOf(other: WorkDocument, { namespace, kind, key, generation }: WorkDocument): boolean {
  return (
    other.generation === generation + 1 && other.key === key && other.kind === kind && other.namespace === namespace
  );
}

/** Before links are handled. */
export function holdReplacements(open: Open, assessments: ReadonlyMap<number, Assessment>): void {
  for (const { cancel, next, missing } of replacementsIn(open)) {
    if (missing === null) continue;
    const why = { reason: "replacement-incomplete", waitsFor: `event:${missing.id}` } as const;
    const [old, renewed] = [assessments.get(cancel.document), assessments.get(next)];
    if (old?.ready.includes(cancel) === true) holdFrom(old, cancel, why);
    if (renewed === undefined) continue;
    renewed.blocked ??= why;
    const [first] = renewed.ready;
    if (first !== undefined) holdFrom(renewed, first, why);
  }
}

/** By document: the CANCEL that has to land before it is created. */
export const cancelsBefore = (open: Open): Map<number, WorkEvent> =>
  new Map(replacementsIn(open).map(({ cancel, next }) => [next, cancel]));
