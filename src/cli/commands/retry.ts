/** `rowferry retry [selectors]`: refused work back to planned, then as resume. */
import { dryRun, foreseen } from "../dry-run.js";
import { selectorFlags, selectorsOf } from "../flags.js";
import { sendingCommand } from "../run-command.js";

export const spec = sendingCommand({
  flags: { ...selectorFlags, dryRun },
  examples: {
    "rowferry retry": "everything that was refused",
    "rowferry retry --code service-refused --document manifest/123": "",
  },
  notes: [
    "Use it once the cause has been removed at the service, such as a missing permission or an unknown category. Rows that must change are corrected and imported instead. Stalled work needs no retry; resume picks it up. For doubt-unsettled, retry asks the service once more.",
  ],
  async foresee(work, given) {
    const { retrying } = await import("../../desk/decide.js");
    return foreseen(work, retrying(selectorsOf(given)), () => null);
  },
  prepare: (_frame, given) => ({
    source: "retry",
    async send(_pipeline, options) {
      const { runRetry } = await import("../../desk/decide.js");
      return runRetry({ ...options, selectors: selectorsOf(given) });
    },
  }),
});
