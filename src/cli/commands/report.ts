/** `rowferry report [run]`: makes a run's HTML report again, with what is open now. */
import type { Command } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { addOutputFlags, addTargetFlags, type OutputFlags, type TargetFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { shownPath } from "../output.js";
import { withTarget } from "../with-target.js";

const examples = `
Examples:
  rowferry report                             of the last run
  rowferry report 2026-11-20T0200-import --target production

Every import writes report.html into its run's folder; this makes it again,
after corrections for example. It is one file, needs no network, prints well.`;

type Flags = TargetFlags & OutputFlags;

export function define(command: Command, frame: Frame): void {
  command.argument("[run]", "the run's name, as `runs` and `status` show it; default: the last");
  addOutputFlags(addTargetFlags(command))
    .addHelpText("after", examples)
    .action(frame.action((run: string | undefined, flags: Flags) => report(frame, run ?? null, flags)));
}

function report(frame: Frame, run: string | null, flags: Flags): Promise<number> {
  return withTarget(frame, flags, async (target, output) => {
    const { writeReportAgain } = await import("../../desk/report-again.js");
    const written = await writeReportAgain(target, run);
    output.text(shownPath(written.path, frame.world.cwd));
    output.data({ type: "report", ...written });
    return ExitCode.ok;
  });
}
