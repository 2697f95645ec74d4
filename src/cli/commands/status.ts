/** `rowferry status`: what is open in the ledger, and what it waits for. Works beside a running import. */
import type { Command } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { addOutputFlags, addTargetFlags, type OutputFlags, type TargetFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { sameTarget } from "../output.js";
import { printStatus } from "../render/status.js";
import { withTarget } from "../with-target.js";

const examples = `
Examples:
  rowferry status
  rowferry status --target production --json`;

export function define(command: Command, frame: Frame): void {
  addOutputFlags(addTargetFlags(command))
    .addHelpText("after", examples)
    .action(frame.action((flags: TargetFlags & OutputFlags) => status(frame, flags)));
}

function status(frame: Frame, flags: TargetFlags & OutputFlags): Promise<number> {
  return withTarget(frame, flags, async (target, output) => {
    const found = await frame.world.pipeline.readStatus({ target, cells: frame.world.stdout.isTTY && !output.json });
    const text = printStatus(found, {
      columns: output.columns,
      colors: output.colors,
      target: { name: target.name, flags: sameTarget(target, frame.world.cwd) },
      now: frame.world.clock.now(),
    });
    output.text(`${text}\n`);
    output.data({ type: "status", ...found });
    return ExitCode.ok;
  });
}
