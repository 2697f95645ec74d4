/** Every input that was ever staged, with the fates of its rows; newest first. Reads only. */
import type { Database } from "better-sqlite3";
import type { RowCounts } from "../../model/summary.js";

export interface ListedInput extends RowCounts {
  name: string;
  sheet: string | null;
  path: string;
  mapping: string;
  /** ms. */
  stagedAt: number;
}

export function listInputs(database: Database, limit: number): ListedInput[] {
  return database
    .prepare<[number], ListedInput>(
      `SELECT name, sheet, path, mapping, staged_at AS stagedAt, read, skipped, invalid, known, staged
       FROM inputs ORDER BY staged_at DESC, id DESC LIMIT ?`,
    )
    .all(limit);
}
