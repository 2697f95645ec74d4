/**
 * Lives through nights drawn from seeds, and prints the story of each that broke a promise, cut down to what it needs.
 * `npm run simulate -- --nights 1000 --seed 1`; a single seed reproduces its night exactly.
 */
import { parseArgs } from "node:util";
import { live } from "../test/simulation/night.js";
import { shrink } from "../test/simulation/shrink.js";
import { drawStory } from "../test/simulation/story.js";

const { values } = parseArgs({
  options: { nights: { type: "string", default: "1000" }, seed: { type: "string", default: "1" } },
});
const first = Number(values.seed);
const nights = Number(values.nights);
const startedAt = performance.now();
const failed: number[] = [];
let requests = 0;
for (let seed = first; seed < first + nights; seed += 1) {
  const story = drawStory(seed);
  const night = await live(story);
  requests += night.requests;
  if (night.broken.length === 0) continue;
  failed.push(seed);
  console.log(`seed ${seed}: ${night.broken.join("\n  ")}`);
  if (failed.length <= 3) {
    const small = await shrink(story);
    console.log(JSON.stringify(small, null, 2), (await live(small)).broken.join("\n"));
  }
}
const seconds = (performance.now() - startedAt) / 1000;
const rate = Math.round((nights / seconds) * 60);
console.log(`${nights} nights, ${requests} requests, ${failed.length} broken, ${rate} nights a minute`);
process.exitCode = failed.length === 0 ? 0 : 1;
