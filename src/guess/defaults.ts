/** The `defaults:` of a mapping, and the exceptions of single columns. */
import { compileConversion } from "../map/convert/conversion.js";
import { isEither, readNumber } from "../map/convert/number-text.js";
import type { Row } from "../model/row.js";
import {
  type Column,
  countriesOf,
  degrees,
  headersOf,
  isClockHeader,
  isPlain,
  kilograms,
  type Numbers,
  reader,
} from "./column.js";
import { isDate, languages, order, orderedBy, reads, yearFirst } from "./dates.js";
import type { Decisions } from "./decisions.js";
import type { GuessOptions } from "./draft.js";
import { ref } from "./parties.js";
import { Said, type Trees } from "./tree.js";
import { foldHeader, tellsTime, wordsOfCountry, zoneOf } from "./words.js";

/** Of databases, spreadsheets and R; NetSuite, Tableau, Looker; pivot tables and Power BI in several languages. */
const blankWords =
  "-|--|—|N/A|n/a|N/D|n/d|NULL|null|Null|(null)|[NULL]|<null>|<NULL>|\\N|NaN|nan|NaT|None|<NA>|#N/D|#N/A|#Deleted|- None -|∅|(blank)|(Blank)|(vazio)|(Vazio)|(Em branco)|(en blanco)|(En blanco)|(Leer)|(vide)".split(
    "|",
  );
/** Days that programs write where there is none: 0000-00-00, 01/01/0001, 01/01/1753, 30.12.1899, 01/01/1900, 31/12/9999. */
const emptyYears = "0000 0001 1753 1899 1900 2999 9999".split(" ");
const emptyDays = "00-00 01-01 12-30 12-31".split(" ");
/** A form without digits: __/__/____. */
const emptyForm = /^[_ ]*([-/.])[_ ]+\1[_ ]*$/;

/** 01/01/1970, where computers begin to count, is 31/12/1969 in America. */
const epoch = "1970-01-01 1969-12-31".split(" ");
/** Next to such years it may be a birthday. */
const LONG_AGO = /(?<!\d)19[0-8]\d(?!\d)/;

/** Such a day at midnight or its last moment, or that of the epoch. */
export function isEmptyDay(cell: string): boolean {
  const [day = "", time = "00:00"] = cell.split(/[T ]/);
  const [year = "", ...rest] = day.split(/[-/.]/).toSorted((one, other) => other.length - one.length);
  if (epoch.includes(`${year}-${rest.toSorted().join("-")}`)) return true;
  const isEdge = time.startsWith("00:00") || time.startsWith("23:59");
  return isEdge && emptyYears.includes(year) && emptyDays.includes(rest.toSorted().join("-"));
}

/** One in this many rows must hold such a word; a single one may be a mistake. */
const believed = 200;

/**
 * Blanks where the other cells of one of their columns, or of every one, are such texts; elsewhere they may be a number or a
 * code: SAP's empty date, no seconds since 1970, and a number that R or SAS does not have.
 */
const blankBeside: BlankWord[] = [
  { word: "00000000", where: "every", isOther: (cell) => /^(19|20)/.test(cell) && reads("yyyyMMdd", "en", cell) },
  { word: "0", where: "every", isOther: (cell) => /^1\d{9}(?:\d{3})?$/.test(cell), isAmount: true },
  { word: "NA", where: "some", isOther: (cell) => /^-?\d[-+\d.:, e]*$/.test(cell) },
  { word: ".", where: "some", isOther: (cell) => /^-?[.,]*\d[\d.,]*$/.test(cell) },
];

interface BlankWord {
  word: string;
  where: "some" | "every";
  isOther: (cell: string) => boolean;
  /** In a file with amounts, another column may have it as one, perhaps only in a later file. */
  isAmount?: true;
}

/** Of each column with the word the other cells. */
function besides(samples: readonly (readonly Row[])[], word: string): string[][] {
  const others = samples.flatMap((rows) => {
    const columns = new Set(rows.flatMap(({ cells }) => cells.flatMap((cell, at) => (cell === word ? at : []))));
    return [...columns].map((at) => rows.map(({ cells }) => cells[at] ?? ""));
  });
  return others
    .map((cells) => cells.filter((cell) => cell !== "" && cell !== word))
    .filter((cells) => cells.length > 0);
}

/** Texts for a blank in the tables' sampled rows. Always includes the empty text. */
export function guessBlank(samples: readonly (readonly Row[])[]): string[] {
  const rows = samples.flat();
  const counts = Map.groupBy(
    rows.flatMap((row) => row.cells.map((cell) => cell.trim())),
    (cell) => cell,
  );
  // Among times of day, the first day of a workbook's calendar is their midnight.
  const isNoDay = (cell: string) =>
    (isEmptyDay(cell) || emptyForm.test(cell)) &&
    besides(samples, cell).every(
      (cells) =>
        !cells.every((one) => /^(?:1900-01-01T)?\d\d:\d\d/.test(one)) &&
        !(/19[67]/.test(cell) && cells.some((one) => LONG_AGO.test(one) && !isEmptyDay(one))),
    );
  const found = blankWords.filter((word) => (counts.get(word)?.length ?? 0) > rows.length / believed);
  const hasAmounts = [...counts.keys()].some((cell) => /^-?[1-9]\d{0,7}([.,]\d+)?$/.test(cell));
  const beside = blankBeside.filter(({ word, where, isOther, isAmount = false }) => {
    if (isAmount && hasAmounts) return false;
    const columns = besides(samples, word);
    return columns.length > 0 && columns[where]((cells) => cells.every(isOther));
  });
  return ["", ...found, ...[...counts.keys()].filter(isNoDay).toSorted(), ...beside.map(({ word }) => word)];
}

/** Each country with the zone in which most people live. */
const zones = new Map([
  ["BR", "America/Sao_Paulo"],
  ["PT", "Europe/Lisbon"],
  ["ES", "Europe/Madrid"],
  ["AR", "America/Argentina/Buenos_Aires"],
  ["CL", "America/Santiago"],
  ["CO", "America/Bogota"],
  ["MX", "America/Mexico_City"],
  ["PE", "America/Lima"],
  ["EC", "America/Guayaquil"],
  ["DE", "Europe/Berlin"],
  ["FR", "Europe/Paris"],
  ["GB", "Europe/London"],
  ["IT", "Europe/Rome"],
  ["NL", "Europe/Amsterdam"],
  ["US", "America/New_York"],
  ["PL", "Europe/Warsaw"],
  ["IN", "Asia/Kolkata"],
  ["JP", "Asia/Tokyo"],
]);

/** States of Brazil that are not also states of the United States. */
const brazilian = /^(AC|AM|AP|BA|CE|DF|ES|GO|MG|PB|PE|PI|PR|RJ|RN|RO|RR|RS|SE|SP|TO)$/;

/** That of a column that names a single one. */
function countryIn(columns: readonly Column[]): string | undefined {
  const read = compileConversion({ name: "country" }, {});
  const named = columns.find(({ as, distinct }) => as === "country" && distinct.size === 1);
  const [cell] = named?.cells ?? [];
  return cell === undefined ? undefined : String(read(cell.text, cell.kind));
}

const isUf = ({ header }: Column) => foldHeader(header).split(" ").includes("uf");

/** What headers and states say: the best guess comes first. Provinces of Italy have letters of Brazil's states, so that only a `UF` is sure. */
function likelyCountries(columns: readonly Column[]) {
  const headers = columns.map(({ header }) => header);
  const told = new Set(headers.flatMap(countriesOf));
  const states = columns.filter(
    ({ as, distinct }) => as === "state" && [...distinct].some((one) => brazilian.test(one)),
  );
  const byStates = states.length === 0 ? 0 : states.some(isUf) ? 3 : 1.5;
  return [...zones.keys()].map((value) => {
    // Words are too little to decide.
    const spoken = Math.min(0.4, 0.1 * wordsOfCountry(value, headers));
    const score = spoken + (told.has(value) ? 1 : 0) + (value === "BR" ? byStates : 0);
    return { value, label: value, score };
  });
}

/** What columns are compared with. */
export interface Defaults {
  country: string;
  zone: string;
  formats: readonly string[];
  decimal: "," | ".";
}

/**
 * Decides for all columns together, because what one column proves is true of the others. `semicolons`: they delimit
 * cells, which suggests a decimal comma.
 */
export function settle(
  inputs: readonly { name: string; columns: readonly Column[] }[],
  semicolons: boolean,
  { country: asked, timezone }: GuessOptions,
  decisions: Decisions,
): Defaults & { tree: Trees } {
  const columns = inputs.flatMap((input) => input.columns);
  const dates = columns.filter((column) => column.dates);
  const numbers = columns.filter((column) => column.numbers);
  const question =
    "which country do tax ids, places and times belong to? The files do not say; --country sets any country.";
  const country =
    asked ??
    columns.find(({ ids }) => ids)?.ids?.country ??
    countryIn(columns) ??
    decisions.choose("country", question, likelyCountries(columns));
  for (const column of columns) if (column.as === "state" && country !== "BR" && !isUf(column)) column.as = "text";
  const tree: Trees = { country: new Said(country, decisions.take()) };
  const zone = timezone ?? settleZone(dates, columns, country, decisions);
  tree["timezone"] = new Said(zone, decisions.take());
  tellDoubts(columns, zone, decisions);
  for (const column of columns) settleYear(column, decisions);
  for (const input of inputs) settleOrder(input, country, decisions);
  // A time put together of columns knows the language of all only.
  const language = dates.find(({ clock }) => clock.length > 0)?.dates?.language;
  if (language !== undefined && language !== "en") {
    tree["language"] = language;
    for (const column of columns)
      if (column.as === "boolean" && !areBooleans(column.cells, language))
        column.options = { language: languages.find((one) => areBooleans(column.cells, one)) };
  }
  const common = commonFormats(columns);
  const formats = common.length === 0 ? ["ISO"] : common;
  if (dates.length > 0) tree["dates"] = new Said(formats, decisions.take());
  if (dates.some((column) => column.dates?.formats.some((format) => /(^|[^y])yy([^y]|$)/.test(format))))
    tree["twoDigitYears"] = new Said(true, [], "1961 to 2060");
  for (const column of numbers) settleUnit(column, decisions);
  const { decimal, grouping } = settleMarks(numbers, semicolons, decisions);
  if (numbers.length > 0) Object.assign(tree, { decimal: new Said(decimal, decisions.take()), grouping });
  return { tree, country, zone, formats, decimal };
}

function areBooleans(cells: Column["cells"], language: string) {
  return cells.every(reader({ name: "boolean", language }));
}

const zoneIn = ({ header, clock }: Column) => [header, ...clock.map((one) => one.header)].map(zoneOf).find(Boolean);

/** What headers say outweighs the country. */
function settleZone(dates: readonly Column[], columns: readonly Column[], country: string, decisions: Decisions) {
  const [said, ...others] = new Set(dates.map(zoneIn));
  if (said !== undefined && others.length === 0) return said;
  const zone = zones.get(country) ?? "UTC";
  if (dates.length === 0) return zone;
  const isOfZones = /\b(time ?zone|zeitzone|tz|zona horaria|fuseau|fuso( h?orari?o)?|utc|gmt|offset)\b/;
  const beside = columns.find(
    // There are no more offsets than this; an `offset` in a log counts its entries.
    ({ header, distinct }) => zoneOf(header) === undefined && distinct.size <= 40 && isOfZones.test(foldHeader(header)),
  );
  const joined = dates.find((one) => one.clock.length > 0 && zoneIn(one) !== undefined);
  const doubt =
    beside !== undefined
      ? `"${beside.header}" may say otherwise, but is not used for that`
      : joined !== undefined
        ? `"${joined.header}" and its hours are ${zoneIn(joined)}, and other times are not`
        : zones.has(country)
          ? null
          : `none is known for ${country}; set it with --timezone`;
  if (doubt !== null)
    decisions.choose("timezone", `which time zone do times belong to? ${doubt}.`, [{ value: zone, label: zone }]);
  else {
    const why = others.length === 0 ? "no file names a time zone" : "not every header names a time zone";
    decisions.notes.add(`timezone: ${zone} is assumed from the country ${country}; ${why}`);
  }
  return zone;
}

const DAY_LIKE = /^(?:(?:19|20)\d\d([-/.])\d\d?\1\d\d?|\d\d?([-/.])\d\d?\2(?:(?:19|20)\d\d|\d\d))(?!\d|[-/.]\d)/;

/** Whether its header or its cells speak of times, although the draft reads it otherwise. */
function mayBeTime(column: Column): boolean {
  const { header, hour, cells } = column;
  if (cells.length === 0 || !isPlain(column)) return false;
  const isTold = hour !== undefined || tellsTime(header) || isClockHeader(foldHeader(header));
  return isTold ? cells.some(({ text }) => /\d.*\d/.test(text)) : cells.every(({ text }) => DAY_LIKE.test(text));
}

/** What a person would notice in a column although no row shows it as a mistake. */
function tellDoubts(columns: readonly Column[], zone: string, { notes }: Decisions) {
  const joined = new Set(columns.flatMap(({ clock }) => clock));
  for (const column of columns) {
    const { header, as, dates, numbers, cells, clock } = column;
    if (mayBeTime(column) && !joined.has(column)) {
      const example = cells.find((cell) => !isDate(cell)) ?? cells[0];
      notes.add(
        `times: "${header}", such as ${JSON.stringify(example?.text)}, is read as ${as} and gives no event its time; if it is one, add its format to \`dates\` (other letters in single quotes: dd/MM/yyyy 'às' HH'h'mm), or join it to its day in a formula: timestamp(day + " " + time)`,
      );
    }
    const [beside] = clock;
    if (beside !== undefined && beside.role !== "time")
      notes.add(`times: "${beside.header}" is read as the time of day for "${header}"; if it is not, remove it there`);
    if (numbers !== undefined) {
      const { units } = numbers;
      const bare = cells.find(({ text }) => !/[\p{Letter}\p{Sc}%‰°]/u.test(text));
      // Nobody asks about the unit of a weight under "Weight (kg)".
      const isTold = units.every((unit) => header.toLowerCase().includes(`(${unit})`));
      if (bare !== undefined && !isTold)
        notes.add(
          `units: some numbers of "${header}" have a unit (${units.join(", ")}) and others have none, such as ${bare.text}, which is sent as it is`,
        );
    }
    const local = dates?.formats.filter((one) => !/^(ISO|UNIX|UNIX_MS)$|Z|z/.test(one)) ?? [];
    if (dates !== undefined && local.length > 0 && local.length < dates.formats.length)
      notes.add(`dates: some times of "${header}" have an offset (or Z); the others are read in the time zone ${zone}`);
  }
}

function settleMarks(columns: readonly Column[], semicolons: boolean, decisions: Decisions) {
  // Programs write degrees with a point, whatever their other numbers have.
  const open = columns.filter(({ role }) => !degrees.has(role));
  const sum = (mark: "," | ".") => open.reduce((all, { numbers }) => all + (numbers?.marks[mark] ?? 0), 0);
  const usual: "," | "." = sum(",") > sum(".") || (sum(",") === sum(".") && semicolons) ? "," : ".";
  const isProven = sum(",") + sum(".") > 0;
  const marked = open.map((column) => {
    const cells = column.cells.filter(({ kind, text }) => kind === "text" && /[.,]/.test(text));
    return { column, texts: cells.map(({ text }) => text) };
  });
  const doubtful = marked.filter(({ texts }) => texts.length > 0 && texts.every(isEither));
  // If nothing shows the decimal mark, either mark is as doubtful as the other.
  const [lone] = isProven ? [] : doubtful.flatMap(({ texts }) => texts.map((text) => (text.includes(",") ? "," : ".")));
  const other = lone ?? opposite(usual);
  const grouped = marked.flatMap(({ texts }) => texts.filter((text) => text.includes(other)));
  const read = grouped.map((text) => readNumber(text, opposite(other), false));
  const isSure = read.some((one) => typeof one === "object");
  const candidates = [
    { value: "thousand", label: "a thousand", score: isSure ? 2 : 0 },
    { value: "fraction", label: "a fraction", score: semicolons && other === "," ? 1 : 0 },
    { value: "mistake", label: "not a number: such cells are errors" },
  ];
  const where = doubtful.length === 0 ? "" : ` in ${headersOf(doubtful.map(({ column }) => column))}`;
  const samples = doubtful.flatMap(({ texts }) => texts.slice(0, 3));
  const meant = read.includes("ambiguous")
    ? decisions.choose("numbers", `what is 1${other}234${where}?`, candidates, samples)
    : null;
  const decimal = lone === undefined ? usual : meant === "fraction" ? lone : opposite(lone);
  for (const { column, texts } of meant === "fraction" && lone === undefined ? doubtful : [])
    if (texts[0]?.includes(other) === true && column.numbers !== undefined)
      column.numbers.marks = { ",": 0, ".": 0, [other]: 1 };
  const isAsked = meant !== null && decimal !== other;
  return { decimal, grouping: isAsked ? new Said(meant === "thousand", decisions.take()) : undefined };
}

const opposite = (mark: "," | "."): "," | "." => (mark === "," ? "." : ",");

/** Numbers of several units become one: that of the header, such as `Peso (t)`. */
function settleUnit({ header, numbers }: Column, decisions: Decisions) {
  if (numbers?.units.some((unit) => kilograms.has(unit)) !== true) return;
  const told = foldHeader(header)
    .split(" ")
    .find((word) => kilograms.has(word));
  const candidates = [...new Set(["kg", ...numbers.units])].map((unit) => ({ value: unit, label: unit }));
  const question = `in which unit should "${header}" be sent?`;
  if (told !== undefined || numbers.units.length > 1)
    numbers.into = told ?? decisions.choose(`unit.${header}`, question, candidates);
}

function settleYear({ header, dates }: Column, decisions: Decisions) {
  if (dates?.yearFirst === undefined) return;
  const { format, text } = dates.yearFirst;
  const [year, month, day] = text.match(/\d\d/g) ?? [];
  const chosen = decisions.choose(`year.${header}`, `what is ${text} in "${header}"?`, [
    { value: yearFirst(format), label: `20${year}-${month}-${day}`, why: "the first two digits vary less", score: 1 },
    { value: format, label: `20${day}-${month}-${year}` },
  ]);
  dates.formats = dates.formats.map((one) => (one === format ? chosen : one));
  if (chosen !== format) dates.first = null;
}

/** Certain columns decide day and month for the others of their input; if none is certain, or they differ, a person does. */
function settleOrder(
  { name, columns }: { name: string; columns: readonly Column[] },
  country: string,
  decisions: Decisions,
) {
  const dates = columns.flatMap((column) => column.dates ?? []);
  const doubtful = dates.filter(({ first }) => first === "either");
  if (doubtful.length === 0) return;
  const candidates = [
    { value: "day" as const, label: "day", why: "01/02 is 1 February" },
    { value: "month" as const, label: "month", why: "01/02 is 2 January", score: country === "US" ? 1 : 0 },
  ];
  const question = "which comes first in a date, day or month? No day is later than the 12th.";
  const [sure, rival] = candidates.filter(({ value }) => dates.some(({ first }) => first === value));
  const isProven = sure !== undefined && rival === undefined;
  const first = isProven ? sure.value : decisions.choose(`${name}.dates`, question, candidates);
  for (const one of doubtful) one.formats = orderedBy(first, one.formats);
}

/**
 * The formats of all columns and clocks. A format that reads another column's cells as other days stays with its own
 * column, as does one that fits any digits.
 */
function commonFormats(columns: readonly Column[]): string[] {
  const shape = (format: string) => format.replace(/[A-Za-z]/g, "#");
  const common: string[] = [];
  for (const { dates, clock } of columns)
    for (const day of dates?.language === undefined || clock.length > 0 ? (dates?.formats ?? []) : []) {
      const format = [day, ...clock.map(({ hour }) => hour)].join(" ");
      const clash = (other: string) =>
        shape(other) === shape(format) || new Set([order(other), order(format), null]).size === 3;
      if (!/^(UNIX|UNIX_MS|EXCEL)$/.test(day) && !common.some(clash)) common.push(format);
    }
  return common;
}

/** A column's type, and what differs from the defaults. */
export function ownOptions(column: Column, { country, zone, formats, decimal }: Defaults): Trees {
  const { as, dates, ids, numbers, clock, typeFrom, cells } = column;
  const abroad = (of: string) => (of === country ? undefined : of);
  if (as === "text" || clock.length > 0) return {};
  if (dates !== undefined) {
    const same = dates.language === undefined && dates.formats.every((format) => formats.includes(format));
    const own = zoneIn(column);
    const timezone = own === zone ? undefined : own;
    return { as, formats: same ? undefined : dates.formats, language: dates.language, timezone };
  }
  if (ids !== undefined) {
    const only = ids.types.length > 1 ? undefined : ids.types[0];
    return { as, type: typeFrom === undefined ? only : ref(typeFrom), country: abroad(ids.country) };
  }
  if (as === "state") return { as, country: abroad("BR") };
  if (numbers === undefined) return { as, ...column.options };
  const other = opposite(decimal);
  const own = numbers.marks[decimal] === 0 && numbers.marks[other] > 0 ? other : undefined;
  // A later file may come from another locale, where `1.250` is a thousand and not a fraction.
  const isInteger =
    numbers.whole && cells.every(({ kind }) => kind === "text") && cells.some(({ text }) => /\d{4}/.test(text));
  return { as: isInteger ? "integer" : as, units: unitsOf(numbers), decimal: own };
}

/** Factors that turn all units into one. */
function unitsOf({ units, into }: Numbers): Trees[string] {
  if (units.length === 0) return undefined;
  if (into === undefined || units.every((unit) => unit === into)) return units;
  const factor = (unit: string) => (kilograms.get(unit) ?? 1) / (kilograms.get(into) ?? 1);
  return Object.fromEntries([into, ...units].map((unit) => [unit, factor(unit)]));
}
