/** What earlier imports were like, for a later one to be compared with. Reads only. */
import type { Summary } from "../../model/summary.js";
import type { LedgerDatabase } from "../ledger-database.js";

/** Imports by the same mapping that came to a summary, before a run; newest first. */
export function importsBefore(database: LedgerDatabase, run: string, mapping: string, limit: number): Summary[] {
  return database
    .values<string>(
      `SELECT summary FROM runs
       WHERE command = 'import' AND mapping = @mapping AND summary IS NOT NULL
         AND id < (SELECT id FROM runs WHERE name = @run)
       ORDER BY id DESC LIMIT @limit`,
      { run, mapping, limit },
    )
    .map((text) => JSON.parse(text) as Summary);
}

/** The newest time of events that a run has staged, and of those that earlier runs staged by the same mapping; ms, null: none. */
export function newestEvents(database: LedgerDatabase, run: string): { own: number | null; earlier: number | null } {
  const found = database.row<{ own: number | null; earlier: number | null }>(
    `WITH this AS (SELECT id, mapping FROM runs WHERE name = @run)
     SELECT max(CASE WHEN inputs.run_id = this.id THEN events.at END) AS own,
       max(CASE WHEN inputs.run_id < this.id THEN events.at END) AS earlier
     FROM this JOIN runs ON runs.mapping = this.mapping
       JOIN inputs ON inputs.run_id = runs.id JOIN events ON events.input_id = inputs.id`,
    { run },
  );
  return found ?? { own: null, earlier: null };
}

/** When rows were last staged, ms; null: never. */
export function lastStaged(database: LedgerDatabase): number | null {
  return database.value<number | null>("SELECT max(staged_at) FROM runs") ?? null;
}
