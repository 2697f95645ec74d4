/**
 * Long proofs. `npm run soak` imports for half an hour at the full rate with faults (`--minutes N` for another length);
 * `npm run soak -- --faults` sends every fault at every request of a small import, once and seven times in a row.
 */
import { parseArgs } from "node:util";
import { soakInFaults } from "./soak/faults.js";
import { soakAtFullRate } from "./soak/full-rate.js";

const { values } = parseArgs({
  options: { faults: { type: "boolean", default: false }, minutes: { type: "string", default: "30" } },
});
const minutes = Number(values.minutes);
const whole = values.faults
  ? await soakInFaults()
  : await soakAtFullRate(minutes, Math.min(30_000, (minutes * 60_000) / 20));
process.exit(whole ? 0 : 1);
