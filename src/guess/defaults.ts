/** The `defaults:` of a mapping: how values are written in all of its files, and what one column has of its own. */
import type { Row } from "../model/row.js";
import type { Column, Numbers } from "./column.js";
import { type Dates, order, orderedBy } from "./dates.js";
import { Block, type Decisions, type Flow } from "./decisions.js";
import type { GuessOptions } from "./draft.js";

export interface Written {
  block: Block;
  country: string;
  /** Options of a column that differ from the defaults. */
  numberOptions(type: Numbers): { [name: string]: Flow };
  dateOptions(type: Dates): { [name: string]: Flow };
}

/** Whole cells that people write for "nothing". */
const blankWords = ["-", "--", "—", "N/A", "n/a", "N/D", "n/d", "NULL", "null", "#N/D", "#N/A"];
/** One in so many rows must hold such a word before it is believed; a single one may be a mistake. */
const believed = 200;

/** The blank words of the files; always with the empty text. */
export function guessBlank(rows: readonly Row[]): string[] {
  const counts = new Map<string, number>();
  for (const { cells } of rows) for (const cell of cells) counts.set(cell.trim(), (counts.get(cell.trim()) ?? 0) + 1);
  return ["", ...blankWords.filter((word) => (counts.get(word) ?? 0) > rows.length / believed)];
}

/** Countries that are drafted for, each with the zone in which most of it lives. */
const zones: { [country: string]: string } = {
  BR: "America/Sao_Paulo",
  PT: "Europe/Lisbon",
  ES: "Europe/Madrid",
  AR: "America/Argentina/Buenos_Aires",
  CL: "America/Santiago",
  CO: "America/Bogota",
  MX: "America/Mexico_City",
  DE: "Europe/Berlin",
  FR: "Europe/Paris",
  US: "America/New_York",
};

/** Formats that a text of digits would always fit stay with their column. */
const ofDigits = /^(UNIX|UNIX_MS|EXCEL)$/;

/** Decides for all columns together: what one proves holds for its neighbours. `semicolons`: whether they delimit cells, as where the comma is a decimal mark. */
export function settle(
  columns: readonly Column[],
  blank: string[],
  semicolons: boolean,
  options: GuessOptions,
  decisions: Decisions,
): Written {
  const block = new Block([]);
  const types = columns.map(({ type }) => type);
  const told = options.country ?? types.flatMap((type) => (type.as === "taxId" ? [type.country] : []))[0];
  const countries = Object.keys(zones).map((value) => ({ value, label: value }));
  const country =
    told ??
    decisions.choose(
      "country",
      "which country are tax ids, places and times of? No file tells; --country says it.",
      countries,
      false,
    );
  block.add("country", country, { above: decisions.take() });
  const dates = columns.flatMap(({ type, clock }) => (type.as === "timestamp" ? [{ type, clock }] : []));
  const zone = options.timezone ?? zones[country] ?? "UTC";
  if (options.timezone === undefined && dates.length > 0)
    decisions.notes.add(`timezone: ${zone} is taken because of the country ${country}; no file tells its zone`);
  block.add("timezone", zone);
  settleOrder(
    dates.map(({ type }) => type),
    decisions,
  );
  const formats = commonFormats(dates);
  if (dates.length > 0) block.add("dates", formats.length === 0 ? ["ISO"] : formats, { above: decisions.take() });
  if (dates.some(({ type }) => type.formats.some((format) => /(^|[^y])yy([^y]|$)/.test(format))))
    block.add("twoDigitYears", true, { note: "1961 to 2060" });

  const numbers = types.flatMap((type) => (type.as === "number" ? [type] : []));
  const sum = (mark: "," | ".") => numbers.reduce((all, { marks }) => all + marks[mark], 0);
  const comma = sum(",") === sum(".") ? semicolons : sum(",") > sum(".");
  const [mark, other] = comma ? ([",", "."] as const) : ([".", ","] as const);
  if (numbers.length > 0) block.add("decimal", mark);
  if (numbers.some(({ doubtful }) => doubtful[mark] > 0)) {
    const choices = [true, false].map((value) => ({
      value,
      label: value ? "a thousand" : "no number: such cells are mistakes",
    }));
    const sure = numbers.some(({ grouped }) => grouped[mark] > 0);
    const value = decisions.choose("numbers", `what is 1${other}234?`, sure ? choices.slice(0, 1) : choices, sure);
    block.add("grouping", value, { above: decisions.take() });
  }
  block.add("blank", blank);
  return {
    block,
    country,
    numberOptions: ({ marks }): { [name: string]: Flow } =>
      marks[mark] === 0 && marks[other] > 0 ? { decimal: other } : {},
    dateOptions: ({ formats: own, language }): { [name: string]: Flow } => {
      if (language !== null) return { formats: own, language };
      return own.every((format) => formats.includes(format)) ? {} : { formats: own };
    },
  };
}

/** Day and month: the columns that are certain decide for the others; where none is, or they differ, a person does. */
function settleOrder(dates: readonly Dates[], decisions: Decisions): void {
  const doubtful = dates.filter(({ first }) => first === "either");
  const proofs = new Set(dates.map(({ first }) => first).filter((first) => first === "day" || first === "month"));
  if (doubtful.length === 0) return;
  const candidates = (["day", "month"] as const).map((value) => ({
    value,
    label: value,
    why: value === "day" ? "01/02 is 1 February" : "01/02 is 2 January",
  }));
  const [proof] = proofs;
  const question = "which comes first in a date? No day after the 12th tells.";
  const first =
    proof !== undefined && proofs.size === 1 ? proof : decisions.choose("dates", question, candidates, false);
  for (const type of doubtful) type.formats = orderedBy(first, type.formats);
}

/** The formats of all columns, with those of clocks; one that would read another's cells as other days stays with its column. */
function commonFormats(dates: readonly { type: Dates; clock: Column | null }[]): string[] {
  const shape = (format: string) => format.replace(/[A-Za-z]/g, "#");
  const common: string[] = [];
  for (const { type, clock } of dates)
    for (const day of type.language === null ? type.formats : []) {
      const format = clock?.type.as === "time" ? `${day} ${clock.type.format}` : day;
      const clash = (other: string) =>
        shape(other) === shape(format) || new Set([order(other), order(format), null]).size === 3;
      if (!ofDigits.test(day) && !common.some(clash)) common.push(format);
    }
  return common;
}
