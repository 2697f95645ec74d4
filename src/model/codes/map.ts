import type { CodeEntry } from "../code.js";
import { ExitCode } from "../exit-code.js";

/** Rows that a mapping is applied to: columns, values, references, events. */
export const mapCodes = {
  "column-missing": {
    meaning: "The file lacks a column that the mapping reads.",
    remedy:
      "Correct the name in the mapping, list other headers under `columns:`, or mark the column `optional: true` there.",
    example: "The mapping reads `Peso Bruto`; the file has `Peso (kg)`.",
    exit: ExitCode.usage,
  },
  "column-ambiguous": {
    meaning: "Two columns of the file match one name in the mapping.",
    remedy:
      "Write the header exactly as in the file. Where several columns share a header, name each under `columns:`, with `{ headers: [Note], nth: 2 of 2 }`.",
    example: "The header has `Peso` and `PESO`, the mapping reads `peso`.",
    exit: ExitCode.usage,
  },
  "target-is-itself": {
    meaning: "An event would create the document it belongs to.",
    remedy: "Correct the key of the document that the event makes.",
    example: "A SPLIT of load 55 into load 55.",
  },
  "value-required": {
    meaning: "A field that must have a value is blank in this row.",
    remedy: "Fill the cell, give the field a `default`, or restrict the record with `when`.",
    example: "`Gerador` is empty, and the participant's name comes from it.",
  },
  "value-unmapped": {
    meaning: "A cell holds a value that the field's `map` does not list.",
    remedy: "Correct the cell, add the value to the map, or set `otherwise`.",
    example: "`Talvez` where the map lists Sim and Não.",
  },
  "value-not-allowed": {
    meaning: "A value is not one that `oneOf` allows.",
    remedy: "Correct the cell, or add the value to `oneOf`.",
    example: "`PJ` where `oneOf` lists COMPANY and PERSON.",
  },
  "value-pattern": {
    meaning: "A value does not match the field's `pattern`.",
    remedy: "Correct the cell, or the pattern.",
    example: "`ABC-123` under `[A-Z]{3}[0-9]{4}`.",
  },
  "expression-failed": {
    meaning: "A formula has no value for this row: a number too long, a division by zero, a text too long.",
    remedy: "Correct the cells it reads, or guard it: `iff(boxes > 0, round(net / boxes, 2), null)`.",
    example: "`=round(net / boxes, 2)` in a row with 0 boxes.",
  },
  "function-failed": {
    meaning: "A custom function threw, or gave something other than text, a number, true, false or null.",
    remedy: "Correct the cells it reads, or the function in the module named by `functions`.",
    example: "plateOf threw: Cannot read properties of null.",
  },
  "group-differs": {
    meaning: "Rows of one group differ where one value is needed.",
    remedy: 'Correct the rows, or make one value of several: `first(x)`, `last(x)`, `join(x, ", ")`, `sum(x)` …',
    example: "Two rows of manifest 123 name different generators.",
  },
  "group-unclear": {
    meaning: "A neighbouring row has no group key and may belong to this group, so the group may be incomplete.",
    remedy:
      "Correct that row; this one needs no change. If that row belongs to no group, take it out of the rejected file, and `skip` such rows in the mapping.",
    example: "The second of three weighings that make a sum has no ticket number: neither half of the sum is sent.",
  },
  "reference-absent": {
    meaning:
      "A record refers to another record of its row that does not exist there, because its `when` does not hold.",
    remedy: "Fill the columns of that other record, or restrict this one with the same `when`.",
    example: "The drop-off names the recycler, whose columns are blank.",
  },
  "event-name": {
    meaning: "The row gives the event a name that it cannot have.",
    remedy: "Correct the cell, or `map` it to the right name.",
    example: "`Cancel`, which differs from the reserved CANCEL only by case.",
  },
  "no-event": {
    meaning: "The row yields no event (no record, in an input without events) and would be lost silently.",
    remedy:
      "Correct the cells that decide it, skip such rows with `skip`, or write `rowsWithoutEvents: allow` in the input.",
    example: "`Pickup` where the events happen when `Evento` is `Pick-up` or `Drop-off`.",
  },
} as const satisfies Record<string, CodeEntry>;
