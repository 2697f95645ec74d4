/**
 * A CANCEL shuts out everything after it, a CLOSE everything but RELATED and CANCEL (service.md, States and
 * transitions; H11). Its landing also proves things about events in doubt.
 */
import type { WorkDocument, WorkEvent } from "../ledger/work.js";

/** `rank`: 1 after a CLOSE, 2 after a CANCEL, else 0. */
export const isShutOut = (rank: number, { name }: WorkEvent): boolean =>
  rank === 2 || (rank === 1 && name !== "RELATED" && name !== "CANCEL");

/**
 * Whether an event in doubt cannot have landed, and never will: the service accepted a CLOSE or CANCEL of an earlier
 * time, which it does only if nothing later exists (service.md, Limits 3).
 */
export function isDisproved(document: WorkDocument, event: WorkEvent): boolean {
  // A moved CLOSE (`settings.late`) is never later than the timeline's last known instant.
  const { lastAt } = document;
  // Earlier content may have landed at another time (H9).
  return event.sentAsIs && lastAt !== null && event.at > lastAt && isShutOut(document.shutBy, event);
}

/**
 * How many events can be sent before the outcome of a CLOSE or CANCEL among them is known. Only events in doubt are
 * planned after one that would shut them out.
 */
export function countBeforeShut(events: readonly WorkEvent[]): number {
  let shut = 0;
  for (const [index, event] of events.entries()) {
    if (isShutOut(shut, event) && event.sentAsIs) return index;
    shut = Math.max(shut, event.rank);
  }
  return events.length;
}
