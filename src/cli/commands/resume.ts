/** `rowferry resume`: sends what is still open in the ledger. */
import { sendingCommand } from "../run-command.js";

export const spec = sendingCommand({
  examples: {
    "rowferry resume --target production": "",
    "rowferry resume --limit 10": "only the events of ten documents",
  },
  notes: ["It is import without files: it sends what is still open, and nothing twice."],
  prepare: () => ({ source: "resume", send: (pipeline, options) => pipeline.runResume(options) }),
});
