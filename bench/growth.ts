/**
 * Cost of a row from 10,000 rows up, on an empty ledger, and of 100,000 new rows on a ledger that already holds so many
 * landed events: within 1.2 × the smallest, memory within 5%. What commands take beside so many landed events.
 * `tsx bench/growth.ts [--most 1000000]`, 10000000 for all.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { builtFile, figure, type Measured, measure, median, megabytes, timed, withTemporaryFolder } from "./harness.js";
import { BENCH_ENVIRONMENT, writeManifests, writeMapping } from "./manifests.js";

const SIZES = [10_000, 100_000, 1_000_000, 10_000_000];
const ADDED = 100_000;
const GOAL = 1.2;
const MEMORY_GOAL_BYTES = 256 * 1024 * 1024;

const { values } = parseArgs({ options: { most: { type: "string", default: "1000000" } } });
const stageFile = join(import.meta.dirname, "stage.ts");
const program = builtFile(join(import.meta.dirname, "..", "src", "cli", "rowferry.ts"));
const perRow = (run: Measured, rows: number) => (run.cpuMilliseconds * 1000) / rows;

await withTemporaryFolder(async (folder) => {
  const mapping = await writeMapping(folder);
  const commands: [rows: number, times: Record<string, number>][] = [];
  const rowsOf = new Map<number, { fresh: Measured; added: Measured; bytes: number }>();
  console.log(
    "rows       | new ledger: µs of CPU a row, s, peak, bytes a row | 100,000 more beside them landed: µs of CPU a row",
  );
  for (const rows of SIZES.filter((size) => size <= Number(values.most))) {
    const ledger = join(folder, "ledger.db");
    const first = join(folder, "first.csv");
    const more = join(folder, "more.csv");
    await writeManifests(first, 0, rows);
    await writeManifests(more, rows, rows + ADDED);
    const fresh = await measure(stageFile, "stage", [ledger, mapping, first]);
    await rm(first);
    await measure(stageFile, "land", [ledger]);
    commands.push([rows, await commandTimes(folder, ledger, mapping, rows)]);
    const added = await measure(stageFile, "stage", [ledger, mapping, more]);
    const { bytes } = fresh.result as { bytes: number };
    rowsOf.set(rows, { fresh, added, bytes });
    console.log(
      `${rows.toLocaleString("en").padStart(10)} | ${perRow(fresh, rows).toFixed(1)}, ${(fresh.milliseconds / 1000).toFixed(1)}, ` +
        `${megabytes(fresh.peakBytes)}, ${(bytes / rows).toFixed(0)} | ${perRow(added, ADDED).toFixed(1)}, ${megabytes(added.peakBytes)}`,
    );
    for (const suffix of ["", "-wal", "-shm", ".state"]) await rm(ledger + suffix, { force: true, recursive: true });
  }
  const all = [...rowsOf];
  const names = Object.keys(commands[0]?.[1] ?? {});
  console.log(`seconds, starting node included, beside so many landed events: ${names.join(", ")}`);
  for (const [rows, times] of commands) {
    const cells = Object.values(times).map((ms) => (ms / 1000).toFixed(2));
    console.log(`${rows.toLocaleString("en").padStart(10)} | ${cells.join(", ")}`);
  }
  // The first tens of thousands pay for compiling the program.
  const settled = all.filter(([rows]) => rows >= 100_000);
  if (settled.length === 0) return;
  const costs = settled.map(([rows, { fresh }]) => perRow(fresh, rows));
  const grown = Math.max(...costs) / (costs[0] ?? Number.NaN);
  figure(grown <= GOAL, `a row of the dearest size costs ${grown.toFixed(2)} × one of 100,000, goal ≤ ${GOAL}`);
  const beside = all.map(([, { added }]) => perRow(added, ADDED));
  const heavier = Math.max(...beside) / (beside[0] ?? Number.NaN);
  figure(
    heavier <= GOAL,
    `a row beside the largest ledger costs ${heavier.toFixed(2)} × beside the smallest, goal ≤ ${GOAL}`,
  );
  const peaks = all.filter(([rows]) => rows >= 1_000_000).map(([, { fresh }]) => fresh.peakBytes);
  if (peaks.length > 0) {
    const worst = Math.max(...peaks);
    figure(worst <= MEMORY_GOAL_BYTES, `peak memory ${megabytes(worst)}, goal ≤ ${megabytes(MEMORY_GOAL_BYTES)}`);
  }
  if (peaks.length > 1) {
    const spread = Math.max(...peaks) / Math.min(...peaks);
    figure(
      spread <= 1.05,
      `peak memory at 1,000,000 and 10,000,000 rows within ${((spread - 1) * 100).toFixed(1)}%, goal ≤ 5%`,
    );
  }
});

/** In ms, by what is done. */
async function commandTimes(
  folder: string,
  ledger: string,
  mapping: string,
  rows: number,
): Promise<Record<string, number>> {
  const night = join(folder, "night.csv");
  const backup = join(folder, "backup.db");
  await writeManifests(night, rows + ADDED, rows + ADDED + 1000);
  const run = (args: string[], answer: string, times = 3) =>
    median(
      Array.from({ length: times }, () =>
        timed([program, ...args, "--ledger", ledger], folder, answer, BENCH_ENVIRONMENT),
      ),
    );
  const times = {
    status: run(["status"], "Last run"),
    "show of a document": run(["show", `MTR${100_000_000 + rows / 20}`], "Weighing"),
    "plan of 1,000 new rows": run(["plan", mapping, night], "1,000"),
    "ledger backup": run(["ledger", "backup", backup], "", 1),
    "ledger check": run(["ledger", "check"], "", 1),
  };
  await Promise.all([rm(night), rm(backup)]);
  return times;
}
