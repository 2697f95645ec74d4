/** `rowferry test [mapping…]`: runs the cases beside mappings, and shows how what came differs from what was expected. */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { glob } from "tinyglobby";
import { casesPathOf, runCases } from "../../map/cases/run-cases.js";
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import { plainLines } from "../../report/plain-text.js";
import { addOutputFlags, type OutputFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { createOutput, type Output, shownPath } from "../output.js";
import { printCases } from "../print-cases.js";

const examples = `
Examples:
  rowferry test                    every *.cases.yaml below mappings, else here
  rowferry test manifests.yaml     manifests.cases.yaml, beside it

Exit codes: 0 every case passes, 2 a mapping or its cases cannot be used,
3 a case fails.`;

const casesEnding = /\.cases\.ya?ml$/;

export function define(command: Command, frame: Frame): void {
  command.argument("[mappings...]", "mapping files, or folders to search; default: mappings, else here");
  addOutputFlags(command)
    .addHelpText("after", examples)
    .action(frame.action((paths: string[], flags: OutputFlags) => test(frame, paths, flags)));
}

async function test(frame: Frame, paths: string[], flags: OutputFlags): Promise<number> {
  const { world } = frame;
  const quiet = flags.quiet === true;
  const output = createOutput(world, { ...flags, quiet: false });
  const mappings = await findMappings(paths, world.cwd);
  const sum = { mappings: mappings.length, cases: 0, passed: 0, failed: 0, unusable: 0 };
  for (const mappingPath of mappings) {
    try {
      const report = await runCases(mappingPath);
      const passed = report.results.filter((result) => result.passed).length;
      const failed = report.results.length - passed;
      sum.cases += report.results.length;
      sum.passed += passed;
      sum.failed += failed;
      const shown = shownPath(report.casesPath, world.cwd);
      for (const result of report.results) output.data({ type: "case", cases: shown, ...result });
      if (!quiet || failed > 0) output.text(printCases(report, shown, output.colors));
    } catch (error) {
      if (!(error instanceof RowferryError)) throw error;
      sum.unusable += 1;
      const { code, place, hint, message } = error;
      output.data({ type: "error", code, message, place, hint, exitCode: ExitCode.usage });
      world.stderr.write(`${plainLines(`${error.description}\n  ${hint}`).replaceAll(`${world.cwd}/`, "")}\n\n`);
    }
  }
  return conclude(output, quiet, sum);
}

function conclude(
  output: Output,
  quiet: boolean,
  sum: { [name: string]: number } & { failed: number; unusable: number },
): ExitCode {
  const exitCode = sum.unusable > 0 ? ExitCode.usage : sum.failed > 0 ? ExitCode.person : ExitCode.ok;
  output.data({ type: "cases", ...sum, exitCode });
  const parts = [
    `${sum["passed"]} of ${sum["cases"]} cases passed`,
    sum.failed > 0 ? `${sum.failed} failed` : "",
    sum.unusable > 0 ? `${sum.unusable} of ${sum["mappings"]} mappings could not be tested` : "",
  ];
  if (!quiet || exitCode !== ExitCode.ok) output.text(parts.filter((part) => part !== "").join(", "));
  return exitCode;
}

/** Mapping paths, absolute and sorted within a folder. @throws RowferryError `mapping-missing` when there are none. */
async function findMappings(paths: readonly string[], cwd: string): Promise<string[]> {
  const standard = existsSync(resolve(cwd, "mappings")) ? "mappings" : ".";
  const found = new Set<string>();
  for (const path of paths.length > 0 ? paths : [standard]) {
    const whole = resolve(cwd, path);
    if (statSync(whole, { throwIfNoEntry: false })?.isDirectory() !== true) {
      found.add(casesEnding.test(whole) ? mappingOf(whole) : whole);
      continue;
    }
    const cases = await casesBelow(whole);
    if (cases.length === 0) {
      throw new RowferryError("mapping-missing", `there is no *.cases.yaml below ${shownPath(whole, cwd) || "here"}`, {
        hint: "Cases are kept beside their mapping: those of manifests.yaml in manifests.cases.yaml.",
      });
    }
    for (const one of cases) found.add(mappingOf(one));
  }
  return [...found];
}

async function casesBelow(folder: string): Promise<string[]> {
  const ignore = ["**/node_modules/**", "**/state/**"];
  const found = await glob("**/*.cases.yaml", { cwd: folder, absolute: true, onlyFiles: true, ignore });
  return found.toSorted();
}

/** `m.cases.yaml` → `m.yaml`, or `m.yml` where only that exists. */
function mappingOf(casesPath: string): string {
  const stem = casesPath.replace(casesEnding, "");
  const path = [`${stem}.yaml`, `${stem}.yml`].find((one) => existsSync(one) && casesPathOf(one) === casesPath);
  return path ?? `${stem}.yaml`;
}
