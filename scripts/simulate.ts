/**
 * Lives through nights drawn from seeds, and prints the story of each that broke a promise, cut down to what it needs.
 * `npm run simulate -- --nights 1000 --seed 1`; a single seed reproduces its night exactly.
 */
import { parseArgs } from "node:util";
import { live } from "../test/nights/simulation/night.js";
import { partsOf } from "../test/nights/simulation/real-shapes.js";
import { drawStory } from "../test/nights/simulation/story.js";
import { shrink } from "./shrink/shrink.js";

const kindOf = ([first = ""]: readonly string[]): string => first.split(":")[0] ?? "";

const { values } = parseArgs({
  options: {
    nights: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    /** Only those of real shape among them (test/nights/simulation/real-shapes.ts). */
    real: { type: "boolean", default: false },
  },
});
const first = Number(values.seed);
const nights = Number(values.nights);
const failed: number[] = [];
const sum = { requests: 0, runs: 0, rows: 0, faults: 0, kills: 0 };
const real = { nights: 0, rows: 0 };
let lived = 0;
const began = process.cpuUsage();
for (let seed = first; seed < first + nights; seed += 1) {
  const story = drawStory(seed);
  if (values.real && story.files === undefined) continue;
  lived += 1;
  const isReal = story.files !== undefined;
  if (isReal) real.nights += 1;
  for (const step of story.steps) {
    if (step.do === "import") {
      const rows = step.rows.reduce((all, row) => all + partsOf(row), 0);
      sum.rows += rows;
      if (isReal) real.rows += rows;
    }
    if (!("faults" in step)) continue;
    sum.faults += step.faults.length;
    sum.kills += step.kill === null ? 0 : 1;
  }
  const night = await live(story);
  sum.requests += night.requests;
  sum.runs += night.runs;
  if (night.broken.length === 0) continue;
  failed.push(seed);
  console.log(`seed ${seed}: ${night.broken.join("\n  ")}`);
  if (failed.length <= 3 && !isReal) {
    const kind = kindOf(night.broken);
    const small = await shrink(story, async (candidate) => kindOf((await live(candidate)).broken) === kind);
    console.log(JSON.stringify(small, null, 2), (await live(small)).broken.join("\n"));
  }
}
// Of one core, whoever else is at work on this machine.
const { user, system } = process.cpuUsage(began);
const rate = Math.round(lived / ((user + system) / 60_000_000));
const mean = Object.entries(sum).map(([name, count]) => `${(count / lived).toFixed(1)} ${name}`);
console.log(`${lived} nights from seed ${first}: ${failed.length} broken, ${rate} a minute of one core's time`);
console.log(`a night, on average: ${mean.join(", ")}`);
const share = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(1)}%`;
console.log(`of real shape: ${share(real.nights, lived)} of the nights, ${share(real.rows, sum.rows)} of the rows`);
process.exitCode = failed.length === 0 ? 0 : 1;
