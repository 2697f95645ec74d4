/** A run's figures for Prometheus's textfile collector (`--metrics`). Counts only, so everybody may read them. */
import { Gauge, Registry } from "prom-client";
import type { StateCounts, Summary } from "../model/summary.js";
import { refuseAnothers, writeAtomically } from "./atomic-file.js";

/** A command without a summary. */
export interface Failure {
  target: string;
  exitCode: number;
  /** In ms. */
  at: number;
}

/** 0644, because the collector runs as another user. */
export async function writeMetrics(path: string, ended: Summary | Failure): Promise<void> {
  const text = await metricsText(ended);
  refuseAnothers(path, "# HELP rowferry_");
  await writeAtomically(path, (file) => file.write(text), 0o644);
}

/** Labels `target` and `command`; times in seconds since 1970. */
export function metricsText(ended: Summary | Failure): Promise<string> {
  const registry = new Registry();
  const isSummary = "type" in ended;
  registry.setDefaultLabels(
    isSummary ? { target: ended.target.name, command: ended.command } : { target: ended.target },
  );
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `rowferry_${name}`, help, labelNames, registers: [registry] });
  const at = isSummary ? Date.parse(ended.finishedAt) : ended.at;
  gauge("last_run_finished_timestamp_seconds", "When the last run finished.").set(at / 1000);
  gauge("last_run_exit_code", "Its exit code: 0 all is well, 3 a person is needed, 4 can continue.").set(
    ended.exitCode,
  );
  if (isSummary) {
    for (const [name, help, value] of singles(ended)) gauge(name, help).set(value);
    for (const [name, help, by, groups] of groupsOf(ended)) {
      const records = Object.keys(groups);
      const found = gauge(name, help, records.length > 1 ? ["record", by] : [by]);
      for (const [record, counts] of Object.entries(groups))
        for (const [key, count] of Object.entries(counts))
          found.set({ ...(records.length > 1 ? { record } : {}), [by]: key }, count);
    }
  }
  return registry.metrics();
}

const singles = ({ startedAt, finishedAt, open, requests }: Summary): [string, string, number][] => [
  ["last_run_duration_seconds", "How long the last run took.", (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000],
  ["open_rows", "Rows of the whole ledger that a person must change.", open.rows],
  ["requests_sent", "Requests that the last run sent, retries included.", requests.sent],
  ["retries", "Retries of the last run.", requests.retries],
  ["rate_limited", "Requests that the service refused as too many (429).", requests.rateLimited],
  ["seconds_at_limit", "How long these requests take at the limit.", requests.secondsAtLimit],
];

/** With the label that distinguishes its counts. */
function groupsOf({ rows, participants, addresses, documents, events, open, requests }: Summary) {
  const { rows: _, ...openRecords } = open;
  const groups: [string, string, string, { [record: string]: StateCounts }][] = [
    ["rows", "Rows of the last run by fate.", "fate", { all: rows }],
    ["records", "Records of the last run by state.", "state", { participants, addresses, documents, events }],
    ["open_records", "Open records of the whole ledger, by state.", "state", openRecords],
    ["requests", "Requests of the last run by kind.", "kind", { all: requests.byKind }],
  ];
  return groups;
}
