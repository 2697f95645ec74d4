/** A process that takes tokens of a shared throttle for some seconds and prints when it got each; its clock is ahead by so many ms. */
import { systemClock } from "../../../src/model/clock.js";
import { createSharedThrottle } from "../../../src/submit/shared-throttle.js";
import { type Arrival, watch } from "./exact-bucket.js";

const [redisUrl = "", until = "0", rate = "0", burst = "0", ahead = "0"] = process.argv.slice(2);
const throttle = createSharedThrottle({
  redisUrl,
  name: "test",
  rate: Number(rate),
  burst: Number(burst),
  clock: { ...systemClock, now: () => Date.now() + Number(ahead) },
});
const clock = watch();
const arrivals: Arrival[] = [];
const lane = async () => {
  while (Date.now() < Number(until)) {
    await throttle.take();
    arrivals.push(clock.note());
  }
};
await Promise.all(Array.from({ length: 20 }, lane));
clock.stop();
await throttle.close();
process.stdout.write(JSON.stringify(arrivals));
