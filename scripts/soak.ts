/**
 * Long proofs. `npm run soak` watches a folder for half an hour at the full rate with faults, a console and a webhook beside it (`--minutes N`);
 * `-- --faults` sends every fault at every request of a small import, once and seven times in a row; `-- --kills` cuts the
 * power at each of them in every way there is, and kills real processes at random (`--nights N`, default 20).
 */
import { parseArgs } from "node:util";
import { endProcesses } from "../test/processes/processes.js";
import { soakInFaults } from "./soak/faults.js";
import { soakAtFullRate } from "./soak/full-rate.js";
import { soakInKills } from "./soak/kills.js";

const { values } = parseArgs({
  options: {
    faults: { type: "boolean", default: false },
    kills: { type: "boolean", default: false },
    minutes: { type: "string", default: "30" },
    nights: { type: "string", default: "20" },
  },
});
const minutes = Number(values.minutes);
const whole = values.faults
  ? await soakInFaults()
  : values.kills
    ? await soakInKills(Number(values.nights))
    : await soakAtFullRate(minutes, Math.min(30_000, (minutes * 60_000) / 20));
endProcesses();
process.exit(whole ? 0 : 1);
