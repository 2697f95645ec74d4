/** `rowferry import <mapping> <files…>`: the main job. */
import type { Command } from "commander";
import { addRunFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { checkMappingFirst } from "../mapping-first.js";
import { withTarget } from "../on-target.js";
import { type CommandFlags, runCommand } from "../run-command.js";
import { plan } from "./plan.js";

const examples = `
Examples:
  rowferry import manifests.yaml march.csv  a rehearsal, while no target is set
  rowferry import manifests.yaml march.csv --target production
  rowferry import manifests.yaml inbox/*.csv --until 06:00 --wait --quiet

Importing the same rows again sends nothing twice. Exit codes: 0 all is well,
2 usage or settings, 3 a person is needed, 4 not finished (resume), 5 the
ledger is in use, 130 and 143 interrupted (resume).`;

export function define(command: Command, frame: Frame): void {
  command
    .argument("<mapping>", "the mapping file (YAML)")
    .argument("<files...>", "CSV or Excel files; - reads standard input")
    .option("--dry-run", "send nothing, and say what would be sent: the same as `rowferry plan`")
    .option("--fresh", "empty the sandbox and its ledger first");
  addRunFlags(command)
    .addHelpText("after", examples)
    .action(
      frame.action(
        (mappingPath: string, files: string[], { dryRun, ...flags }: CommandFlags & { dryRun?: boolean }) => {
          if (dryRun === true) return withTarget(frame, flags, (work) => plan(work, mappingPath, files, flags));
          return runCommand(frame, flags, mappingPath, (pipeline, options) => {
            checkMappingFirst("import", mappingPath, files);
            return pipeline.runImport({ ...options, mappingPath, files });
          });
        },
      ),
    );
}
