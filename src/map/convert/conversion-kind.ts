/**
 * The contract of a conversion: from a cell's text and kind to a value, or to a refusal that says why.
 * Conversions are pure, never guess, and never throw for what stands in a cell.
 */
import { z } from "zod";
import type { Code } from "../../model/codes.js";
import type { CellKind } from "../../model/row.js";
import { shorten } from "../../model/fold.js";
import { filledList, maybe } from "../described.js";

/** Why a cell's text does not become a value; a `Problem` without its column. */
export interface Refusal {
  code: Code;
  /** The cause in a sentence; names the offending text, shortened to 80 characters. */
  message: string;
  /** What to change; null when the message says it all. */
  hint: string | null;
}

export type ConvertResult = { value: string | number | boolean } | { problem: Refusal };

/** One cell to one value. `text` is not blank: blank words are the caller's, before this. */
export type Conversion = (text: string, kind: CellKind) => ConvertResult;

/** The members of a mapping's `defaults:` that conversions heed; to be spread into the mapping's own schema. */
export const convertDefaultsShape = {
  timezone: maybe(
    z.string(),
    "IANA name of the zone in which local times of the files stand, such as `America/Sao_Paulo`.",
  ),
  decimal: maybe(z.enum([",", "."]), "The decimal mark of numbers in text cells; the other one groups thousands."),
  grouping: maybe(
    z.boolean(),
    'Whether a single group of thousands is one: with `decimal: ","`, `true` reads `1.234` as 1234. Without it such a number is an error, for it may as well be a fraction; `1.234,5` and `1.234.567` can mean one thing only and need nothing. `0.500` is never 500.',
  ),
  dates: maybe(
    filledList,
    "Formats of dates and times in luxon's notation (`dd/MM/yyyy HH:mm`), or `ISO`, `EXCEL`, `UNIX` (seconds since 1970), `UNIX_MS`. No other is read.",
  ),
  country: maybe(
    z.string().regex(/^[A-Z]{2}$/, "two capital letters (ISO 3166-1), such as BR"),
    "The country of tax ids, telephone numbers and states that do not name theirs.",
  ),
  language: maybe(
    z.enum(["pt", "en", "es", "fr", "de", "it"]),
    "Language of boolean words, month names and country names. Without it, words of all six are understood.",
  ),
  booleans: maybe(
    z.strictObject({ true: z.array(z.string()).min(1), false: z.array(z.string()).min(1) }),
    "The words for true and false, instead of the language's; case and accents do not matter.",
  ),
  disambiguation: maybe(
    z.enum(["reject", "earlier", "later"]),
    "Which instant a local time means that the zone skips or repeats; `reject` (default) makes it an error.",
  ),
  twoDigitYears: maybe(
    z.union([z.boolean(), z.int().min(1999).max(2198)]),
    "Years of two digits: `false` (default) refuses them; a year is the latest that they can mean (with 2049, `49` is 2049 and `50` is 1950); `true` means 2060.",
  ),
};

const convertDefaultsSchema = z.object(convertDefaultsShape);
export type ConvertDefaults = z.infer<typeof convertDefaultsSchema>;

/** One name of the closed list. */
export interface ConversionKind<Options extends z.ZodObject = z.ZodObject> {
  /** What it does, for the mapping reference. */
  description: string;
  /** Its options beside `name`, all optional unless the schema says otherwise. */
  options: Options;
  /** The kinds of cells that it reads, and what it calls its values; undefined: any cell, as text. */
  reads?: { kinds: readonly CellKind[]; called: string };
  /** Text in, value out, for the reference; a test proves each. */
  examples: {
    spec: string | { name: string; [option: string]: unknown };
    in: string;
    out: string | number | boolean;
  }[];
  /** @throws RowferryError `conversion-options` where defaults or options do not suffice (no time zone, say). */
  compile(options: z.infer<Options>, defaults: ConvertDefaults): Conversion;
}

/** Keeps the options' type between the schema and `compile`. */
export function defineConversion<Options extends z.ZodObject>(kind: ConversionKind<Options>): ConversionKind<Options> {
  return kind;
}

/** The text in quotes, shortened to 80 characters, line breaks and control characters made visible. */
export function quoteCell(text: string): string {
  return JSON.stringify(shorten(text));
}

/** `message` goes on after the cell in quotes. */
export function refuse(code: Code, cell: string, message: string, hint: string | null = null): { problem: Refusal } {
  return { problem: { code, message: `${quoteCell(cell)} ${message}`, hint } };
}

const kindNames: Record<CellKind, string> = {
  text: "text",
  number: "a number",
  date: "a date",
  time: "a time of day",
  duration: "a duration",
  boolean: "true or false",
  error: "an error",
};

/** The refusal of a cell whose kind in the workbook cannot be what the field needs. */
export function refuseKind(cell: string, kind: CellKind, wanted: string): { problem: Refusal } {
  return {
    problem: {
      code: "cell-kind",
      message: `the workbook holds ${kindNames[kind]} (${quoteCell(cell)}) where ${wanted} is needed`,
      hint: "Correct the cell's value or its number format in the workbook; spreadsheets turn texts such as 1-2 into dates on their own.",
    },
  };
}

/** The refusal that every conversion gives for a cell that holds a spreadsheet's error. */
export function refuseErrorCell(cell: string): { problem: Refusal } {
  return {
    problem: {
      code: "cell-error",
      message: `the cell holds the spreadsheet error ${quoteCell(cell)}`,
      hint: "Correct the formula or the value in the workbook.",
    },
  };
}
