/** The throttle of one process: a token bucket, filled by the time that has passed, so that a late timer costs no rate. */
import type { Clock } from "../model/clock.js";
import { inTurn, safeBurst, safeRateShare, type Throttle } from "./throttle.js";

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
  const speed = createSpeed(clock);
  // An earlier run may have spent its last token at its end. A clock set back since shows nothing.
  const quietMs = Math.max(0, clock.now() - (options.quietSince ?? Number.NEGATIVE_INFINITY));
  /** In tokens, parts of one included. */
  let level = Math.min(capacity, (quietMs / 1000) * rate);
  let filledUntil = clock.now();

  function fill(): number {
    const now = clock.now();
    // A clock set back neither earns nor owes.
    const elapsed = Math.max(0, now - filledUntil);
    filledUntil = now;
    level = Math.min(capacity, level + (elapsed / 1000) * rate * speed.factor());
    return level;
  }

  return {
    ...inTurn(async ({ isGone, closed }) => {
      while (fill() < 1 && !isGone())
        await clock.sleep(Math.ceil(((1 - level) / rate / speed.factor()) * 1000), closed);
      // A taker that has left takes none.
      if (!isGone()) level -= 1;
    }),
    slowDown() {
      fill();
      speed.slowDown();
      level = 0;
    },
  };
}

/** The share of the rate in use: three quarters after a 429; recovers within seconds, slower after many. */
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
      // Requests in flight are answered 429 together, which counts once.
      if (recent.some((time) => at - time < 1_000)) return;
      recent.push(at);
      factor = Math.max(0.1, factor * 0.75);
    },
  };
}
