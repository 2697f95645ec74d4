/**
 * Local times to instants in one zone. Between two of the zone's transitions the offset is one number, found once;
 * only within a day of a transition is each local time looked up, so that a million rows cost two comparisons each.
 */
import { Temporal } from "temporal-polyfill";

export type Disambiguation = "reject" | "earlier" | "later";

/** A local time as if it were UTC, in ms since 1970. */
export type LocalMilliseconds = number;

export interface Zone {
  /** The instant in ms since 1970, or why there is no single one: the zone skips that local time, or has it twice. */
  toInstant(local: LocalMilliseconds): number | "skipped" | "repeated";
  /** The first instant of a day, given as its midnight; `skipped` where the zone has no such day. */
  toFirstInstant(midnight: LocalMilliseconds): number | "skipped";
  /** The local time of an instant. */
  toLocal(instant: number): LocalMilliseconds;
}

const day = 86_400_000;
/** Exact lookups remembered; they only arise within a day of a transition. */
const mostRemembered = 10_000;

/** Local times in [from, to) have this offset (ms to subtract) and no transition within a day. */
interface Stretch {
  from: number;
  to: number;
  offset: number;
}

/** @throws RangeError when there is no such zone. */
export function openZone(timezone: string, disambiguation: Disambiguation): Zone {
  const zoned = (instant: number) => Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timezone);
  zoned(0);
  const stretches: Stretch[] = [];
  const remembered = new Map<LocalMilliseconds, number | "skipped" | "repeated">();
  let last: Stretch = { from: 0, to: 0, offset: 0 };

  const stretchAround = (local: LocalMilliseconds): Stretch => {
    const known = stretches.find((stretch) => local >= stretch.from && local < stretch.to);
    if (known !== undefined) return known;
    const there = zoned(local);
    const offset = there.offsetNanoseconds / 1e6;
    // "previous" excludes the instant itself, which may be a transition.
    const before = zoned(local + 1).getTimeZoneTransition("previous")?.epochMilliseconds ?? Number.NEGATIVE_INFINITY;
    const after = there.getTimeZoneTransition("next")?.epochMilliseconds ?? Number.POSITIVE_INFINITY;
    const stretch = { from: before + offset + day, to: after + offset - day, offset };
    if (local >= stretch.from && local < stretch.to) stretches.push(stretch);
    return stretch;
  };

  const lookUp = (local: LocalMilliseconds): number | "skipped" | "repeated" => {
    const plain = new Temporal.ZonedDateTime(BigInt(local) * 1_000_000n, "UTC").toPlainDateTime();
    const earlier = plain.toZonedDateTime(timezone, { disambiguation: "earlier" });
    const later = plain.toZonedDateTime(timezone, { disambiguation: "later" });
    if (earlier.epochMilliseconds === later.epochMilliseconds || disambiguation === "earlier") {
      return earlier.epochMilliseconds;
    }
    if (disambiguation === "later") return later.epochMilliseconds;
    return earlier.toPlainDateTime().equals(plain) ? "repeated" : "skipped";
  };

  const toInstant = (local: LocalMilliseconds): number | "skipped" | "repeated" => {
    if (local >= last.from && local < last.to) return local - last.offset;
    const stretch = stretchAround(local);
    if (local >= stretch.from && local < stretch.to) {
      last = stretch;
      return local - stretch.offset;
    }
    const known = remembered.get(local);
    if (known !== undefined) return known;
    if (remembered.size >= mostRemembered) remembered.clear();
    const found = lookUp(local);
    remembered.set(local, found);
    return found;
  };

  return {
    toInstant,
    toFirstInstant(midnight) {
      const found = toInstant(midnight);
      // Clocks change at midnight, if they do then, within a day of the transition.
      if (midnight >= last.from && midnight < last.to && typeof found === "number") return found;
      const date = new Temporal.ZonedDateTime(BigInt(midnight) * 1_000_000n, "UTC").toPlainDate();
      const first = date.toZonedDateTime(timezone);
      return first.toPlainDate().equals(date) ? first.epochMilliseconds : "skipped";
    },
    toLocal: (instant) => instant + zoned(instant).offsetNanoseconds / 1e6,
  };
}
