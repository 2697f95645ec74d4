/** `rowferry replace <document> --reason <text>`: plans its cancellation and its next generation; the next run sends them. */
import { RowferryError } from "../../model/error.js";
import { shellQuoted } from "../../report/next-steps.js";
import { plainText } from "../../report/plain-text.js";
import { said } from "../../report/said.js";
import { dryRun, foreseen } from "../dry-run.js";
import { journal, wait } from "../flags.js";
import { onTarget } from "../on-target.js";
import { told } from "../output.js";

export const spec = onTarget({
  takes: { "<document>": "its key, or kind/key" },
  flags: { reason: ["--reason <text>", "goes into the CANCEL event (required)"], dryRun, wait, journal },
  examples: { 'rowferry replace manifest/123 --reason "weight corrected"': "" },
  notes: [
    "The service cannot edit a timeline: the document is cancelled with this reason and sent again whole, with changed and late rows in their places. For a service that takes each externalId once, set replacementExternalId in the mapping's settings.",
  ],
  async run(work, { reason, dryRun: isRehearsal }, name: string) {
    if (reason === undefined) throw new RowferryError("usage", "replace needs --reason <text>.");
    const { target, options, same } = work;
    const request = { document: name, reason };
    const { rehearseReplacing, replaceNamed } = await import("../../desk/decide.js");
    if (isRehearsal === true)
      return foreseen(work, await rehearseReplacing(target, request), (done) => ({ type: "replaced", ...done }));
    const found = await replaceNamed(target, request, options);
    const linked = found.linkedFrom.map((other) => ({
      command: `rowferry replace ${shellQuoted(plainText(other))} --reason <text>${same}`,
      why: "link this document to the new generation; before anything is sent",
    }));
    return told({
      line: { type: "replaced", ...found },
      text: (line) => [said(line)],
      next: [...linked, { command: `rowferry resume${same}`, why: "send both" }],
    });
  },
});
