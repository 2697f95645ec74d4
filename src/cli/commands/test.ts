/** `rowferry test [mapping…]`: runs the test cases of mappings and shows differences. */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { glob } from "tinyglobby";
import { type CasesReport, casesPathOf, runCases } from "../../map/cases/run-cases.js";
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import { counted } from "../../report/figures.js";
import { plainLines, plainText } from "../../report/plain-text.js";
import { command } from "../command.js";
import { outputFlags } from "../flags.js";
import { shownPath, tell } from "../output.js";
import { bold, green, joined, lines, red } from "../render/text.js";
import { tellError } from "../report-error.js";

const casesEnding = /\.cases\.ya?ml$/;

export const spec = command({
  takes: { "[mappings...]": "mapping files, or folders to search; default: mappings/, else the current folder" },
  flags: outputFlags,
  examples: {
    "rowferry test": "every *.cases.yaml below mappings/, else below the current folder",
    "rowferry test manifests.yaml": "manifests.cases.yaml, next to it",
  },
  notes: ["Exit codes: 0 every case passes, 2 a mapping or its cases cannot be used, 3 a case fails."],
  async run({ world, output }, _given, paths: string[]) {
    const mappings = await findMappings(paths, world.cwd);
    const sum = { mappings: mappings.length, cases: 0, passed: 0, failed: 0, unusable: 0 };
    for (const mappingPath of mappings) {
      try {
        const report = await runCases(mappingPath);
        const shown = shownPath(report.casesPath, world.cwd);
        for (const result of report.results) {
          sum.cases += 1;
          sum[result.passed ? "passed" : "failed"] += 1;
          output.data({ type: "case", cases: shown, ...result });
        }
        if (!output.quiet || report.results.some(({ passed }) => !passed)) output.text(printCases(report, shown), true);
      } catch (error) {
        if (!(error instanceof RowferryError)) throw error;
        sum.unusable += 1;
        tellError({ world, logFolder: null }, { error, exitCode: ExitCode.usage }, { ...output, debug: false });
      }
    }
    const exitCode = sum.unusable > 0 ? ExitCode.usage : sum.failed > 0 ? ExitCode.person : ExitCode.ok;
    tell(output, {
      type: "cases",
      line: { ...sum, exitCode },
      text: ({ passed, cases, failed, unusable, mappings: all }) => [
        joined([
          `${passed} of ${cases} cases passed`,
          failed > 0 && `${failed} failed`,
          unusable > 0 && `${unusable} of ${all} mappings could not be tested`,
        ]),
      ],
    });
    output.end(exitCode);
    return exitCode;
  },
});

/** Absolute, sorted within a folder. @throws RowferryError `mapping-missing` if there are none. */
async function findMappings(paths: readonly string[], cwd: string): Promise<string[]> {
  const standard = existsSync(resolve(cwd, "mappings")) ? "mappings" : ".";
  const found = new Set<string>();
  for (const path of paths.length > 0 ? paths : [standard]) {
    const whole = resolve(cwd, path);
    if (statSync(whole, { throwIfNoEntry: false })?.isDirectory() !== true) {
      found.add(casesEnding.test(whole) ? mappingOf(whole) : whole);
      continue;
    }
    const ignore = ["**/node_modules/**", "**/state/**"];
    const cases = await glob("**/*.cases.yaml", { cwd: whole, absolute: true, onlyFiles: true, ignore });
    if (cases.length === 0)
      throw new RowferryError("mapping-missing", `there is no *.cases.yaml below ${shownPath(whole, cwd) || "here"}`, {
        hint: "Cases are kept next to their mapping: for manifests.yaml, in manifests.cases.yaml.",
      });
    for (const one of cases.toSorted()) found.add(mappingOf(one));
  }
  return [...found];
}

/** `m.cases.yaml` → `m.yaml`, or an existing `m.yml`. */
function mappingOf(casesPath: string): string {
  const stem = casesPath.replace(casesEnding, "");
  const path = [`${stem}.yaml`, `${stem}.yml`].find((one) => existsSync(one) && casesPathOf(one) === casesPath);
  return path ?? `${stem}.yaml`;
}

/** Passed cases in one line, failed ones in full. `shown`: the cases file's displayed name. */
function printCases({ results }: CasesReport, shown: string): string {
  const failed = results.filter(({ passed }) => !passed);
  const count = counted(results.length, "case");
  const side = (text: string | null) => (text === null ? "nothing" : plainLines(text).replaceAll("\n", "\n        "));
  return lines(
    failed.length === 0
      ? `${green("ok")}    ${shown}  ${count}`
      : `${red("FAIL")}  ${shown}  ${failed.length} of ${count}`,
    failed.map(({ name, line: at, differences }) => [
      `  ${bold(plainText(name))}  ${shown}:${at}`,
      differences.map(({ place, expected, actual }) => [
        `    ${plainText(place)}`,
        green(`      - expected  ${side(expected)}`),
        red(`      + came      ${side(actual)}`),
      ]),
    ]),
  );
}
