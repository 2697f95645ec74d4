/** The `defaults:` of a mapping, and the exceptions of single columns. */
import { compileConversion } from "../map/convert/conversion.js";
import { isEither, readNumber, Rounding } from "../map/convert/number-text.js";
import { listed } from "../model/fold.js";
import type { Row } from "../model/row.js";
import { type Column, kilograms, reader } from "./column.js";
import { type Dates, languages, order, orderedBy, reads, yearFirst } from "./dates.js";
import type { Decisions } from "./decisions.js";
import type { GuessOptions } from "./draft.js";
import { ref } from "./parties.js";
import { Said, type Trees } from "./tree.js";
import { foldWords } from "../map/convert/text.js";

const blankWords = [
  ..."- -- — N/A n/a N/D n/d NULL null (null) \\N NaN nan NaT None <NA> #N/D #N/A 0000-00-00 00.00.0000".split(" "),
  "0000-00-00 00:00:00",
];
/** One in this many rows must hold such a word; a single one may be a mistake. */
const believed = 200;

/** SAP's empty date, where a column of days has it; elsewhere it may be a number or a code. */
const zeroDay = "00000000";

function isZeroDay(samples: readonly (readonly Row[])[]) {
  const beside = samples.flatMap((rows) => {
    const columns = new Set(rows.flatMap(({ cells }) => cells.flatMap((cell, at) => (cell === zeroDay ? at : []))));
    return [...columns].flatMap((at) => rows.map(({ cells }) => cells[at] ?? ""));
  });
  const others = beside.filter((cell) => cell !== "" && cell !== zeroDay);
  return others.length > 0 && others.every((cell) => /^(19|20)/.test(cell) && reads("yyyyMMdd", "en", cell));
}

/** Of the tables' sampled rows. Always includes the empty text. */
export function guessBlank(samples: readonly (readonly Row[])[]): string[] {
  const rows = samples.flat();
  const counts = Map.groupBy(
    rows.flatMap((row) => row.cells.map((cell) => cell.trim())),
    (cell) => cell,
  );
  const found = blankWords.filter((word) => (counts.get(word)?.length ?? 0) > rows.length / believed);
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
  GB: "Europe/London",
  IT: "Europe/Rome",
  US: "America/New_York",
};

/** Words of headers that speak for a country, where nothing else does. */
const spoken: { [country: string]: RegExp } = {
  BR: /\b(data|emissao|peso|pedido|nome|cidade|valor|hora|placa)\b/g,
  ES: /\b(fecha|importe|albaran|proveedor|provincia|nombre|cantidad|folio)\b/g,
  DE: /\b(datum|betrag|menge|kunde|firma|\w*nummer|\w*datum|\w*tag|uhrzeit|wahrung|werk|ort)\b/g,
  FR: /\b(montant|quantite|fournisseur|ville|poids|heure|societe|adresse|siret|siren|raison|dechet|statut)\b/g,
  US: /\b(date|order|customer|amount|weight|city|state|name|time|when|quantity|qty|status|batch|product|shipping|at|on|by|of)\b/g,
};

/** Too little to decide. */
const likeness = (country: string, headers: string) =>
  Math.min(0.4, 0.1 * (headers.match(spoken[country] ?? /$^/g)?.length ?? 0));

/** States of Brazil that are none of the United States. */
const brazilian = /^(AC|AM|AP|BA|CE|DF|ES|GO|MG|PB|PE|PI|PR|RJ|RN|RO|RR|RS|SE|SP|TO)$/;

/** That of a column that names a single one, or of its states. */
function countryIn(columns: readonly Column[]): string | undefined {
  if (columns.some(({ type, distinct }) => type.as === "state" && [...distinct].some((one) => brazilian.test(one))))
    return "BR";
  const read = compileConversion({ name: "country" }, {});
  const named = columns.find(({ type, distinct }) => type.as === "country" && distinct.size === 1);
  const [cell] = named?.cells ?? [];
  return cell === undefined ? undefined : String(read(cell.text, cell.kind));
}

/** What columns are compared with. */
export interface Defaults {
  country: string;
  formats: readonly string[];
  decimal: "," | ".";
}

/**
 * Decides for all columns together, since one column's proof holds for its neighbours. `semicolons`: they delimit
 * cells, which suggests a decimal comma.
 */
export function settle(
  columns: readonly Column[],
  semicolons: boolean,
  { country: asked, timezone }: GuessOptions,
  decisions: Decisions,
): Defaults & { tree: Trees } {
  const types = columns.map(({ type }) => type);
  const dates = types.filter((type) => type.as === "timestamp");
  const numbers = columns.filter(({ type }) => type.as === "number");
  const question = "which country do tax ids, places and times belong to? No file says; set it with --country.";
  const headers = columns.map(({ header }) => foldWords(header)).join(" ");
  const countries = Object.keys(zones).map((value) => ({ value, label: value, score: likeness(value, headers) }));
  const country =
    asked ??
    types.find((type) => type.as === "taxId")?.country ??
    countryIn(columns) ??
    decisions.choose("country", question, countries);
  const zone = timezone ?? zones[country] ?? "UTC";
  const tree: Trees = { country: new Said(country, decisions.take()), timezone: zone };
  if (timezone === undefined && dates.length > 0)
    decisions.notes.add(`timezone: ${zone} is assumed from the country ${country}; ${zonesSaid(columns)}`);
  tellDoubts(columns, zone, decisions);
  for (const column of columns) settleYear(column, decisions);
  settleOrder(dates, decisions);
  // A time put together of columns knows the language of all only.
  const language = columns.flatMap(({ type, clock }) =>
    type.as === "timestamp" && clock.length > 0 ? type.language : [],
  )[0];
  if (language !== undefined && language !== "en") {
    tree["language"] = language;
    for (const { type, cells } of columns)
      if (type.as === "boolean" && !areBooleans(cells, language))
        type.options = { language: languages.find((one) => areBooleans(cells, one)) };
  }
  const common = commonFormats(columns);
  const formats = common.length === 0 ? ["ISO"] : common;
  if (dates.length > 0) tree["dates"] = new Said(formats, decisions.take());
  if (dates.some((type) => type.formats.some((format) => /(^|[^y])yy([^y]|$)/.test(format))))
    tree["twoDigitYears"] = new Said(true, [], "1961 to 2060");
  const { decimal, grouping } = settleMarks(numbers, semicolons, decisions);
  if (numbers.length > 0) Object.assign(tree, { decimal, grouping });
  return { tree, country, formats, decimal };
}

function areBooleans(cells: Column["cells"], language: string) {
  return cells.every(reader({ name: "boolean", language }));
}

function zonesSaid(columns: readonly Column[]) {
  const said = columns.find(({ header }) =>
    /\b(time ?zone|zeitzone|tz|zona horaria|fuseau|fuso( h?orari?o)?)\b/.test(foldWords(header)),
  );
  if (said === undefined) return "no file names a time zone";
  return `"${said.header}" may say otherwise, and is not used for that`;
}

/** What a person would notice in a column, and no row shows as a mistake. */
function tellDoubts(columns: readonly Column[], zone: string, { notes }: Decisions) {
  for (const { header, type, cells, clock } of columns) {
    const [beside] = clock;
    if (beside !== undefined && beside.role !== "time")
      notes.add(`times: "${beside.header}" is read as the time of day of "${header}"; if it is none, remove it there`);
    const rounding = new Rounding();
    for (const { text } of cells) rounding.see(text);
    if (rounding.example !== null) notes.add(`digits: ${rounding.said(header)}`);
    if (type.as === "number") {
      const bare = cells.find(({ text }) => !/[\p{Letter}%‰°]/u.test(text));
      const units = type.units.filter((unit) => unit === "%" || unit in kilograms);
      // Of a weight under "Weight (kg)" nobody asks.
      const isTold = units.every((unit) => header.toLowerCase().includes(`(${unit})`));
      if (bare !== undefined && !isTold)
        notes.add(
          `units: some numbers of "${header}" have a unit (${units.join(", ")}) and others none, such as ${bare.text}, which is sent as it is`,
        );
    }
    if (type.as !== "timestamp") continue;
    const local = type.formats.filter((one) => !/^(ISO|UNIX|UNIX_MS)$|Z|z/.test(one)).length;
    if (local > 0 && local < type.formats.length)
      notes.add(`dates: some times of "${header}" have an offset (or Z); the others are read in the time zone ${zone}`);
    if (areSwapped(cells))
      notes.add(
        `dates: "${header}" holds dates up to the 12th of a month, and the others as texts; a spreadsheet may have swapped day and month of the dates`,
      );
  }
}

/** What a spreadsheet of another country makes of `2/13/2025` (a text) and `2/1/2025` (2 January). */
function areSwapped(cells: Column["cells"]) {
  const { date = [], text = [] } = Object.groupBy(cells, ({ kind }) => kind);
  const isLate = (parts: string[]) => parts.some((part) => Number(part) > 12);
  return (
    date.length > 0 &&
    text.length > 0 &&
    date.every((cell) => !isLate([cell.text.slice(8, 10)])) &&
    text.every((cell) => isLate(cell.text.split(/\D/).slice(0, 2)))
  );
}

function settleMarks(columns: readonly Column[], semicolons: boolean, decisions: Decisions) {
  const sum = (mark: "," | ".") =>
    columns.reduce((all, { type }) => all + (type.as === "number" ? type.marks[mark] : 0), 0);
  const decimal: "," | "." = sum(",") > sum(".") || (sum(",") === sum(".") && semicolons) ? "," : ".";
  const other = decimal === "," ? "." : ",";
  const marked = columns.map((column) => {
    const cells = column.cells.filter(({ kind, text }) => kind === "text" && /[.,]/.test(text));
    return { column, texts: cells.map(({ text }) => text) };
  });
  const doubtful = marked.filter(({ texts }) => texts.length > 0 && texts.every(isEither));
  const grouped = marked.flatMap(({ texts }) => texts.filter((text) => text.includes(other)));
  const read = grouped.map((text) => readNumber(text, decimal, false));
  const isSure = read.some((one) => typeof one === "object");
  const candidates = [
    { value: "thousand", label: "a thousand", score: isSure ? 2 : 0 },
    { value: "fraction", label: "a fraction" },
    { value: "mistake", label: "not a number: such cells are errors" },
  ];
  const called = doubtful.map(({ column }) => `"${column.header}"`);
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
  return {
    decimal,
    grouping: meant === null ? undefined : new Said(meant === "thousand", decisions.take()),
  };
}

function settleYear({ header, type }: Column, decisions: Decisions) {
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
function settleOrder(dates: readonly Dates[], decisions: Decisions) {
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
    for (const day of type.as === "timestamp" && (type.language === undefined || clock.length > 0)
      ? type.formats
      : []) {
      const format = [day, ...clock.map((one) => (one.type.as === "text" ? one.type.clock : ""))].join(" ");
      const clash = (other: string) =>
        shape(other) === shape(format) || new Set([order(other), order(format), null]).size === 3;
      if (!/^(UNIX|UNIX_MS|EXCEL)$/.test(day) && !common.some(clash)) common.push(format);
    }
  return common;
}

/** A column's type, and what differs from the defaults. */
export function ownOptions({ type, clock, typeFrom }: Column, { country, formats, decimal }: Defaults): Trees {
  const { as } = type;
  const abroad = (of: string) => (of === country ? undefined : of);
  if (as === "text" || clock.length > 0) return {};
  if (as === "timestamp") {
    const same = type.language === undefined && type.formats.every((format) => formats.includes(format));
    return { as, formats: same ? undefined : type.formats, language: type.language };
  }
  if (as === "taxId") {
    const only = type.types.length > 1 ? undefined : type.types[0];
    return { as, type: typeFrom === undefined ? only : ref(typeFrom), country: abroad(type.country) };
  }
  if (as === "state") return { as, country: abroad("BR") };
  if (as !== "number") return { as, ...type.options };
  const other = decimal === "," ? "." : ",";
  const own = type.marks[decimal] === 0 && type.marks[other] > 0 ? other : undefined;
  return { as, units: unitsOf(type.units), decimal: own };
}

/** Factors that turn all units into one. */
function unitsOf(units: readonly string[]): Trees[string] {
  if (units.length < 2) return units.length === 0 ? undefined : units;
  return Object.fromEntries(["kg", ...units].map((unit) => [unit, kilograms[unit] ?? 1]));
}
