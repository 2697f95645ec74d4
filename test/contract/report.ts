/**
 * The outcome of a run as text: rule by rule, then what was not run and why, then the sums.
 */
import { RULES } from "./rules.js";
import type { CaseResult } from "./run-cases.js";

function line(result: CaseResult) {
  const title = `${result.contractCase.kind === "positive" ? "+" : "-"} ${result.contractCase.title}`;
  switch (result.outcome) {
    case "passed":
      return `  passed   ${title}${result.reading ? `\n             found: ${result.reading.replaceAll("\n", "\n                    ")}` : ""}`;
    case "failed":
      return `  FAILED   ${title}\n             ${result.message}`;
    case "not run":
      return `  not run  ${title}\n             needs: ${result.missing.join(", ")}`;
  }
}

function numberOf(id: string) {
  return Number(/\d+$/.exec(id)?.[0] ?? 0);
}

/** Rules in the specification's order, then the open points by number. */
function inOrder(results: readonly CaseResult[]) {
  const cited = new Set(results.flatMap((result) => result.contractCase.rules));
  const known = RULES.map((rule) => rule.id).filter((id) => cited.delete(id));
  return [...known, ...[...cited].toSorted((one, other) => numberOf(one) - numberOf(other))];
}

/** The whole report; ends with `N passed, N failed, N skipped`. */
export function report(results: readonly CaseResult[]): string {
  const lines: string[] = [];
  for (const id of inOrder(results)) {
    lines.push(id, ...results.filter((result) => result.contractCase.rules.includes(id)).map(line));
  }
  const untested = RULES.filter((rule) => rule.untested !== null);
  lines.push("", "rules that no request can try:");
  for (const rule of untested) lines.push(`  ${rule.id}: ${String(rule.untested)}`);
  const count = (outcome: CaseResult["outcome"]) => results.filter((result) => result.outcome === outcome).length;
  const missing = new Set(results.flatMap((result) => (result.outcome === "not run" ? result.missing : [])));
  if (missing.size > 0) lines.push("", `capabilities that were missing: ${[...missing].join(", ")}`);
  lines.push("", `${count("passed")} passed, ${count("failed")} failed, ${count("not run")} skipped`, "");
  return lines.join("\n");
}
