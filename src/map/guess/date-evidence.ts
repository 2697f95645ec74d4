/** Which date formats a column's texts are written in. */
import { compileConversion } from "../convert/conversion.js";
import { type Cell, enough } from "./cell.js";

export interface DateEvidence {
  /** Formats that the texts need, the most frequent first; empty where all cells are dates of a workbook. */
  formats: string[];
  /** Formats that would read the same texts as other days; a person must say which it is. */
  rivals: string[];
}

const days = [
  "dd/MM/yyyy",
  "MM/dd/yyyy",
  "yyyy-MM-dd",
  "dd-MM-yyyy",
  "dd.MM.yyyy",
  "d.M.yyyy",
  "yyyy/MM/dd",
  "d/M/yyyy",
  "M/d/yyyy",
  "dd/MM/yy",
  "MM/dd/yy",
];
const times = ["", " HH:mm", " HH:mm:ss", " H:mm", " h:mm a", " h:mm:ss a", "'T'HH:mm:ss"];
const candidates = ["ISO", ...days.flatMap((day) => times.map((time) => day + time))].map((format) => ({
  format,
  convert: compileConversion({ name: "timestamp", formats: [format], timezone: "UTC", twoDigitYears: true }, {}),
}));

/** A further format is believed when at least one cell in so many is written in it; fewer are mistakes. */
const believed = 200;

/** Null where the column does not hold dates. */
export function dateEvidence(cells: readonly Cell[]): DateEvidence | null {
  const dates = cells.filter(({ kind }) => kind === "date").length;
  const texts = cells.filter(
    ({ kind, text }) => kind === "text" && /^\d/.test(text) && text.length >= 8 && text.length <= 35,
  );
  if (cells.length === 0 || dates + texts.length < cells.length * enough) return null;
  const formats: string[] = [];
  const rivals: string[] = [];
  let left = texts;
  while (left.length > 0) {
    const counts = candidates.map(({ format, convert }) => ({
      format,
      reads: left.filter(({ text }) => "value" in convert(text, "text")),
    }));
    // The first of equals wins: dd/MM stands before MM/dd, two digits before one.
    const best = counts.reduce((most, other) => (other.reads.length > most.reads.length ? other : most));
    if (best.reads.length === 0 || best.reads.length * believed < cells.length) break;
    formats.push(best.format);
    if (rival(best.format) !== null) {
      const other = counts.find(({ format }) => format === rival(best.format));
      if (other !== undefined && other.reads.length === best.reads.length) rivals.push(other.format);
    }
    const read = new Set(best.reads);
    left = left.filter((cell) => !read.has(cell));
  }
  return dates + texts.length - left.length >= cells.length * enough ? { formats, rivals } : null;
}

/** The format with day and month exchanged; null where nobody writes it so. */
function rival(format: string): string | null {
  if (!/^(dd?\/MM?|MM?\/dd?)\//.test(format)) return null;
  return format.replace(/^(\w+)\/(\w+)/, "$2/$1");
}
