/** ISO 8601 instants in any form and precision. */

export interface Instant {
  /** Whole ms. */
  at: number;
  /** Digits below the millisecond, without trailing zeros. */
  beyond: string;
}

const DAY = 86_400_000;
const LONGEST = 64;

/** Calendar, ordinal or week date; time to the hour, minute or second with a fraction; offset. */
const ISO =
  /^(\d{4})(-?)(?:(\d\d)\2(\d\d)|(\d{3})|W(\d\d)\2([1-7]))T(\d\d)(?:(:?)(\d\d)(?:\9(\d\d))?)?(?:[.,](\d+))?(?:Z|([+-])(\d\d)(?::?(\d\d))?)$/i;

/** Null: not an instant. */
export function parseInstant(text: string): Instant | null {
  const found = text.length > LONGEST ? null : ISO.exec(text);
  if (found === null) return null;
  const [, , dash, , , , , , hours, colon, minutes, seconds, fraction = "", sign, zoneHours, zoneMinutes] = found;
  const day = dayOf(found);
  const [hour, minute, second] = [Number(hours), Number(minutes ?? 0), Number(seconds ?? 0)];
  const mixed = minutes !== undefined && (dash === "") !== (colon === "");
  if (day === null || mixed || minute > 59 || second > 60 || Number(zoneMinutes ?? 0) > 59) return null;
  const sinceMidnight = ((hour * 60 + minute) * 60 + second) * 1000;
  const unit = seconds !== undefined ? 1000n : minutes !== undefined ? 60_000n : 3_600_000n;
  const whole = 10n ** BigInt(fraction.length);
  const part = BigInt(fraction) * unit;
  if (hour > 24 || (hour === 24 && (sinceMidnight > DAY || part > 0n))) return null;
  const offset = (Number(zoneHours ?? 0) * 60 + Number(zoneMinutes ?? 0)) * 60_000 * (sign === "-" ? -1 : 1);
  const beyond = String(part % whole).padStart(fraction.length, "0");
  return {
    at: day + sinceMidnight + Number(part / whole) - offset,
    beyond: withoutTrailingZeros(beyond),
  };
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}

/** The day's beginning in UTC, ms; null: no such day. */
function dayOf([, year, , month, dayOfMonth, ordinal, week, weekday]: RegExpExecArray): number | null {
  const newYear = Date.parse(`${year}-01-01T00:00:00Z`);
  let day: number;
  if (ordinal !== undefined) {
    day = newYear + (Number(ordinal) - 1) * DAY;
  } else if (week !== undefined) {
    // 4 January is always in week 1; a week belongs to the year of its Thursday.
    const monday = newYear + (3 - ((new Date(newYear + 3 * DAY).getUTCDay() + 6) % 7) + (Number(week) - 1) * 7) * DAY;
    const thursday = new Date(monday + 3 * DAY).toISOString();
    return thursday.startsWith(String(year)) ? monday + (Number(weekday) - 1) * DAY : null;
  } else {
    day = Date.parse(`${year}-${month}-${dayOfMonth}T00:00:00Z`);
    if (Number.isNaN(day) || !new Date(day).toISOString().includes(`-${month}-${dayOfMonth}T`)) return null;
  }
  return new Date(day).toISOString().startsWith(String(year)) ? day : null;
}

export function isEarlier(one: Instant, other: Instant): boolean {
  return one.at < other.at || (one.at === other.at && one.beyond < other.beyond);
}

export function instantText({ at, beyond }: Instant): string {
  return new Date(at).toISOString().replace("Z", `${beyond}Z`);
}
