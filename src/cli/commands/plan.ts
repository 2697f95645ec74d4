/** `rowferry plan <mapping> <files…>`: what an import would do. Changes and sends nothing. */
import { resolve } from "node:path";
import { RowferryError } from "../../model/error.js";
import { shellQuoted } from "../../report/next-steps.js";
import { whoami } from "../../model/whoami.js";
import { checkMappingFirst, rateFlags, wait } from "../flags.js";
import { onTarget, type Work } from "../on-target.js";
import type { Told } from "../output.js";
import { printPlan } from "../render/plan.js";
import { watched } from "../run-command.js";

export const spec = onTarget({
  takes: { "<mapping>": "the mapping file (YAML)", "<files...>": "CSV or Excel files; - reads standard input" },
  flags: {
    document: ["--document <key>", "show the requests of this document in full: its key, or kind/key"],
    save: ["--save <file>", "keep the plan: `import --plan <file>` sends exactly that, or nothing"],
    ...rateFlags,
    wait,
  },
  examples: {
    "rowferry plan manifests.yaml march.csv": "",
    "rowferry plan manifests.yaml march.csv --document 3100": "its requests",
    "rowferry plan manifests.yaml march.csv --save plan.json": "for a second look",
    "rowferry plan manifests.yaml march.csv --target production --json": "",
  },
  run: (work, given, mapping: string, files: string[]) => planImport(work, given, mapping, files),
});

export async function planImport(
  work: Work,
  { document, save }: { document?: string | undefined; save?: string | undefined },
  mappingPath: string,
  files: string[],
): Promise<Told> {
  checkMappingFirst("plan", mappingPath, files);
  if (save !== undefined && files.includes("-"))
    throw new RowferryError("usage", "standard input cannot be read again, so its plan cannot be saved");
  const { world, output, options, step } = work;
  const found = await watched(work, (observe) =>
    world.pipeline.planImport({
      ...options,
      mappingPath,
      files,
      observe,
      limits: { waitForLock: options.waitForLock },
      fresh: false,
      journal: null,
      cells: world.stdout.isTTY && !output.json,
      save: save !== undefined,
      ...(document === undefined ? {} : { document }),
    }),
  );
  const { basis, requests, secondsAtLimit, documents } = found;
  if (save !== undefined && basis !== null) {
    const { writeSavedPlan } = await import("../../run/saved-plan.js");
    const who = { savedAt: new Date(world.clock.now()).toISOString(), savedBy: whoami(world.env) };
    const path = resolve(world.cwd, save);
    await writeSavedPlan(path, { ...who, mappingPath, files, requests, secondsAtLimit, documents, basis });
  }
  const named = save === undefined ? [mappingPath, ...files] : ["--plan", save];
  return printPlan(found, output.colors, step(`import ${named.map(shellQuoted).join(" ")}`, "send it"));
}
