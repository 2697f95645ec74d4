/**
 * The contract of a conversion: from a cell's text and kind to a value, or a refusal. Conversions are pure, and never
 * guess.
 */
import { createRequire } from "node:module";
import { z } from "zod";
import type { Code } from "../../model/codes.js";
import type { CellKind } from "../../model/row.js";
import { shorten } from "../../model/fold.js";
import type { Exact } from "./exact.js";
import { block, filledList, maybe, maybeWord } from "../described.js";

/**
 * Why a cell, or what a formula made, cannot be used: a `Problem` without its column. `message`: one sentence, with the
 * offending text shortened to 80 characters. Thrown, or handed over as a value.
 */
export class Refused extends Error {
  readonly code: Code;
  readonly hint: string | null;

  constructor(message: string, code: Code = "expression-failed", hint: string | null = null) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** What `work` gives, or why it was refused. */
export function attempt<T>(work: () => T): T | Refused {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

export type Converted = string | number | boolean | Exact;

/** `text` is not blank: the caller handles blank words. @throws Refused */
export type Convert = (text: string, kind: CellKind) => Converted;

/** The settings under `defaults:` that conversions use. */
export const convertDefaultsShape = {
  timezone: maybe(z.string(), "IANA name of the zone of local times in the files, such as `America/Sao_Paulo`."),
  decimal: maybeWord([",", "."], "The decimal mark of numbers in text cells; the other one groups thousands."),
  grouping: maybe(
    z.boolean(),
    'Whether a single separator may group thousands: with `decimal: ","`, `true` reads `1.234` as 1234. Without it, such a number is an error, because it might be a fraction; `1.234,5` and `1.234.567` have only one meaning and need no setting. `0.500` is never read as 500.',
  ),
  dates: maybe(
    filledList,
    "Formats of dates and times in luxon's notation (`dd/MM/yyyy HH:mm`; `d/M/yyyy H:mm` reads one digit or two; `a` is AM or PM, `u` a fraction of a second, `ZZ` an offset, `z` a zone such as Europe/Lisbon; other letters in single quotes, as in `dd/MM/yyyy 'às' HH'h'mm`), or `ISO` (with `Z` or an offset; `yyyy-MM-dd` and `yyyy-MM-dd'T'HH:mm` read local ones), `EXCEL`, `UNIX` (seconds since 1970), `UNIX_MS`. Nothing else is read.",
  ),
  country: maybe(
    z
      .string()
      .regex(/^[A-Z]{2}$/, { error: "two capital letters (ISO 3166-1), such as BR", abort: true })
      .refine(isCountry, "the code of a country (ISO 3166-1), such as BR"),
    "The country of tax ids, telephone numbers and states that do not name theirs.",
  ),
  language: maybeWord(
    ["pt", "en", "es", "fr", "de", "it"],
    "Language of boolean words and of month names. Without it, boolean words of all six are understood, and months in English.",
  ),
  booleans: maybe(
    block({ true: z.array(z.string()).min(1), false: z.array(z.string()).min(1) }),
    "The words for true and false, instead of the language's; case and accents do not matter.",
  ),
  disambiguation: maybeWord(
    ["reject", "earlier", "later"],
    "What a local time means if the zone skips or repeats it; `reject` (default) makes it an error. For a repeated time, `earlier` means the first instant and `later` the second; a skipped 02:30 becomes 01:30 with `earlier`, 03:30 with `later`.",
  ),
  twoDigitYears: maybe(
    z.union([z.boolean(), z.int().min(1999).max(2198)]),
    "Two-digit years: `false` (default) refuses them; a year sets the latest one that they can mean (with 2049, `49` is 2049 and `50` is 1950); `true` means 2060.",
  ),
};

const require = createRequire(import.meta.url);

/** Two letters, three letters, and more. The library's main entry would load all languages. */
export const countryCodes = () => require("i18n-iso-countries/codes.json") as [alpha2: string, alpha3: string][];

function isCountry(code: string) {
  return countryCodes().some(([alpha2]) => alpha2 === code);
}

const convertDefaultsSchema = z.object(convertDefaultsShape);
export type ConvertDefaults = z.infer<typeof convertDefaultsSchema>;

export interface ConversionKind<Options extends z.ZodObject = z.ZodObject> {
  description: string;
  options: Options;
  /** The kinds of cells it reads, and its name for their values; undefined: any cell, as text. */
  reads?: { kinds: readonly CellKind[]; called: string };
  /** For the reference; a test proves each. */
  examples: {
    spec: string | { name: string; [option: string]: unknown };
    in: string;
    out: string | number | boolean;
  }[];
  /** @throws Refused `conversion-options` if defaults and options do not suffice (no time zone, say). */
  compile(options: z.infer<Options>, defaults: ConvertDefaults): Convert;
}

/** Infers the options' type. */
export function defineConversion<Options extends z.ZodObject>(kind: ConversionKind<Options>): ConversionKind<Options> {
  return kind;
}

/** In quotes, shortened to 80 characters, control characters visible. */
export function quoteCell(text: string): string {
  return JSON.stringify(shorten(text));
}

/** Options and defaults do not suffice. */
export function refuseOptions(message: string, hint: string | null = null): never {
  throw new Refused(message, "conversion-options", hint);
}

/** `message` follows the quoted cell. */
export function refuse(code: Code, cell: string, message: string, hint: string | null = null): never {
  throw new Refused(`${quoteCell(cell)} ${message}`, code, hint);
}

const kindNames: Record<CellKind, string> = {
  text: "text",
  number: "a number",
  percent: "a percentage",
  date: "a date",
  time: "a time of day",
  duration: "a duration",
  boolean: "a truth value",
  error: "an error",
};

/** The workbook's kind of cell does not fit the field. */
export function refuseKind(cell: string, kind: CellKind, wanted: string): never {
  throw new Refused(
    `the workbook holds ${kindNames[kind]} (${quoteCell(cell)}) where ${wanted} is needed`,
    "cell-kind",
    "Correct the cell's value or its number format in the workbook; spreadsheets turn texts such as 1-2 into dates by themselves.",
  );
}

export function errorCell(cell: string): Refused {
  const message = `the cell holds the spreadsheet error ${quoteCell(cell)}`;
  return new Refused(message, "cell-error", "Correct the formula or the value in the workbook.");
}
