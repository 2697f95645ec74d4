/**
 * Finds the event that creates each target document (service.md, Event endpoints, rule 6; H19): the first that names
 * it, unless the document exists or the event's own document comes from it.
 */
import type { WorkDocument, WorkEvent } from "../ledger/work.js";
import { compareEvents } from "./links.js";

/** `refused`: events that can never be sent. @returns the creating event of each document */
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
