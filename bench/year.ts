/**
 * A year of nights: 400 times the full export of a source that grows, in virtual time, with a month's ledger kept
 * (`ledger prune --keep-for 30d` each Sunday) and without. Ledger, run folders, the time of a night and the heap as lines.
 * `tsx bench/year.ts [--nights 400] [--first 1000] [--added 25]`.
 */
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { prune } from "../src/desk/care.js";
import { createWorld } from "../test/nights/simulation/world.js";
import { evenly, writeDeliveries } from "../test/support/deliveries.js";
import { figure } from "./harness.js";

const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;
const { values } = parseArgs({
  options: {
    nights: { type: "string", default: "400" },
    first: { type: "string", default: "1000" },
    added: { type: "string", default: "25" },
  },
});
const [nights, first, added] = [values.nights, values.first, values.added].map(Number) as [number, number, number];
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const lines = {
  "rows of the export": [] as number[],
  "ledger, MiB": [] as number[],
  "run folders, MiB": [] as number[],
  "run folders, files": [] as number[],
  "time of a night, ms of CPU": [] as number[],
  "heap in use after it, MiB": [] as number[],
};

function sizeOf(path: string): { bytes: number; files: number } {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return { bytes: 0, files: 0 };
  if (!found.isDirectory()) return { bytes: found.size, files: 1 };
  const inside = readdirSync(path).map((name) => sizeOf(join(path, name)));
  return inside.reduce((sum, { bytes, files }) => ({ bytes: sum.bytes + bytes, files: sum.files + files }), {
    bytes: 0,
    files: 0,
  });
}

/** At most sixty marks, each the mean of its nights; the scale begins at nought. */
function drawn(points: readonly number[]): string {
  const width = Math.min(60, points.length);
  const most = Math.max(...points, Number.MIN_VALUE);
  return Array.from({ length: width }, (_, index) => {
    const some = points.slice(
      Math.floor((index * points.length) / width),
      Math.floor(((index + 1) * points.length) / width),
    );
    const mean = some.reduce((sum, point) => sum + point, 0) / some.length;
    return "▁▂▃▄▅▆▇█"[Math.min(7, Math.floor((mean / most) * 8))];
  }).join("");
}

async function live(prunes: boolean): Promise<void> {
  for (const points of Object.values(lines)) points.length = 0;
  const world = createWorld({ maxEventsPerRequest: 100 });
  const folder = join(world.target.stateFolder, "exports");
  mkdirSync(folder);
  const { stateFolder, ledgerPath } = world.target;
  try {
    for (let night = 0; night < nights; night += 1) {
      const rows = first + night * added;
      const [mapping = "", path = ""] = await writeDeliveries(folder, evenly(rows, 500));
      const began = process.cpuUsage();
      const summary = await world.import([{ mapping, path }]);
      const { user, system } = process.cpuUsage(began);
      if (summary.exitCode !== 0) throw new Error(`night ${night} ended with ${summary.exitCode}`);
      if (prunes && night % 7 === 6)
        await prune(world.target, world.clock.now() - 30 * DAY_MS, { clock: world.clock, waitForLock: false });
      collect();
      const runs = sizeOf(join(stateFolder, "runs"));
      lines["rows of the export"].push(rows);
      lines["ledger, MiB"].push((sizeOf(ledgerPath).bytes + sizeOf(`${ledgerPath}-wal`).bytes) / MIB);
      lines["run folders, MiB"].push(runs.bytes / MIB);
      lines["run folders, files"].push(runs.files);
      lines["time of a night, ms of CPU"].push((user + system) / 1000);
      lines["heap in use after it, MiB"].push(getHeapStatistics().used_heap_size / MIB);
      await world.clock.advance(DAY_MS);
    }
    const events = world.sandbox.store.documents().reduce((sum, one) => sum + one.events.length, 0);
    console.log(
      `${nights} nights, ${prunes ? "pruned to 30 days each week" : "nothing pruned"}: first, last, line from nought`,
    );
    for (const [name, points] of Object.entries(lines)) {
      const [from, to] = [points[0] ?? 0, points.at(-1) ?? 0].map((point) => point.toFixed(point < 10 ? 1 : 0));
      console.log(`     ${name.padEnd(27)} ${from?.padStart(6)} ${to?.padStart(6)}  ${drawn(points)}`);
    }
    const landed = first + (nights - 1) * added;
    figure(events === landed, `${events.toLocaleString("en")} of ${landed.toLocaleString("en")} events landed once`);
  } finally {
    await world.close();
  }
}

await live(false);
await live(true);
