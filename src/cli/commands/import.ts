/** `rowferry import <mapping> <files…>`: the main job. */
import { RowferryError } from "../../model/error.js";
import { checkMappingFirst, dataFiles } from "../flags.js";
import { sendingCommand } from "../run-command.js";
import { planImport } from "./plan.js";

export const spec = sendingCommand({
  takes: { "<mapping>": "the mapping file (YAML)", "[files...]": dataFiles },
  usage: "[options] <mapping> <files...>",
  flags: {
    dryRun: ["--dry-run", "send nothing, and show what would be sent: same as `rowferry plan`"],
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
  foresee(work, _given, source: string, files: string[]) {
    checkNames(source, files);
    return planImport(work, {}, source, files);
  },
  prepare: (_frame, _given, source: string, files: string[]) => ({
    source,
    send(pipeline, options) {
      checkNames(source, files);
      return pipeline.runImport({ ...options, mappingPath: source, files });
    },
  }),
});

function checkNames(source: string, files: readonly string[]): void {
  checkMappingFirst("import", source, files);
  if (files.length === 0) throw new RowferryError("usage", "the files are missing");
}
