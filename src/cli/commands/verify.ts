/** `rowferry verify`: the ledger against the service, as far as reads tell. */
import type { Command } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { plainText } from "../../report/plain-text.js";
import { addOutputFlags, addTargetFlags, type OutputFlags, type TargetFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { openProgress, tellEvent } from "../run-command.js";
import { withTarget } from "../with-target.js";

const examples = `
Examples:
  rowferry verify --target production
  rowferry verify --json

Reads every participant, address list and document that the ledger knows, one
request each. Changes nothing. Exit code 3 where something differs.`;

type Flags = TargetFlags & OutputFlags & { wait?: boolean };

export function define(command: Command, frame: Frame): void {
  addOutputFlags(addTargetFlags(command, { sending: true }))
    .option("--wait", "wait while another process holds the ledger")
    .addHelpText("after", examples)
    .action(frame.action((flags: Flags) => verifyTarget(frame, flags)));
}

function verifyTarget(frame: Frame, flags: Flags): Promise<number> {
  return withTarget(frame, flags, async (target, output) => {
    const { verify } = await import("../../desk/verify.js");
    const { clock, random } = frame.world;
    const progress = openProgress(frame.world, output, target.rate);
    try {
      const found = await verify({
        target,
        clock,
        random,
        signal: frame.signal,
        fresh: false,
        waitForLock: flags.wait === true,
        observe: (event) => {
          tellEvent(output, event);
          progress.observe(event);
        },
      });
      progress.close();
      const { participants, addresses, documents, events } = found.checked;
      const lines = [
        `Looked at ${participants} participants, ${addresses} addresses, ${documents} documents, ${events} events.`,
        found.differences.length === 0 ? "No difference." : `${found.differences.length} differences:`,
        ...found.differences.map(
          ({ subject, name, id, text }) => `  ${subject} ${plainText(name)} (${plainText(id)}) ${plainText(text)}`,
        ),
        ...(found.unverifiable.length === 0 ? [] : ["Not verifiable by reads:"]),
        ...found.unverifiable.map(({ text, count }) => `  ${count} ${plainText(text)}`),
        ...(found.stopped === null ? [] : [`Stopped: ${plainText(found.stopped)}`]),
      ];
      output.text(`\n${lines.join("\n")}\n`);
      output.data({ type: "verify", ...found });
      if (found.stopped !== null) return ExitCode.again;
      return found.differences.length > 0 ? ExitCode.person : ExitCode.ok;
    } finally {
      progress.close();
    }
  });
}
