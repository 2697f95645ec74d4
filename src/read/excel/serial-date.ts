/** Excel's serial day numbers of both calendars, and ISO cells, as ISO texts to the millisecond. */
import { stripEnd } from "../../model/fold.js";

const DAY = 86_400_000;
/** Days from 1970-01-01 to serial 0: of 1900 from March on, of 1900 before its false 29 February, of 1904. */
const EPOCH_1900 = -25_569;
const EPOCH_1900_EARLY = -25_568;
const EPOCH_1904 = -24_107;
/** 10000-01-01, the first serial that is no longer a date. */
const END_1900 = 2_958_466;
const END_1904 = 2_957_004;
/** Days that Excel shows in 1900 and no calendar has. */
const FALSE_DAYS: ReadonlyMap<number, string> = new Map([
  [0, "1900-01-00"],
  [60, "1900-02-29"],
]);

/**
 * `2026-03-01T14:05:00`; without the time if `withTime` is false and the serial is whole. Null: not a date in Excel
 * either (negative, or after 9999).
 */
export function serialDate(serial: number, date1904: boolean, withTime: boolean): string | null {
  const total = Math.round(serial * DAY);
  const day = Math.floor(total / DAY);
  if (!(serial >= 0) || day >= (date1904 ? END_1904 : END_1900)) return null;
  const epoch = date1904 ? EPOCH_1904 : day < 60 ? EPOCH_1900_EARLY : EPOCH_1900;
  const instant = new Date(total + epoch * DAY).toISOString();
  const date = (date1904 ? undefined : FALSE_DAYS.get(day)) ?? instant.slice(0, 10);
  return withTime || total > day * DAY ? `${date}T${timeOf(instant)}` : date;
}

/** `14:05:00` for a fraction of a day; a fraction that rounds up to a whole day is midnight. */
export function serialTime(serial: number): string {
  return timeOf(new Date(Math.round(serial * DAY) % DAY).toISOString());
}

function timeOf(instant: string): string {
  return instant.slice(11, instant.endsWith(".000Z") ? -5 : -1);
}

/** `PT36H5M`, `PT0S`, `-PT30M`; hours may exceed a day. */
export function serialDuration(serial: number): string {
  const total = Math.abs(Math.round(serial * DAY));
  const parts: [number, string][] = [
    [Math.floor(total / 3_600_000), "H"],
    [Math.floor(total / 60_000) % 60, "M"],
    [(total % 60_000) / 1000, "S"],
  ];
  const text = parts.map(([count, unit]) => (count === 0 ? "" : `${count}${unit}`)).join("");
  return `${serial < 0 && total > 0 ? "-" : ""}PT${text === "" ? "0S" : text}`;
}

const ISO =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))?(?:(?:T|(?<=\d) |^)((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?(?:\.(\d{1,9}))?)?Z?$/;

/**
 * An ISO 8601 cell (`t="d"`) as canonical text. Drops `Z`, because cells are local. Null: anything else, or with an
 * offset.
 */
export function isoCell(text: string): { text: string; kind: "date" | "time" } | null {
  const [, date, minutes, seconds = ":00", digits = ""] = ISO.exec(text.trim()) ?? [];
  if (minutes === undefined) return date === undefined ? null : { text: date, kind: "date" };
  const rest = stripEnd(digits, "0");
  const time = `${minutes}${seconds}${rest === "" ? "" : `.${rest.padEnd(3, "0")}`}`;
  return date === undefined ? { text: time, kind: "time" } : { text: `${date}T${time}`, kind: "date" };
}
