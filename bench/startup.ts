/**
 * `--help`, and `status` on a ledger of 1,000,000 events, staged and landed, beside node alone.
 * `tsx bench/startup.ts [--rows 1000000] [--repetitions 9]`.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { builtFile, figure, measure, median, timed, withTemporaryFolder } from "./harness.js";
import { BENCH_ENVIRONMENT, writeManifests, writeMapping } from "./manifests.js";

const HELP_GOAL_MS = 150;
const STATUS_GOAL_MS = 300;

const { values } = parseArgs({
  options: { rows: { type: "string", default: "1000000" }, repetitions: { type: "string", default: "9" } },
});
const rows = Number(values.rows);
const program = builtFile(join(import.meta.dirname, "..", "src", "cli", "rowferry.ts"));

await withTemporaryFolder(async (folder) => {
  const mapping = await writeMapping(folder);
  const file = join(folder, "rows.csv");
  const ledger = join(folder, "ledger.db");
  await writeManifests(file, 0, rows);
  const stageFile = join(import.meta.dirname, "stage.ts");
  const count = rows.toLocaleString("en");
  const status = () => timed([program, "status", "--ledger", ledger], folder, "Last run", BENCH_ENVIRONMENT);
  const repetitions = Array.from({ length: Number(values.repetitions) }, (_, index) => index);

  await measure(stageFile, "stage", [ledger, mapping, file]);
  const times = { node: [] as number[], help: [] as number[], staged: [] as number[], landed: [] as number[] };
  for (const _ of repetitions) {
    times.node.push(timed(["-p", "0"], folder, "0"));
    times.help.push(timed([program, "--help"], folder, "status"));
    times.staged.push(status());
  }
  await measure(stageFile, "land", [ledger]);
  for (const _ of repetitions) times.landed.push(status());

  const ms = (list: number[]) => Math.round(median(list));
  console.log(`medians of ${repetitions.length} interleaved runs; node alone ${ms(times.node)} ms`);
  figure(ms(times.help) <= HELP_GOAL_MS, `--help ${ms(times.help)} ms, goal ≤ ${HELP_GOAL_MS}`);
  for (const state of ["staged", "landed"] as const) {
    const reached = ms(times[state]) <= STATUS_GOAL_MS;
    figure(reached, `status on ${count} ${state} events ${ms(times[state])} ms, goal ≤ ${STATUS_GOAL_MS}`);
  }
});
