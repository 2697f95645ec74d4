/** Dates as formats read them: what a text says, and whether there is such a date. Formats of digits are patterns of our own, some twenty times faster than luxon; formats with names go to luxon. */
import { DateTime } from "luxon";

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

export type ReadDate = (text: string) => DateParts | DateFault;

export interface DateFormat {
  format: string;
  read: ReadDate;
  /** Formats of equal shape accept the same texts (`dd/MM/yyyy`, `MM/dd/yyyy`), so that reading one proves nothing. */
  shape: string;
  /** Whether it reads a time of day, or a date alone. */
  hasTime: boolean;
}

type Field =
  | "year"
  | "shortYear"
  | "month"
  | "day"
  | "hour"
  | "hour12"
  | "minute"
  | "second"
  | "fraction"
  | "meridiem"
  | "offset";

const numericTokens: Record<string, { field: Field; pattern: string }> = {
  yyyy: { field: "year", pattern: "(\\d{4})" },
  yy: { field: "shortYear", pattern: "(\\d{2})" },
  MM: { field: "month", pattern: "(\\d{2})" },
  M: { field: "month", pattern: "(\\d{1,2})" },
  LL: { field: "month", pattern: "(\\d{2})" },
  L: { field: "month", pattern: "(\\d{1,2})" },
  dd: { field: "day", pattern: "(\\d{2})" },
  d: { field: "day", pattern: "(\\d{1,2})" },
  HH: { field: "hour", pattern: "(\\d{2})" },
  H: { field: "hour", pattern: "(\\d{1,2})" },
  hh: { field: "hour12", pattern: "(\\d{2})" },
  h: { field: "hour12", pattern: "(\\d{1,2})" },
  mm: { field: "minute", pattern: "(\\d{2})" },
  m: { field: "minute", pattern: "(\\d{1,2})" },
  ss: { field: "second", pattern: "(\\d{2})" },
  s: { field: "second", pattern: "(\\d{1,2})" },
  SSS: { field: "fraction", pattern: "(\\d{3})" },
  S: { field: "fraction", pattern: "(\\d{1,3})" },
  a: { field: "meridiem", pattern: "([AaPp])\\.?[Mm]\\.?" },
  ZZ: { field: "offset", pattern: "(Z|[+-]\\d{2}:\\d{2})" },
  ZZZ: { field: "offset", pattern: "(Z|[+-]\\d{4})" },
};

interface Piece {
  token: string | null;
  literal: string;
}

/** Runs of one letter are tokens; what stands in single quotes, and everything else, is literal. Null: a quote is not closed. */
function split(format: string): Piece[] | null {
  const pieces: Piece[] = [];
  const matcher = /'([^']*)'|(([A-Za-z])\3*)|([^A-Za-z']+)|(')/gu;
  for (const [, quoted, token, , literal, loneQuote] of format.matchAll(matcher)) {
    if (loneQuote !== undefined) return null;
    pieces.push({ token: token ?? null, literal: quoted ?? literal ?? "" });
  }
  return pieces;
}

/** The tokens without which a date is not told. */
const dateTokens = [
  ["yyyy", "yy", "y"],
  ["M", "MM", "MMM", "MMMM", "L", "LL", "LLL", "LLLL", "o", "ooo"],
  ["d", "dd", "o", "ooo"],
];

export interface DateFormatOptions {
  /** The latest year that two digits can mean; null: refused. */
  twoDigitYears: number | null;
  /** Language of month and day names. */
  language: string;
}

/** @returns the compiled format, or in a sentence what is wrong with it. */
export function compileDateFormat(format: string, options: DateFormatOptions): DateFormat | string {
  const pieces = split(format);
  if (pieces === null) return `format ${JSON.stringify(format)} has a quote that is not closed`;
  const tokens = pieces.flatMap((piece) => (piece.token === null ? [] : [piece.token]));
  if (dateTokens.some((kinds) => !tokens.some((token) => kinds.includes(token)))) {
    return `format ${JSON.stringify(format)} does not read a year, a month and a day (dd is the day, MM the month, yyyy the year; mm are minutes)`;
  }
  const fields = tokens.map((token) => numericTokens[token]?.field);
  const repeated = fields.some((field, index) => field !== undefined && fields.indexOf(field) !== index);
  if (repeated) return `format ${JSON.stringify(format)} reads one part twice (MM are months, mm minutes)`;
  const hasTime = tokens.some((token) => /^[HhTt]/.test(token));
  const shape = pieces.map((piece) => (piece.token === null ? piece.literal : "#".repeat(piece.token.length))).join("");
  const read = fields.includes(undefined) ? luxonReader(format, tokens, options) : numericReader(pieces, options);
  return typeof read === "string" ? read : { format, read, shape, hasTime };
}

function numericReader(pieces: Piece[], { twoDigitYears }: DateFormatOptions): ReadDate {
  const group: Partial<Record<Field, number>> = {};
  let groups = 0;
  let pattern = "";
  for (const { token, literal } of pieces) {
    const known = token === null ? undefined : numericTokens[token];
    if (known === undefined) {
      pattern += literal.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/ +/g, "[ \\u00a0]+");
    } else {
      groups += 1;
      group[known.field] = groups;
      pattern += known.pattern;
    }
  }
  const matcher = new RegExp(`^${pattern}$`);
  const {
    year = 0,
    shortYear = 0,
    month = 0,
    day = 0,
    hour = 0,
    hour12 = 0,
    minute = 0,
    second = 0,
    fraction = 0,
    meridiem = 0,
    offset = 0,
  } = group;
  return (text) => {
    const found = matcher.exec(text);
    if (found === null) return "form";
    if (shortYear !== 0 && twoDigitYears === null) return "two-digit-year";
    const parts: DateParts = {
      year: shortYear === 0 ? Number(found[year]) : fullYear(Number(found[shortYear]), twoDigitYears ?? 0),
      month: Number(found[month]),
      day: Number(found[day]),
      hour: hour === 0 ? 0 : Number(found[hour]),
      minute: minute === 0 ? 0 : Number(found[minute]),
      second: second === 0 ? 0 : Number(found[second]),
      millisecond: fraction === 0 ? 0 : Number((found[fraction] ?? "").padEnd(3, "0")),
      offset: offset === 0 ? null : offsetMinutes(found[offset] ?? ""),
    };
    if (hour12 !== 0) {
      const clock = Number(found[hour12]);
      if (clock < 1 || clock > 12) return "impossible";
      const afternoon = meridiem !== 0 && /p/i.test(found[meridiem] ?? "");
      parts.hour = (clock % 12) + (afternoon ? 12 : 0);
    }
    return exists(parts) ? parts : "impossible";
  };
}

/** Two digits to the year that ends in them and is not after `latest`. */
function fullYear(short: number, latest: number): number {
  const century = latest - (latest % 100);
  return century + short <= latest ? century + short : century - 100 + short;
}

/** Minutes east of UTC of `Z`, `+02:00` or `-0300`. */
export function offsetMinutes(text: string): number {
  if (text === "Z" || text === "z") return 0;
  const sign = text.startsWith("-") ? -1 : 1;
  const digits = text.replace(/\D/g, "");
  return sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2, 4) || 0));
}

function luxonReader(format: string, tokens: string[], options: DateFormatOptions): ReadDate | string {
  const { twoDigitYears, language } = options;
  const zone = { zone: "utc", locale: language, setZone: true };
  const explained = DateTime.fromFormatExplain("", format, zone);
  if (explained.regex === undefined)
    return `format ${JSON.stringify(format)} is not one that can be read: ${explained.invalidReason ?? "unknown letters"}`;
  const shortYear = tokens.includes("yy");
  const carriesOffset = tokens.some((token) => /^[Zz]+$/.test(token));
  return (text) => {
    if (shortYear && twoDigitYears === null) {
      return DateTime.fromFormat(text, format, zone).isValid ? "two-digit-year" : "form";
    }
    const read = DateTime.fromFormat(text, format, zone);
    if (!read.isValid) return read.invalidReason === "unit out of range" ? "impossible" : "form";
    const parts = fromUtc(read.toMillis() + read.offset * 60_000);
    if (carriesOffset) parts.offset = read.offset;
    if (shortYear) parts.year = fullYear(parts.year % 100, twoDigitYears ?? 0);
    return exists(parts) ? parts : "impossible";
  };
}

/** Whether a local time was read from the text that says its own offset: then no zone is asked. */
export function instantOf(parts: DateParts): number | null {
  return parts.offset === null ? null : asUtc(parts) - parts.offset * 60_000;
}
