/** How one value is found: a constant, or a column, template or expression with what is done to it. */
import { z } from "zod";
import { type ExactNumber, isExactNumber } from "../../model/json.js";
import { type ConversionName, conversionNames, conversions } from "../convert/conversion.js";

/** A number that a double would change, as the mapping's text has it. */
export const exactNumberSchema = z.custom<ExactNumber>(isExactNumber);

export const scalarSchema = z.union([z.string(), z.number(), exactNumberSchema, z.boolean()]);

export const columnSchema = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).meta({
  description:
    "The header of a column; white space, case and accents do not count. A list: other headers under which the same column may come, of which a file must have exactly one.",
  examples: ["Peso Bruto", ["CNPJ Gerador", "CNPJ do Gerador"]],
});

const columnsSchema = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

export const conditionSchema = z
  .strictObject({
    filled: columnsSchema.optional().meta({ description: "These columns hold something.", examples: ["Data Coleta"] }),
    blank: columnsSchema.optional().meta({ description: "These columns hold nothing, or one of the `blank` words." }),
    equals: z
      .record(z.string(), z.union([scalarSchema, z.array(scalarSchema).min(1)]))
      .optional()
      .meta({
        description: "Columns and the text each must hold, or a list of texts of which it must hold one.",
        examples: [{ Tipo: "Coleta" }],
      }),
    expr: z
      .string()
      .min(1)
      .optional()
      .meta({ description: "A CEL expression that gives true or false.", examples: ['number(row["Peso"]) > 0.0'] }),
  })
  .meta({
    id: "Condition",
    description: "When something applies. Of several members all must hold.",
    examples: [{ filled: "Data Coleta" }, { equals: { Tipo: ["Coleta", "Entrega"] } }],
  });

/** One alternative per conversion, each with its own options. */
const conversionSpecs = conversionNames.map((name) =>
  (conversions[name].options as z.ZodObject)
    .extend({ name: z.literal(name) })
    .strict()
    .meta({ description: conversions[name].description }),
);

const conversionSchema = z.union([
  z.enum(conversionNames),
  z.discriminatedUnion("name", conversionSpecs as unknown as [z.ZodObject<{ name: z.ZodLiteral<ConversionName> }>]),
]);

export const asSchema = z.union([conversionSchema, z.array(conversionSchema).min(1)]).meta({
  id: "As",
  description: "A conversion by name, one with options, or several applied one after another.",
  examples: ["decimal", { name: "timestamp", timezone: "UTC" }, ["upper", "slug"]],
});

const lookupSchema = z.strictObject({
  csv: z.string().min(1).meta({ description: "A CSV file beside the mapping, with a header." }),
  from: z.string().min(1).meta({ description: "Its column that holds what the cell says." }),
  to: z.string().min(1).meta({ description: "Its column that holds what is sent." }),
  delimiter: z.string().length(1).optional().meta({ description: "Default: detected, as for files of rows." }),
  encoding: z.string().min(1).optional().meta({
    description: "Default: detected, as for files of rows: UTF-8, or windows-1252 where the file is not UTF-8.",
  }),
  header: z.literal("none").optional().meta({
    description: "The file has no header: `from` and `to` are letters, as columns of a spreadsheet have them (A, B …).",
  }),
});

export const fieldMembers = {
  column: columnSchema.optional(),
  template: z
    .string()
    .optional()
    .meta({
      description:
        "Text with columns in braces. It is blank when one of its columns is; a column that may be blank is marked `?`. Braces themselves are doubled.",
      examples: ["{Rua}, {Complemento?}"],
    }),
  expr: z
    .string()
    .min(1)
    .optional()
    .meta({
      description: 'A CEL expression. `row["Header"]` is the text of a column, "" when blank.',
      examples: ['row["UF"] == "" ? "SP" : row["UF"]'],
    }),
  value: z
    .unknown()
    .optional()
    .meta({ description: "A constant, where a plain one cannot stand beside other members." }),
  as: asSchema.optional(),
  default: scalarSchema.optional().meta({ description: "Taken, unconverted by `map`, when there is nothing." }),
  map: z
    .union([lookupSchema, z.record(z.string(), scalarSchema)])
    .optional()
    .meta({
      description:
        "What is sent for what the cell says, before `as`; white space, case and accents do not count. Either written out, or a CSV file beside the mapping.",
      examples: [
        { Sim: true, Não: false },
        { csv: "codes.csv", from: "Código", to: "Nome" },
      ],
    }),
  otherwise: z
    .union([
      scalarSchema,
      z.strictObject({ keep: z.literal(true).meta({ description: "Takes the cell's own text." }) }),
    ])
    .optional()
    .meta({
      description: "Taken for what `map` does not list; `{ keep: true }` takes the cell's own text. Default: an error.",
    }),
  required: z.boolean().optional().meta({
    description:
      "Whether a blank is an error. Fields of the service's create requests are required unless `required: false`.",
  }),
  oneOf: z.array(scalarSchema).min(1).optional().meta({ description: "The values permitted, as sent." }),
  pattern: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .meta({
      description: "A regular expression (RE2) that the whole value must match, as sent.",
      examples: ["[A-Z]{3}[0-9][A-Z0-9][0-9]{2}"],
    }),
  when: conditionSchema.optional().meta({ description: "The field is blank unless this holds." }),
  rows: z.enum(["same", "first", "last", "join", "sum", "min", "max", "count"]).optional().meta({
    description:
      "In an input with `group`: how the rows of a group make one value. `same` (default): what is filled must agree. `join` puts differing texts together; `sum`, `min` and `max` take numbers; `count` counts the filled cells.",
  }),
  separator: z.string().optional().meta({ description: 'Between the texts of `rows: join`. Default "; ".' }),
};

export const fieldObjectSchema = z.strictObject(fieldMembers);

export const fieldSchema = z.union([scalarSchema, fieldObjectSchema]).meta({
  id: "Field",
  description: "A constant, or exactly one of column, template, expr and value with what is done to it.",
  examples: ["BR", { column: "Placa" }, { column: "Peso Bruto", as: "decimal" }],
});

export const keyFieldSchema = z.union([fieldSchema, z.array(fieldSchema).min(1)]).meta({
  id: "Key",
  description: "One field, or several that together make the key.",
  examples: [{ column: "MTR" }, [{ column: "MTR" }, { column: "Linha" }]],
});

/**
 * Free JSON with fields in it. Checked by hand, not by zod: an object with column, template, expr or value in it is a
 * field, any other is taken as it is written.
 */
export const jsonFieldSchema = z.unknown().meta({
  id: "JsonField",
  description:
    "Any JSON. An object with one of column, template, expr and value in it is a field, whose blank leaves the member out; other objects and lists go through as they are written, fields within them filled in. A literal object that has such a member is wrapped: `{ value: { value: 10 } }`.",
});

export const jsonFieldsSchema = z.record(z.string(), jsonFieldSchema);

export type ConditionSpec = z.infer<typeof conditionSchema>;
export type FieldObject = z.infer<typeof fieldObjectSchema>;
export type FieldSpec = z.infer<typeof fieldSchema>;
export type KeySpec = z.infer<typeof keyFieldSchema>;
export type AsSpec = z.infer<typeof asSchema>;
