/** The lines of commands that look at files and mappings, without a target. */
import { z } from "zod";
import { code, count, exitCode, flag, json, line, number, place, text } from "./words.js";

const mistake = z.strictObject({ code, message: text, hint: text.nullable(), place, excerpt: text.nullable() });

export const mapping = line("mapping", "Of `check`, first.", {
  mapping: text,
  problems: z.array(mistake),
  warnings: z.array(mistake),
});

const error = z
  .strictObject({ code, message: text, hint: text, place })
  .nullable()
  .describe("why it cannot be read, or not to its end");

const problem = z.strictObject({ code, count, example: text });

const dialect = z.union([
  z.strictObject({
    format: z.literal("csv"),
    encoding: text,
    bom: flag,
    delimiter: text,
    quote: text.nullable(),
    escape: text.nullable(),
    trim: flag.optional().describe("absent: no"),
    lineEnding: z.enum(["\n", "\r\n", "\r"]),
    compression: z.enum(["none", "gzip", "zip", "zstd"]),
  }),
  z.strictObject({
    format: z.literal("xlsx"),
    sheet: text,
    date1904: flag,
    widths: z.array(number.nullable()).optional().describe("of its columns, in characters; null: the usual one"),
  }),
]);

const table = z.strictObject({
  file: text,
  sheet: text.nullable(),
  mappingInput: text.describe("the input of the mapping that reads it"),
  dialect: dialect.nullable(),
  headerRow: count.nullable(),
  joinedRows: z.array(count).nullable(),
  columns: z.strictObject({
    found: z.array(text),
    unmapped: z.array(text),
    absent: z.array(text).describe("optional ones that the file lacks"),
  }),
  cells: z
    .array(
      z.strictObject({
        header: text,
        type: text.nullable().describe("null: not read"),
        filled: count,
        distinct: count.nullable().describe("null: more than can be counted in little memory"),
        problem: text.nullable(),
      }),
    )
    .describe("every column of the header"),
  samples: z.array(json).describe("what the first valid rows yield"),
  notes: z.array(text),
  rows: z.strictObject({ read: count, valid: count, invalid: count, skipped: count }),
  events: count.describe("of the valid rows"),
  eventless: z.strictObject({ count, firstRow: number }).nullable().describe("valid rows that yield no event"),
  problems: z.array(problem),
  warnings: z.array(problem),
  error,
});

export const written = line("written", "Of `init`, `guess --output` and `schema --output`, per file.", {
  path: text,
  kept: flag.describe("it was there already, and is as it was"),
});

export const draft = line("draft", "Of `guess`.", {
  yaml: text.describe("the mapping"),
  left: z.array(text).describe("what was left out, in sentences"),
  notes: z.array(text).describe("what to look at, in sentences"),
  open: z
    .array(
      z.strictObject({
        id: text,
        question: text,
        candidates: z.array(z.strictObject({ label: text, why: text.nullable() })),
      }),
    )
    .describe("what the data do not decide; while there is any, the mapping is a draft"),
});

export const timelines = line("timelines", "Of `sandbox dump`.", { timelines: text });

export const file = line("file", "Of `check` and `guess`, per file.", {
  path: text,
  format: z.enum(["csv", "xlsx"]).nullable(),
  sheets: z.array(z.strictObject({ sheet: text.nullable(), hidden: flag, read: flag })),
  tables: z.array(table).describe("what the mapping makes of each"),
  error,
});

export const check = line("check", "Of `check`, last.", { exitCode });

export const testCase = line("case", "Of `test`, for each case.", {
  cases: text.describe("the file"),
  name: text,
  line: count,
  passed: flag,
  differences: z.array(z.strictObject({ place: text, expected: text.nullable(), actual: text.nullable() })),
});

export const cases = line("cases", "Of `test`, last.", {
  mappings: count,
  cases: count,
  passed: count,
  failed: count,
  unusable: count.describe("mappings that could not be tested"),
  exitCode,
});

export const explained = line("code", "Of `explain`, for each code.", {
  code,
  meaning: text,
  remedy: text,
  example: text,
  transient: flag.describe("it may succeed later without any change"),
  exit: exitCode.nullable(),
});
