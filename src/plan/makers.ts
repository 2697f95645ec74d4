/**
 * Which event makes which document (service.md, Event endpoints, rule 6; HARD-CASES H19): the first that names it as its
 * target, as long as the document is not there and the event's own document does not come from it in turn.
 */
import type { WorkDocument, WorkEvent } from "../ledger/work.js";
import { compareEvents } from "./links.js";

/**
 * Documents by id with their open events; `refused`: events that can never be sent, and make nothing.
 * @returns the event that makes each document that comes to be in this way
 */
export function makersOf(
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
      ({ id, target, dismissed, reason }) =>
        target !== null && !dismissed && reason !== "dismissed" && !refused.has(id),
    ),
  );
  for (const event of candidates.toSorted(compareEvents)) {
    const target = event.target as number;
    const state = documents.get(target)?.document.state;
    if (state === "planned" && !makers.has(target) && !comesFrom(event.document, target)) makers.set(target, event);
  }
  return makers;
}
