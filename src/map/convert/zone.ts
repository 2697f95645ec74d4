import { IANAZone } from "luxon";

export type Disambiguation = "reject" | "earlier" | "later";

/** As if it were UTC, in ms since 1970. */
export type LocalMilliseconds = number;

export interface Zone {
  /** In ms since 1970, or why there is no single instant. */
  toInstant(local: LocalMilliseconds): number | "skipped" | "repeated";
  /** `skipped`: the zone has no such day. */
  toFirstInstant(midnight: LocalMilliseconds): number | "skipped";
  toLocal(instant: number): LocalMilliseconds;
}

const DAY = 86_400_000;

/** The IANA list's own names of three letters. */
const SHORT_NAMES = "CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET".split(" ");

/** Others, such as BST and CST, name several zones; the runtime reads them as Asia/Dhaka and America/Chicago. */
export const isAbbreviation = (zone: string): boolean =>
  /^[A-Z]{3}$/i.test(zone) && !SHORT_NAMES.includes(zone.toUpperCase());

export function openZone(timezone: string, disambiguation: Disambiguation): Zone {
  const zone = IANAZone.create(timezone);
  // Before 1914, offsets have seconds.
  const offset = (instant: number) => Math.round(zone.offset(instant) * 60_000);
  const toLocal = (instant: number) => instant + offset(instant);
  /** Days far from a change of clocks by their offset, because each look-up takes microseconds. */
  const steady = new Map<number, number | null>();
  const steadyAt = (local: LocalMilliseconds): number | null => {
    const day = Math.floor(local / DAY);
    let known = steady.get(day);
    if (known === undefined) {
      const before = offset((day - 1) * DAY);
      known = before === offset((day + 2) * DAY) ? before : null;
      steady.set(day, known);
    }
    return known;
  };

  /** The instants that a local time may mean, in order, and those that really have it. */
  const candidates = (local: LocalMilliseconds) => {
    const [before, after] = [local - offset(local - DAY), local - offset(local + DAY)];
    const low = Math.min(before, after);
    const high = Math.max(before, after);
    return { low, high, real: [...new Set([low, high])].filter((instant) => toLocal(instant) === local) };
  };

  return {
    toLocal,
    toInstant(local) {
      const offsetOfDay = steadyAt(local);
      if (offsetOfDay !== null) return local - offsetOfDay;
      const { low, high, real } = candidates(local);
      const [only] = real;
      if (only !== undefined && real.length === 1) return only;
      if (disambiguation === "reject") return real.length === 0 ? "skipped" : "repeated";
      return disambiguation === "earlier" ? low : high;
    },
    toFirstInstant(midnight) {
      let { low, high, real } = candidates(midnight);
      if (real[0] !== undefined) return real[0];
      // The zone skips midnight, so the day begins when clocks go forward.
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        if (toLocal(middle) < midnight) low = middle;
        else high = middle;
      }
      return toLocal(high) < midnight + DAY ? high : "skipped";
    },
  };
}
