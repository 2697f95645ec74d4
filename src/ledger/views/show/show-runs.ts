import type { Summary } from "../../../model/summary.js";
import type { LedgerDatabase } from "../../ledger-database.js";
import { requestsOf } from "../../runs.js";
import { tallyRun } from "../tally.js";
import { isoOrNull, isoTime } from "./show-requests.js";
import type { ShownRun } from "./shown.js";

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

/** With what it staged and sent: as it reported it, which later imports do not alter. Of one that came to no summary, what the ledger has of it now. */
function shown(database: LedgerDatabase, row: RunRow): ShownRun {
  const { id, name, command, mapping } = row;
  return {
    name,
    command,
    mapping,
    startedAt: isoTime(row.started_at),
    finishedAt: isoOrNull(row.finished_at),
    exitCode: row.exit_code,
    ...(reported(row.summary) ?? found(database, id)),
  };
}

type Figures = Pick<ShownRun, "inputs" | "requests" | "events">;

function reported(json: string | null): Figures | null {
  const summary = json === null ? null : (JSON.parse(json) as Summary | { type: "verify" });
  if (summary?.type !== "summary") return null;
  const { inputs, requests, events } = summary;
  return { inputs: inputs.map(({ input, ...rest }) => ({ name: input, ...rest })), requests: requests.byKind, events };
}

function found(database: LedgerDatabase, run: number): Figures {
  const [first, last] = requestsOf(run);
  const requests = database.rows<{ kind: string; count: number }>(
    "SELECT kind, count(*) AS count FROM requests WHERE id BETWEEN @first AND @last GROUP BY kind",
    { first, last },
  );
  const inputs = database.rows<ShownRun["inputs"][number]>(
    "SELECT name, sheet, read, skipped, invalid, known, staged FROM inputs WHERE run_id = @run ORDER BY id",
    { run },
  );
  const byKind = Object.fromEntries(requests.map(({ kind, count }) => [kind, count]));
  return { inputs, requests: byKind, events: tallyRun(database, run).events };
}

/** Newest first. */
export function listRuns(database: LedgerDatabase, limit: number): ShownRun[] {
  return database
    .rows<RunRow>("SELECT * FROM runs ORDER BY id DESC LIMIT @limit", { limit })
    .map((row) => shown(database, row));
}

export function findRuns(database: LedgerDatabase, name: string): ShownRun[] {
  return database.rows<RunRow>("SELECT * FROM runs WHERE name = @name", { name }).map((row) => shown(database, row));
}
