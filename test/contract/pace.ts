/**
 * Keeps the suite under the service's own limit (service.md Limits): a token bucket by arithmetic, no timers kept.
 */
import { setTimeout as sleep } from "node:timers/promises";

/** Lets requests through at a rate. `take` resolves when the next one may leave. */
export interface Pace {
  take(): Promise<void>;
  /** Forgets what was saved up: after somebody else has emptied the service's bucket. */
  emptied(): void;
  /** Milliseconds until a full burst has been saved up again. */
  untilFull(): number;
}

/** No limit at all. */
export const unpaced: Pace = { take: async () => {}, emptied: () => {}, untilFull: () => 0 };

/** @param rate requests per second; @param burst how many may leave at once after a rest. */
export function pacedAt(rate: number, burst: number): Pace {
  const interval = 1000 / rate;
  const saved = (burst - 1) * interval;
  let expected = 0;
  return {
    async take() {
      const now = performance.now();
      const leaves = Math.max(now, expected - saved);
      expected = Math.max(now, expected) + interval;
      if (leaves > now) await sleep(leaves - now);
    },
    emptied() {
      // A few requests' time more than nothing, so that jitter does not find the bucket empty.
      expected = Math.max(expected, performance.now() + saved + 6 * interval);
    },
    untilFull() {
      return Math.max(0, expected - performance.now());
    },
  };
}
