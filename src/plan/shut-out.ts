/**
 * What a CLOSE or CANCEL shuts out: everything behind a CANCEL, and behind a CLOSE all but RELATED and CANCEL (service.md,
 * States and transitions; HARD-CASES H11). Also what its landing says of events in doubt.
 */
import type { WorkDocument, WorkEvent } from "../ledger/work.js";

/** `rank`: 1 behind a CLOSE, 2 behind a CANCEL, 0 behind neither. */
export const isShutOut = (rank: number, { name }: WorkEvent): boolean =>
  rank === 2 || (rank === 1 && name !== "RELATED" && name !== "CANCEL");

/**
 * Whether an event in doubt cannot have landed, and never will: a CLOSE or CANCEL of an earlier time was accepted, which
 * the service does only where nothing later stands (service.md, Limits 3), and it shuts this event out for ever.
 */
export function isDisproved(document: WorkDocument, event: WorkEvent): boolean {
  // Moved to a later time (`settings.late`) a CLOSE stands no later than the timeline's last known instant.
  const { lastAt } = document;
  // What was sent with other content may have landed at another time (HARD-CASES H9).
  return event.sentAsIs && lastAt !== null && event.at > lastAt && isShutOut(document.shutBy, event);
}

/**
 * How many of these, in their order, can go before it is known whether a CLOSE or CANCEL among them has landed. The
 * plan lets only what is in doubt stand behind one that would shut it out.
 */
export function countBeforeShut(events: readonly WorkEvent[]): number {
  let shut = 0;
  for (const [index, event] of events.entries()) {
    if (isShutOut(shut, event) && event.sentAsIs) return index;
    shut = Math.max(shut, event.rank);
  }
  return events.length;
}
