/** The results of `show` as plain data; times in ISO 8601. */
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

/** Parses these columns of JSON text. */
export function parsed<Row>(row: object, ...fields: (keyof Row & string)[]): Row {
  const json = fields.map((field) => [field, JSON.parse(String((row as Row)[field])) as unknown]);
  return { ...row, ...Object.fromEntries(json) } as Row;
}
