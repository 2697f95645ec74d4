/** A cases report for a person: what passed, and how the rest differs. */
import type { CasesReport } from "./run-cases.js";

export function describeReport(report: CasesReport): string {
  const lines: string[] = [];
  for (const { name, line, passed, differences } of report.results) {
    lines.push(passed ? `ok    ${name}` : `FAIL  ${name} (${report.casesPath}:${line})`);
    for (const { place, expected, actual } of differences) {
      lines.push(`        ${place}`);
      lines.push(`          expected  ${expected ?? "nothing"}`);
      lines.push(`          came      ${actual ?? "nothing"}`);
    }
  }
  const failed = report.results.filter((result) => !result.passed).length;
  lines.push(`${report.results.length} cases, ${failed === 0 ? "all passed" : `${failed} failed`}`);
  return lines.join("\n");
}
