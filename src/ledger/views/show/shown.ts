/** What `show` finds, as plain data: times in ISO 8601, ids and reasons as they stand in the ledger. */
export type {
  Shown,
  ShownAttempt,
  ShownDocument,
  ShownEvent,
  ShownRegistration,
  ShownRequest,
  ShownRow,
  ShownRun,
} from "../../../model/lines/show.js";

/** A row as SQLite gives it, with these columns of JSON text as what they hold. */
export function parsed<Row>(row: object, ...fields: (keyof Row & string)[]): Row {
  const json = fields.map((field) => [field, JSON.parse(String((row as Row)[field])) as unknown]);
  return { ...row, ...Object.fromEntries(json) } as Row;
}
