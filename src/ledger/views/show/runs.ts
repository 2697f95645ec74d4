import type { Summary } from "../../../model/summary.js";
import type { LedgerDatabase } from "../../ledger-database.js";
import { type Decided, requestsOf } from "../../runs.js";
import { tallyRun } from "../tally.js";
import type { ShownRun } from "./shown.js";

type Figures = Pick<ShownRun, "did" | "inputs" | "requests" | "events">;

/**
 * With what it staged and sent, from its own summary, which later imports do not change. Without a summary, from the
 * ledger's present state.
 */
function runs(database: LedgerDatabase, which: string, values: object): ShownRun[] {
  return database
    .rows<Omit<ShownRun, keyof Figures> & { id: number; summary: string | null }>(
      `SELECT id, name, command, mapping, started_by AS startedBy, iso(started_at) AS startedAt, iso(finished_at) AS finishedAt, exit_code AS exitCode,
         summary FROM runs ${which}`,
      { ...values },
    )
    .map(({ id, summary, ...run }) => ({ ...run, ...(reported(summary) ?? found(database, id)) }));
}

function reported(json: string | null): Figures | null {
  const summary = json === null ? null : (JSON.parse(json) as Summary | Decided | { type: "verify" });
  if (summary?.type === "decision") return { did: summary.did, inputs: [], requests: {}, events: {} };
  if (summary?.type !== "summary") return null;
  const { inputs, requests, events } = summary;
  return {
    did: null,
    inputs: inputs.map(({ input, ...rest }) => ({ name: input, ...rest })),
    requests: requests.byKind,
    events,
  };
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
  return { did: null, inputs, requests: byKind, events: tallyRun(database, run).events };
}

export const listRuns = (database: LedgerDatabase, limit: number): ShownRun[] =>
  runs(database, "ORDER BY id DESC LIMIT @limit", { limit });

export const findRuns = (database: LedgerDatabase, name: string): ShownRun[] =>
  runs(database, "WHERE name = @name", { name });
