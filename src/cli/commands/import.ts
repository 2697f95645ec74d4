/** `rowferry import <mapping> <files…>`: the main job. */
import { resolve } from "node:path";
import { RowferryError } from "../../model/error.js";
import { whoami } from "../../model/whoami.js";
import { checkMappingFirst } from "../flags.js";
import type { Frame } from "../frame.js";
import { withTarget } from "../on-target.js";
import type { ImportOptions } from "../pipeline.js";
import { sendingCommand } from "../run-command.js";
import { planImport } from "./plan.js";

export const spec = sendingCommand({
  takes: { "[mapping]": "the mapping file (YAML)", "[files...]": "CSV or Excel files; - reads standard input" },
  usage: "[options] <mapping> <files...>",
  flags: {
    dryRun: ["--dry-run", "send nothing, and say what would be sent: the same as `rowferry plan`"],
    plan: ["--plan <file>", "send what `rowferry plan --save` has kept, exactly that or nothing"],
    fresh: ["--fresh", "empty the sandbox and its ledger first"],
  },
  examples: {
    "rowferry import manifests.yaml march.csv": "a rehearsal, without a target",
    "rowferry import manifests.yaml march.csv --target production": "",
    "rowferry import manifests.yaml inbox/*.csv --until 06:00 --wait --quiet": "",
  },
  notes: [
    "Importing the same rows again sends nothing twice. Exit codes: 0 all is well, 2 usage or settings, 3 a person is needed, 4 not finished (resume), 5 the ledger is in use, 130 and 143 interrupted (resume).",
  ],
  async prepare(frame, { dryRun, plan: saved, ...flags }, mapping: string | undefined, files: string[]) {
    const given = saved === undefined ? named(mapping, files) : await keptIn(frame, saved, mapping);
    const { mappingPath: source } = given;
    if (dryRun === true) return withTarget(frame, flags, (work) => planImport(work, {}, source, given.files));
    return {
      source,
      send: (pipeline, options) => {
        checkMappingFirst("import", source, given.files);
        return pipeline.runImport({ ...options, ...given });
      },
    };
  },
});

type Chosen = Pick<ImportOptions, "mappingPath" | "files" | "saved">;

function named(mapping: string | undefined, files: readonly string[]): Chosen {
  if (mapping !== undefined && files.length > 0) return { mappingPath: mapping, files: [...files] };
  if (mapping !== undefined) checkMappingFirst("import", mapping, files);
  const missing = mapping === undefined ? "the mapping and the files" : "the files";
  throw new RowferryError("usage", `${missing} are missing`);
}

async function keptIn({ world }: Frame, path: string, mapping: string | undefined): Promise<Chosen> {
  if (mapping !== undefined)
    throw new RowferryError("usage", "--plan names mapping and files already; give either --plan or those");
  const { readSavedPlan } = await import("../../run/saved-plan.js");
  const { mappingPath, files, basis, savedBy, savedAt } = readSavedPlan(resolve(world.cwd, path), path);
  return { mappingPath, files, saved: { basis, approval: { savedBy, savedAt, ranBy: whoami(world.env) } } };
}
