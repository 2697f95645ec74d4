/** The formats of a column's dates, and whether day or month comes first. */
import { compileDateFormat, type DateFormat, readExcelCell } from "../map/convert/dates.js";
import type { Cell } from "./column.js";
import { foldWords } from "../map/convert/text.js";
import { LATEST_BY_DEFAULT } from "../map/convert/timestamp.js";

export interface Dates {
  /** The most frequent first; empty if all cells are dates of a workbook. */
  formats: string[];
  /** The language of month names; undefined: there are none. */
  language: string | undefined;
  /** What comes first, proven by a day above the 12th. `either`: no day shows it; null: no question. */
  first: "day" | "month" | "either" | null;
  /** `25-02-01`: a format that takes the first two digits for the year reads all of `format` too. */
  yearFirst?: { format: string; text: string };
}

const days =
  "dd/MM/yyyy MM/dd/yyyy d/M/yyyy M/d/yyyy yyyy-MM-dd dd-MM-yyyy MM-dd-yyyy d-M-yyyy M-d-yyyy dd.MM.yyyy d.M.yyyy yyyy/MM/dd yyyy/M/d yyyy-M-d yyyy.MM.dd yyyy.MM.dd. dd.MM.yyyy. d.M.yyyy. yyyyMMdd dd/MM/yy MM/dd/yy d/M/yy M/d/yy dd-MM-yy MM-dd-yy dd.MM.yy d.M.yy yy-MM-dd yyyy年M月d日";
const bare = "ddMMyy MMddyy ddMMyyyy MMddyyyy";
const times =
  ", HH:mm, HH:mm:ss, HH:mm:ss.SSS, HH:mm:ss.u, H:mm, H:mm:ss, h:mm a, h:mm:ss a, h:mma, h:mm:ssa, H.mm, H.mm.ss";
/** With words between or behind them, as people write. */
const spokenTimes =
  " 'às' HH:mm, 'às' HH:mm:ss, 'à' HH:mm, 'à' H'h'mm, 'às' H'h'mm, HH:mm'h', - HH:mm, HH:mm 'Uhr', H'h'mm";
const others =
  "ISO UNIX UNIX_MS EXCEL yyyy-MM-dd'T'HH:mm yyyy-MM-dd'T'HH:mm:ss yyyy-MM-dd'T'HH:mm:ss.u yyyyMMdd'T'HHmmss yyyyMMdd'T'HHmmssZZ yyyyMMddHHmmss yyyyMMddHHmm";
/** With the offset that shops and trackers write, or UTC. */
const zoned =
  "yyyy-MM-dd HH:mm:ss ZZZ|yyyy-MM-dd HH:mm:ss ZZ|yyyy-MM-dd HH:mm:ss z|yyyy-MM-dd HH:mm:ss.u z|yyyy-MM-dd HH:mm:ss.u ZZZ|yyyy-MM-dd HH:mm z|dd/MM/yyyy HH:mm z|MM/dd/yyyy HH:mm z|dd/MM/yyyy HH:mm:ss z|MM/dd/yyyy HH:mm:ss z|dd.MM.yyyy HH:mm:ss z|dd/MM/yyyy HH:mm:ss ZZ|dd/MM/yyyy HH:mm:ssZZ|M/d/yyyy h:mm:ss a ZZ|HH:mm:ss dd/MM/yyyy|HH:mm dd/MM/yyyy|HH:mm:ss MM/dd/yyyy|HH:mm MM/dd/yyyy|yyyy-MM-dd HH:mm:ss,SSS|yyyy-MM-dd-HH.mm.ss.u|yyyy-MM-dd-HH.mm.ss|dd/MM/yy HH:mm:ss,u|dd.MM.yy HH:mm:ss,u|yyyyMMdd HHmmss|yyyyMMdd HHmm|yyyyMMddHHmmssZZZ|yyyy/MM/dd h:mm:ss a Z|yyyy-MM-dd'T'HH:mm:ssZZZ|yyyy-MM-dd'T'HH:mm:ss.uZZZ";
const named =
  "d-MMM-yyyy|d MMM yyyy|d/MMM/yyyy|d.MMM.yyyy|dMMMyyyy|MMM d yyyy|MMM d, yyyy|yyyy-MMM-d|d. MMM yyyy|d 'de' MMM 'de' yyyy|d-MMM-yy|MMM-d-yy|d MMM yy|d/MMM/yy|dMMMyy";
const timed = (list: string[], ends = times) => list.flatMap((day) => ends.split(",").map((time) => day + time));
/** As SAS, servers, browsers, mail, Oracle and marketplaces write them. */
const whole =
  "dMMMyyyy:HH:mm:ss|d MMM yyyy HH:mm:ss z|MMM d, yyyy, h:mm:ss a|d MMM yyyy HH:mm:ss ZZZ|d-MMM-yy h.mm.ss.u a|d-MMM-yy h.mm.ss.u a ZZ|d/MMM/yyyy:HH:mm:ss ZZZ|d MMM yyyy, HH:mm|MMM d, yyyy 'at' h:mm a|MMM d HH:mm:ss yyyy|d 'de' MMM 'de' yyyy HH:mm 'hs.'";
/** As browsers write them. */
const local = ["d/M/yyyy", "M/d/yyyy", "d.M.yyyy", "d/M/yy", "M/d/yy", "d.M.yy"].flatMap((day) =>
  ["H:mm", "H:mm:ss", "h:mm a", "h:mm:ss a"].map((time) => `${day}, ${time}`),
);
/** Among equals the first wins: dd/MM before MM/dd, two digits before one. */
const numeric = timed([...days.split(" "), "d. M. yyyy", "d. M. yyyy.", "yyyy. M. d", "yyyy. M. d."]);
const spoken = timed("dd/MM/yyyy dd.MM.yyyy d.M.yyyy".split(" "), spokenTimes);
const digital = [...`${others} ${bare}`.split(" "), ...zoned.split("|"), ...numeric, ...local, ...spoken];
const wordy = [...timed(named.split("|")), ...whole.split("|")];
/** How words begin. Only texts with a month are tried, because luxon is slow. */
const months =
  "jan ene gen feb fev mar mrz apr abr avr mai may mag jun jui giu jul lug aug ago aou sep set oct okt out ott nov dec dez dic";
const weekdays = "mo tu we th fr sa su di mi do so seg ter qua qui sex lun mar mer jeu jue ven vie gio";
const hasWordOf = (starts: string, text: string) =>
  foldWords(text)
    .split(/[\d ]+/)
    .some((word) => starts.split(" ").some((start) => word.startsWith(start)));

export const languages = ["en", "pt", "es", "de", "fr", "it"];

/** Numbers are times only within these: serial numbers and epochs of a table that is in use. */
const FROM = Date.UTC(1990);
const YEARS_AHEAD = 5;
const YEAR = 31_557_600_000;
/** Two digits are a year within these, where the header says nothing of a time. */
const SHORT_YEARS = 20;

/** Another form is believed if at least one cell in this many has it. */
const believed = 200;
const compiled = new Map<string, DateFormat>();

/** In ms since 1970, as if it were UTC; null: not of this format. */
export function instantOf(format: string, language = "en", { text, kind }: Pick<Cell, "text" | "kind">) {
  const key = `${language} ${format}`;
  // Not as a column's conversion, whose refusals cost more than the reading: most formats refuse most cells.
  const form = compiled.get(key) ?? compileDateFormat(format, { twoDigitYears: LATEST_BY_DEFAULT, language });
  compiled.set(key, form);
  if (kind !== "text" && kind !== "date" && !(kind === "number" && form.ofNumbers)) return null;
  const read = (kind === "date" ? readExcelCell : form.read)(text);
  return typeof read === "string" ? null : read.local - (read.offset ?? 0) * 60_000;
}

const readsCell = (format: string, language: string | undefined, cell: Cell) =>
  instantOf(format, language, cell) !== null;

export const reads = (format: string, language: string | undefined, text: string): boolean =>
  instantOf(format, language, { text, kind: "text" }) !== null;

/** Whether some known format without words reads it; bare digits may be anything. */
export const isDate = (cell: Cell): boolean =>
  /\D/.test(cell.text) && digital.some((format) => readsCell(format, undefined, cell));

export interface Hint {
  /** The header mentions a time (`yes`), or something else (`no`): then bare digits are numbers. */
  told: "yes" | "maybe" | "no";
  now: number;
}

/** Null: less than 80% of the cells are dates. */
export function datesOf(cells: readonly Cell[], hint: Hint): Dates | null {
  const found: Dates = { formats: [], language: undefined, first: null };
  let read = cells.filter(({ kind }) => kind === "date").length;
  const texts = cells.filter(
    ({ kind, text }) =>
      (kind === "text" || (kind === "number" && hint.told === "yes")) && /^(?=.*\d).{5,40}$/.test(text),
  );
  if (read + texts.length < cells.length * 0.8) return null;
  // One digit or two have the same shape, and so have all words.
  const shapes = Map.groupBy(texts, ({ text }) =>
    text.replace(/\d+/g, (run) => "9".repeat(Math.max(2, run.length))).replace(/\p{Letter}{2,}\.?/gu, "a"),
  );
  for (const group of [...shapes.values()].toSorted((one, other) => other.length - one.length)) {
    const best = group.length * believed < cells.length ? null : bestFormat(group, hint);
    if (best === null) continue;
    read += best.count;
    found.formats.push(best.format);
    if (isYearFirst(best.format, group)) found.yearFirst = { format: best.format, text: group[0]?.text ?? "" };
    found.language ??= best.language;
    if (found.first === null || found.first === "either") found.first = best.first ?? found.first;
  }
  found.formats = [...new Set(orderedBy(found.first, found.formats))];
  return read >= cells.length * 0.8 ? found : null;
}

function bestFormat(group: readonly Cell[], { told, now }: Hint) {
  const text = group[0]?.text ?? "";
  const [, weekday = "", sign = ""] = /^(\p{Letter}[\p{Letter}-]+)(,? )(?=.*\d{4})/u.exec(text) ?? [];
  const early = !hasWordOf(weekdays, weekday) ? "" : `${weekday.length > 3 ? "EEEE" : "EEE"}${sign}`;
  const isNamed = hasWordOf(months, early === "" ? text : text.slice(weekday.length));
  const words = early !== "" || /\p{Letter}{3}/u.test(text.replace(/ (?:[A-Z]{3,4}(?:[+-][\d:]+)?|Uhr)$/, ""));
  const digits = /^\d+([.,]\d+)?$/.test(text);
  if ((digits && told === "no") || (words && early === "" && !isNamed)) return null;
  const few = group.filter((_, at) => at % Math.ceil(group.length / 5) === 0);
  const fits = (format: string, language?: string) => group.filter((cell) => readsCell(format, language, cell)).length;
  const isWithin = (from: number, format: string) =>
    group.every((cell) => {
      const instant = instantOf(format, undefined, cell) ?? from;
      return instant >= from && instant <= now + YEARS_AHEAD * YEAR;
    });
  const isLikely = (format: string) => {
    // An account is called 1.1.01, too.
    const isShort = !isNamed && /(?<!y)yy(?!y)/.test(format);
    if (!digits) return told === "yes" || !isShort || isWithin(now - SHORT_YEARS * YEAR, format);
    if (told === "yes" && format.startsWith("yyyy")) return true;
    // No article number of thirteen digits begins like a time of these decades.
    const isMilliseconds = format === "UNIX_MS" && group.every((cell) => cell.text.length === 13);
    // A day with a counter reads as the first seconds of the day.
    const isExact = format === "yyyyMMddHHmmss" && group.some((cell) => !/^.{8}00/.test(cell.text));
    return (told === "yes" || format === "yyyyMMdd" || isMilliseconds || isExact) && isWithin(FROM, format);
  };
  let best: { format: string; language: string | undefined; count: number; first: Dates["first"] } | null = null;
  for (const language of words ? languages : [undefined])
    for (const form of isNamed ? wordy : early === "" ? digital : numeric) {
      const format = early + form;
      // `1 de mar. de 2025` is not English, though `mar` is.
      if (form.includes("'de'") && language !== "pt" && language !== "es") continue;
      if (best?.count === group.length || !few.some((cell) => readsCell(format, language, cell))) continue;
      if (!isLikely(format)) continue;
      const count = fits(format, language);
      if (count * 2 < group.length || count <= (best?.count ?? 0)) continue;
      const first = order(format);
      const [other = ""] = orderedBy(first === "day" ? "month" : "day", [format]);
      best = { format, language, count, first: first !== null && fits(other) === count ? "either" : first };
    }
  return best;
}

/** A year varies less than a day, and has long been greater than twelve. */
function isYearFirst(format: string, group: readonly Cell[]) {
  const turned = yearFirst(format);
  const parts = (at: number) => new Set(group.map(({ text }) => Number(text.match(/\d\d/g)?.[at])));
  return (
    turned !== format &&
    [...parts(0)].every((year) => year > 12) &&
    parts(0).size < parts(2).size &&
    group.every((cell) => readsCell(turned, undefined, cell))
  );
}

/** `dd-MM-yy` → `yy-MM-dd`; other formats stay. */
export const yearFirst = (format: string): string => format.replace(/^dd([/-]?MM[/-]?)yy(?!y)/, "yy$1dd");

const TIME_FIRST = /^HH:mm(:ss)? /;

export function order(format: string): "day" | "month" | null {
  const day = format.replace(TIME_FIRST, "");
  return /^dd?([/-]?)MM?\1y/.test(day) ? "day" : /^MM?([/-]?)dd?\1y/.test(day) ? "month" : null;
}

export function orderedBy(first: Dates["first"], formats: readonly string[]): string[] {
  const wrong = first === "day" ? "month" : first === "month" ? "day" : "";
  return formats.map((format) =>
    order(format) === wrong ? format.replace(/(dd?|MM?)([/-]?)(MM?|dd?)(?=\2y)/, "$3$2$1") : format,
  );
}
