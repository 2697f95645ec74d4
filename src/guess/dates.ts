/** The formats of a column's dates, and whether day or month comes first. */
import { type Conversion, compileConversion } from "../map/convert/conversion.js";
import { Refused } from "../map/convert/conversion-kind.js";
import type { CellKind } from "../model/row.js";
import type { Cell } from "./column.js";
import { foldWords } from "../map/convert/text.js";

export interface Dates {
  as: "timestamp";
  /** The most frequent first; empty if all cells are dates of a workbook. */
  formats: string[];
  /** Of month names; undefined: there are none. */
  language: string | undefined;
  /** What comes first, proven by a day above the 12th. `either`: no day shows it; null: no question. */
  first: "day" | "month" | "either" | null;
  /** `25-02-01`: a format that takes the first two digits for the year reads all of `format` too. */
  yearFirst?: { format: string; text: string };
}

const days =
  "dd/MM/yyyy MM/dd/yyyy d/M/yyyy M/d/yyyy yyyy-MM-dd dd-MM-yyyy MM-dd-yyyy d-M-yyyy M-d-yyyy dd.MM.yyyy d.M.yyyy yyyy/MM/dd yyyy/M/d yyyy-M-d yyyy.MM.dd yyyy.MM.dd. dd.MM.yyyy. d.M.yyyy. yyyyMMdd dd/MM/yy MM/dd/yy d/M/yy M/d/yy dd-MM-yy MM-dd-yy dd.MM.yy d.M.yy yy-MM-dd";
const times = ", HH:mm, HH:mm:ss, HH:mm:ss.SSS, HH:mm:ss.u, H:mm, H:mm:ss, h:mm a, h:mm:ss a";
const others =
  "ISO UNIX UNIX_MS EXCEL yyyy-MM-dd'T'HH:mm yyyy-MM-dd'T'HH:mm:ss yyyy-MM-dd'T'HH:mm:ss.u yyyyMMdd'T'HHmmss yyyyMMddHHmmss";
/** With the offset that shops and trackers write, or UTC. */
const zoned =
  "yyyy-MM-dd HH:mm:ss ZZZ|yyyy-MM-dd HH:mm:ss ZZ|yyyy-MM-dd HH:mm:ss z|yyyy-MM-dd HH:mm:ss.u z|yyyy-MM-dd'T'HH:mm:ssZZZ|yyyy-MM-dd'T'HH:mm:ss.uZZZ";
const named =
  "d-MMM-yyyy|d MMM yyyy|d/MMM/yyyy|d.MMM.yyyy|dMMMyyyy|MMM d yyyy|MMM d, yyyy|yyyy-MMM-d|d MMMM yyyy|MMMM d, yyyy|MMMM d yyyy|d. MMMM yyyy|d 'de' MMMM 'de' yyyy|d 'de' MMM 'de' yyyy|d-MMM-yy|d MMM yy|d/MMM/yy";
const timed = (list: string[]) => list.flatMap((day) => times.split(",").map((time) => day + time));
/** As browsers write them. */
const local = ["d/M/yyyy", "M/d/yyyy", "d.M.yyyy"].flatMap((day) =>
  ["H:mm", "H:mm:ss", "h:mm a", "h:mm:ss a"].map((time) => `${day}, ${time}`),
);
/** Among equals the first wins: dd/MM before MM/dd, two digits before one. */
const numeric = timed([...days.split(" "), "d. M. yyyy", "d. M. yyyy.", "yyyy. M. d", "yyyy. M. d."]);
const digital = [...others.split(" "), ...zoned.split("|"), ...numeric, ...local];
const wordy = timed(named.split("|"));
/** How words begin. Only texts with a month are tried, because luxon is slow. */
const months =
  "jan ene gen feb fev mar apr abr avr mai may mag jun jui giu jul lug aug ago aou sep set oct okt out ott nov dec dez dic";
const weekdays = "mo tu we th fr sa su di mi do so seg ter qua qui sex lun mar mer jeu jue ven vie gio";
const hasWordOf = (starts: string, text: string) =>
  foldWords(text)
    .split(/[\d ]+/)
    .some((word) => starts.split(" ").some((start) => word.startsWith(start)));

export const languages = ["en", "pt", "es", "de", "fr", "it"];

/** Another form is believed if at least one cell in this many has it. */
const believed = 200;
const compiled = new Map<string, Conversion>();

export function reads(format: string, language: string | undefined, text: string, kind: CellKind = "text"): boolean {
  const key = `${language} ${format}`;
  const options = { formats: [format], timezone: "UTC", twoDigitYears: true, language: language ?? "en" };
  const convert = compiled.get(key) ?? compileConversion({ name: "timestamp", ...options }, {});
  compiled.set(key, convert);
  return !(convert(text, kind) instanceof Refused);
}

const readsCell = (format: string, language: string | undefined, { text, kind }: Cell) =>
  reads(format, language, text, kind);

/**
 * Null: less than 80% of the cells are dates. `told`: the header mentions a time; without that, bare digits are
 * numbers.
 */
export function datesOf(cells: readonly Cell[], told: boolean): Dates | null {
  const found: Dates = { as: "timestamp", formats: [], language: undefined, first: null };
  let read = cells.filter(({ kind }) => kind === "date").length;
  const texts = cells.filter(
    ({ kind, text }) => (kind === "text" || (kind === "number" && told)) && /^(?=.*\d).{5,40}$/.test(text),
  );
  if (read + texts.length < cells.length * 0.8) return null;
  // One digit or two have the same shape, and so have all words.
  const shapes = Map.groupBy(texts, ({ text }) =>
    text.replace(/\d+/g, (run) => "9".repeat(Math.max(2, run.length))).replace(/\p{Letter}{2,}\.?/gu, "a"),
  );
  for (const group of [...shapes.values()].toSorted((one, other) => other.length - one.length)) {
    const best = group.length * believed < cells.length ? null : bestFormat(group, told);
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

function bestFormat(group: readonly Cell[], told: boolean) {
  const text = group[0]?.text ?? "";
  const [, weekday = "", sign = ""] = /^(\p{Letter}[\p{Letter}-]+)(,? )(?=.*\d{4})/u.exec(text) ?? [];
  const early = !hasWordOf(weekdays, weekday) ? "" : `${weekday.length > 3 ? "EEEE" : "EEE"}${sign}`;
  const isNamed = hasWordOf(months, early === "" ? text : text.slice(weekday.length));
  const words = early !== "" || /\p{Letter}{3}/u.test(text.replace(/ (?:UTC|GMT)$/, ""));
  const digits = /^\d+([.,]\d+)?$/.test(text) && !told && !group.every((cell) => readsCell("yyyyMMdd", "en", cell));
  if (digits || (words && early === "" && !isNamed)) return null;
  const few = group.filter((_, at) => at % Math.ceil(group.length / 5) === 0);
  const fits = (format: string, language?: string) => group.filter((cell) => readsCell(format, language, cell)).length;
  let best: { format: string; language: string | undefined; count: number; first: Dates["first"] } | null = null;
  for (const language of words ? languages : [undefined])
    for (const form of isNamed ? wordy : early === "" ? digital : numeric) {
      const format = early + form;
      if (best?.count === group.length || !few.some((cell) => readsCell(format, language, cell))) continue;
      const count = fits(format, language);
      if (count * 2 < group.length || count <= (best?.count ?? 0)) continue;
      const first = order(format);
      const [other = ""] = orderedBy(first === "day" ? "month" : "day", [format]);
      best = { format, language, count, first: first !== null && fits(other) === count ? "either" : first };
    }
  return best;
}

/** A year varies less than a day, and has been above the twelve months for long. */
function isYearFirst(format: string, group: readonly Cell[]) {
  const turned = yearFirst(format);
  const parts = (at: number) => new Set(group.map(({ text }) => Number(text.split(/\D/)[at])));
  return (
    turned !== format &&
    [...parts(0)].every((year) => year > 12) &&
    parts(0).size < parts(2).size &&
    group.every((cell) => readsCell(turned, undefined, cell))
  );
}

/** `dd-MM-yy` → `yy-MM-dd`; other formats stay. */
export const yearFirst = (format: string): string => format.replace(/^dd([/-]MM[/-])yy(?!y)/, "yy$1dd");

export function order(format: string): "day" | "month" | null {
  return /^dd?[/-]MM?[/-]/.test(format) ? "day" : /^MM?[/-]dd?[/-]/.test(format) ? "month" : null;
}

export function orderedBy(first: Dates["first"], formats: readonly string[]): string[] {
  const wrong = first === "day" ? "month" : first === "month" ? "day" : "";
  return formats.map((format) => (order(format) === wrong ? format.replace(/^(\w+)([/-])(\w+)/, "$3$2$1") : format));
}
