/** `rowferry runs`: what was run against this target, newest first. Works beside a running import. */
import type { Command } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { addOutputFlags, addTargetFlags, type OutputFlags, positiveInteger, type TargetFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { printRuns } from "../render/status.js";
import { withTarget } from "../with-target.js";

const examples = `
Examples:
  rowferry runs
  rowferry runs --count 3 --json
  rowferry show <run>                     one of them in full`;

type Flags = TargetFlags & OutputFlags & { count: number };

export function define(command: Command, frame: Frame): void {
  addOutputFlags(addTargetFlags(command))
    .option("--count <n>", "how many, newest first", positiveInteger, 20)
    .addHelpText("after", examples)
    .action(frame.action((flags: Flags) => runs(frame, flags)));
}

function runs(frame: Frame, flags: Flags): Promise<number> {
  return withTarget(frame, flags, async (target, output) => {
    const { showRuns } = await import("../../desk/show.js");
    const found = showRuns(target, flags.count);
    output.text(`${printRuns(found, frame.world.clock.now())}\n`);
    output.data({ type: "runs", runs: found });
    return ExitCode.ok;
  });
}
