/** The `defaults:` of a mapping: how values are written in all of its files. */
import type { Row } from "../../model/row.js";
import type { Column } from "./column.js";
import type { Unsure } from "./unsure.js";

/** Whole cells that people write for "nothing". */
const blankWords = ["-", "--", "—", "N/A", "n/a", "N/D", "n/d", "NULL", "null", "#N/D"];
/** One in so many rows must hold such a word before it is believed; a single one may be a mistake. */
const believed = 200;

/** The blank words of the files; always with the empty text. */
export function guessBlank(samples: readonly (readonly Row[])[]): string[] {
  const counts = new Map<string, number>();
  let rows = 0;
  for (const row of samples.flat()) {
    rows += 1;
    for (const cell of row.cells) {
      const text = cell.trim();
      if (blankWords.includes(text)) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  return ["", ...blankWords.filter((word) => (counts.get(word) ?? 0) > rows / believed)];
}

/** The decimal mark that most texts need; null where no text tells and none is needed. */
export function guessDecimal(
  columns: readonly Column[],
  delimiters: readonly string[],
  unsure: Unsure,
): "," | "." | null {
  const numbers = columns.flatMap(({ number }) => (number === null ? [] : [number]));
  const comma = numbers.reduce((sum, number) => sum + number.comma, 0);
  const point = numbers.reduce((sum, number) => sum + number.point, 0);
  if (numbers.length === 0) return null;
  if (comma > 0 && point > 0)
    unsure.say(`decimal: some numbers are written with a comma (${comma}), some with a point (${point})`);
  if (comma !== point) return comma > point ? "," : ".";
  const mark = delimiters.includes(";") ? "," : ".";
  unsure.say(`decimal: no number tells the decimal mark; "${mark}" is taken`);
  return mark;
}

/** Whether thousands are grouped, where some cells do not tell; null: no cell asks. */
export function guessGrouping(columns: readonly Column[], decimal: "," | ".", unsure: Unsure): boolean | null {
  const numbers = columns.flatMap(({ number }) => (number === null ? [] : [number]));
  if (numbers.every(({ ambiguous }) => ambiguous[decimal] === 0)) return null;
  if (numbers.some(({ grouped }) => grouped[decimal] > 0)) return true;
  const [one, other] = decimal === "," ? ["1.234", "1,234"] : ["1,234", "1.234"];
  unsure.say(`grouping: is ${one} a thousand, or ${other}? Write \`grouping: true\` for thousands`);
  return null;
}

/** The formats of all columns, the most needed first. */
export function guessDates(columns: readonly Column[], unsure: Unsure): string[] {
  const needs = new Map<string, number>();
  for (const { date, header, cells } of columns) {
    for (const [place, format] of (date?.formats ?? []).entries())
      needs.set(format, (needs.get(format) ?? 0) + cells.length / (place + 1));
    for (const other of date?.rivals ?? []) {
      unsure.say(`dates: "${header}" could also be read as ${other}; no day after the 12th tells`);
    }
  }
  return [...needs].toSorted(([, one], [, other]) => other - one).map(([format]) => format);
}

const zones: Record<string, string> = {
  BR: "America/Sao_Paulo",
  PT: "Europe/Lisbon",
  ES: "Europe/Madrid",
  AR: "America/Argentina/Buenos_Aires",
  CL: "America/Santiago",
  CO: "America/Bogota",
  MX: "America/Mexico_City",
  DE: "Europe/Berlin",
  US: "America/New_York",
};

/** No file tells its zone, so that this is always unsure unless given. */
export function guessTimezone(country: string | null, given: string | undefined, unsure: Unsure): string {
  if (given !== undefined) return given;
  const zone = zones[country ?? ""] ?? "UTC";
  if (country === "US") {
    unsure.say(`timezone: is it ${zone}? The US has several; no file tells its zone`);
    return zone;
  }
  unsure.say(
    `timezone: ${zone} is taken${country === null ? "" : ` because of the country ${country}`}; no file tells its zone`,
  );
  return zone;
}
