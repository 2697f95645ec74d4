/** The service's clock, from the Date headers of its answers, or the timestamps of its errors (H10). */
import { type Clock, steadyNow } from "../model/clock.js";

/** A larger difference is believed only if two answers show it. */
const FAR_OFF_MS = 24 * 60 * 60 * 1000;
const AGREEING_MS = 60_000;

export type ServiceClock = ReturnType<typeof createServiceClock>;

/** `remembered`: `aheadMs` as an earlier run found it; it holds until an answer comes. */
export function createServiceClock(clock: Clock, remembered = 0) {
  const start = clock.now() - steadyNow(clock);
  /** The local time, unless the clock has been set since: what the answers showed would be wrong then (H10). */
  const here = (): number => start + steadyNow(clock);
  // A Date header is cut to whole seconds and has travelled, so each one gives a lower bound, and the latest is
  // nearest. Only the last few count, because a sleeping machine stands still.
  let ahead: number[] = [];
  // A single distant time proves nothing: events would be sent too early (F68).
  const isConfirmed = (one: number, index: number) =>
    Math.abs(one) <= FAR_OFF_MS || ahead.some((other, at) => at !== index && Math.abs(other - one) <= AGREEING_MS);
  /** In ms. */
  const now = (): number => {
    const confirmed = ahead.filter(isConfirmed);
    return here() + (confirmed.length === 0 ? remembered : Math.max(...confirmed));
  };
  return {
    now,
    /** How far it is ahead of the local clock, ms; never more than it is, as far as answers show. */
    aheadMs: () => now() - clock.now(),
    /** From an answer that has just arrived. */
    seen(date: string | undefined): void {
      const time = date === undefined ? Number.NaN : Date.parse(date);
      if (!Number.isNaN(time)) ahead = [...ahead.slice(-15), time - here()];
    },
  };
}
