import { mark, usage } from "../code.js";

/** Rows that a mapping is applied to: columns, values, references, events. */
export const mapCodes = {
  "column-missing": usage(
    "The file lacks a column that the mapping reads.",
    "If the source has renamed it, add the new header after the old one, as in `header: [Peso, Peso Bruto]`, so that keys stay the same. Otherwise correct the name in the mapping, or mark the column `optional: true`.",
    "The mapping reads `Peso Bruto`; the file has `Peso (kg)`.",
  ),
  "column-ambiguous": usage(
    "Two columns of the file match one name in the mapping.",
    "Write the header exactly as in the file. Where several columns share a header, name each under `columns:`, with `{ header: Note, nth: 2 of 2 }`.",
    "The header has `Peso` and `PESO`, the mapping reads `peso`.",
  ),
  "target-is-itself": mark(
    "An event would create the document it belongs to.",
    "Correct the key of the document that the event creates.",
    "A SPLIT of load 55 into load 55.",
  ),
  "link-to-itself": mark(
    "An event would link a document to itself.",
    "Correct the key of the other document.",
    "A RELATED of invoice 55 to invoice 55.",
  ),
  "value-required": mark(
    "A field that must have a value is blank in this row.",
    "Fill the cell; or change the mapping: give the field a `default`, or restrict the record with `when`.",
    "`Gerador` is empty, and the participant's name comes from it.",
  ),
  "value-unmapped": mark(
    "A cell holds a value that the field's `map` does not list.",
    "Correct the cell; or change the mapping: add the value to the map, or set `otherwise`.",
    "`Talvez` where the map lists Sim and Não.",
  ),
  "value-not-allowed": mark(
    "A value is not one that `oneOf` allows.",
    "Correct the cell; or change the mapping: add the value to `oneOf`.",
    "`PJ` where `oneOf` lists COMPANY and PERSON.",
  ),
  "value-pattern": mark(
    "A value does not match the field's `pattern`.",
    "Correct the cell; or change the mapping: correct the pattern.",
    "`ABC-123` under `[A-Z]{3}[0-9]{4}`.",
  ),
  "expression-failed": mark(
    "A formula has no value for this row: a number too long, a division by zero, a text too long.",
    "Correct the cells it reads; or change the mapping: guard the formula, as in `iff(boxes > 0, round(net / boxes, 2), null)`.",
    "`=round(net / boxes, 2)` in a row with 0 boxes.",
  ),
  "function-failed": mark(
    "A custom function threw, or returned something other than text, a number, true, false or null.",
    "Correct the cells it reads, or the function in the module named by `functions`.",
    "plateOf threw: Cannot read properties of null.",
  ),
  "group-differs": mark(
    "Rows of one group differ where one value is needed.",
    'Correct the rows; or change the mapping: combine their values with `first(x)`, `last(x)`, `join(x, ", ")` or `sum(x)`.',
    "Two rows of manifest 123 name different generators.",
  ),
  "group-unclear": mark(
    "A neighbouring row has no group key and may belong to this group, so the group may be incomplete.",
    "Correct that row; this one needs no change. If that row belongs to no group, remove it from the rejected file, and `skip` such rows in the mapping.",
    "The second of three weighings that make a sum has no ticket number: neither half of the sum is sent.",
  ),
  "value-above": mark(
    "A blank cell would take the value above it (`fill: down`), but that value may belong to another group. A row in between fills this column, but was skipped or has another number of cells; or it fills only a column further left.",
    "Write the value in this row, too.",
    "The row that names the customer is skipped, because it is cancelled; the rows below it name none.",
  ),
  "reference-absent": mark(
    "A record refers to another record of its row that does not exist there, because its `when` does not hold.",
    "Fill the columns of that other record; or change the mapping: restrict this one with the same `when`.",
    "The drop-off names the recycler, whose columns are blank.",
  ),
  "event-name": mark(
    "The row gives the event a name that it cannot have.",
    "Correct the cell; or change the mapping: `map` it to the right name.",
    "`Cancel`, which differs from the reserved CANCEL only by case.",
  ),
  "ends-too-early": mark(
    "The row closes or cancels its document before the time of another of its own events, which could then never be sent.",
    "Correct the times; or change the mapping: give the CLOSE or CANCEL a time of day. A date alone means midnight at its start.",
    "`Started` 14:00 and `Finished` 13:00 of one day, where the row gives a weighing and the CLOSE.",
  ),
  "no-event": mark(
    "The row yields no event (in an input without events, no record) and would be lost silently.",
    "Correct the cells that decide which event it is; or change the mapping: leave such rows out with `skip`, or write `rowsWithoutEvents: allow` in the input.",
    "`Pickup` where the events happen when `Evento` is `Pick-up` or `Drop-off`.",
  ),
};
