/**
 * Counts how often events have been given other content, by a correction, another file or a replacement. A file whose bytes
 * come back says nothing new only while that count stands where it stood when the file was judged (HARD-CASES H36).
 */
import type { Database } from "better-sqlite3";

const NAME = "content-changes";

export function contentChanges(database: Database): number {
  const count = database.prepare<[string], string>("SELECT value FROM facts WHERE name = ?").pluck().get(NAME);
  return Number(count ?? 0);
}

/** To be called inside the transaction that changes content. */
export function countContentChange(database: Database): void {
  database
    .prepare<[string]>(
      "INSERT INTO facts (name, value) VALUES (?, '1') ON CONFLICT (name) DO UPDATE SET value = CAST(value + 1 AS TEXT)",
    )
    .run(NAME);
}
