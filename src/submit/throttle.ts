/**
 * The rate limit: every attempt takes one token (service.md, Limits). `local-throttle.ts` serves one process,
 * `shared-throttle.ts` several.
 */
import PQueue from "p-queue";
import { unlessAborted } from "../model/clock.js";

export interface Throttle {
  /** First come, first served. Resolves early, without a token, when `signal` aborts. */
  take(signal?: AbortSignal): Promise<void>;
  /** After a 429: the rate drops and recovers by itself. */
  slowDown(): void;
  /** Releases waiting takers without a token. Safe to call twice. */
  close(): Promise<void>;
}

/** For a sandbox in the same process. */
export const unthrottled: Throttle = {
  take: () => Promise.resolve(),
  slowDown: () => {},
  close: () => Promise.resolve(),
};

export interface Turn {
  /** How many takers wait, this one included. */
  waiting: number;
  closed: AbortSignal;
}

/** First come, first served. `admit` waits until one taker may pass. */
export function inTurn(admit: (turn: Turn) => Promise<void>): Pick<Throttle, "take" | "close"> {
  const queue = new PQueue({ concurrency: 1 });
  const closing = new AbortController();
  const closed = closing.signal;
  return {
    async take(signal) {
      const isGone = () => signal?.aborted === true || closed.aborted;
      if (isGone()) return;
      const admitted = queue.add(async () => {
        if (!isGone()) await admit({ waiting: queue.size + 1, closed });
      });
      await unlessAborted(admitted, signal, closed);
    },
    async close() {
      closing.abort();
      await queue.onIdle();
    },
  };
}

/**
 * Our bucket for a service whose bucket holds `burst`: smaller by 200 ms of requests, at least 4 (but at most half),
 * because evenly spaced requests can arrive bunched. Measured: 4 below a burst of 30 at 20/s gave no 429 under 100 ms
 * of jitter.
 */
export function safeBurst(rate: number, burst: number): number {
  const margin = Math.min(Math.max(4, Math.ceil(rate * 0.2)), Math.floor(burst / 2));
  return Math.max(1, Math.floor(burst) - margin);
}

/** Clocks differ slightly. */
export const safeRateShare = 0.999;
