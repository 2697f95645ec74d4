import { onAbort } from "./when-aborted.js";

/** Handed in, so that a night can be simulated in virtual time. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A number in [0, 1). */
export type Random = () => number;

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        leave?.();
        resolve();
      };
      const timer = setTimeout(done, ms);
      // Hundreds sleep on one signal; Node takes so many listeners for a leak and warns.
      const leave = signal === undefined ? null : onAbort(signal, done);
    }),
};

/** `2025-09-21 00:24 UTC`, with seconds and milliseconds where there are any; for messages that the ledger keeps. */
export const inUtc = (ms: number): string =>
  `${new Date(ms)
    .toISOString()
    .replace("T", " ")
    .replace(/(:00)?\.000Z$|Z$/, "")} UTC`;
