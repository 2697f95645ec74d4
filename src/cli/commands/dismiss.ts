/** `rowferry dismiss <selectors>`: gives up rows, and releases what waits for them. Works beside a running import. */
import { counted, countedKinds } from "../../report/figures.js";
import { total } from "../../report/outcome.js";
import { journal, selectorFlags, selectorsOf, wait } from "../flags.js";
import { onTarget } from "../on-target.js";
import { told } from "../output.js";

export const spec = onTarget({
  flags: { undo: ["--undo", "take up again what was given up"], ...selectorFlags, journal, wait },
  examples: {
    "rowferry dismiss --row march.csv:17": "give up a row, or accept its change",
    "rowferry dismiss --document manifest/123": "",
    "rowferry dismiss --code reference-unknown": "",
    "rowferry dismiss --undo --row march.csv:17": "",
  },
  notes: [
    "A dismissal stays in force when the same row comes back; a corrected row takes it back, and so does --undo. What is in doubt cannot be dismissed: it may have landed.",
  ],
  async run({ target, options, same }, given) {
    const undo = given.undo === true;
    const { dismissSelected } = await import("../../desk/decide.js");
    const { patiently } = await import("../../desk/access.js");
    const { left, ...done } = await patiently({ ...options, wait: options.waitForLock }, () =>
      dismissSelected(target, selectorsOf(given), options.clock, options.journal, undo),
    );
    const isNothing = total(done) === 0;
    return told({
      line: { type: "dismissed", ...done, left, undo },
      text: () => [
        isNothing ? "Nothing was dismissed." : `${undo ? "Open again" : "Dismissed"}: ${countedKinds(done)}.`,
        left > 0 && `Left as they are: ${counted(left, "event")} in doubt, or only waiting.`,
      ],
      next: isNothing ? [] : [{ command: `rowferry resume${same}`, why: "send what was released" }],
    });
  },
});
