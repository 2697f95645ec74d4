/**
 * The throttle of one process: bottleneck's reservoir, filled by a drift-corrected timer. Its own refill runs on a 250
 * ms heartbeat and reaches only 0.92–0.98 of the rate.
 */
import Bottleneck from "bottleneck";
import { type Clock, steadyNow, unlessAborted } from "../model/clock.js";
import { safeBurst, safeRateShare, type Throttle } from "./throttle.js";

export interface LocalThrottleOptions {
  /** Requests per second. */
  rate: number;
  /** In requests; ours is smaller (see `safeBurst`). */
  burst: number;
  clock: Clock;
  /** When an earlier run may last have sent, ms; absent or null: never. */
  quietSince?: number | null;
}

export function createLocalThrottle(options: LocalThrottleOptions): Throttle {
  const { clock } = options;
  const capacity = safeBurst(options.rate, options.burst);
  const rate = options.rate * safeRateShare;
  // A small bucket must be filled more often than every 50 ms, or it overflows.
  const tickMs = Math.max(2, Math.min(50, (capacity / 2 / rate) * 1000));
  const speed = createSpeed(clock);
  // An earlier run may have spent its last token at its end. A clock set back since shows nothing.
  const quietMs = Math.max(0, clock.now() - (options.quietSince ?? Number.NEGATIVE_INFINITY));
  const start = Math.min(capacity, (quietMs / 1000) * rate);
  let limiter = new Bottleneck({ reservoir: Math.floor(start) });
  /** The part of a token earned so far. */
  let fraction = start - Math.floor(start);
  let filledUntil = steadyNow(clock);
  let timeOfDay = clock.now();
  let waiting = 0;
  let filling: Promise<void> | null = null;
  let empty = false;
  const closed = new AbortController();

  async function fill(): Promise<void> {
    const level = await limiter.currentReservoir();
    const now = steadyNow(clock);
    const elapsed = Math.max(0, now - filledUntil);
    filledUntil = now;
    // With a clock set back, bottleneck would wait for the old time.
    if (clock.now() < timeOfDay - 1_000) replaceLimiter(level ?? 0);
    timeOfDay = clock.now();
    if (empty) {
      empty = false;
      fraction = 0;
      if (level !== null && level > 0) await limiter.incrementReservoir(-level);
      return;
    }
    fraction += (elapsed / 1000) * rate * speed.factor();
    const room = Math.max(0, capacity - (level ?? 0));
    const whole = Math.min(Math.floor(fraction), room);
    fraction = whole === room ? 0 : fraction - whole;
    if (whole > 0) await limiter.incrementReservoir(whole);
  }

  /** Waiting takers are dropped and ask again. */
  function replaceLimiter(level: number): void {
    const old = limiter;
    limiter = new Bottleneck({ reservoir: level });
    void old.stop({ dropWaitingJobs: true });
  }

  /** Resolves with a token, or without one if `gone` aborts or the throttle closes. */
  async function serve(gone: { aborted: boolean }): Promise<void> {
    while (!gone.aborted && !closed.signal.aborted) {
      const asked = limiter;
      try {
        return await asked.schedule(async () => {
          // A taker that left passes its token on.
          if (gone.aborted) await asked.incrementReservoir(1);
        });
      } catch (error) {
        if (asked === limiter && !closed.signal.aborted) throw error;
      }
    }
  }

  function wanted(): boolean {
    return waiting > 0 && !closed.signal.aborted;
  }

  /** Runs while somebody waits; tokens earned in between are added when the next taker comes. */
  async function keepFilling(): Promise<void> {
    let next = steadyNow(clock);
    while (wanted()) {
      await fill();
      const now = steadyNow(clock);
      next = Math.max(next + tickMs, now);
      if (next - now > tickMs) next = now + tickMs;
      await clock.sleep(Math.max(1, next - now), closed.signal);
    }
    filling = null;
  }

  return {
    async take(signal) {
      if (signal?.aborted || closed.signal.aborted) return;
      waiting++;
      filling ??= keepFilling();
      const gone = { aborted: false };
      try {
        await unlessAborted(serve(gone), signal);
      } finally {
        gone.aborted = true;
        waiting--;
      }
    },
    slowDown() {
      speed.slowDown();
      empty = true;
    },
    async close() {
      if (closed.signal.aborted) return;
      closed.abort();
      await limiter.stop({ dropWaitingJobs: true });
      await filling;
    },
  };
}

interface Common extends Pick<LocalThrottleOptions, "rate" | "burst"> {
  throttle: Throttle;
  users: number;
  /** When the last user left, ms. */
  leftAt: number;
}

/** By the client's name. */
const commons = new WeakMap<Clock, Map<string, Common>>();

/**
 * The throttle of all ledgers of one client in this process, because the service's limit is per client (P6). If they set
 * different rates, the first one's bounds all together, and each keeps to its own. `name`: of service and client.
 */
export function joinLocalThrottle(name: string, options: LocalThrottleOptions): Throttle {
  const { rate, burst, clock } = options;
  const ofClock = commons.get(clock) ?? new Map<string, Common>();
  commons.set(clock, ofClock);
  let common = ofClock.get(name);
  if (common === undefined || common.users === 0) {
    const never = Number.NEGATIVE_INFINITY;
    const quietSince = Math.max(options.quietSince ?? never, common?.leftAt ?? never);
    common = { rate, burst, throttle: createLocalThrottle({ ...options, quietSince }), users: 0, leftAt: never };
    ofClock.set(name, common);
  }
  const joined = common;
  joined.users += 1;
  const own = joined.rate === rate && joined.burst === burst ? null : createLocalThrottle(options);
  const left = new AbortController();
  return {
    async take(signal) {
      const gone = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]);
      await own?.take(gone);
      await joined.throttle.take(gone);
    },
    slowDown() {
      own?.slowDown();
      joined.throttle.slowDown();
    },
    async close() {
      if (left.signal.aborted) return;
      left.abort();
      joined.users -= 1;
      joined.leftAt = clock.now();
      await own?.close();
      if (joined.users === 0) await joined.throttle.close();
    },
  };
}

/** The share of the rate in use: three quarters after a 429; recovers within seconds, slower after many. */
function createSpeed(clock: Clock): { factor(): number; slowDown(): void } {
  let factor = 1;
  let at = steadyNow(clock);
  let recent: number[] = [];
  function recover(): void {
    const now = steadyNow(clock);
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
      // Requests in flight are answered 429 together, which counts once.
      if (recent.some((time) => at - time < 1_000)) return;
      recent.push(at);
      factor = Math.max(0.1, factor * 0.75);
    },
  };
}
