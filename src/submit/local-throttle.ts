/** The throttle of one process: a token bucket, exact whatever timers do, because it counts the time that has passed. */
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
  const speed = createSpeed(clock);
  const perMs = () => ((options.rate * safeRateShare) / 1000) * speed.factor();
  // An earlier run may have spent its last token at its end. A clock set back since shows nothing.
  const quietMs = Math.max(0, clock.now() - (options.quietSince ?? Number.NEGATIVE_INFINITY));
  let level = Math.min(capacity, quietMs * perMs());
  let filledAt = clock.now();

  function fill(): void {
    const now = clock.now();
    // A clock set back neither earns nor owes.
    level = Math.min(capacity, level + Math.max(0, now - filledAt) * perMs());
    filledAt = now;
  }

  const { take, close } = inTurn(async ({ isGone, closed }) => {
    for (fill(); level < 1 && !closed.aborted; fill()) await clock.sleep(Math.ceil((1 - level) / perMs()), closed);
    // A taker that left passes its token on.
    if (!isGone()) level -= 1;
  });
  return {
    take,
    slowDown() {
      speed.slowDown();
      level = 0;
      filledAt = clock.now();
    },
    close,
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
