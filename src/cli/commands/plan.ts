/** `rowferry plan <mapping> <files…>`: what import would do. Sends nothing and leaves the ledger as it was. */
import type { Command } from "commander";
import { addOutputFlags, addTargetFlags, type OutputFlags, type RunFlags, type TargetFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { limits, openProgress, tellEvent } from "../run-command.js";
import { shownText } from "../shown-text.js";
import { withTarget } from "../with-target.js";

const examples = `
Examples:
  rowferry plan manifests.yaml march.csv --target production
  rowferry plan manifests.yaml march.csv --document 4711     the payloads of one document`;

type Flags = TargetFlags & OutputFlags & Pick<RunFlags, "wait"> & { document?: string };

export function define(command: Command, frame: Frame): void {
  command
    .argument("<mapping>", "the mapping file (YAML)")
    .argument("<files...>", "CSV or Excel files; - reads standard input");
  addOutputFlags(addTargetFlags(command, { fresh: true, sending: true }))
    .option("--document <key>", "show the payloads of this document")
    .option("--wait", "wait while another process holds the ledger")
    .addHelpText("after", examples)
    .action(
      frame.action((mappingPath: string, files: string[], flags: Flags) => plan(frame, mappingPath, files, flags)),
    );
}

function plan(frame: Frame, mappingPath: string, files: string[], flags: Flags): Promise<number> {
  return withTarget(frame, flags, async (target, output) => {
    const { clock, random, pipeline } = frame.world;
    const progress = openProgress(frame.world, output, target.rate);
    try {
      const forecast = await (await pipeline()).planImport({
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
        fresh: flags.fresh === true,
        journal: null,
        document: flags.document ?? null,
      });
      progress.close();
      output.text(shownText(forecast));
      output.data({ ...forecast, type: "plan" });
      return typeof forecast["exitCode"] === "number" ? forecast["exitCode"] : 0;
    } finally {
      progress.close();
    }
  });
}
