/** `rowferry replace <document> --reason <text>`: plans its cancellation and its next generation; the next run sends them. */
import type { Command } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { shellQuoted } from "../../report/next-steps.js";
import { plainText } from "../../report/plain-text.js";
import { addOutputFlags, addTargetFlags, type OutputFlags, type TargetFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { sameTarget } from "../output.js";
import { withTarget } from "../with-target.js";

const examples = `
Examples:
  rowferry replace manifest/123 --reason "weight corrected"

The service cannot edit a timeline: the document is cancelled with this reason
and sent again whole, with what changed or came late in its place. For a service
that takes each externalId once, set replacementExternalId in the mapping's
settings.`;

type Flags = TargetFlags & OutputFlags & { journal?: string; reason: string; wait?: boolean };

export function define(command: Command, frame: Frame): void {
  command.argument("<document>", "its key, or kind/key");
  addOutputFlags(addTargetFlags(command))
    .requiredOption("--reason <text>", "stands in the CANCEL event")
    .option("--wait", "wait while another process holds the ledger")
    .option("--journal <file>", "the journal that runs are given")
    .addHelpText("after", examples)
    .action(frame.action((document: string, flags: Flags) => replace(frame, document, flags)));
}

function replace(frame: Frame, name: string, flags: Flags): Promise<number> {
  return withTarget(frame, flags, async (target, output) => {
    const { replaceNamed } = await import("../../desk/replace.js");
    const found = await replaceNamed(
      target,
      { document: name, reason: flags.reason },
      {
        clock: frame.world.clock,
        waitForLock: flags.wait === true,
        signal: frame.signal,
        journal: flags.journal ?? target.journal ?? null,
      },
    );
    const { document, generation, events, cancels, missing, relations, linkedFrom, staysStranded } = found;
    const same = sameTarget(target, frame.world.cwd, flags.journal);
    const lines = [
      `${plainText(document.kind)} ${plainText(document.key)}: generation ${generation} is planned with ${events} ${events === 1 ? "event" : "events"}.`,
      ...(cancels
        ? [`Generation ${document.generation} (${plainText(document.serviceId ?? "")}) will be cancelled.`]
        : []),
      ...(staysStranded
        ? [
            `Generation ${document.generation} is stranded: it stays at the service as it is, because its id is not known.`,
          ]
        : []),
      ...(missing.length === 0
        ? []
        : [
            `Neither ledger nor archive has ${missing.length} of its events. Nothing of it is sent until their rows are imported again:`,
            ...missing.slice(0, 20).map(({ event, keyParts }) => `  ${plainText([event, ...keyParts].join(" "))}`),
          ]),
      ...(relations === 0
        ? []
        : [`${relations} relations that other documents made to it name the old generation, and are not repeated.`]),
      ...(linkedFrom.length === 0
        ? []
        : [
            "To link these to the new generation, replace them too, before anything is sent:",
            ...linkedFrom.map((other) => `  rowferry replace ${shellQuoted(plainText(other))} --reason <text>${same}`),
          ]),
      `Nothing was sent. Next:\n  rowferry resume${same}`,
    ];
    output.text(`\n${lines.join("\n")}\n`);
    output.data({ type: "replaced", ...found });
    return ExitCode.ok;
  });
}
