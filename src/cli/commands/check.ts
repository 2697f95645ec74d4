/** `rowferry check <mapping> [files…]`: every mistake of the mapping, and how it reads files. Opens no ledger. */
import { resolve } from "node:path";
import type { MappingProblem } from "../../map/language/source.js";
import { checkMapping } from "../../map/load-mapping.js";
import { codes } from "../../model/codes.js";
import { ExitCode } from "../../model/exit-code.js";
import type { FileCheck } from "../../model/summary.js";
import { checkFiles } from "../../run/check-files.js";
import { command } from "../command.js";
import { checkMappingFirst, dataFiles, outputFlags } from "../flags.js";
import { shownPath } from "../output.js";
import { printFileCheck, printFileLine, printMapping, printTotal } from "../render/check.js";
import { plain } from "../render/text.js";
import { openProgress } from "../run-command.js";

/** With more files, a good one is a single line. */
const MOST_IN_FULL = 3;

export const spec = command({
  takes: { "<mapping>": "the mapping file (YAML)", "[files...]": dataFiles },
  flags: outputFlags,
  examples: {
    "rowferry check manifests.yaml": "the mapping alone",
    "rowferry check manifests.yaml march.csv": "how it reads a file",
    "rowferry check manifests.yaml inbox/*.xlsx --json": "",
  },
  notes: [
    "Nothing is staged, and no ledger is opened. Exit codes: 0 all is well, 2 the mapping is wrong or does not fit a file, 3 rows are invalid or a file is damaged.",
  ],
  async run({ world, signal, output }, _given, mappingPath: string, files: string[]) {
    checkMappingFirst("check", mappingPath, files);
    const { cwd } = world;
    const path = resolve(cwd, mappingPath);
    const shown = shownPath(path, cwd);
    const { mapping, problems: mistakes } = await checkMapping(path, (module) =>
      world.stderr.write(
        `Running the functions in ${shownPath(module, cwd)}, which have all the rights of this program.\n`,
      ),
    );
    const here = (found: readonly MappingProblem[]) =>
      found.map(({ place, ...problem }) => ({
        ...problem,
        place: { ...place, file: shownPath(place.file ?? path, cwd) },
      }));
    const [problems, warnings] = [here(mistakes), here(mapping?.warnings ?? [])];
    output.data({ type: "mapping", mapping: shown, problems, warnings });
    const inputs = mapping?.inputs.map(({ name }) => name) ?? null;
    const isWell = problems.length + warnings.length === 0;
    if (!output.quiet || !isWell) output.text(printMapping(shown, inputs, problems, warnings));
    const close = (exitCode: ExitCode) => {
      output.data({ type: "check", exitCode });
      output.end(exitCode);
      return exitCode;
    };
    if (mapping === null) return close(ExitCode.usage);
    if (files.length === 0) return close(ExitCode.ok);
    const progress = openProgress(world, output, null);
    const checks = await checkFiles({ mapping, files, cwd, signal, observe: progress.observe }).finally(progress.close);
    for (const check of checks) {
      output.data({ type: "file", ...check });
      const isGood = exitCodeOf([check]) === ExitCode.ok;
      if (output.quiet && isGood) continue;
      const isMany = checks.length > MOST_IN_FULL;
      const file = plain(isMany ? { ...check, tables: check.tables.map((one) => ({ ...one, samples: [] })) } : check);
      output.text(isMany && isGood ? printFileLine(file) : `\n${printFileCheck(file, output.columns)}`);
    }
    if (checks.length > 1 && !output.quiet) output.text(`\n${printTotal(checks)}`);
    return close(exitCodeOf(checks));
  },
});

/** A mapping that does not fit outweighs an unreadable file, and that outweighs invalid rows. */
function exitCodeOf(checks: readonly FileCheck[]): ExitCode {
  const tables = checks.flatMap((one) => one.tables);
  const errors = [...checks, ...tables].flatMap(({ error }) => (error === null ? [] : [error.code]));
  const exits = errors.map((code) => codes[code].exit ?? ExitCode.unexpected);
  if (exits.includes(ExitCode.usage)) return ExitCode.usage;
  return exits[0] ?? (tables.some(({ rows }) => rows.invalid > 0) ? ExitCode.person : ExitCode.ok);
}
