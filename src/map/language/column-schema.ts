/** The schema of columns and tables. */
import { z } from "zod";
import { type ConversionName, conversionNames, conversions } from "../convert/conversion.js";
import { exactNumberSchema } from "./record-schema.js";
import { block, filled, filledList, maybe, maybeWord } from "../described.js";

const literal = z.union([
  z
    .string()
    .regex(
      /^(?!=.)/,
      "a literal value: formulas are not computed here; write the formula as a separate column, such as `=default(x, y)`",
    ),
  z.number(),
  exactNumberSchema,
  z.boolean(),
]);

const NTH = '"2 of 3", say: the second of three columns';

/** All other settings of a column are options of its type. */
export const commonSettings = {
  header: maybe(
    z.union([filled, filledList]),
    "The header of the column; white space, case, accents and the form of apostrophes do not count. A list: headers that the column may have; a file must have exactly one of them. The first is part of keys, so add new ones after it.",
    ["Peso Bruto", ["CNPJ Gerador", "CNPJ do Gerador"]],
  ),
  headers: maybe(
    filled,
    'A set of columns: every one whose header matches the pattern (`*` any text, `?` one character). It is spread as attributes named like the headers: `"*": =measured`.',
    ["Teor *"],
  ),
  except: maybe(z.array(filled), "With `headers`: patterns of headers to leave out."),
  default: maybe(literal, "Used if the cell is blank."),
  map: maybe(
    z.record(z.string(), literal),
    'The value for each text of a cell; case, accents and white space do not count; `""` makes it blank. Long lists belong in a table.',
    [{ Sim: true, Não: false }],
  ),
  otherwise: maybe(
    z.union([literal, block({ keep: z.literal(true).meta({ description: "Takes the cell's own text." }) })]),
    "Used for texts that `map` does not list; `{ keep: true }` keeps the cell's own text. Default: an error.",
  ),
  oneOf: maybe(
    z.array(literal).min(1),
    "The permitted values. Case, accents and white space do not count; the value is sent as spelt here.",
  ),
  pattern: maybe(z.string().min(1).max(1000), "A regular expression (RE2) that the whole value must match.", [
    "[A-Z]{3}[0-9][A-Z0-9][0-9]{2}",
  ]),
  required: maybe(z.boolean(), "A blank is an error wherever the column is read."),
  optional: maybe(
    z.boolean(),
    "Whether a file may lack the column, which is then blank. With `headers`: whether a file may lack all such columns.",
  ),
  fill: maybe(
    z.literal("down"),
    "`down`: a blank cell takes the value above, as in lists that name a customer once for all of its rows. Where the value may belong to another group, because a skipped row names one, the row is a problem; texts listed under `blank` stay blank. A row that only names the group must be read, not skipped: give the records `when`, and the input `rowsWithoutEvents: allow`. Do not sort such a file. If every row has its document's key, use `group` in the input instead: there, no blank takes the value of another document.",
  ),
  nth: maybe(
    z.string({ error: NTH }).regex(/^[1-9]\d{0,3} of [1-9]\d{0,3}$/, NTH),
    "Which of several columns with the same header, counted from the left, and out of how many; a file with a different number of them is refused.",
    ["2 of 2"],
  ),
};

const branches = conversionNames.map((name) => {
  const { options, description } = conversions[name];
  const as: z.ZodType = name === "text" ? z.literal(name).optional() : z.literal(name);
  return block({ as: as.meta({ description }), ...commonSettings, ...options.shape });
});

const typedColumnSchema = z.discriminatedUnion(
  "as",
  branches as unknown as [z.ZodObject<{ as: z.ZodLiteral<ConversionName> }>],
);

export const columnSchema = z.union([filled, typedColumnSchema]).meta({
  description:
    "A header, a formula over other columns, or a header with its type and cleaning. A cell is converted only if something in the row reads it.",
  examples: ["MTR", "=gross - tare", { header: "Peso Bruto", as: "number", units: { kg: 1, t: 1000 } }],
});

const plainlyTyped: z.ZodType<ColumnSpec> = columnSchema;
export const columnsSchema = z.record(filled, plainlyTyped);

export const tableSchema = block({
  file: filled.meta({ description: "A CSV file next to the mapping; it is read like a file of rows." }),
  key: z.union([filled, filledList.max(2)]).meta({
    description:
      "The header of its key column, or two headers. `tables.plants[code].region` reads a row; case, accents and white space do not count.",
  }),
  columns: columnsSchema.meta({ description: "Its columns, written like those of inputs, but without formulas." }),
  missing: maybeWord(
    ["refuse", "blank"],
    "What a key gives that the table does not list: a problem of the row (default), or a blank.",
  ),
  delimiter: maybe(z.string().length(1), "Default: detected, as for files of rows."),
  encoding: maybe(filled, "Default: detected, as for files of rows."),
  header: maybe(z.literal("none"), "The file has no header; its columns are called A, B …"),
}).meta({ id: "Table", description: "A table next to the mapping, in which formulas look up values." });

/** The options of its type are next to these. */
export type ColumnObject = z.infer<z.ZodObject<typeof commonSettings>> & { as?: ConversionName | undefined };
export type ColumnSpec = string | ColumnObject;
export type TableSpec = z.infer<typeof tableSchema>;
