/** Figures of a run for Prometheus's textfile collector (`--metrics FILE`). Holds counts only, so everybody may read it. */
import { Gauge, Registry } from "prom-client";
import type { StateCounts, Summary } from "../model/summary.js";
import { writeAtomically } from "./atomic-file.js";

/** Whole or not at all. */
export async function writeMetrics(path: string, summary: Summary): Promise<void> {
  await write(path, await metricsText(summary));
}

/** Of a command that came to no summary: when, and how it ended. */
export async function writeFailureMetrics(
  path: string,
  { target, exitCode, at }: { target: string; exitCode: number; at: number },
): Promise<void> {
  const { registry, ended } = figures({ target });
  ended(at, exitCode);
  await write(path, await registry.metrics());
}

/** Every figure carries the labels `target` and `command`; times are in seconds since 1970. */
export function metricsText(summary: Summary): Promise<string> {
  const { target, command, startedAt, finishedAt, exitCode, open, rows, requests } = summary;
  const { registry, ended, single, counted } = figures({ target: target.name, command });
  const end = Date.parse(finishedAt);
  ended(end, exitCode);
  single("last_run_duration_seconds", "How long the last run took.", (end - Date.parse(startedAt)) / 1000);
  counted("rows", "Rows of the last run by fate.", "fate", [{ labels: {}, counts: { ...rows } }]);
  const kinds = ["participants", "addresses", "documents", "events"] as const;
  const byState = (of: { [kind in (typeof kinds)[number]]: StateCounts }) =>
    kinds.map((record) => ({ labels: { record }, counts: of[record] }));
  counted("records", "Records of the last run by state.", "state", byState(summary));
  counted("open_records", "Records of the whole ledger that are not at rest, by state.", "state", byState(open));
  single("open_rows", "Rows of the whole ledger that a person must change.", open.rows);
  counted("requests", "Requests of the last run by kind.", "kind", [{ labels: {}, counts: requests.byKind }]);
  single("requests_sent", "Requests that the last run sent, retries included.", requests.sent);
  single("retries", "Retries of the last run.", requests.retries);
  single("rate_limited", "Requests that the service refused as too many (429).", requests.rateLimited);
  single("seconds_at_limit", "How long these requests take at the limit.", requests.secondsAtLimit);
  return registry.metrics();
}

function figures(labels: { [name: string]: string }) {
  const registry = new Registry();
  registry.setDefaultLabels(labels);
  const gauge = (name: string, help: string, labelNames: string[]) =>
    new Gauge({ name: `rowferry_${name}`, help, labelNames, registers: [registry] });
  const single = (name: string, help: string, value: number) => gauge(name, help, []).set(value);
  return {
    registry,
    single,
    /** One figure with a value for each count, told apart by the label `by`. */
    counted(
      name: string,
      help: string,
      by: string,
      groups: { labels: { [name: string]: string }; counts: StateCounts }[],
    ) {
      const found = gauge(name, help, [...Object.keys(groups[0]?.labels ?? {}), by]);
      for (const { labels: own, counts } of groups)
        for (const [key, count] of Object.entries(counts)) found.set({ ...own, [by]: key }, count);
    },
    ended(at: number, exitCode: number) {
      single("last_run_finished_timestamp_seconds", "When the last run finished.", at / 1000);
      single("last_run_exit_code", "Its exit code: 0 all is well, 3 a person is needed, 4 can continue.", exitCode);
    },
  };
}

/** 0644, because the collector runs as another user. */
async function write(path: string, text: string): Promise<void> {
  await writeAtomically(path, (file) => file.write(text), 0o644);
}
