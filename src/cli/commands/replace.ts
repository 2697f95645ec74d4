/** `rowferry replace <document> --reason <text>`: plans its cancellation and its next generation; the next run sends them. */
import { RowferryError } from "../../model/error.js";
import { counted } from "../../report/figures.js";
import { shellQuoted } from "../../report/next-steps.js";
import { plainText } from "../../report/plain-text.js";
import { journal, wait } from "../flags.js";
import { onTarget } from "../on-target.js";
import { told } from "../output.js";

export const spec = onTarget({
  takes: { "<document>": "its key, or kind/key" },
  flags: { reason: ["--reason <text>", "goes into the CANCEL event (required)"], wait, journal },
  examples: { 'rowferry replace manifest/123 --reason "weight corrected"': "" },
  notes: [
    "The service cannot edit a timeline: the document is cancelled with this reason and sent again whole, with what changed or came late in its place. For a service that takes each externalId once, set replacementExternalId in the mapping's settings.",
  ],
  async run({ target, options, same }, { reason }, name: string) {
    if (reason === undefined) throw new RowferryError("usage", "replace needs --reason <text>.");
    const { replaceNamed } = await import("../../desk/decide.js");
    const found = await replaceNamed(target, { document: name, reason }, options);
    const linked = found.linkedFrom.map((other) => ({
      command: `rowferry replace ${shellQuoted(plainText(other))} --reason <text>${same}`,
      why: "link this document to the new generation; before anything is sent",
    }));
    return told({
      line: { type: "replaced", ...found },
      text: ({ document, generation, events, cancels, missing, relations, staysStranded }) => {
        const old = `Generation ${document.generation}`;
        return [
          [
            `${document.kind} ${document.key}: generation ${generation} is planned with ${counted(events, "event")}. Nothing was sent yet.`,
            cancels && `${old} (${document.serviceId}) will be cancelled.`,
            staysStranded && `${old} is stranded: it stays at the service as it is, because its id is not known.`,
            missing.length > 0 &&
              `Neither ledger nor archive has ${counted(missing.length, "event")} of it. Nothing of it is sent until their rows are imported again:`,
            missing.slice(0, 20).map(({ event, keyParts }) => `  ${[event, ...keyParts].join(" ")}`),
            relations > 0 &&
              `${counted(relations, "relation")} of other documents to the old generation ${relations === 1 ? "is" : "are"} not repeated.`,
          ],
        ];
      },
      next: [...linked, { command: `rowferry resume${same}`, why: "send both" }],
    });
  },
});
