/** `rowferry resume`: sends what is still open in the ledger. */
import { dryRun, foreseen } from "../dry-run.js";
import { sendingCommand } from "../run-command.js";

export const spec = sendingCommand({
  flags: { dryRun },
  examples: {
    "rowferry resume --target production": "",
    "rowferry resume --limit 10": "only the events of ten documents",
  },
  notes: ["An import without files: it sends what is still open, and nothing twice."],
  foresee: (work) =>
    foreseen(
      work,
      () => ({ done: null }),
      () => null,
    ),
  prepare: () => ({ source: "resume", send: (pipeline, options) => pipeline.runResume(options) }),
});
