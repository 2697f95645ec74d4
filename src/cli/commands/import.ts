/** `rowferry import <mapping> <files…>`: the main job. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { RowferryError } from "../../model/error.js";
import { addRunFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { checkMappingFirst } from "../mapping-first.js";
import { withTarget } from "../on-target.js";
import { type CommandFlags, runCommand } from "../run-command.js";
import type { ImportOptions } from "../pipeline.js";
import { whoami } from "../confirm.js";
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
    .argument("[mapping]", "the mapping file (YAML)")
    .argument("[files...]", "CSV or Excel files; - reads standard input")
    .usage("[options] <mapping> <files...>")
    .option("--dry-run", "send nothing, and say what would be sent: the same as `rowferry plan`")
    .option("--plan <file>", "send what `rowferry plan --save` has kept, exactly that or nothing")
    .option("--fresh", "empty the sandbox and its ledger first");
  addRunFlags(command)
    .addHelpText("after", examples)
    .action(
      frame.action(async (mapping: string | undefined, files: string[], typed: ImportFlags) => {
        const { dryRun, plan: saved, ...flags } = typed;
        const given = saved === undefined ? named(mapping, files) : await keptIn(frame, saved, mapping);
        const { mappingPath } = given;
        if (dryRun === true) return withTarget(frame, flags, (work) => plan(work, mappingPath, given.files, flags));
        return runCommand(frame, flags, mappingPath, (pipeline, options) => {
          checkMappingFirst("import", mappingPath, given.files);
          return pipeline.runImport({ ...options, ...given });
        });
      }),
    );
}

type ImportFlags = CommandFlags & { dryRun?: boolean; plan?: string };
type Given = Pick<ImportOptions, "mappingPath" | "files" | "saved">;

function named(mapping: string | undefined, files: readonly string[]): Given {
  if (mapping !== undefined && files.length > 0) return { mappingPath: mapping, files: [...files] };
  const missing = mapping === undefined ? "the mapping and the files" : "the files";
  throw new RowferryError("usage", `${missing} are missing`, {
    hint: "`rowferry import --help` shows what fits here.",
  });
}

async function keptIn({ world }: Frame, path: string, mapping: string | undefined): Promise<Given> {
  if (mapping !== undefined)
    throw new RowferryError("usage", "--plan names mapping and files already; give either --plan or those");
  const { readSavedPlan } = await import("../../run/saved-plan.js");
  const { mappingPath, files, basis, savedBy, savedAt } = readSavedPlan(resolve(world.cwd, path), path);
  return { mappingPath, files, saved: { basis, approval: { savedBy, savedAt, ranBy: whoami(world.env) } } };
}
