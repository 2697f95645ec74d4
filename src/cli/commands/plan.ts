/** `rowferry plan <mapping> <files…>`: what import would do. Sends nothing and leaves the ledger as it was. */
import type { Command } from "commander";
import { addOutputFlags, addTargetFlags, type OutputFlags, type RunFlags, type TargetFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { checkMappingFirst } from "../mapping-first.js";
import { shellQuoted } from "../../report/next-steps.js";
import { sameTarget } from "../output.js";
import { printPlan } from "../render/plan.js";
import { limits, openProgress, tellEvent } from "../run-command.js";
import { withTarget } from "../with-target.js";

const examples = `
Examples:
  rowferry plan manifests.yaml march.csv
  rowferry plan manifests.yaml march.csv --document 3100      its requests
  rowferry plan manifests.yaml march.csv --target production --json`;

export type PlanFlags = TargetFlags & OutputFlags & Pick<RunFlags, "wait"> & { document?: string };

export function define(command: Command, frame: Frame): void {
  command
    .argument("<mapping>", "the mapping file (YAML)")
    .argument("<files...>", "CSV or Excel files; - reads standard input");
  addOutputFlags(addTargetFlags(command, { sending: true }))
    .option("--document <key>", "show the requests of this document in full: its key, or kind/key")
    .option("--wait", "wait while another process holds the ledger")
    .addHelpText("after", examples)
    .action(
      frame.action((mappingPath: string, files: string[], flags: PlanFlags) => plan(frame, mappingPath, files, flags)),
    );
}

export function plan(frame: Frame, mappingPath: string, files: string[], flags: PlanFlags): Promise<number> {
  checkMappingFirst("plan", mappingPath, files);
  return withTarget(frame, flags, async (target, output) => {
    const { clock, random, pipeline } = frame.world;
    const progress = openProgress(frame.world, output, target.rate);
    try {
      const found = await pipeline.planImport({
        target,
        mappingPath,
        files,
        clock,
        random,
        signal: frame.signal,
        observe: (event) => {
          tellEvent(output, event);
          progress.observe(event);
        },
        limits: limits(flags, clock.now()),
        fresh: false,
        journal: null,
        cells: frame.world.stdout.isTTY && !output.json,
        ...(flags.document === undefined ? {} : { document: flags.document }),
      });
      progress.close();
      const typed = [mappingPath, ...files].map(shellQuoted).join(" ");
      const command = `rowferry import ${typed}${sameTarget(target, frame.world.cwd)}`;
      output.text(`${printPlan(found, { columns: output.columns, colors: output.colors, command })}\n`);
      output.data({ type: "plan", ...found });
      return found.exitCode;
    } finally {
      progress.close();
    }
  });
}
