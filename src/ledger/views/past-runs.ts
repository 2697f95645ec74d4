/** Figures of earlier imports, for comparison and reports. */
import type { Summary } from "../../model/summary.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { requestsOf } from "../runs.js";

/** Imports with a summary by the same mapping before this run; newest first. */
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

/** The newest event time of this run, and of earlier runs by the same mapping; ms, null: none. */
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

/** Of a run with any such file, or without a file that was new; ms, null: never. */
export function lastStaged(database: LedgerDatabase, isMeant: (file: string) => boolean): number | null {
  const runs = database.each<{ at: number; files: string }>(
    `SELECT staged_at AS at, (SELECT json_group_array(name) FROM inputs WHERE run_id = runs.id) AS files
     FROM runs WHERE staged_at IS NOT NULL ORDER BY staged_at DESC`,
  );
  for (const { at, files } of runs) {
    const names = JSON.parse(files) as string[];
    if (names.length === 0 || names.some(isMeant)) return at;
  }
  return null;
}

export interface Pace {
  /** In ms. */
  startedAt: number;
  spanMs: number;
  sent: number[];
  rateLimited: number[];
}

const mostSpans = 240;

const attempts = `SELECT a.value ->> 'startedAt' AS at, coalesce(a.value ->> 'status' = 429, 0) AS limited
  FROM requests r CROSS JOIN json_each(r.attempts) a WHERE r.id BETWEEN @first AND @last`;

/** Attempts of a run in equal spans of at least a second; null: none. */
export function paceOf(database: LedgerDatabase, run: number): Pace | null {
  const range = requestsOf(run);
  const found = database.row<{ startedAt: number | null; end: number }>(
    `SELECT min(at) AS startedAt, max(at) AS "end" FROM (${attempts})`,
    range,
  );
  if (found === null || found.startedAt === null) return null;
  const { startedAt, end } = found;
  const spanMs = Math.max(1, Math.ceil((end - startedAt) / 1000 / mostSpans)) * 1000;
  const none = () => Array.from({ length: Math.floor((end - startedAt) / spanMs) + 1 }, () => 0);
  const pace: Pace = { startedAt, spanMs, sent: none(), rateLimited: none() };
  const spans = database.each<{ span: number; sent: number; limited: number }>(
    `SELECT CAST((at - @startedAt) / @spanMs AS INTEGER) AS span, count(*) AS sent, sum(limited) AS limited
     FROM (${attempts}) GROUP BY 1`,
    { ...range, startedAt, spanMs },
  );
  for (const { span, sent, limited } of spans) [pace.sent[span], pace.rateLimited[span]] = [sent, limited];
  return pace;
}
