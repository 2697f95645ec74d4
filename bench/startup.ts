/**
 * `--help`, and `status` on a ledger of 1,000,000 events, staged and landed, beside node alone.
 * `tsx bench/startup.ts [--rows 1000000] [--repetitions 9]`.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { builtFile, figure, measure, median, withTemporaryFolder } from "./harness.js";
import { writeManifests, writeMapping } from "./manifests.js";

const HELP_GOAL_MS = 150;
const STATUS_GOAL_MS = 300;

const { values } = parseArgs({
  options: { rows: { type: "string", default: "1000000" }, repetitions: { type: "string", default: "9" } },
});
const rows = Number(values.rows);
const program = builtFile(join(import.meta.dirname, "..", "src", "cli", "main.ts"));

function timed(args: string[], cwd: string, environment: NodeJS.ProcessEnv = {}): number {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, env: { ...process.env, ...environment } });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${String(stderr)}`);
  return performance.now() - begun;
}

await withTemporaryFolder(async (folder) => {
  const mapping = await writeMapping(folder);
  const file = join(folder, "rows.csv");
  const ledger = join(folder, "ledger.db");
  await writeManifests(file, 0, rows);
  const stageFile = join(import.meta.dirname, "stage.ts");
  // The owner that `benchTarget` names, so that `status` opens the same ledger.
  const environment = {
    ROWFERRY_BASE_URL: "http://127.0.0.1:9",
    ROWFERRY_TOKEN_URL: "http://127.0.0.1:9/oauth/token",
    ROWFERRY_CLIENT_ID: "sandbox",
    ROWFERRY_CLIENT_SECRET: "sandbox",
  };
  const status = () => timed([program, "status", "--ledger", ledger], folder, environment);
  const repetitions = Array.from({ length: Number(values.repetitions) }, (_, index) => index);

  await measure(stageFile, "stage", [ledger, mapping, file]);
  const times = { node: [] as number[], help: [] as number[], staged: [] as number[], landed: [] as number[] };
  for (const _ of repetitions) {
    times.node.push(timed(["-e", "0"], folder));
    times.help.push(timed([program, "--help"], folder));
    times.staged.push(status());
  }
  await measure(stageFile, "land", [ledger]);
  for (const _ of repetitions) times.landed.push(status());

  const ms = (list: number[]) => Math.round(median(list));
  console.log(`medians of ${repetitions.length} interleaved runs; node alone ${ms(times.node)} ms`);
  figure(ms(times.help) <= HELP_GOAL_MS, `--help ${ms(times.help)} ms, goal ≤ ${HELP_GOAL_MS}`);
  const events = rows.toLocaleString("en");
  for (const state of ["staged", "landed"] as const) {
    const reached = ms(times[state]) <= STATUS_GOAL_MS;
    figure(reached, `status on ${events} ${state} events ${ms(times[state])} ms, goal ≤ ${STATUS_GOAL_MS}`);
  }
});
