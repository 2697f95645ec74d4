/** Caps on what one request carries, by count and by bytes; a service that says 413 lowers them for the rest of the run (open-points 10). */
import type { WorkEvent } from "../ledger/work.js";
import type { Caps } from "./batch.js";

/** What a body adds around an event's stored payload: keys, time, ids. */
const EVENT_OVERHEAD = 400;

export interface RequestCaps extends Caps {
  /** The longest prefix that fits; never empty. */
  fit(events: readonly WorkEvent[]): WorkEvent[];
  /** A request of `count` events was too large. */
  lower(count: number): void;
}

export function createRequestCaps(initial: Caps): RequestCaps {
  const caps: RequestCaps = {
    ...initial,
    fit(events) {
      let bytes = 0;
      const fitting: WorkEvent[] = [];
      for (const event of events) {
        bytes += Buffer.byteLength(event.payload) + EVENT_OVERHEAD;
        if (fitting.length > 0 && (fitting.length >= caps.maxEvents || bytes > caps.maxBytes)) break;
        fitting.push(event);
      }
      return fitting;
    },
    lower(count) {
      caps.maxEvents = Math.max(1, Math.min(caps.maxEvents, Math.floor(count / 2)));
    },
  };
  return caps;
}
