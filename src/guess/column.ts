/**
 * What each column holds, as far as a sample shows. The mapping's converters are the evidence; nothing here reads a
 * cell by itself.
 */
import { type Conversion, compileConversion } from "../map/convert/conversion.js";
import { Refused } from "../map/convert/conversion-kind.js";
import { percentage } from "../map/column/column.js";
import { readNumber } from "../map/convert/number-text.js";
import { asSeen } from "../map/convert/text.js";
import { foldName, listed, shorten, squeeze } from "../model/fold.js";
import { type CellKind, type Row, shownUnit } from "../model/row.js";
import { type Dates, datesOf, instantOf, reads } from "./dates.js";
import type { Trees } from "./tree.js";
import { foldHeader, isAhead, nameOf, qualifiersOf, type Role, roleOf, sameStem, tellsTime } from "./words.js";

export interface Cell {
  row: number;
  text: string;
  kind: CellKind;
}

export interface Numbers {
  /** Cells that only one decimal mark can read. */
  marks: { ",": number; ".": number };
  units: string[];
  /** The unit that they are turned into; undefined: there is none, or only one. */
  into?: string;
  /** Whole and ungrouped numbers: a count or a code rather than a measure. */
  whole: boolean;
}

/** What a column's cells are: at most one of the rest says how to read them. */
export interface Type {
  as: "timestamp" | "number" | "taxId" | "boolean" | "state" | "country" | "digits" | "text";
  dates?: Dates;
  numbers?: Numbers;
  ids?: { country: string; types: string[] };
  options?: Trees;
  /** The format of a time of day, which is text. */
  hour?: string;
  /** Why it is text. */
  why?: string | undefined;
  /** The share of the filled cells that can be read; undefined: all. */
  fits?: number;
}

export interface Column extends Type {
  name: string;
  header: string;
  index: number;
  /** `1 of 2` for a repeated header. */
  nth: string | undefined;
  role: Role | null;
  cells: Cell[];
  /** Each row's text in a form in which equal things are equal; "": blank. */
  values: string[];
  distinct: ReadonlySet<string>;
  /** The share of rows in which it is filled. */
  filled: number;
  /** The columns next to a date with its time of day, and with AM or PM. */
  clock: readonly Column[];
  typeFrom?: Column;
  /** The two columns that this one combines: CPF and CNPJ of one party. */
  either?: readonly [Column, Column];
  /** Its text matters too, because totals have their words in it. */
  said?: boolean;
}

/** The share of filled cells that must fit; the rest may be mistakes. */
const enough = 0.8;
/** The same for tax ids under a header that says so: their check digits leave no doubt about those that fit. */
const enoughIds = 0.5;
/** In all columns together. */
const MOST_CELLS = 1_000_000;

/** YAML allows no name of more than 1,024 characters, and a blank header names nothing. */
export const isUsable = (header: string) => foldName(header) !== "" && header.length <= 500;

/** `values` and `cells` of a column, and what follows from them. */
export function filledWith(values: string[], cells: Cell[]): Pick<Column, "values" | "cells" | "distinct" | "filled"> {
  const distinct = new Set(values.filter((value) => value !== ""));
  return { values, cells, distinct, filled: cells.length / Math.max(1, values.length) };
}

export interface Given {
  blank: ReadonlySet<string>;
  country: string | undefined;
  now: number;
}

export function profile(header: readonly string[], rows: readonly Row[], given: Given): Column[] {
  const { blank, country, now } = given;
  const seen = rows.slice(0, Math.max(50, MOST_CELLS / header.length));
  const twins = Map.groupBy(header.keys(), (index) => squeeze(header[index] ?? ""));
  const names = new Set<string>();
  const columns = header.flatMap((text, index): Column[] => {
    if (!isUsable(text)) return [];
    const same = twins.get(squeeze(text)) ?? [];
    const shownUnits = seen.flatMap(({ looks }) => shownUnit(looks?.[index]) ?? []);
    const units = new Set(shownUnits.filter((unit) => !SCALE.test(unit)));
    const read = (inUnits: boolean) => {
      const cells = seen.flatMap(({ cells: all, kinds, looks }, row): Cell[] => {
        const shown = inUnits ? looks?.[index]?.shown : undefined;
        const cell = asSeen(shown ?? all[index] ?? "").trim();
        const kind = kinds?.[index] ?? "text";
        if (blank.has(cell) || kind === "error") return [];
        return [kind === "percent" ? { row, text: percentage(cell), kind: "number" } : { row, text: cell, kind }];
      });
      return { cells, type: typeOf(cells, text, given) };
    };
    const bare = read(false);
    // The next file may show another unit, which would be refused if this one were named. `"OS "0` shows a document
    // number.
    const shown = units.size > 1 || (units.size === 1 && bare.type.numbers) ? read(true) : bare;
    const { cells, type } = units.size > 1 || shown.type.numbers ? shown : bare;
    const role = type.dates && (isAhead(text) || isLate(cells, type.dates, now)) ? "personal" : roleOf(text);
    const values = seen.map(() => "");
    for (const { row, text: cell } of cells)
      values[row] = type.ids ? cell.replace(/[^\p{L}\p{N}]/gu, "") : squeeze(cell);
    const nth = same.length > 1 ? `${same.indexOf(index) + 1} of ${same.length}` : undefined;
    const name = nameOf(text, `column_${index + 1}`, names);
    return [{ name, header: text, index, nth, role, clock: [], ...type, ...filledWith(values, cells) }];
  });
  joinClocks(columns);
  for (const column of columns) {
    if (column.role === "numbered") column.role = isOfHouse(column, columns) ? "number" : "code";
    // A `Vorgang` may be a case as well as what happened to it.
    if (column.role === "eventType" && column.distinct.size > MOST_WORDS && isCoded(column)) column.role = "document";
    // `Tipo Documento; Nº Documento`, of many countries or of one whose check digits are not known here.
    const before = columns.find(({ index }) => index === column.index - 1);
    const ofParty = before?.role === "taxIdType" && ![...before.distinct].some((word) => roleOf(word) === "document");
    if (ofParty && column.role === "document" && column.as === "text") column.role = "taxId";
    if (column.role === "placeName" && share(column.cells, ({ text: cell }) => MEASURE.test(cell)) >= enough / 2)
      column.role = "unit";
    // The number of IBGE, or of a district, is no name of a city.
    if (column.role === "city" && column.cells.every(({ text: cell }) => /^\d+$/.test(cell))) column.role = "code";
    if (column.role === "stateOrStatus") column.role = isOfCountry(column, columns, country) ? "state" : "status";
  }
  return columns;
}

/** `mg/L`: an `Unidade` that is not a place. */
export const MEASURE = /^(%|°C|[km]?g|t|ton|m?l|[ck]?m|m[23²³]|un|und|pcs?|pç|cx|kwh|\S{1,4}\/.{1,9})$/iu;

/** More different words are not words of events. */
export const MOST_WORDS = 25;

/** Values such as `LS-1001`, not words. */
export const isCoded = ({ distinct }: Column): boolean =>
  [...distinct].every((value) => /^[\p{Letter}._/-]{0,12}\d[\p{Letter}\d._/:-]*$/u.test(value));

/** `"Data", "Hora" and 3 more`. */
export const headersOf = (columns: readonly Pick<Column, "header">[], most = 5): string =>
  listed(
    columns.map(({ header }) => `"${shorten(header)}"`),
    most,
  );

/** Text or numbers, which may name something. */
export const isPlain = ({ as }: Column): boolean => as === "text" || as === "number";

export const areDigits = ({ cells }: Column): boolean => cells.every(({ text }) => /^\d+$/.test(text));

/** `88000.0`: pandas writes ids this way if one of them is missing, and as `88000` in the next file. Versions are
 * shorter. */
export const areFloats = ({ cells }: Column): boolean =>
  cells.every(({ text: cell }) => /^\d+\.0$/.test(cell)) && cells.some(({ text: cell }) => cell.length > 5);

/** Whether a `Num` is a number in a street; else it is the document's. */
function isOfHouse(column: Column, columns: readonly Column[]) {
  const { cells, values, index } = column;
  const street = columns.find(({ role }) => role === "street");
  const isOne = ({ text: cell }: Cell) => /^(\d{1,5}([ /-]{0,3}\d{1,4})? ?\p{L}?|s ?[/.]? ?n\.?[º°]?)$/iu.test(cell);
  if (street === undefined || street.index > index + 1 || share(cells, isOne) < enough) return false;
  const beside = columns.find((one) => one.index === index + 1)?.role ?? "";
  if (street.index === index - 1 && ["complement", "neighborhood", "zipCode", "city"].includes(beside)) return true;
  const placing = columns.filter(({ role, ids }) => ids || role === "street" || role === "city");
  const places = Map.groupBy(values.keys(), (row) => placing.map((one) => one.values[row]).join("\n"));
  return agree(places, column) ?? street.index === index - 1;
}

/** Whether an `Estado` belongs to a place; else it belongs to the document. */
function isOfCountry(column: Column, columns: readonly Column[], asked: string | undefined) {
  const isState = reader({ name: "state", country: "BR" });
  const found = columns.find(({ ids }) => ids)?.ids?.country;
  if ((asked ?? found) === "BR" || column.as === "state") return share(column.cells, isState) >= enough / 2;
  const city = columns.find(({ role }) => role === "city");
  const isDone = share(column.cells, ({ text: cell }) => /([ai]d[oa]|nt[ei]|tiv[oa])$/i.test(cell)) > enough / 2;
  // One value for all cities may be either.
  return (city === undefined || column.distinct.size === 1 ? null : agree(groupsOf(city), column)) ?? !isDone;
}

const text = (why?: string): Type => ({ as: "text", why });

function share(cells: readonly Cell[], fits: (cell: Cell) => boolean) {
  return cells.filter(fits).length / Math.max(1, cells.length);
}

/**
 * Formats of a time of day: `8:30`, `08:30:00`, `08:30:00.123`, `8:30 pm`, `8.30 pm`, `8h30`, `8.30 Uhr`; under a header
 * that says so also `083000`, `8.30`, `08.30.00`, `8.30 hs`. None may become a number, whose mark would count for all others.
 */
const clocks = "H:mm,H:mm:ss,H:mm:ss.u,h:mm a,h:mm:ss a,h.mm a,h.mma,H'h'mm,H:mm'h',H:mm 'Uhr',H.mm 'Uhr'".split(",");
const bareClocks = ["HHmm", "HHmmss", "H.mm", "H.mm.ss", "H.mm 'hs'"];

const readsClock = (clock: string, { text: cell }: Cell) => reads(`yyyy-MM-dd ${clock}`, "en", `2000-01-01 ${cell}`);

export const isClockHeader = (folded: string): boolean =>
  /\b(hora|time|uhrzeit|zeit|heure)\b/.test(folded) && !/\b(date|data|datum|fecha)\b/.test(folded);

function clockOf(cells: readonly Cell[], header: string): string | undefined {
  const isRead = (clock: string) => share(cells, (cell) => readsClock(clock, cell)) >= enough;
  return [...clocks, ...(isClockHeader(header) ? bareClocks : [])].find(isRead);
}

/** Each row's time, in ms since 1970, as if it were UTC, and without what a column beside it says. */
export function instantsOf(cells: readonly Cell[], { formats, language }: Dates): Map<number, number> {
  const forms = formats.length === 0 ? ["ISO"] : formats;
  return new Map(
    cells.flatMap((cell) => {
      const read = forms.flatMap((form) => instantOf(form, language, cell) ?? []);
      return read[0] === undefined ? [] : [[cell.row, read[0]] as const];
    }),
  );
}

export const DAY = 86_400_000;
/** A rarer day after today may be a slip. */
const slips = 50;

/** Whether days after today are usual: then the other days may not have happened either. */
function isLate(cells: readonly Cell[], dates: Dates, now: number): boolean {
  if (dates.yearFirst !== undefined) return false;
  // Clocks of the east are ahead of UTC.
  const late = [...instantsOf(cells, dates).values()].filter((instant) => instant > now + DAY);
  return late.length * slips > cells.length;
}

/** Values in such columns are not quantities, whatever digits they have: `3M`, `100 Main St`. */
const naming = new Set<Role | null>(["name", "street", "city", "neighborhood", "placeName", "complement"]);

/** Tries types from the most certain to the least. */
function typeOf(cells: readonly Cell[], header: string, { country, now }: Given): Type {
  const role = roleOf(header);
  if (cells.length === 0) return text("no cell is filled");
  const clock = clockOf(cells, foldHeader(header));
  if (clock !== undefined && role === "duration") return text("a duration");
  if (clock !== undefined) return { as: "text", why: "a time of day", hour: clock };
  if (role === "zipCode" && cells.every((cell) => /^'?\d{2}\.?\d{3}-?\d{3}$/.test(cell.text)))
    return { as: "digits", options: { length: 8 } };
  if (role === "phone" || role === "zipCode") return text("digits, but not a quantity");
  const id = taxIds(cells, country, foldHeader(header));
  if (id !== null) return id;
  // Invoices 20250101 to 20250131 of a `Factuurnummer` are no days of January.
  const isNumber = isNumbering(header);
  const told = tellsTime(header) ? "yes" : role === null && !isNumber ? "maybe" : "no";
  const dates = datesOf(cells, { told, now });
  if (dates !== null) return { as: "timestamp", dates };
  const all = (name: string, options: object = {}) => share(cells, reader({ name, ...options })) === 1;
  // A single letter may be a class, so a word of two letters or a matching header is needed.
  const worded = role === "public" || cells.some((cell) => cell.kind === "boolean" || /\p{Letter}{2}/u.test(cell.text));
  // Sage's type SI is a sales invoice.
  const isKind = role === "category" && new Set(cells.map((cell) => cell.text)).size === 1;
  if (worded && !isKind && all("boolean")) return { as: "boolean" };
  if ((role === "state" || role === "stateOrStatus") && (country ?? "BR") === "BR" && all("state", { country: "BR" }))
    return { as: "state" };
  if (role === "country" && all("country")) return { as: "country" };
  if (naming.has(role)) return text();
  if (role === "number" || role === "numbered" || (isNumber && role !== "amount"))
    return text("digits, but not a quantity");
  return numbers(cells, role, header);
}

/** `Kontonummer`, `Barcode`. */
const isNumbering = (header: string) => /(?:num[mb]er|nr|barcode)$/.test(foldHeader(header));
/** `ID_PRODUTO`, `Cód. Material`. */
const CODED = /\b(?:id|code|cod|codigo|codice)\b/;

export function reader(spec: Parameters<typeof compileConversion>[0]): (cell: Cell) => boolean {
  const convert: Conversion = compileConversion(spec, {});
  return (cell) => !(convert(cell.text, cell.kind) instanceof Refused);
}

/**
 * Tax id types with telling check digits. `words`: a header with one names such ids, so no other country's are looked for
 * under it. `sign`: without such a word, ids must begin so. No types: their check digits are not known here.
 */
const known: readonly { country: string; types: string[]; words: RegExp; sign?: RegExp }[] = [
  { country: "DE", types: ["VAT"], words: /\bust ?id\w*/, sign: /^DE ?\d/i },
  { country: "US", types: ["EIN"], words: /\b(f?ein|federal tax id|employer id\w*)\b/, sign: /^$/ },
  { country: "BR", types: ["CNPJ", "CPF"], words: /\b(cnpj|cpf|cgc)\b/ },
  { country: "PT", types: ["NIF"], words: /\b(nif|nipc)\b/ },
  { country: "AR", types: ["CUIT"], words: /\bcuit\b/ },
  { country: "CL", types: ["RUT"], words: /\brut\b/ },
  { country: "CO", types: ["NIT"], words: /\bnit\b/ },
  { country: "MX", types: ["RFC"], words: /\brfc\b/ },
  { country: "ES", types: ["NIF", "CIF"], words: /\b(nif|cif)\b/ },
  { country: "FR", types: ["SIREN", "SIRET"], words: /\b(siret|siren)\b/, sign: /^$/ },
  { country: "IT", types: ["IVA", "CODICEFISCALE"], words: /\b(partita iva|p ?iva|codice fiscale)\b/, sign: /^$/ },
  { country: "PL", types: ["NIP"], words: /\bnip\b/, sign: /^$/ },
  { country: "IN", types: ["GSTIN"], words: /\bgstin\b/, sign: /^$/ },
  { country: "US", types: [], words: /\bnpi\b/ },
  { country: "NL", types: [], words: /\bkvk\b/ },
  { country: "PE", types: [], words: /\bruc\b/ },
  { country: "EC", types: [], words: /\bruc\b/ },
];

/** The countries whose tax ids the header names. */
export const countriesOf = (header: string): string[] =>
  known.filter(({ words }) => words.test(foldHeader(header))).map(({ country }) => country);

/** Whether the header names tax ids whose check digits are known here. */
export const isChecked = (header: string): boolean =>
  known.some(({ types, words }) => types.length > 0 && words.test(foldHeader(header)));

function taxIds(cells: readonly Cell[], asked: string | undefined, header: string): Type | null {
  // Shorter digits are more likely counts or codes than tax ids that lost their zeros.
  const likely = ({ text: cell }: Cell) =>
    cell.length >= 9 && cell.length <= 20 && /\d.*\d/.test(cell) && !/^\d{1,4}([-/.])\d\d?\1\d/.test(cell);
  const isSaid = roleOf(header) === "taxId";
  const enoughHere = isSaid ? enoughIds : enough;
  // One number in ten fits by chance, and there are many countries.
  const isOneNumber = new Set(cells.map((cell) => cell.text)).size === 1 && /^\d{1,13}$/.test(cells[0]?.text ?? "");
  if (share(cells, likely) < enoughHere || ((cells.length < 2 || isOneNumber) && !isSaid)) return null;
  const few = cells.filter((_, at) => at % Math.ceil(cells.length / 30) === 0);
  const told = known.filter(({ words }) => words.test(header));
  const likeliest = told.length === 0 ? known : told;
  for (const { country, types, sign } of asked === undefined
    ? likeliest
    : known.filter((one) => one.country === asked)) {
    const isTold = told.some((one) => one.country === country);
    if (!isTold && sign !== undefined && share(cells, (cell) => sign.test(cell.text)) < enough) continue;
    const readers = types.map((type) => reader({ name: "taxId", country, type }));
    const isOne = (cell: Cell) => likely(cell) && readers.some((isId) => isId(cell));
    const fits = share(few, isOne) < enoughHere / 2 ? 0 : share(cells, isOne);
    if (fits < enoughHere) continue;
    const fitAll = (isId: (cell: Cell) => boolean) => share(cells, (cell) => likely(cell) && isId(cell)) === fits;
    const isNamed = (type: string) => header.split(" ").includes(type.toLowerCase());
    // Under `CPF/CNPJ`, which was CGC, the next file may hold the other.
    if (
      (/\bcgc\b/.test(header) || types.every(isNamed)) &&
      country === "BR" &&
      fitAll(reader({ name: "taxId", country }))
    )
      return { as: "taxId", ids: { country, types }, fits };
    // A Spanish CIF is also a NIF, and a CPF that lost two zeros passes as a CNPJ that lost five: the header decides.
    const sole = types.filter((_, at) => readers[at] !== undefined && fitAll(readers[at]));
    const type = sole.find(isNamed) ?? sole[0];
    const met = types.filter((_, at) => cells.some((cell) => readers[at]?.(cell)));
    return { as: "taxId", ids: { country, types: type === undefined ? met : [type] }, fits };
  }
  return null;
}

/** Mass only: for any other unit the factor would be a guess about the goods. */
export const kilograms: ReadonlyMap<string, number> = new Map([
  ...["kg", "kgs"].map((unit) => [unit, 1] as const),
  ...["t", "ton", "tons", "tonne", "tonnes", "tonelada", "toneladas"].map((unit) => [unit, 1000] as const),
  ["g", 0.001],
]);
/**
 * What may precede an amount: a currency's sign or code. After any other word, the number is part of a name: `Op 7`.
 */
const front =
  /^[-+(\s]{0,3}(\p{Letter}{0,3}\p{Currency_Symbol}\s?|(EUR|USD|BRL|GBP|CHF|ARS|CLP|COP|MXN|JPY|CNY|INR|SEK|NOK|DKK|PLN|kr|Fr|Rs)(\.\s?|\s))?[-+(]?[\d.,]/iu;
const numbered = new Set<Role | null>(["document", "code", "ticket", "related"]);

export const degrees: ReadonlySet<Role | null> = new Set<Role>(["latitude", "longitude"]);

function numbers(cells: readonly Cell[], role: Role | null, header: string): Type {
  const marks = { ",": 0, ".": 0 };
  const units: string[] = [];
  const isRead = ({ text: cell, kind }: Cell) => {
    const comma = readNumber(cell, ",", true);
    const point = readNumber(cell, ".", true);
    const read = kind === "number" || typeof point === "object" ? point : comma;
    if (!/text|number/.test(kind) || typeof read === "string" || /^.{9}|\s/.test(read.unit) || !front.test(cell))
      return false;
    if (/\d\s?-\s?\p{Letter}/u.test(cell)) return false;
    const unit = read.unit.replace(/\.$/, "");
    // A megagram is not a milligram.
    if (unit !== "") units.push(/^M(?:\p{Ll}$|\p{Lu}.*\p{Ll})/u.test(unit) ? unit : unit.toLowerCase());
    if (kind === "number") return true;
    // -23.550 is never a thousand.
    if (degrees.has(role)) marks[cell.includes(",") ? "," : "."] += 1;
    if (typeof comma === "string") marks["."] += 1;
    if (typeof point === "string") marks[","] += 1;
    return true;
  };
  const read = cells.filter(isRead);
  const fits = read.length / cells.length;
  const limit = cells.find(({ text: cell }) => /^[<>≤≥]=?\s?[\d.,]+/.test(cell));
  if (limit !== undefined) return text(`some are limits, such as ${limit.text}`);
  if (fits < enough) return text(fits > 0.3 ? `${Math.round(fits * 100)}% of the cells read as numbers` : undefined);
  const sided = units.find((unit) => /^(cr?|dr?|db)$/.test(unit));
  if (sided !== undefined) return text(`"${sided}" may mean credit or debit, the sign of the amount`);
  // A unit that appears once among many cells is probably a mistake.
  const several = (unit: string) => cells.length < 20 || units.lastIndexOf(unit) > units.indexOf(unit);
  const found = [...new Set(units)].filter(several);
  const odd = found.find((unit) => unit.length === 1 && /\p{Letter}/u.test(unit) && !kilograms.has(unit));
  // A column with both `12a` and `7` holds house numbers or names.
  if (odd !== undefined && units.filter((unit) => unit === odd).length <= cells.length / 2)
    return text(`only some have the unit ${odd}`);
  const isMixed = found.length > 1 && !found.every((unit) => kilograms.has(unit));
  const unread = units.filter((unit) => !found.includes(unit)).length / cells.length;
  if (isMixed || fits - unread < enough)
    return text(`no single unit for ${[...new Set(units)].slice(0, 5).join(", ")}`);
  const whole = read.every((cell) => /^-?\d+$/.test(cell.text));
  if (read.some((cell) => /^0\d/.test(cell.text))) return text("zeros lead");
  if (read.some((cell) => /^\+\d{8,}$/.test(cell.text))) return text("digits, but not a quantity");
  const isId = role === "taxId" && read.every((cell) => cell.text.length >= 8);
  // `2025.001` of a protocol, or `12345678Z`, whose letter is not a unit.
  const isName =
    ((numbered.has(role) ||
      (role === "goods" && whole && (CODED.test(foldHeader(header)) || read.some((cell) => cell.text.length > 3)))) &&
      found.length === 0) ||
    (role !== "amount" &&
      found.some((unit) => !kilograms.has(unit)) &&
      read.every((cell) => /^\d+\p{Letter}+$/u.test(cell.text)));
  if (isName || (whole && (isId || read.some((cell) => cell.text.length > 15))))
    return text("digits, but not a quantity");
  return { as: "number", numbers: { marks, units: found, whole }, fits };
}

/** What formats show behind thousands and millions, of which the cell holds all digits. */
const SCALE = /^(?:k|m|mm|mi|mio|mln|mil|thousand|million)\.?$/i;

/** Formats with a time of day. */
export const HOURS = /[Hh]|ISO|UNIX|EXCEL/;

/** Joins a date without a time of day with the column of its times. Cells of a workbook are joined as it shows them in ISO. */
function joinClocks(columns: readonly Column[]) {
  const isTyped = columns.every(({ dates, cells }) => !dates || cells.every(({ kind }) => kind === "date"));
  const plain = ({ cells }: Column, kinds: RegExp) =>
    cells.every(({ kind, text: cell }) => kinds.test(kind) && !cell.includes("T"));
  const days = columns.filter(
    (day) =>
      day.dates &&
      plain(day, isTyped ? /date/ : /text/) &&
      (isTyped || !day.dates.formats.some((one) => HOURS.test(one))),
  );
  const hours = columns.filter((one) => one.hour !== undefined && plain(one, /text|date|time/));
  for (const [day, claims] of Map.groupBy(hours, (clock) => dayOf(clock, days))) {
    const clock = claims.find((one) => areAkin(one, day)) ?? claims[0];
    if (day?.dates === undefined || clock === undefined) continue;
    const dated = day.cells.filter(({ row }) => clock.values[row] !== "").length;
    if (dated < day.cells.length * enough) continue;
    if (isTyped) day.dates.formats = ["yyyy-MM-dd"];
    day.clock = [clock, ...halfBeside(clock, columns)];
    const { clock: parts, values, cells } = day;
    const timed = (value: string, row: number) => [value, ...parts.map((one) => one.values[row])].join(" ");
    const moments = values.map((value, row) => (value === "" ? "" : timed(value, row)));
    Object.assign(day, filledWith(moments, cells));
  }
}

const areAkin = (one: Column, other: Column | undefined) => {
  const words = qualifiersOf(other?.header ?? "");
  return qualifiersOf(one.header).some((word) => words.some((of) => sameStem(word, of)));
};

/** The date to which a time of day belongs: one with the same name, else the one before it, else the one after it, else for a bare `Hora` the only one. */
function dayOf(clock: Column, days: readonly Column[]): Column | undefined {
  const beside = [-1, 1].flatMap((step) => days.filter(({ index }) => index === clock.index + step));
  const akin = [...beside, ...days].find((day) => areAkin(clock, day));
  if (akin !== undefined) return akin;
  const isNamed = ({ header }: Column) => qualifiersOf(header).length > 0;
  const [next = days.length === 1 && clock.role === "time" && !isNamed(clock) ? days[0] : undefined] = beside;
  return next === undefined || (isNamed(clock) && isNamed(next)) ? undefined : next;
}

/** The column of AM and PM that follows a time of day. Such times count to twelve. */
function halfBeside(clock: Column, columns: readonly Column[]): Column[] {
  const half = columns.find((one) => one.index === clock.index + 1);
  if (half?.filled !== 1 || clock.hour?.startsWith("H:") !== true) return [];
  if (!half.cells.every((cell) => /^[ap]\.?m\.?$/i.test(cell.text))) return [];
  clock.hour = clock.hour.replace("H", "h");
  half.hour = "a";
  return [half];
}

export function groupsOf({ values }: Column): Map<string, number[]> {
  const groups = Map.groupBy(values.keys(), (row) => values[row] ?? "");
  groups.delete("");
  return groups;
}

/** The share of groups that may disagree, since files hold mistakes. */
const tolerance = 0.03;

/** Whether rows with one key agree in the other column, more often than mistakes allow. Null: nothing shows it. */
export function agree(groups: ReadonlyMap<string, readonly number[]>, { values }: Column): boolean | null {
  let [told, broken] = [0, 0];
  for (const rows of groups.values()) {
    const [first, ...others] = rows.filter((row) => values[row] !== "");
    if (first === undefined || others.length === 0) continue;
    told += 1;
    // Most columns have nothing to do with each other, and a table may have hundreds.
    if (others.some((row) => values[row] !== values[first]) && ++broken > groups.size * tolerance) return false;
  }
  return told === 0 ? null : broken <= told * tolerance;
}

/** Anything less likely is not chance, even with many columns. */
export const CHANCE = 0.001;

/** How likely it is that all rows of each group agree in a column that has nothing to do with them. */
export function odds(groups: ReadonlyMap<string, readonly number[]>, column: Column): number {
  const again = [...groups.values()].reduce((sum, { length }) => sum + length - 1, 0);
  const shares = [...groupsOf(column).values()].map(({ length }) => length / column.cells.length);
  return shares.reduce((sum, part) => sum + part ** 2, 0) ** again;
}
