/** `rowferry retry [selectors]`: refused work back to planned, then as resume. */
import { selectorFlags, selectorsOf } from "../flags.js";
import { sendingCommand } from "../run-command.js";

export const spec = sendingCommand({
  flags: selectorFlags,
  examples: {
    "rowferry retry": "everything that was refused",
    "rowferry retry --code service-refused --document manifest/123": "",
  },
  notes: [
    "Use it once the cause at the service is gone: a missing permission, an unknown category. Rows that must change are corrected and imported instead. Stalled work needs no retry; resume picks it up. For doubt-unsettled the service is asked once more.",
  ],
  prepare: (_frame, given) => ({
    source: "retry",
    send: async (_pipeline, options) => {
      const { runRetry } = await import("../../desk/decide.js");
      return runRetry({ ...options, selectors: selectorsOf(given) });
    },
  }),
});
