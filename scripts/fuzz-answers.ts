/** Imports against garbled answers, from seeds: `tsx scripts/fuzz-answers.ts [--seconds 60] [--seed 1]`. */
import { parseArgs } from "node:util";
import { garbledNight } from "../test/support/hostile/answers.js";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "60" }, seed: { type: "string", default: "1" } },
});
const end = Date.now() + Number(values.seconds) * 1000;
const broken: string[] = [];
let nights = 0;
for (let seed = Number(values.seed); Date.now() < end; seed += 1) {
  nights += 1;
  broken.push(...(await garbledNight(seed)));
}
for (const what of broken) console.log(what);
console.log(`${nights} imports against garbled answers, ${broken.length} broken`);
process.exitCode = broken.length === 0 ? 0 : 1;
