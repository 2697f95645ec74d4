/** Long proofs: `npm run soak -- --faults` sends every fault at every request of a small import, once and seven times in a row. */
import { parseArgs } from "node:util";
import { befallen, faultActions, undisturbed } from "../test/simulation/fault-positions.js";

const { values } = parseArgs({ options: { faults: { type: "boolean", default: false } } });
if (!values.faults) {
  console.error("Say what to soak in: --faults.");
  process.exit(2);
}
const expected = await undisturbed();
let runs = 0;
const broken: string[] = [];
for (const action of faultActions) {
  for (let position = 1; position <= expected.requests; position += 1) {
    for (const times of [1, 7]) {
      runs += 1;
      broken.push(...(await befallen(action, position, times, expected)));
    }
  }
}
for (const what of broken) console.log(what);
console.log(`${runs} imports, ${faultActions.length} faults at ${expected.requests} requests, ${broken.length} broken`);
process.exitCode = broken.length === 0 ? 0 : 1;
