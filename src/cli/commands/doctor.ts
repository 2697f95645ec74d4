/** `rowferry doctor`: whether settings, credential, service, clock and disk are as an import needs them. */
import type { Command } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { addOutputFlags, addTargetFlags, type OutputFlags, type TargetFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { shownPath } from "../output.js";
import { withTarget } from "../with-target.js";

const examples = `
Examples:
  rowferry doctor
  rowferry doctor --target production

It asks for a token and makes one lookup that finds nothing. Exit code 4: the
service, its credential or the disk failed.`;

export function define(command: Command, frame: Frame): void {
  addOutputFlags(addTargetFlags(command))
    .addHelpText("after", examples)
    .action(frame.action((flags: TargetFlags & OutputFlags) => doctor(frame, flags)));
}

function doctor(frame: Frame, flags: TargetFlags & OutputFlags): Promise<number> {
  return withTarget(frame, flags, async (target, output) => {
    const { clock, random, cwd } = frame.world;
    const { examine } = await import("../doctor.js");
    const { colors } = output;
    const marks = { ok: colors.green("✓"), warning: colors.yellow("!"), failed: colors.red("✕") };
    let failed = false;
    output.text(`${marks.ok} settings    complete`);
    for await (const finding of examine({ target, clock, random, shown: (path) => shownPath(path, cwd) })) {
      failed ||= finding.result === "failed";
      output.text(`${marks[finding.result]} ${finding.check.padEnd(11)} ${finding.message}`);
      output.data({ type: "finding", ...finding });
    }
    if (target.baseUrl === "") output.text("The sandbox needs no credential and no network.");
    return failed ? ExitCode.again : ExitCode.ok;
  });
}
