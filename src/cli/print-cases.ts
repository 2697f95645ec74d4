/** What came of the cases beside a mapping, as lines for a terminal: what passed in one line, what failed in full. */
import type { CasesReport } from "../map/cases/run-cases.js";
import { plainLines, plainText } from "../report/plain-text.js";
import type { Colors } from "./render/text.js";

/** @param shown the cases file as it is called on screen. */
export function printCases({ results }: CasesReport, shown: string, colors: Colors): string {
  const failed = results.filter(({ passed }) => !passed);
  const count = results.length === 1 ? "1 case" : `${results.length} cases`;
  const lines =
    failed.length === 0
      ? [`${colors.green("ok")}    ${shown}  ${count}`]
      : [`${colors.red("FAIL")}  ${shown}  ${failed.length} of ${count}`];
  for (const { name, line, differences } of failed) {
    lines.push(`  ${colors.bold(plainText(name))}  ${shown}:${line}`);
    for (const { place, expected, actual } of differences) {
      lines.push(`    ${plainText(place)}`);
      lines.push(colors.green(`      - expected  ${side(expected)}`), colors.red(`      + came      ${side(actual)}`));
    }
  }
  return lines.join("\n");
}

function side(text: string | null): string {
  return text === null ? "nothing" : plainLines(text).replaceAll("\n", "\n        ");
}
