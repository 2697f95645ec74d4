/** `<mapping>.cases.yaml`: rows, and the records or codes they must yield. Every scalar is text. */
import { z } from "zod";
import { block, filled, maybe } from "../described.js";

const cell = z.union([
  z.string(),
  z.null(),
  block({
    number: maybe(z.string(), "A number cell of a workbook, in plain notation."),
    date: maybe(z.string(), "A date cell of a workbook, in ISO 8601."),
    boolean: maybe(z.string(), "A boolean cell of a workbook."),
  }),
]);

const expectedRecords = block({
  participants: z.array(z.unknown()).optional(),
  addresses: z.array(z.unknown()).optional(),
  documents: z.array(z.unknown()).optional(),
  events: z.array(z.unknown()).optional(),
});

export const caseSchema = block({
  name: filled.meta({ description: "What the case shows, in one sentence." }),
  input: maybe(z.string(), "The input of the mapping; may be left out if there is only one."),
  rows: z
    .array(z.record(z.string(), cell))
    .min(1)
    .meta({ description: "Cells by header; columns that are left out are blank." }),
  records: maybe(
    expectedRecords,
    "What the rows yield, each kind of record in order; fields that are left out are not compared.",
  ),
  codes: maybe(
    z.array(z.string()).min(1),
    "The codes of the problems that make the rows invalid, in any order; `code: Column` also says where.",
    [["tax-id-invalid: CNPJ Gerador"]],
  ),
  skipped: maybe(z.literal("true"), "All rows are left out."),
}).meta({ id: "Case" });

export const casesSchema = block({ cases: z.array(caseSchema).min(1) });

export type CaseSpec = z.infer<typeof caseSchema>;
