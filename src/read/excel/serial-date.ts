/** Excel's serial day numbers as ISO texts, in milliseconds, for both of its calendars. */
import { stripEnd } from "../../model/strip-end.js";

const DAY = 86_400_000;
/** Days from 1970-01-01 to the day with serial 0: of 1900 from March on, of 1900 before its false 29 February, of 1904. */
const EPOCH_1900 = -25_569;
const EPOCH_1900_EARLY = -25_568;
const EPOCH_1904 = -24_107;
/** The first serial that is no date any more: 10000-01-01. */
const END_1900 = 2_958_466;
const END_1904 = 2_957_004;

/**
 * `2026-03-01T14:05:00`, or without the time where `withTime` is false and the serial is whole. Serial 60 is the
 * `1900-02-29` that Excel shows and no calendar has, serial 0 its `1900-01-00`. Null: Excel shows no date either
 * (negative, or after the year 9999).
 */
export function serialDate(serial: number, date1904: boolean, withTime: boolean): string | null {
  if (!(serial >= 0) || serial >= (date1904 ? END_1904 : END_1900)) return null;
  const total = Math.round(serial * DAY);
  const day = Math.floor(total / DAY);
  const rest = total - day * DAY;
  if (day >= (date1904 ? END_1904 : END_1900)) return null;
  const date = date1904 ? civil(day + EPOCH_1904) : date1900(day);
  return withTime || rest !== 0 ? `${date}T${timeText(rest)}` : date;
}

function date1900(day: number): string {
  if (day === 0) return "1900-01-00";
  if (day === 60) return "1900-02-29";
  return civil(day + (day < 60 ? EPOCH_1900_EARLY : EPOCH_1900));
}

/** `14:05:00` for a fraction of a day, 0 ≤ serial < 1; what rounds up to a whole day is midnight. */
export function serialTime(serial: number): string {
  return timeText(Math.round(serial * DAY) % DAY);
}

/** `PT36H5M`, `PT0S`, `-PT30M`: the hours may exceed a day. */
export function serialDuration(serial: number): string {
  const total = Math.abs(Math.round(serial * DAY));
  const hours = Math.floor(total / 3_600_000);
  const minutes = Math.floor(total / 60_000) % 60;
  const seconds = (total % 60_000) / 1000;
  const text = `${hours === 0 ? "" : `${hours}H`}${minutes === 0 ? "" : `${minutes}M`}${seconds === 0 ? "" : `${seconds}S`}`;
  return `${serial < 0 && total > 0 ? "-" : ""}PT${text === "" ? "0S" : text}`;
}

function timeText(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const fraction = milliseconds % 1000;
  const text = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return fraction === 0 ? text : `${text}.${String(fraction).padStart(3, "0")}`;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

/** `2026-03-01` for days since 1970-01-01, from 1899 to 9999: years that begin in March, so that leap days come last. */
function civil(day: number): string {
  const sinceEra = day + 719_468;
  const era = Math.floor(sinceEra / 146_097);
  const dayOfEra = sinceEra - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const march = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * march + 2) / 5) + 1;
  const month = march < 10 ? march + 3 : march - 9;
  return `${yearOfEra + era * 400 + (month <= 2 ? 1 : 0)}-${two(month)}-${two(dayOfMonth)}`;
}

const isoText = /^(?:(\d{4}-(\d\d)-(\d\d)))?(?:(?:T|(?<=\d) |^)(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?Z?$/;

/**
 * An ISO 8601 cell (`t="d"`) as canonical text; `Z` is dropped, since cells are local. Null: not such a text, or one
 * with an offset.
 */
export function isoCell(text: string): { text: string; kind: "date" | "time" } | null {
  const found = isoText.exec(text.trim());
  if (found === null || text.trim().replace("Z", "") === "") return null;
  const [, date, month = "01", day = "01", hour, minute = "00", second = "00", fraction = ""] = found;
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return null;
  if (hour === undefined) return date === undefined ? null : { text: date, kind: "date" };
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const rest = stripEnd(fraction, "0");
  const time = `${hour}:${minute}:${second}${rest === "" ? "" : `.${rest.padEnd(3, "0")}`}`;
  return date === undefined ? { text: time, kind: "time" } : { text: `${date}T${time}`, kind: "date" };
}
