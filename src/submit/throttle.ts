/**
 * The rate gate: every request, first try or repeat, takes one token before it leaves (service.md, Limits). The throttle of
 * one process is a token bucket on its clock; `shared-throttle.ts` has one for several.
 */
import type { Clock } from "../model/clock.js";
import { unlessAborted } from "../model/when-aborted.js";

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

interface Taker {
  pass(): void;
  fail(error: unknown): void;
}

/**
 * Takers in the order in which they come, passed one by one. `admit` waits until one may pass, until `closed` aborts at the
 * latest; it is told how many wait. `unused`: the one that was admitted has left the queue meanwhile.
 */
export function createQueue(
  admit: (waiting: number, closed: AbortSignal) => Promise<void>,
  unused: () => void = () => {},
): Pick<Throttle, "take" | "close"> {
  const closed = new AbortController();
  const takers = new Set<Taker>();
  let serving: Promise<void> | null = null;

  async function serve(): Promise<void> {
    try {
      while (takers.size > 0 && !closed.signal.aborted) {
        await admit(takers.size, closed.signal);
        const [next] = takers;
        if (next === undefined) return unused();
        takers.delete(next);
        next.pass();
      }
    } catch (error) {
      for (const taker of takers) taker.fail(error);
      takers.clear();
    } finally {
      serving = null;
    }
  }

  return {
    async take(signal) {
      if (signal?.aborted || closed.signal.aborted) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const taker = { pass: resolve, fail: reject };
      takers.add(taker);
      serving ??= serve();
      await unlessAborted(promise, signal, closed.signal);
      takers.delete(taker);
    },
    async close() {
      closed.abort();
      await serving;
    },
  };
}

export interface LocalThrottleOptions {
  /** The service's sustained rate, requests per second. */
  rate: number;
  /** The service's bucket, in requests; ours is smaller (see `safeBurst`). */
  burst: number;
  clock: Clock;
  /** When an earlier run may last have sent, ms since 1970; absent or null: none has. */
  quietSince?: number | null;
}

export function createLocalThrottle({ clock, quietSince, ...limit }: LocalThrottleOptions): Throttle {
  const capacity = safeBurst(limit.rate, limit.burst);
  const rate = limit.rate * safeRateShare;
  const speed = createSpeed(clock);
  // An earlier run may have spent its last token as it ended. A clock set back since tells nothing.
  const quietMs = Math.max(0, clock.now() - (quietSince ?? Number.NEGATIVE_INFINITY));
  let level = Math.min(capacity, (quietMs / 1000) * rate);
  let filledUntil = clock.now();

  /** A clock set back earns nothing, and does not owe either. */
  function fill(): void {
    const elapsed = Math.max(0, clock.now() - filledUntil);
    filledUntil = clock.now();
    level = Math.min(capacity, level + (elapsed / 1000) * rate * speed.factor());
  }

  async function admit(_waiting: number, closed: AbortSignal): Promise<void> {
    for (fill(); level < 1 && !closed.aborted; fill())
      await clock.sleep(Math.max(1, ((1 - level) / rate) * 1000), closed);
    level -= 1;
  }

  return {
    ...createQueue(admit, () => (level += 1)),
    slowDown() {
      fill();
      speed.slowDown();
      level = 0;
    },
  };
}

/** The share of the rate in use: three quarters after a 429, back to the whole within seconds, slower after many. */
function createSpeed(clock: Clock): { factor(): number; slowDown(): void } {
  let factor = 1;
  let at = clock.now();
  let recent: number[] = [];
  function recover(): void {
    const now = clock.now();
    recent = recent.filter((time) => now - time < 60_000);
    const perSecond = Math.max(0.005, 0.1 * 0.5 ** Math.max(0, recent.length - 1));
    factor = Math.min(1, factor + (Math.max(0, now - at) / 1000) * perSecond);
    at = now;
  }
  return {
    factor() {
      recover();
      return factor;
    },
    slowDown() {
      recover();
      // Requests in flight are answered 429 together: that is one lesson, not many.
      if (recent.some((time) => at - time < 1_000)) return;
      recent.push(at);
      factor = Math.max(0.1, factor * 0.75);
    },
  };
}
