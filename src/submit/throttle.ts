/**
 * The rate gate: every request, first try or repeat, takes one token before it leaves (service.md, Limits).
 * `local-throttle.ts` is that of one process, `shared-throttle.ts` that of several.
 */

export interface Throttle {
  /** Resolves when the request may leave; first come, first served. Resolves early, without a token, when `signal` aborts. */
  take(signal?: AbortSignal): Promise<void>;
  /** After a 429: the rate drops and recovers by itself. */
  slowDown(): void;
  /** Waiting takers are let go without a token. Safe to call twice. */
  close(): Promise<void>;
}

/** For a sandbox in the same process: the limit is the service's own. */
export const unthrottled: Throttle = {
  take: () => Promise.resolve(),
  slowDown: () => {},
  close: () => Promise.resolve(),
};

/**
 * The size of our bucket for a service whose bucket holds `burst`: smaller by 200 ms of requests, at least 4 (but never
 * by more than half), because requests that left evenly spaced can arrive bunched. Measured: 4 below a burst of 30 at
 * 20/s gave no 429 under 100 ms of jitter.
 */
export function safeBurst(rate: number, burst: number): number {
  const margin = Math.min(Math.max(4, Math.ceil(rate * 0.2)), Math.floor(burst / 2));
  return Math.max(1, Math.floor(burst) - margin);
}

/** The share of the permitted rate that is used: clocks differ by more than nothing. */
export const safeRateShare = 0.999;
