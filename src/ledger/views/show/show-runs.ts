import type { Database } from "better-sqlite3";
import type { StateCounts, Summary } from "../../../model/summary.js";
import { isoOrNull, isoTime } from "./show-requests.js";
import type { ShownRun } from "./shown.js";
import { requestsOf } from "../../request-id.js";

interface RunRow {
  id: number;
  name: string;
  command: string;
  mapping: string | null;
  started_at: number;
  finished_at: number | null;
  exit_code: number | null;
  summary: string | null;
}

/**
 * Runs, with what each staged and sent: as it reported it, which later imports do not alter. Of one that came to no summary,
 * what the ledger has of it now.
 */
export function createRunView(database: Database) {
  const newest = database.prepare<[number], RunRow>("SELECT * FROM runs ORDER BY id DESC LIMIT ?");
  const byName = database.prepare<[string], RunRow>("SELECT * FROM runs WHERE name = ?");
  const inputs = database.prepare<[number], ShownRun["inputs"][number]>(
    "SELECT name, sheet, read, skipped, invalid, known, staged FROM inputs WHERE run_id = ? ORDER BY id",
  );
  const requests = database.prepare<[number, number], { name: string; count: number }>(
    "SELECT kind AS name, count(*) AS count FROM requests WHERE id BETWEEN ? AND ? GROUP BY kind",
  );
  const events = database.prepare<[number, number], { name: string; count: number }>(
    `SELECT e.state AS name, count(*) AS count FROM
       (SELECT DISTINCT event_id FROM request_events WHERE request_id BETWEEN ? AND ?) sent
     JOIN events_now e ON e.id = sent.event_id GROUP BY 1`,
  );
  const counts = (rows: { name: string; count: number }[]): StateCounts =>
    Object.fromEntries(rows.map(({ name, count }) => [name, count]));
  const shown = (row: RunRow): ShownRun => ({
    name: row.name,
    command: row.command,
    mapping: row.mapping,
    startedAt: isoTime(row.started_at),
    finishedAt: isoOrNull(row.finished_at),
    exitCode: row.exit_code,
    ...(reported(row.summary) ?? {
      inputs: inputs.all(row.id),
      requests: counts(requests.all(...requestsOf(row.id))),
      events: counts(events.all(...requestsOf(row.id))),
    }),
  });
  return {
    /** Newest first. */
    newest: (limit: number): ShownRun[] => newest.all(limit).map(shown),
    find: (name: string): ShownRun[] => byName.all(name).map(shown),
  };
}

function reported(json: string | null): Pick<ShownRun, "inputs" | "requests" | "events"> | null {
  const summary = json === null ? null : (JSON.parse(json) as Summary | { type: "verify" });
  if (summary?.type !== "summary") return null;
  const { inputs, requests, events } = summary;
  return { inputs: inputs.map(({ input, ...rest }) => ({ name: input, ...rest })), requests: requests.byKind, events };
}

export type RunView = ReturnType<typeof createRunView>;
