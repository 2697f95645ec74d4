/** What a date format reads out of a text, and which of it is a date that exists. */

/** Local fields; `offset` in minutes east of UTC where the text carries one, else null. */
export interface DateParts {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
  offset: number | null;
}

/**
 * Why a text is no date under a format. `form`: it does not look like the format at all. `impossible`: it does, but
 * there is no such date or time. `two-digit-year`: refused by the mapping. `ambiguous`: formats disagree.
 */
export type DateFault = "form" | "impossible" | "two-digit-year" | "ambiguous";

/** Years that a business file may mean; others are slips such as 0025 or 20225. */
const firstYear = 1900;
const lastYear = 2999;

const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysIn(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return leap ? 29 : (monthLengths[month - 1] ?? 0);
}

/** Whether such a date and time exist: no 30 February, no 24:00, no second 60, no year before 1900. */
export function exists(parts: DateParts): boolean {
  const { year, month, day, hour, minute, second } = parts;
  return (
    year >= firstYear &&
    year <= lastYear &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysIn(year, month) &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 59
  );
}

/** The fields as if they were UTC, in ms since 1970. */
export function asUtc(parts: DateParts): number {
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second, parts.millisecond);
}

/** The inverse of `asUtc`. */
export function fromUtc(local: number): DateParts {
  const date = new Date(local);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds(),
    offset: null,
  };
}

/** `2025-03-09`. */
export function isoDate({ year, month, day }: DateParts): string {
  return `${year}-${twoDigits(month)}-${twoDigits(day)}`;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}
