/** `rowferry runs`: what was run against this target, newest first. Works beside a running import. */
import { positiveInteger } from "../flags.js";
import { onTarget } from "../on-target.js";
import { told } from "../output.js";
import { printRuns } from "../render/status.js";

export const spec = onTarget({
  flags: { count: ["--count <n>", "how many, newest first (default: 20)", positiveInteger] },
  examples: {
    "rowferry runs": "",
    "rowferry runs --count 3 --json": "",
    "rowferry show <run>": "one of them in full",
  },
  async run({ target, world }, { count = 20 }) {
    const { showRuns } = await import("../../desk/status.js");
    return told({
      line: { type: "runs", runs: showRuns(target, count) },
      text: ({ runs }) => printRuns(runs, world.clock.now()),
    });
  },
});
