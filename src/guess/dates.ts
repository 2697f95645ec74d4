/** Which formats a column's dates are written in, and which comes first, day or month. */
import { type Conversion, compileConversion } from "../map/convert/conversion.js";
import type { Cell } from "./column.js";
import { headerText } from "./words.js";

export interface Dates {
  as: "timestamp";
  /** The formats that the texts need, the most frequent first; empty where all cells are dates of a workbook. */
  formats: string[];
  /** Language of month names; null where none stand. */
  language: string | null;
  /** What a day above the 12th proves to stand first; `either` where no day tells, null where it is no question. */
  first: "day" | "month" | "either" | null;
}

const days =
  "dd/MM/yyyy MM/dd/yyyy d/M/yyyy M/d/yyyy yyyy-MM-dd dd-MM-yyyy MM-dd-yyyy d-M-yyyy M-d-yyyy dd.MM.yyyy d.M.yyyy yyyy/MM/dd yyyy.MM.dd yyyyMMdd dd/MM/yy MM/dd/yy d/M/yy M/d/yy dd-MM-yy MM-dd-yy dd.MM.yy d.M.yy yy-MM-dd";
const times = ", HH:mm, HH:mm:ss, HH:mm:ss.SSS, HH:mm:ss.u, H:mm, H:mm:ss, h:mm a, h:mm:ss a";
const others =
  "ISO UNIX UNIX_MS EXCEL yyyy-MM-dd'T'HH:mm yyyy-MM-dd'T'HH:mm:ss yyyy-MM-dd'T'HH:mm:ss.u yyyyMMdd'T'HHmmss yyyyMMddHHmmss";
const named =
  "d-MMM-yyyy|d MMM yyyy|d/MMM/yyyy|d.MMM.yyyy|dMMMyyyy|MMM d yyyy|MMM d, yyyy|yyyy-MMM-d|d MMMM yyyy|MMMM d, yyyy|MMMM d yyyy|d. MMMM yyyy|d 'de' MMMM 'de' yyyy|d 'de' MMM 'de' yyyy|d-MMM-yy|d MMM yy|d/MMM/yy|EEE, d MMM yyyy";
const timed = (list: string[]) => list.flatMap((day) => times.split(",").map((time) => day + time));
const digital = [...others.split(" "), ...timed(days.split(" "))];
const wordy = timed(named.split("|"));
const languages = ["en", "pt", "es", "de", "fr", "it"];
/** What names of months begin with, so that only such texts are tried: luxon takes its time. */
const months =
  /^(jan|ene|gen|feb|fev|mar|apr|abr|avr|mai|may|mag|jun|jui|giu|jul|lug|aug|ago|aou|sep|set|oct|okt|out|ott|nov|dec|dez|dic)/;

/** A further form is believed when at least one cell in so many has it; fewer are mistakes. */
const believed = 200;
const compiled = new Map<string, Conversion>();

function reads(format: string, language: string, { text, kind }: Cell): boolean {
  const key = `${language} ${format}`;
  let convert = compiled.get(key);
  if (convert === undefined) {
    const options = { formats: [format], timezone: "UTC", twoDigitYears: true, language };
    compiled.set(key, (convert = compileConversion({ name: "timestamp", ...options }, {})));
  }
  return "value" in convert(text, kind);
}

/** Null where less than 80% of the cells are dates. `told`: whether the header speaks of a time, without which bare digits are numbers. */
export function datesOf(cells: readonly Cell[], told: boolean): Dates | null {
  const dates = cells.filter(({ kind }) => kind === "date").length;
  const texts = cells.filter(
    ({ kind, text }) =>
      (kind === "text" || (kind === "number" && told)) && text.length >= 5 && text.length <= 40 && /\d/.test(text),
  );
  if (cells.length === 0 || dates + texts.length < cells.length * 0.8) return null;
  const found: Dates = { as: "timestamp", formats: [], language: null, first: null };
  let read = dates;
  for (const group of byShape(texts)) {
    const best = group.length * believed < cells.length ? null : bestFormat(group, told);
    if (best === null) continue;
    read += best.count;
    found.formats.push(best.format);
    found.language ??= best.language;
    // One form of a column decides for its others.
    if (found.first === null || found.first === "either") found.first = best.first ?? found.first;
  }
  found.formats = [...new Set(orderedBy(found.first, found.formats))];
  return read >= cells.length * 0.8 ? found : null;
}

/** Cells of one shape, the most frequent first: one digit or two are alike, and all words. */
function byShape(cells: readonly Cell[]): Cell[][] {
  const shape = ({ text }: Cell) =>
    text.replace(/\d+/g, (run) => "9".repeat(run.length <= 2 ? 1 : run.length)).replace(/\p{Letter}{2,}\.?/gu, "a");
  return [...Map.groupBy(cells, shape).values()].toSorted((one, other) => other.length - one.length);
}

function bestFormat(group: readonly Cell[], told: boolean) {
  const text = group[0]?.text ?? "";
  // Eight digits that are a day in every cell are no chance.
  if (/^\d+([.,]\d+)?$/.test(text) && !told && !group.every((cell) => reads("yyyyMMdd", "en", cell))) return null;
  const words = /\p{Letter}{3}/u.test(text);
  if (
    words &&
    !headerText(text)
      .split(/[ \d]+/)
      .some((word) => months.test(word))
  )
    return null;
  const few = group.filter((_, at) => at % Math.ceil(group.length / 5) === 0);
  let best: { format: string; language: string | null; count: number; first: Dates["first"] } | null = null;
  for (const language of words ? languages : ["en"]) {
    if (best?.count === group.length) break;
    for (const format of words ? wordy : digital) {
      if (!few.some((cell) => reads(format, language, cell))) continue;
      const count = group.filter((cell) => reads(format, language, cell)).length;
      // The first of equals wins: dd/MM stands before MM/dd, two digits before one.
      if (count * 2 < group.length || count <= (best?.count ?? 0)) continue;
      best = { format, language: words ? language : null, count, first: order(format) };
    }
  }
  if (best === null || best.first === null) return best;
  const [other = ""] = orderedBy(best.first === "day" ? "month" : "day", [best.format]);
  const rivals = group.filter((cell) => reads(other, "en", cell)).length;
  return rivals === best.count ? { ...best, first: "either" as const } : best;
}

/** Which of the two stands first, where people write both. */
export function order(format: string): "day" | "month" | null {
  return /^dd?[/-]MM?[/-]/.test(format) ? "day" : /^MM?[/-]dd?[/-]/.test(format) ? "month" : null;
}

/** The formats with what stands first exchanged where it is not `first`. */
export function orderedBy(first: Dates["first"], formats: readonly string[]): string[] {
  const exchange = (format: string) => format.replace(/^(\w+)([/-])(\w+)/, "$3$2$1");
  if (first !== "day" && first !== "month") return [...formats];
  return formats.map((format) => (order(format) === null || order(format) === first ? format : exchange(format)));
}

const clocks = {
  "HH:mm": /^\d{2}:\d{2}$/,
  "H:mm": /^\d{1,2}:\d{2}$/,
  "HH:mm:ss": /^\d{2}:\d{2}:\d{2}$/,
  "H:mm:ss": /^\d{1,2}:\d{2}:\d{2}$/,
};
const halves = { "h:mm a": /^\d{1,2}:\d{2} [AaPp]\.?[Mm]\.?$/, "h:mm:ss a": /^\d{1,2}:\d{2}:\d{2} [AaPp]\.?[Mm]\.?$/ };

/** The format of times of day; null where the cells are none. Those of a workbook are `HH:mm:ss`. */
export function clockOf(cells: readonly Cell[]): string | null {
  const fits = (form: RegExp) => cells.filter(({ text }) => form.test(text)).length >= cells.length * 0.8;
  if (cells.length === 0) return null;
  return Object.entries({ ...clocks, ...halves }).find(([, form]) => fits(form))?.[0] ?? null;
}
