/** `rowferry plan <mapping> <files…>`: what import would do. Sends nothing and leaves the ledger as it was. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { RowferryError } from "../../model/error.js";
import { shellQuoted } from "../../report/next-steps.js";
import { addRateFlags, addWritingFlags, type OutputFlags, type TargetFlags, type WritingFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { checkMappingFirst } from "../mapping-first.js";
import { onTarget, type Told, type Work } from "../on-target.js";
import { printPlan } from "../render/plan.js";
import { watched } from "../run-command.js";
import { whoami } from "../confirm.js";

const examples = `
Examples:
  rowferry plan manifests.yaml march.csv
  rowferry plan manifests.yaml march.csv --document 3100      its requests
  rowferry plan manifests.yaml march.csv --save plan.json     for a second look
  rowferry plan manifests.yaml march.csv --target production --json`;

export type PlanFlags = TargetFlags & OutputFlags & WritingFlags & { document?: string; save?: string };

export function define(command: Command, frame: Frame): void {
  command
    .argument("<mapping>", "the mapping file (YAML)")
    .argument("<files...>", "CSV or Excel files; - reads standard input")
    .option("--document <key>", "show the requests of this document in full: its key, or kind/key")
    .option("--save <file>", "keep the plan: `import --plan <file>` sends exactly that, or nothing");
  onTarget(addWritingFlags(addRateFlags(command), "wait"), frame, examples, plan);
}

export async function plan(work: Work, mappingPath: string, files: string[], flags: PlanFlags): Promise<Told> {
  checkMappingFirst("plan", mappingPath, files);
  if (flags.save !== undefined && files.includes("-"))
    throw new RowferryError("usage", "standard input cannot be read again, so its plan cannot be saved");
  const { world, output, target, options, same } = work;
  const found = await watched(world, output, target.rate, (observe) =>
    world.pipeline.planImport({
      ...options,
      mappingPath,
      files,
      observe,
      limits: { waitForLock: options.waitForLock },
      fresh: false,
      journal: null,
      cells: world.stdout.isTTY && !output.json,
      save: flags.save !== undefined,
      ...(flags.document === undefined ? {} : { document: flags.document }),
    }),
  );
  const { basis, requests, secondsAtLimit, documents } = found;
  if (flags.save !== undefined && basis !== null) {
    const { writeSavedPlan } = await import("../../run/saved-plan.js");
    const who = { savedAt: new Date(world.clock.now()).toISOString(), savedBy: whoami(world.env) };
    const path = resolve(world.cwd, flags.save);
    await writeSavedPlan(path, { ...who, mappingPath, files, requests, secondsAtLimit, documents, basis });
  }
  const named = flags.save === undefined ? [mappingPath, ...files] : ["--plan", flags.save];
  const command = `rowferry import ${named.map(shellQuoted).join(" ")}${same}`;
  return { ...printPlan(found, { ...output, command }), line: { type: "plan", ...found }, exitCode: found.exitCode };
}
