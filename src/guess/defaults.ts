/** The `defaults:` of a mapping, and the exceptions of single columns. */
import { isEither, readNumber, Rounding } from "../map/convert/number-text.js";
import { listed } from "../model/fold.js";
import type { Row } from "../model/row.js";
import { type Column, kilograms } from "./column.js";
import { type Dates, order, orderedBy, yearFirst } from "./dates.js";
import type { Decisions } from "./decisions.js";
import type { GuessOptions } from "./draft.js";
import { ref } from "./parties.js";
import { Said, type Trees } from "./tree.js";
import { headerText } from "./words.js";

const blankWords = [
  ..."- -- — N/A n/a N/D n/d NULL null (null) \\N NaN nan NaT None <NA> #N/D #N/A 0000-00-00 00.00.0000".split(" "),
  "0000-00-00 00:00:00",
];
/** One in this many rows must hold such a word; a single one may be a mistake. */
const believed = 200;

/** SAP's empty date, where a column of days has it; elsewhere it may be a number or a code. */
const zeroDay = "00000000";
const realDay = /^(19|20)\d\d(0[1-9]|1[0-2])([0-2]\d|3[01])$/;

function isZeroDay(samples: readonly (readonly Row[])[]): boolean {
  const beside = samples.flatMap((rows) => {
    const columns = new Set(rows.flatMap(({ cells }) => cells.flatMap((cell, at) => (cell === zeroDay ? at : []))));
    return [...columns].flatMap((at) => rows.map(({ cells }) => cells[at] ?? ""));
  });
  const others = beside.filter((cell) => cell !== "" && cell !== zeroDay);
  return others.length > 0 && others.every((cell) => realDay.test(cell));
}

/** Of the tables' sampled rows. Always includes the empty text. */
export function guessBlank(samples: readonly (readonly Row[])[]): string[] {
  const rows = samples.flat();
  const cells = rows.flatMap((row) => row.cells.map((cell) => cell.trim()));
  const count = (word: string) => cells.filter((cell) => cell === word).length;
  const found = blankWords.filter((word) => count(word) > rows.length / believed);
  return ["", ...found, ...(isZeroDay(samples) ? [zeroDay] : [])];
}

/** Each country with the zone in which most people live. */
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

/**
 * Decides for all columns together, since one column's proof holds for its neighbours. `semicolons`: they delimit
 * cells, which suggests a decimal comma.
 */
export function settle(
  columns: readonly Column[],
  semicolons: boolean,
  { country: asked, timezone }: GuessOptions,
  decisions: Decisions,
): Trees {
  const types = columns.map(({ type }) => type);
  const dates = types.filter((type) => type.as === "timestamp");
  const numbers = columns.filter(({ type }) => type.as === "number");
  const known = asked ?? types.find((type) => type.as === "taxId")?.country;
  const question = "which country do tax ids, places and times belong to? No file says; set it with --country.";
  const countries = Object.keys(zones).map((value) => ({ value, label: value }));
  const country = known ?? decisions.choose("country", question, countries);
  const zone = timezone ?? zones[country] ?? "UTC";
  const defaults: Trees = { country: new Said(country, decisions.take()), timezone: zone };
  if (timezone === undefined && dates.length > 0)
    decisions.notes.add(`timezone: ${zone} is assumed from the country ${country}; ${zonesSaid(columns)}`);
  tellDoubts(columns, zone, decisions);
  for (const column of columns) settleYear(column, decisions);
  settleOrder(dates, decisions);
  const formats = commonFormats(columns);
  if (dates.length > 0) defaults["dates"] = new Said(formats.length === 0 ? ["ISO"] : formats, decisions.take());
  if (dates.some((type) => type.formats.some((format) => /(^|[^y])yy([^y]|$)/.test(format))))
    defaults["twoDigitYears"] = new Said(true, [], "1961 to 2060");
  if (numbers.length > 0) Object.assign(defaults, settleMarks(numbers, semicolons, decisions));
  return defaults;
}

function zonesSaid(columns: readonly Column[]): string {
  const said = columns.find(({ header }) => /\b(time ?zone|zeitzone|tz|fuso( horario)?)\b/.test(headerText(header)));
  if (said === undefined) return "no file names a time zone";
  return `"${said.header}" may say otherwise, and is not used for that`;
}

/** What a person would notice in a column, and no row shows as a mistake. */
function tellDoubts(columns: readonly Column[], zone: string, decisions: Decisions): void {
  for (const { header, type, cells, clock } of columns) {
    for (const { header: beside, role } of clock.slice(0, 1))
      if (role !== "time")
        decisions.notes.add(
          `times: "${beside}" is read as the time of day of "${header}"; if it is none, remove it there`,
        );
    const bare = cells.find(({ text }) => !/[\p{Letter}%‰°]/u.test(text));
    const units = type.as === "number" ? type.units.filter((unit) => unit === "%" || unit in kilograms) : [];
    // Of a weight under "Weight (kg)" nobody asks.
    const isTold = units.every((unit) => header.toLowerCase().includes(`(${unit})`));
    if (bare !== undefined && !isTold)
      decisions.notes.add(
        `units: some numbers of "${header}" have a unit (${units.join(", ")}) and others none, such as ${bare.text}, which is sent as it is`,
      );
    const local = type.as === "timestamp" ? type.formats.filter((one) => !/^(ISO|UNIX|UNIX_MS)$/.test(one)) : [];
    if (type.as === "timestamp" && local.length > 0 && local.length < type.formats.length)
      decisions.notes.add(
        `dates: some times of "${header}" have an offset (or Z); the others are read in the time zone ${zone}`,
      );
    if (type.as === "timestamp" && areSwapped(cells))
      decisions.notes.add(
        `dates: "${header}" holds dates up to the 12th of a month, and the others as texts; a spreadsheet may have swapped day and month of the dates`,
      );
    const rounding = new Rounding();
    for (const { text } of cells) rounding.see(text);
    if (rounding.example !== null) decisions.notes.add(`digits: ${rounding.said(header)}`);
  }
}

/** What a spreadsheet of another country makes of `2/13/2025` (a text) and `2/1/2025` (2 January). */
function areSwapped(cells: readonly Column["cells"][number][]): boolean {
  const [dates, texts] = ["date", "text"].map((kind) => cells.filter((cell) => cell.kind === kind));
  if (dates?.length === 0 || texts?.length === 0) return false;
  const isLate = ({ text }: { text: string }) =>
    text
      .split(/\D/)
      .slice(0, 2)
      .some((part) => Number(part) > 12);
  return dates?.every(({ text }) => Number(text.slice(8, 10)) <= 12) === true && texts?.every(isLate) === true;
}

function settleMarks(columns: readonly Column[], semicolons: boolean, decisions: Decisions): Trees {
  const sum = (mark: "," | ".") =>
    columns.reduce((all, { type }) => all + (type.as === "number" ? type.marks[mark] : 0), 0);
  const decimal = sum(",") > sum(".") || (sum(",") === sum(".") && semicolons) ? "," : ".";
  const other = decimal === "," ? "." : ",";
  const marked = columns.map((column) => {
    const cells = column.cells.filter(({ kind, text }) => kind === "text" && /[.,]/.test(text));
    return { column, texts: cells.map(({ text }) => text) };
  });
  const doubtful = marked.filter(({ texts }) => texts.length > 0 && texts.every(isEither));
  const read = marked.flatMap(({ texts }) =>
    texts.filter((text) => text.includes(other)).map((text) => readNumber(text, decimal, false)),
  );
  const called = doubtful.map(({ column }) => `"${column.header}"`);
  const isSure = read.some((one) => typeof one === "object");
  const candidates = [
    { value: "thousand", label: "a thousand", score: isSure ? 2 : 0 },
    { value: "fraction", label: "a fraction" },
    { value: "mistake", label: "not a number: such cells are errors" },
  ];
  const where = called.length === 0 ? "" : ` in ${listed(called, 5)}`;
  const samples = doubtful.flatMap(({ texts }) => texts.slice(0, 3));
  const meant = read.includes("ambiguous")
    ? decisions.choose("numbers", `what is 1${other}234${where}?`, candidates, samples)
    : null;
  for (const { column, texts } of doubtful) {
    const isGroup = texts[0]?.includes(other) === true;
    if (meant === "fraction" && isGroup && column.type.as === "number")
      column.type.marks = { ",": 0, ".": 0, [other]: 1 };
    if (isGroup && !isSure) continue;
    const how = isGroup ? "a thousand" : "a fraction";
    decisions.notes.add(
      `numbers: all of "${column.header}" with a mark are like ${texts[0]}, read as ${how}; give it a \`decimal\` of its own if that is wrong`,
    );
  }
  if (meant === null) return { decimal };
  return { decimal, grouping: new Said(meant === "thousand", decisions.take()) };
}

function settleYear({ header, type }: Column, decisions: Decisions): void {
  if (type.as !== "timestamp" || type.yearFirst === undefined) return;
  const { format, text } = type.yearFirst;
  const [year, month, day] = text.split(/\D/);
  const chosen = decisions.choose(`year.${header}`, `what is ${text} in "${header}"?`, [
    { value: yearFirst(format), label: `20${year}-${month}-${day}`, why: "the first two digits vary less", score: 1 },
    { value: format, label: `20${day}-${month}-${year}` },
  ]);
  type.formats = type.formats.map((one) => (one === format ? chosen : one));
  if (chosen !== format) type.first = null;
}

/** Certain columns decide day and month for the others; if none is certain, or they differ, a person does. */
function settleOrder(dates: readonly Dates[], decisions: Decisions): void {
  const doubtful = dates.filter(({ first }) => first === "either");
  if (doubtful.length === 0) return;
  const candidates = [
    { value: "day" as const, label: "day", why: "01/02 is 1 February" },
    { value: "month" as const, label: "month", why: "01/02 is 2 January" },
  ];
  const proven = candidates.filter(({ value }) => dates.some(({ first }) => first === value));
  const question = "which comes first in a date, day or month? No day is after the 12th.";
  const first = proven.length === 1 ? proven[0]?.value : decisions.choose("dates", question, candidates);
  for (const type of doubtful) type.formats = orderedBy(first ?? null, type.formats);
}

/**
 * The formats of all columns and clocks. A format that reads another column's cells as other days stays with its own
 * column, as does one that fits any digits.
 */
function commonFormats(columns: readonly Column[]): string[] {
  const shape = (format: string) => format.replace(/[A-Za-z]/g, "#");
  const common: string[] = [];
  for (const { type, clock } of columns)
    for (const day of type.as === "timestamp" && type.language === undefined ? type.formats : []) {
      const format = [day, ...clock.map((one) => (one.type.as === "text" ? one.type.clock : ""))].join(" ");
      const clash = (other: string) =>
        shape(other) === shape(format) || new Set([order(other), order(format), null]).size === 3;
      if (!/^(UNIX|UNIX_MS|EXCEL)$/.test(day) && !common.some(clash)) common.push(format);
    }
  return common;
}

/** A column's type, and what differs from the defaults. */
export function ownOptions({ type, clock, typeFrom }: Column, defaults: Trees): Trees {
  const value = (name: string) => {
    const said = defaults[name];
    return said instanceof Said ? said.value : said;
  };
  if (type.as === "text" || clock.length > 0) return {};
  if (type.as === "timestamp") {
    const dates = value("dates") as string[];
    const same = type.language === undefined && type.formats.every((format) => dates.includes(format));
    return { as: type.as, formats: same ? undefined : type.formats, language: type.language };
  }
  const abroad = (country: string) => (country === value("country") ? undefined : country);
  if (type.as === "taxId")
    return {
      as: type.as,
      type: typeFrom !== undefined ? ref(typeFrom) : type.types.length > 1 ? undefined : type.types[0],
      country: abroad(type.country),
    };
  if (type.as === "state") return { as: type.as, country: abroad("BR") };
  if (type.as !== "number") return { as: type.as, ...type.options };
  const decimal = value("decimal") as "," | ".";
  const other = decimal === "," ? "." : ",";
  const own = type.marks[decimal] === 0 && type.marks[other] > 0 ? other : undefined;
  return { as: type.as, units: unitsOf(type.units), decimal: own };
}

/** Factors that turn all units into one. */
function unitsOf(units: readonly string[]): Trees[string] {
  if (units.length < 2) return units.length === 0 ? undefined : units;
  return Object.fromEntries(["kg", ...units].map((unit) => [unit, kilograms[unit] ?? 1]));
}
