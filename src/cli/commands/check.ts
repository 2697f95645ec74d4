/** `rowferry check <mapping> [files…]`: every mistake of the mapping, and what it makes of files. Opens no ledger. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { checkMapping } from "../../map/load-mapping.js";
import type { Mapping } from "../../map/mapping.js";
import type { MappingProblem } from "../../map/language/source.js";
import { codes } from "../../model/codes.js";
import { ExitCode } from "../../model/exit-code.js";
import { checkFiles, type FileCheck } from "../../run/check-files.js";
import { addOutputFlags, type OutputFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { checkMappingFirst } from "../mapping-first.js";
import { createOutput, type Output, shownPath } from "../output.js";
import { printFileCheck, printFileLine, printMappingProblems, printTotal } from "../print-check.js";
import { openProgress } from "../run-command.js";

const examples = `
Examples:
  rowferry check manifests.yaml               the mapping alone
  rowferry check manifests.yaml march.csv     what it makes of a file
  rowferry check manifests.yaml inbox/*.xlsx --json

Nothing is staged and no ledger is opened. Exit codes: 0 all is well, 2 the
mapping is wrong or does not fit a file, 3 rows are invalid or a file damaged.`;

export function define(command: Command, frame: Frame): void {
  command
    .argument("<mapping>", "the mapping file (YAML)")
    .argument("[files...]", "CSV or Excel files; - reads standard input");
  addOutputFlags(command)
    .addHelpText("after", examples)
    .action(
      frame.action((mappingPath: string, files: string[], flags: OutputFlags) =>
        check(frame, mappingPath, files, flags),
      ),
    );
}

async function check(frame: Frame, mappingPath: string, files: string[], flags: OutputFlags): Promise<number> {
  const { world } = frame;
  const quiet = flags.quiet === true;
  checkMappingFirst("check", mappingPath, files);
  const output = createOutput(world, { ...flags, quiet: false });
  const shown = shownPath(resolve(world.cwd, mappingPath), world.cwd);
  const checked = await checkMapping(resolve(world.cwd, mappingPath), (module) =>
    world.stderr.write(
      `Runs the functions of ${shownPath(module, world.cwd)}, which have all rights of this program.\n`,
    ),
  );
  const relative = (problem: MappingProblem) => ({ ...problem, place: { ...problem.place, file: shown } });
  const problems = checked.problems.map(relative);
  const warnings = checked.mapping?.warnings.map(relative) ?? [];
  output.data({ type: "mapping", mapping: shown, problems, warnings });
  if (checked.mapping === null) {
    const count = problems.length === 1 ? "1 mistake" : `${problems.length} mistakes`;
    output.text(`${printMappingProblems(problems)}\n\n${output.colors.red(`${shown}: ${count}`)}`);
    return close(output, ExitCode.usage);
  }
  if (!quiet) output.text(describeMapping(checked.mapping, shown, warnings));
  if (files.length === 0) return close(output, ExitCode.ok);
  const checks = await readFiles(frame, { ...output, quiet }, checked.mapping, files);
  const code = exitCodeOf(checks);
  for (const one of checks) {
    output.data({ type: "file", ...one });
    const well = exitCodeOf([one]) === ExitCode.ok;
    if (!quiet && well && checks.length > MOST_IN_FULL) output.text(printFileLine(one));
    else if (!quiet || !well) output.text(`\n${printFileCheck(one, output)}`);
  }
  if (!quiet && checks.length > 1) output.text(`\n${printTotal(checks)}`);
  return close(output, code);
}

/** Of more files each that is well is one line. */
const MOST_IN_FULL = 3;

function describeMapping(mapping: Mapping, shown: string, warnings: readonly MappingProblem[]): string {
  const inputs = mapping.inputs.map(({ name }) => name).join(", ");
  const title = `${shown}: no mistakes; ${mapping.inputs.length === 1 ? "input" : "inputs"} ${inputs}`;
  if (warnings.length === 0) return title;
  const count = warnings.length === 1 ? "1 warning" : `${warnings.length} warnings`;
  return `${title}; ${count}\n\n${printMappingProblems(warnings)}`;
}

async function readFiles(frame: Frame, output: Output, mapping: Mapping, files: string[]): Promise<FileCheck[]> {
  const { world, signal } = frame;
  const progress = openProgress(world, output, null);
  try {
    const { observe } = progress;
    return await checkFiles({ mapping, files, cwd: world.cwd, signal, observe });
  } finally {
    progress.close();
  }
}

/** What does not fit the mapping wins over a file that cannot be read, and that over invalid rows. */
function exitCodeOf(checks: readonly FileCheck[]): ExitCode {
  const tables = checks.flatMap((one) => one.tables);
  const errors = [...checks, ...tables].flatMap(({ error }) => (error === null ? [] : [error.code]));
  const exits = errors.map((code) => codes[code].exit ?? ExitCode.unexpected);
  const [first] = exits;
  if (first !== undefined) return exits.includes(ExitCode.usage) ? ExitCode.usage : first;
  return tables.some(({ rows }) => rows.invalid > 0) ? ExitCode.person : ExitCode.ok;
}

function close(output: Output, exitCode: ExitCode): ExitCode {
  output.data({ type: "check", exitCode });
  return exitCode;
}
