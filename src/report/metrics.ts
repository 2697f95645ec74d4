/** Figures of a run for Prometheus's textfile collector (`--metrics FILE`). Holds counts only, so everybody may read it. */
import { Gauge, Registry } from "prom-client";
import type { StateCounts, Summary } from "../model/summary.js";
import { writeAtomically } from "./atomic-file.js";

/** Whole or not at all; 0644, because the collector runs as another user. */
export async function writeMetrics(path: string, summary: Summary): Promise<void> {
  const text = await metricsText(summary);
  await writeAtomically(path, (file) => file.write(text), 0o644);
}

/** Of a command that came to no summary: when, and how it ended. */
export async function writeFailureMetrics(
  path: string,
  { target, exitCode, at }: { target: string; exitCode: number; at: number },
): Promise<void> {
  const registry = new Registry();
  registry.setDefaultLabels({ target });
  ended(registry, new Date(at).toISOString(), exitCode);
  const text = await registry.metrics();
  await writeAtomically(path, (file) => file.write(text), 0o644);
}

function ended(registry: Registry, finishedAt: string, exitCode: number): void {
  const single = (name: string, help: string, value: number) =>
    new Gauge({ name: `rowferry_${name}`, help, registers: [registry] }).set(value);
  single("last_run_finished_timestamp_seconds", "When the last run finished.", seconds(finishedAt));
  single("last_run_exit_code", "Its exit code: 0 all is well, 3 a person is needed, 4 can go on.", exitCode);
}

/** Every figure carries the labels `target` and `command`; times are in seconds since 1970. */
export function metricsText(summary: Summary): Promise<string> {
  const registry = new Registry();
  registry.setDefaultLabels({ target: summary.target.name, command: summary.command });
  const single = (name: string, help: string, value: number) => {
    new Gauge({ name: `rowferry_${name}`, help, registers: [registry] }).set(value);
  };
  ended(registry, summary.finishedAt, summary.exitCode);
  single(
    "last_run_duration_seconds",
    "How long the last run took.",
    seconds(summary.finishedAt) - seconds(summary.startedAt),
  );
  const rows = new Gauge({
    name: "rowferry_rows",
    help: "Rows of the last run by fate.",
    labelNames: ["fate"],
    registers: [registry],
  });
  for (const fate of ["read", "skipped", "invalid", "known", "staged"] as const) rows.set({ fate }, summary.rows[fate]);
  const kinds = ["participants", "addresses", "documents", "events"] as const;
  const byState = (name: string, help: string, counts: (kind: (typeof kinds)[number]) => StateCounts) => {
    const gauge = new Gauge({ name: `rowferry_${name}`, help, labelNames: ["record", "state"], registers: [registry] });
    for (const kind of kinds)
      for (const [state, count] of Object.entries(counts(kind))) gauge.set({ record: kind, state }, count);
  };
  byState("records", "Records of the last run by state.", (kind) => summary[kind]);
  byState("open_records", "Records of the whole ledger that are not at rest, by state.", (kind) => summary.open[kind]);
  single("open_rows", "Rows of the whole ledger that a person must change.", summary.open.rows);
  const requests = new Gauge({
    name: "rowferry_requests",
    help: "Requests of the last run by kind.",
    labelNames: ["kind"],
    registers: [registry],
  });
  for (const [kind, count] of Object.entries(summary.requests.byKind)) requests.set({ kind }, count);
  single("requests_sent", "Requests that the last run sent, retries included.", summary.requests.sent);
  single("retries", "Retries of the last run.", summary.requests.retries);
  single("rate_limited", "Requests that the service refused as too many (429).", summary.requests.rateLimited);
  single("seconds_at_limit", "How long these requests take at the limit.", summary.requests.secondsAtLimit);
  return registry.metrics();
}

function seconds(time: string): number {
  return Date.parse(time) / 1000;
}
