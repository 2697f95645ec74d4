/** `rowferry replace <document> --reason <text>`: plans its cancellation and its next generation; the next run sends them. */
import type { Command } from "commander";
import { counted } from "../../report/figures.js";
import { shellQuoted } from "../../report/next-steps.js";
import { plainText } from "../../report/plain-text.js";
import { addWritingFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { onTarget, type Told, type Work } from "../on-target.js";
import { wrapped } from "../render/text.js";

const examples = `
Examples:
  rowferry replace manifest/123 --reason "weight corrected"

The service cannot edit a timeline: the document is cancelled with this reason
and sent again whole, with what changed or came late in its place. For a service
that takes each externalId once, set replacementExternalId in the mapping's
settings.`;

export function define(command: Command, frame: Frame): void {
  command
    .argument("<document>", "its key, or kind/key")
    .requiredOption("--reason <text>", "goes into the CANCEL event");
  onTarget(addWritingFlags(command, "wait", "journal"), frame, examples, replace);
}

async function replace(
  { target, output, options, same }: Work,
  name: string,
  { reason }: { reason: string },
): Promise<Told> {
  const { replaceNamed } = await import("../../desk/replace.js");
  const found = await replaceNamed(target, { document: name, reason }, options);
  const { document, generation, events, cancels, missing, relations, linkedFrom, staysStranded } = found;
  const old = `Generation ${document.generation}`;
  const shown = missing.slice(0, 20).map(({ event, keyParts }) => `  ${plainText([event, ...keyParts].join(" "))}`);
  const lines = [
    `${plainText(document.kind)} ${plainText(document.key)}: generation ${generation} is planned with ${counted(events, "event")}. Nothing was sent yet.`,
    cancels ? `${old} (${plainText(document.serviceId ?? "")}) will be cancelled.` : "",
    staysStranded ? `${old} is stranded: it stays at the service as it is, because its id is not known.` : "",
    ...(missing.length === 0
      ? []
      : [
          `Neither ledger nor archive has ${counted(missing.length, "event")} of it. Nothing of it is sent until their rows are imported again:`,
          ...shown,
        ]),
    relations === 0
      ? ""
      : `${counted(relations, "relation")} of other documents to the old generation ${relations === 1 ? "is" : "are"} not repeated.`,
  ];
  const linked = linkedFrom.map((other) => ({
    command: `rowferry replace ${shellQuoted(plainText(other))} --reason <text>${same}`,
    why: "link this document to the new generation; before anything is sent",
  }));
  return {
    text: wrapped(lines.filter((line) => line !== "").join("\n"), output),
    next: [...linked, { command: `rowferry resume${same}`, why: "send both" }],
    line: { type: "replaced", ...found },
  };
}
