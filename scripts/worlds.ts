/**
 * Lives through worlds drawn from seeds (mappings, files, steps) and prints where the service or the counts are not
 * what a careful person would expect, cut down to what it needs. `npm run worlds -- --worlds 1000 --seed 1`; a single
 * seed reproduces its world exactly; `--verbose` prints what the commands said.
 */
import { parseArgs } from "node:util";
import { drawWorld } from "../test/nights/worlds/draw.js";
import { live } from "../test/nights/worlds/live.js";
import { describeWorld, shrinkWorld } from "./shrink/shrink-world.js";

const { values } = parseArgs({
  options: {
    worlds: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    shrink: { type: "string", default: "3" },
    verbose: { type: "boolean", default: false },
  },
});
const first = Number(values.seed);
const worlds = Number(values.worlds);
const failed: number[] = [];
const sum = { runs: 0, rows: 0, events: 0 };
const began = process.cpuUsage();
for (let seed = first; seed < first + worlds; seed += 1) {
  const world = drawWorld(seed);
  const lived = await live(world);
  sum.runs += lived.runs;
  sum.rows += lived.rows;
  sum.events += lived.events;
  if (lived.differences.length === 0) continue;
  failed.push(seed);
  console.log(`seed ${seed}: ${lived.differences.join("\n  ")}`);
  if (failed.length > Number(values.shrink)) continue;
  const small = await shrinkWorld(world, lived.differences);
  console.log(describeWorld(small));
  const again = await live(small);
  console.log(again.differences.join("\n"));
  if (values.verbose) console.log(again.log.join("\n"));
}
const { user, system } = process.cpuUsage(began);
const rate = Math.round(worlds / ((user + system) / 60_000_000));
const mean = Object.entries(sum).map(([name, count]) => `${(count / worlds).toFixed(1)} ${name}`);
console.log(`${worlds} worlds from seed ${first}: ${failed.length} differ, ${rate} a minute of one core's time`);
console.log(`a world, on average: ${mean.join(", ")}`);
process.exit(failed.length === 0 ? 0 : 1);
