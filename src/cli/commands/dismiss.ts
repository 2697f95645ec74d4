/** `rowferry dismiss <selectors>`: gives up rows, and releases what waits for them. Works beside a running import. */
import { total } from "../../report/outcome.js";
import { said } from "../../report/said.js";
import { dryRun, foreseen } from "../dry-run.js";
import { journal, selectorFlags, selectorsOf, wait } from "../flags.js";
import { onTarget } from "../on-target.js";
import { told } from "../output.js";

export const spec = onTarget({
  flags: { undo: ["--undo", "take up again what was given up"], ...selectorFlags, dryRun, journal, wait },
  examples: {
    "rowferry dismiss --row march.csv:17": "give up a row, or accept its change",
    "rowferry dismiss --document manifest/123": "",
    "rowferry dismiss --code reference-unknown": "",
    "rowferry dismiss --undo --row march.csv:17": "",
  },
  notes: [
    "A dismissal stays in force when the same row comes back; a corrected row takes it back, and so does --undo. What is in doubt cannot be dismissed: it may have landed.",
  ],
  async run(work, given) {
    const { target, options, same } = work;
    const undo = given.undo === true;
    const selectors = selectorsOf(given);
    const { dismissing, dismissSelected } = await import("../../desk/decide.js");
    if (given.dryRun === true)
      return foreseen(work, dismissing(selectors, undo), (done) => ({ type: "dismissed", ...done, undo }));
    const { patiently } = await import("../../desk/access.js");
    const { left, ...done } = await patiently({ ...options, wait: options.waitForLock }, () =>
      dismissSelected(target, selectors, options.clock, options.journal, undo),
    );
    return told({
      line: { type: "dismissed", ...done, left, undo },
      text: said,
      next: total(done) === 0 ? [] : [{ command: `rowferry resume${same}`, why: "send what was released" }],
    });
  },
});
