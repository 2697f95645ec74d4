/** `rowferry resume`: sends what is still open in the ledger. */
import { dryRun, foreseen } from "../dry-run.js";
import { withTarget } from "../on-target.js";
import { sendingCommand } from "../run-command.js";

export const spec = sendingCommand({
  flags: { dryRun },
  examples: {
    "rowferry resume --target production": "",
    "rowferry resume --limit 10": "only the events of ten documents",
  },
  notes: ["An import without files: it sends what is still open, and nothing twice."],
  prepare: (frame, given) =>
    given.dryRun === true
      ? withTarget(frame, given, (work) =>
          foreseen(
            work,
            () => ({ done: null }),
            () => null,
          ),
        )
      : { source: "resume", send: (pipeline, options) => pipeline.runResume(options) },
});
