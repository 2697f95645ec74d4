import { setMaxListeners } from "node:events";

/** Handed in, so that a night can be simulated in virtual time. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Milliseconds since any moment; unlike `now`, nobody sets it forward or back. Default: `now`. */
  steady?(): number;
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Measures elapsed time, whatever a person or NTP does to the clock in the meantime. */
export const steadyNow = (clock: Clock): number => clock.steady?.() ?? clock.now();

/** A number in [0, 1). */
export type Random = () => number;

export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => Math.round(performance.now()),
  async sleep(ms, signal) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await unlessAborted(promise, signal);
    clearTimeout(timer);
  },
};

/** Resolves with `work`, or as soon as a signal aborts; `work` itself continues. */
export async function unlessAborted(work: Promise<void>, ...signals: (AbortSignal | undefined)[]): Promise<void> {
  const given = signals.filter((signal) => signal !== undefined);
  if (given.some(({ aborted }) => aborted)) return;
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const leave = () => resolve();
  for (const signal of given) {
    // Hundreds wait on one signal; Node takes so many listeners for a leak and warns.
    setMaxListeners(0, signal);
    signal.addEventListener("abort", leave);
  }
  try {
    await Promise.race([work, aborted]);
  } finally {
    for (const signal of given) signal.removeEventListener("abort", leave);
  }
}

/** `2025-09-21 00:24 UTC`, with seconds and milliseconds where there are any; for messages that the ledger keeps. */
export const inUtc = (ms: number): string =>
  `${new Date(ms)
    .toISOString()
    .replace("T", " ")
    .replace(/(:00)?\.000Z$|Z$/, "")} UTC`;

const DAY_MS = 86_400_000;

const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS };

/** Of `90s`, `30m`, `2h`, `90d`, `26w`, in ms. Null: none of these; a plain number has no unit. */
export function milliseconds(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text);
  return match === null ? null : Math.round(Number(match[1]) * (unitMs[match[2] ?? ""] ?? 0));
}

/** `text`: `06:00` or `06:00:30`, in the local zone on the day of `now`. */
function onThatDay(text: string, now: number): Date {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(":").map(Number);
  const date = new Date(now);
  date.setHours(hours, minutes, seconds, 0);
  return date;
}

/** In ms: the last such local time. */
export function lastTimeOfDay(text: string, now: number): number {
  const date = onThatDay(text, now);
  if (date.getTime() > now) date.setDate(date.getDate() - 1);
  return date.getTime();
}

/** In ms: the nearest one, past or to come. The same command that starts again after 06:00 does not mean tomorrow's. */
export function nearestTimeOfDay(text: string, now: number): number {
  const date = onThatDay(text, now);
  date.setDate(date.getDate() + Math.round((now - date.getTime()) / DAY_MS));
  return date.getTime();
}
