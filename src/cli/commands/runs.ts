/** `rowferry runs`: what was run against this target, newest first. Works beside a running import. */
import type { Command } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { plainText } from "../../report/plain-text.js";
import { addOutputFlags, addTargetFlags, type OutputFlags, positiveInteger, type TargetFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { runEnd } from "../show-text.js";
import { withTarget } from "../with-target.js";

const examples = `
Examples:
  rowferry runs
  rowferry runs --limit 3 --json
  rowferry show <run>                     one of them in full`;

type Flags = TargetFlags & OutputFlags & { limit: number };

export function define(command: Command, frame: Frame): void {
  addOutputFlags(addTargetFlags(command))
    .option("--limit <n>", "at most so many", positiveInteger, 20)
    .addHelpText("after", examples)
    .action(frame.action((flags: Flags) => runs(frame, flags)));
}

function runs(frame: Frame, flags: Flags): Promise<number> {
  return withTarget(frame, flags, async (target, output) => {
    const { showRuns } = await import("../../pipeline/show.js");
    const found = showRuns(target, flags.limit);
    const width = Math.max(0, ...found.map(({ name }) => name.length));
    const lines = found.map((run) => {
      const read = run.inputs.reduce((sum, input) => sum + input.read, 0);
      const landed = (run.events["landed"] ?? 0) + (run.events["landed-without-id"] ?? 0);
      const sent = Object.values(run.requests).reduce((sum, count) => sum + count, 0);
      return `${plainText(run.name).padEnd(width)}  ${read} rows read, ${sent} requests, ${landed} events landed; ${runEnd(run)}`;
    });
    output.text(`\n${lines.length === 0 ? "No run yet." : lines.join("\n")}\n`);
    output.data({ type: "runs", runs: found });
    return ExitCode.ok;
  });
}
