/** The lines of commands that look at files and mappings, without a target. */
import { z } from "zod";
import {
  code,
  count,
  countOrNull,
  exitCode,
  flag,
  json,
  jsonObject,
  line,
  list,
  number,
  object,
  place,
  text,
  textOrNull,
} from "./words.js";

const mistake = object({ code, message: text, hint: textOrNull, place, excerpt: textOrNull });

export const mapping = line("mapping", "Printed first by `check`.", {
  mapping: text,
  problems: list(mistake),
  warnings: list(mistake),
});

const error = object({ code, message: text, hint: text, place })
  .nullable()
  .describe("why it cannot be read, or not completely");

const problem = object({ code, count, example: text });

export const dialect = z.union([
  object({
    format: z.literal("csv"),
    encoding: text,
    bom: flag,
    delimiter: text,
    quote: textOrNull,
    escape: textOrNull,
    trim: flag.optional().describe("absent: no"),
    lineEnding: z.enum(["\n", "\r\n", "\r"]),
    compression: z.enum(["none", "gzip", "zip", "zstd"]),
  }),
  object({
    format: z.literal("xlsx"),
    sheet: text,
    date1904: flag,
    widths: list(number.nullable())
      .optional()
      .describe("the widths of its columns, in characters; null: the default width"),
  }),
]);

const table = object({
  file: text,
  sheet: textOrNull,
  mappingInput: text.describe("the input of the mapping that reads it"),
  dialect: dialect.nullable(),
  headerRow: countOrNull,
  joinedRows: list(count).nullable(),
  columns: object({
    found: list(text),
    unmapped: list(text),
    absent: list(text).describe("optional columns that the file lacks"),
  }),
  cells: list(
    object({
      header: text,
      type: textOrNull.describe("null: not read"),
      filled: count,
      distinct: countOrNull.describe("null: too many to count in little memory"),
      problem: textOrNull,
    }),
  ).describe("one entry for each column of the header"),
  samples: list(json).describe("what the first valid rows yield"),
  notes: list(text),
  rows: object({ read: count, valid: count, invalid: count, skipped: count }),
  events: count.describe("of the valid rows"),
  eventless: object({ count, firstRow: number }).nullable().describe("valid rows that yield no event"),
  problems: list(problem),
  warnings: list(problem),
  error,
});

export const written = line("written", "Printed by `init` and `guess --output` for each file.", {
  path: text,
  kept: flag.describe("whether the file existed already and was left as it was"),
});

export const draft = line("draft", "Printed by `guess`.", {
  yaml: text.describe("the mapping"),
  left: list(text).describe("what was left out, in sentences"),
  notes: list(text).describe("what to look at, in sentences"),
  open: list(
    object({
      id: text,
      question: text,
      candidates: list(object({ label: text, why: textOrNull })),
    }),
  ).describe("what the files leave open; unless this is empty, the mapping is a draft"),
});

const ofSandbox = {
  participant: textOrNull.describe("country, kind and number of its tax id"),
  address: textOrNull,
  id: text.optional().describe("with `--ids`"),
  deduplicationId: textOrNull.optional().describe("with `--ids`"),
};

export const timeline = line("timeline", "Printed by `sandbox dump` for each document.", {
  externalId: textOrNull,
  state: z.enum(["open", "closed", "cancelled"]),
  origin: z.enum(["created", "target"]).describe("`target`: an event created it"),
  ...ofSandbox,
  fields: jsonObject,
  dataset: text,
  events: list(
    object({
      at: text,
      name: text,
      origin: z.enum(["sent", "mirror", "propagated", "target"]),
      isPublic: flag,
      ...ofSandbox,
      target: textOrNull.optional().describe("externalId of the document that it created"),
      related: object({ document: textOrNull.describe("its externalId"), flags: jsonObject }).optional(),
      fields: jsonObject.describe("everything else that was sent"),
    }),
  ),
});

export const file = line("file", "Printed by `check` and `guess` for each file.", {
  path: text,
  format: z.enum(["csv", "xlsx"]).nullable(),
  sheets: list(object({ sheet: textOrNull, hidden: flag, read: flag })),
  tables: list(table).describe("how the mapping reads each table"),
  error,
});

export const check = line("check", "Printed last by `check`.", { exitCode });

export const testCase = line("case", "Printed by `test` for each case.", {
  cases: text.describe("the file"),
  name: text,
  line: count,
  passed: flag,
  differences: list(object({ place: text, expected: textOrNull, actual: textOrNull })),
});

export const cases = line("cases", "Printed last by `test`.", {
  mappings: count,
  cases: count,
  passed: count,
  failed: count,
  unusable: count.describe("mappings that could not be tested"),
  exitCode,
});

export const explained = line("code", "Printed by `explain` for each code.", {
  code,
  meaning: text,
  remedy: text,
  example: text,
  transient: flag.describe("it may succeed later without any change"),
  exit: exitCode.nullable(),
});
