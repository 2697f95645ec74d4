/**
 * How many requests may be under way at once. Follows the latency: at 2 s per answer the rate is still reached, and a
 * service that slows down is not buried.
 */
import { onAbort } from "../model/when-aborted.js";

export interface InFlight {
  /** Resolves with the function that gives the slot back, or with null when `signal` aborts first. */
  enter(signal: AbortSignal): Promise<(() => void) | null>;
  /** An answer took so long, in ms. */
  observe(latencyMs: number): void;
  /** Requests that may be under way now. */
  readonly limit: number;
}

export interface InFlightOptions {
  /** Requests per second; null: unthrottled, a fixed 64. */
  rate: number | null;
  /** Never fewer than these: the first burst leaves before any latency is known. */
  burst: number;
  /** Default 256. */
  most?: number;
}

export function createInFlight({ rate, burst, most = 256 }: InFlightOptions): InFlight {
  const least = Math.min(most, rate === null ? 64 : Math.max(8, Math.ceil(burst)));
  let latency = 0;
  let under = 0;
  const waiting: (() => void)[] = [];
  const limit = () => (rate === null ? least : Math.min(most, Math.max(least, Math.ceil((rate * latency * 2) / 1000))));

  function leave(): void {
    under--;
    while (under < limit()) {
      const next = waiting.shift();
      if (next === undefined) return;
      next();
    }
  }

  function slot(): () => void {
    under++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      leave();
    };
  }

  return {
    enter(signal) {
      if (signal.aborted) return Promise.resolve(null);
      if (under < limit() && waiting.length === 0) return Promise.resolve(slot());
      return new Promise((resolve) => {
        const admit = () => {
          stay();
          resolve(slot());
        };
        const stay = onAbort(signal, () => {
          const place = waiting.indexOf(admit);
          if (place >= 0) waiting.splice(place, 1);
          resolve(null);
        });
        waiting.push(admit);
      });
    },
    observe(latencyMs) {
      // Quick to follow a slower service, slow to forget it.
      latency = latencyMs > latency ? latencyMs : latency * 0.9 + latencyMs * 0.1;
    },
    get limit() {
      return limit();
    },
  };
}
