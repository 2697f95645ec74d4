/** The service's clock, from the Date headers of its answers (HARD-CASES H10). */
import type { Clock } from "../model/clock.js";

export interface ServiceClock {
  /** ms since 1970. Never later than the service's own clock as far as its answers tell; the local one before the first. */
  now(): number;
  /** Takes a Date header (undefined: there was none) of an answer that arrived just now. */
  seen(date: string | undefined): void;
  /** How far the service's clock is ahead, in ms; null before the first answer. */
  readonly aheadMs: number | null;
}

/** A clock that is set wrong is off by less; farther off is believed when two answers say so. */
const FAR_OFF_MS = 24 * 60 * 60 * 1000;
const AGREEING_MS = 60_000;

export function createServiceClock(clock: Clock): ServiceClock {
  // A Date header is cut to whole seconds and has travelled: each one says "at least so late". The latest of them is
  // nearest; only the last few count, so that a local clock that is set anew is noticed.
  let ahead: number[] = [];
  // A single answer that is far off proves nothing: what is taken for late would be sent early (findings F68).
  const isConfirmed = (one: number, index: number) =>
    Math.abs(one) <= FAR_OFF_MS || ahead.some((other, at) => at !== index && Math.abs(other - one) <= AGREEING_MS);
  const best = () => {
    const confirmed = ahead.filter(isConfirmed);
    return confirmed.length === 0 ? null : Math.max(...confirmed);
  };
  return {
    now: () => clock.now() + (best() ?? 0),
    seen(date) {
      const time = date === undefined ? Number.NaN : Date.parse(date);
      if (!Number.isNaN(time)) ahead = [...ahead.slice(-15), time - clock.now()];
    },
    get aheadMs() {
      return best();
    },
  };
}
