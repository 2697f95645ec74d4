/** `rowferry retry [selectors]`: refused work back to planned, then as resume. */
import { dryRun, foreseen } from "../dry-run.js";
import { selectorFlags, selectorsOf } from "../flags.js";
import { withTarget } from "../on-target.js";
import { sendingCommand } from "../run-command.js";

export const spec = sendingCommand({
  flags: { ...selectorFlags, dryRun },
  examples: {
    "rowferry retry": "everything that was refused",
    "rowferry retry --code service-refused --document manifest/123": "",
  },
  notes: [
    "Use it once the cause at the service is gone: a missing permission, an unknown category. Rows that must change are corrected and imported instead. Stalled work needs no retry; resume picks it up. For doubt-unsettled, retry asks the service once more.",
  ],
  async prepare(frame, given) {
    const selectors = selectorsOf(given);
    if (given.dryRun === true) {
      const { retrying } = await import("../../desk/decide.js");
      return withTarget(frame, given, (work) => foreseen(work, retrying(selectors), () => null));
    }
    return {
      source: "retry",
      send: async (_pipeline, options) => {
        const { runRetry } = await import("../../desk/decide.js");
        return runRetry({ ...options, selectors });
      },
    };
  },
});
