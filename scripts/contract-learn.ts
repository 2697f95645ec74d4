/** Writes what the contract suite finds in the sandbox as it is and under every switch: `npm run contract:learn`. */
import { writeFileSync } from "node:fs";
import { readingsOf } from "../test/contract/run-cases.js";
import { against, failures, OF_AN_INSTANT } from "../test/contract/sandbox-run.js";
import { AS_IT_IS, READINGS_FILE, SWITCHES } from "../test/contract/sandbox-switches.js";

const found: Record<string, ReturnType<typeof readingsOf>> = {};
for (const [title, options] of Object.entries(SWITCHES)) {
  const results = [...(await against({ options })), ...(await against({ options, stillClock: true }, OF_AN_INSTANT))];
  const failed = failures(results);
  if (failed.length > 0) throw new Error(`${title}: ${failed.join("\n")}`);
  const usual = found[AS_IT_IS] ?? {};
  const changed = Object.entries(readingsOf(results)).filter(([id, reading]) => String(reading) !== String(usual[id]));
  found[title] = Object.fromEntries(changed.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
writeFileSync(READINGS_FILE, `${JSON.stringify(found, null, 2)}\n`);
