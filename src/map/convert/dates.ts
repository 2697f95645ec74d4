/**
 * Reads dates by their formats and refuses dates that do not exist. Formats of digits are patterns of our own; luxon
 * reads formats with names.
 */
import { DateTime, Info } from "luxon";
import { refuseOptions } from "./conversion-kind.js";
import { asSeen } from "./text.js";
import { isAbbreviation } from "./zone.js";

export interface LocalTime {
  /** As if it were UTC, in ms since 1970. */
  local: number;
  /** Minutes east of UTC; null: the text has none, so that the zone decides. */
  offset: number | null;
  /** Where the text names a zone that changes its clocks: `offset` is then one of two. */
  zone?: string;
}

/**
 * `form`: the text does not look like the format. `impossible`: it does, but there is no such date or time.
 * `two-digit-year`: the mapping refuses it. `ambiguous`: formats disagree. `zone`: the text names none that is known.
 */
export type DateFault = "form" | "zone" | "impossible" | "two-digit-year" | "ambiguous";

export type ReadDate = (text: string) => LocalTime | DateFault;

export interface DateFormat {
  read: ReadDate;
  /** Reads numbers of a workbook: digits without signs between them. */
  ofNumbers: boolean;
  hasTime(text: string): boolean;
}

export interface DateFormatOptions {
  /** Null: two digits are refused. */
  twoDigitYears: number | null;
  language: string;
}

/** Refuses slips such as the years 0025 and 20225 or the offset +25:00. */
function within(local: number, offset: number | null): LocalTime | DateFault {
  const year = new Date(local).getUTCFullYear();
  const isKnown = year >= 1900 && year <= 2999 && (offset === null || (offset >= -12 * 60 && offset <= 14 * 60));
  return isKnown ? { local, offset } : "impossible";
}

/** In luxon's notation, a bare T is a time of day, which no text has between day and hour. */
export const quotedT = (format: string): string => format.replace(/(?<=d)T(?=[Hh])/, "'T'");

const TOKENS: { [token: string]: string } = {
  yyyy: "(?<year>\\d{4})",
  yy: "(?<shortYear>\\d{2})",
  MM: "(?<month>\\d{2})",
  M: "(?<month>\\d{1,2})",
  LL: "(?<month>\\d{2})",
  L: "(?<month>\\d{1,2})",
  dd: "(?<day>\\d{2})",
  d: "(?<day>\\d{1,2})",
  HH: "(?<hour>\\d{2})",
  H: "(?<hour>\\d{1,2})",
  hh: "(?<hour12>\\d{2})",
  h: "(?<hour12>\\d{1,2})",
  mm: "(?<minute>\\d{2})",
  m: "(?<minute>\\d{1,2})",
  ss: "(?<second>\\d{2})",
  s: "(?<second>\\d{1,2})",
  SSS: "(?<fraction>\\d{3})",
  S: "(?<fraction>\\d{1,3})",
  a: "(?<meridiem>[AaPp])\\.? ?[Mm]\\.?",
  Z: "(?:GMT|UTC)?(?<offset>[+-]\\d{1,2}(?::\\d{2})?)",
  ZZ: "(?<offset>Z|[+-]\\d{2}:\\d{2})",
  ZZZ: "(?<offset>Z|[+-]\\d{4})",
};

function reader(matcher: RegExp, twoDigitYears: number | null = null): ReadDate {
  return (text) => {
    const found = matcher.exec(text)?.groups;
    if (found === undefined) return "form";
    const { shortYear, hour12, meridiem = "a", fraction = "", offset } = found;
    if (shortYear !== undefined && twoDigitYears === null) return "two-digit-year";
    const field = (name: string) => Number(found[name] ?? 0);
    const [month, day, minute, second] = [field("month"), field("day"), field("minute"), field("second")];
    const half = Number(hour12);
    if (half < 1 || half > 12) return "impossible";
    const hour = hour12 === undefined ? field("hour") : (half % 12) + (/p/i.test(meridiem) ? 12 : 0);
    const year = shortYear === undefined ? field("year") : fullYear(Number(shortYear), twoDigitYears ?? 0);
    const millisecond = Number(fraction.slice(0, 3).padEnd(3, "0"));
    const local = Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
    // 30 February would become another day, and the year 25 would become 1925.
    const date = new Date(local);
    const exists = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
    if (!exists || hour > 23 || minute > 59 || second > 59) return "impossible";
    return within(local, offset === undefined ? null : offsetMinutes(offset));
  };
}

/** The latest year up to `latest` with these two last digits. */
function fullYear(short: number, latest: number) {
  const year = latest - (latest % 100) + short;
  return year <= latest ? year : year - 100;
}

/** Minutes east of UTC of `Z`, `+02:00`, `-0300` or `-3`; NaN: no such offset. */
function offsetMinutes(text: string) {
  const [, hours = "0", minutes = "0"] = /(\d\d?):?(\d\d)?$/.exec(text) ?? [];
  return Number(minutes) > 59 ? Number.NaN : (text.startsWith("-") ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

export const readExcelCell = reader(
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:T(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})(?:\.(?<fraction>\d+))?)?$/,
);

const EXCEL_EPOCH = Date.UTC(1899, 11, 30);

/** A time given as one number; NaN: it is not a time. */
function counted(form: RegExp, toMilliseconds: (number: number) => number, offset: number | null): ReadDate {
  return (text) => {
    if (!form.test(text)) return "form";
    return within(Math.trunc(toMilliseconds(Number(text.replace(",", ".")))), offset);
  };
}

const NAMED: { [format: string]: ReadDate } = {
  /** ISO 8601 with `Z` or an offset; without one the text is not an instant, and another format must fit. */
  ISO: reader(
    /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})[Tt ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?(?<offset>Z|z|[+-]\d{2}(?::?\d{2})?)$/,
  ),
  /** A serial number of the 1900 date system. Up to 60, Excel's own dates are wrong, so they are refused. */
  EXCEL: counted(
    /^\d{1,7}(?:[.,]\d+)?$/,
    (days) => (days < 61 ? Number.NaN : EXCEL_EPOCH + Math.round(days * 86_400_000)),
    null,
  ),
  UNIX: counted(/^\d{9,10}(?:\.\d{1,9})?$/, (seconds) => seconds * 1000, 0),
  UNIX_MS: counted(/^\d{12,13}$/, (milliseconds) => milliseconds, 0),
};

/** A date needs all of these tokens. */
const DATE_TOKENS = [/^y+$/, /^[MLo]+$/, /^[do]+$/];

export function compileDateFormat(written: string, options: DateFormatOptions): DateFormat {
  const format = asSeen(quotedT(written));
  const named = Object.hasOwn(NAMED, format) ? NAMED[format] : undefined;
  if (named !== undefined) {
    const hasTime = (text: string) => format !== "EXCEL" || !/^\d+$/.test(text);
    return { read: named, ofNumbers: format !== "ISO", hasTime };
  }
  const refuse = (message: string): never => {
    const usual =
      "Formats are written like dd/MM/yyyy HH:mm or MM/dd/yyyy hh:mm a (luxon's notation; a is AM or PM), with other letters in single quotes: d 'de' MMMM 'de' yyyy, dd/MM/yyyy 'às' HH'h'mm. Others are ISO, EXCEL, UNIX (seconds since 1970) and UNIX_MS.";
    return refuseOptions(`format ${JSON.stringify(format)} ${message}`, usual);
  };
  // Runs of one letter are tokens; text in single quotes, and everything else, is literal.
  const pieces = [...format.matchAll(/'([^']*)'|(([A-Za-z])\3*)|([^A-Za-z']+)|(')/gu)];
  if (pieces.some(([, , , , , loneQuote]) => loneQuote !== undefined)) refuse("has a quote that is not closed");
  if (pieces.some(([, quoted = ""]) => /^\s*(?:Z|UTC|GMT)\s*$/i.test(quoted)))
    refuse(
      "reads a zone as plain text and would drop it; write ZZ for Z and +02:00, z for UTC and GMT, without quotes",
    );
  const tokens = pieces.flatMap(([, , token]) => token ?? []);
  if (!DATE_TOKENS.every((kind) => tokens.some((token) => kind.test(token))))
    refuse("does not read a year, a month and a day (dd is the day, MM the month, yyyy the year; mm are minutes)");
  const [hours = -1, minutes = -1, months = -1] = [/^[Hh]/, /^m/, /^[ML]/].map((kind) =>
    tokens.findIndex((token) => kind.test(token)),
  );
  if (hours !== -1 && ((minutes !== -1 && minutes < hours) || months === hours + 1))
    refuse("has minutes (mm) where the month (MM) should be, or vice versa");
  const halfDays = tokens.some((token) => token.startsWith("h"));
  if (halfDays !== tokens.includes("a"))
    refuse("must have both hours from 1 to 12 (hh) and AM and PM (a), or neither; HH are hours from 0 to 23");
  const fields = tokens.flatMap((token) => TOKENS[token]?.split(">")[0] ?? []);
  if (new Set(fields).size < fields.length) refuse("reads one part twice (MM are months, mm minutes)");
  const hasTime = tokens.some((token) => /^[HhTt]/.test(token));
  const inDigits = tokens.every((token) => token in TOKENS);
  const read = inDigits ? digitReader(pieces, options) : luxonReader(format, tokens, options);
  return { read, ofNumbers: tokens.length === pieces.length, hasTime: () => hasTime };
}

function digitReader(pieces: readonly RegExpExecArray[], { twoDigitYears }: DateFormatOptions): ReadDate {
  const patterns = pieces.map(([, quoted, token = "", , literal]) => {
    const text = (quoted ?? literal ?? "").replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/ +/g, " +");
    return TOKENS[token] ?? text;
  });
  return reader(new RegExp(`^${patterns.join("")}$`), twoDigitYears);
}

const FAULTS: { [reason: string]: DateFault } = { "unit out of range": "impossible", "unsupported zone": "zone" };

function luxonReader(
  format: string,
  tokens: readonly string[],
  { twoDigitYears, language }: DateFormatOptions,
): ReadDate {
  const options = { zone: "utc", locale: language, setZone: true };
  // `fromFormat` would collect the names of months and days again for each cell, which is most of its cost.
  const parser = DateTime.buildFormatParser(format, options);
  const shortYear = tokens.includes("yy");
  const carriesOffset = tokens.some((token) => /^[Zz]+$/.test(token));
  const respelt = tokens.includes("MMM") ? monthSpeller(language) : (text: string) => text;
  return (text) => {
    const asWritten = DateTime.fromFormatParser(text, parser, options);
    const read = asWritten.isValid ? asWritten : DateTime.fromFormatParser(respelt(text), parser, options);
    if (!read.isValid) return FAULTS[read.invalidReason ?? ""] ?? "form";
    if (isAbbreviation(read.zone.name)) return "zone";
    if (shortYear && twoDigitYears === null) return "two-digit-year";
    const at = shortYear ? read.set({ year: fullYear(read.year % 100, twoDigitYears ?? 0) }) : read;
    // A year that has no 29 February.
    if (at.day !== read.day) return "impossible";
    const local = within(at.toMillis() + at.offset * 60_000, carriesOffset ? at.offset : null);
    if (at.zone.isUniversal || typeof local === "string") return local;
    // luxon turns a time that the zone skips into another one, and takes the first of two.
    const { result = {} } = DateTime.fromFormatExplain(text, format, options);
    const written = DateTime.fromObject({ ...result, year: at.year }, { zone: "utc" });
    return { ...local, local: written.toMillis(), zone: at.zone.name };
  };
}

/** Further short names: the English one of British forms, and the German one of accounting programs. */
const otherMonths: { [language: string]: { [word: string]: number } } = { en: { sept: 8 }, de: { mrz: 2 } };

/**
 * Turns a month's name or its first three letters (`June`, `Fév.`) into the short name that luxon reads. Any longer
 * beginning would make German's `Juni` Spanish.
 */
function monthSpeller(locale: string): (text: string) => string {
  const short = Info.monthsFormat("short", { locale });
  const spellings = Info.monthsFormat("long", { locale }).map((name) => {
    const lower = name.toLowerCase();
    const plain = lower.normalize("NFD").replace(/\p{Mark}/gu, "");
    return [lower, plain, lower.slice(0, 3), plain.slice(0, 3)];
  });
  const spell = (word: string) => {
    const start = word.replace(/\.$/, "").toLowerCase();
    const other = otherMonths[locale]?.[start];
    const fitting = short.filter((_, month) => month === other || spellings[month]?.includes(start));
    return fitting.length === 1 ? (fitting[0] ?? word) : word;
  };
  return (text) => text.replace(/\p{Letter}{3,}\.?/gu, spell);
}
