import type { Database } from "better-sqlite3";
import { describePlace } from "../../model/place.js";
import { inputOf, rowNumberOf } from "../row-id.js";

/** `manifests.csv, row 17`; for a row that is not known, `an earlier import`. */
export function describeRow(database: Database, id: number | null): string {
  if (id === null) return "an earlier import";
  const input = database
    .prepare<[number], { name: string; sheet: string | null }>("SELECT name, sheet FROM inputs WHERE id = ?")
    .get(inputOf(id));
  if (input === undefined) return "an earlier import";
  return describePlace({ file: input.name, sheet: input.sheet ?? undefined, row: rowNumberOf(id) });
}
