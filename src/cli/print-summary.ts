/** The closing summary for a terminal, from what stands in `summary.json`. Text only; whoever calls it prints it. */
import { ExitCode } from "../model/exit-code.js";
import type { StateCounts, Summary } from "../model/summary.js";
import { grouped, shortDuration } from "../report/figures.js";
import { nextSteps } from "../report/next-steps.js";
import { plainText } from "../report/plain-text.js";
import { type Colors, problemTable, rowTable, stateText } from "./text-tables.js";

export interface SummaryLook {
  columns: number;
  colors: Colors;
  /** How a path is shown. */
  shown: (path: string) => string;
}

/** Several lines without a closing line feed; every text from files and from the service made plain (HARD-CASES H35). */
export function printSummary(summary: Summary, look: SummaryLook): string {
  const { colors, columns } = look;
  const sections = [
    headline(summary, colors),
    summary.rows.read > 0 ? rowTable(summary, columns, colors) : "",
    recordLines(summary, colors),
    requestLine(summary, colors),
    problemTable("Problems", summary.problems, columns, colors),
    problemTable("Warnings", summary.warnings, columns, colors),
    fileLines(summary, look),
    nextLines(summary, look),
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

function headline(summary: Summary, colors: Colors): string {
  const seconds = (Date.parse(summary.finishedAt) - Date.parse(summary.startedAt)) / 1000;
  const took = Number.isFinite(seconds) ? ` in ${shortDuration(seconds)}` : "";
  const outcome = outcomes[summary.exitCode];
  const colored = summary.exitCode === ExitCode.ok ? colors.green(outcome) : colors.yellow(outcome);
  const first = `${colors.bold(plainText(summary.run))}${took}: ${colored}`;
  return summary.stopped === null ? first : `${first}\n${colors.yellow(plainText(summary.stopped.message))}`;
}

const outcomes: Record<ExitCode, string> = {
  [ExitCode.ok]: "all is well",
  [ExitCode.unexpected]: "failed unexpectedly",
  [ExitCode.usage]: "not begun",
  [ExitCode.person]: "a person is needed",
  [ExitCode.again]: "not finished; the same command can go on",
  [ExitCode.locked]: "another process holds the ledger",
  [ExitCode.interrupted]: "interrupted; can go on",
  [ExitCode.terminated]: "interrupted; can go on",
};

function recordLines(summary: Summary, colors: Colors): string {
  const kinds = ["participants", "addresses", "documents", "events"] as const;
  const lines = kinds
    .filter((kind) => Object.keys(summary[kind]).length > 0)
    .map((kind) => `${kind.padEnd(13)} ${stateText(summary[kind])}`);
  const open = kinds
    .filter((kind) => total(summary.open[kind]) > 0)
    .map((kind) => `${kind.padEnd(13)} ${stateText(summary.open[kind])}`);
  if (summary.open.rows > 0) open.push(`${"rows".padEnd(13)} ${grouped(summary.open.rows)} to correct`);
  const parts: string[] = [];
  if (lines.length > 0) parts.push(`${colors.bold("This run")}\n${lines.join("\n")}`);
  if (open.length > 0) parts.push(`${colors.bold("Still open in the ledger")}\n${open.join("\n")}`);
  return parts.join("\n\n");
}

function requestLine({ requests }: Summary, colors: Colors): string {
  const { sent, retries, rateLimited, secondsAtLimit, limit } = requests;
  const parts = [`${grouped(sent)} sent`];
  if (retries > 0) parts.push(`${grouped(retries)} of them again`);
  if (rateLimited > 0) parts.push(`${grouped(rateLimited)} refused as too many (429)`);
  const least = `at ${limit.rate} a second, ${limit.burst} at once, they take ${shortDuration(secondsAtLimit)}`;
  const kinds = Object.entries(requests.byKind).filter(([, count]) => count > 0);
  const byKind = kinds.map(([kind, count]) => `${grouped(count)} ${plainText(kind, 40)}`).join(", ");
  const lines = [`${colors.bold("Requests")}      ${parts.join(", ")}${sent > 0 ? `; ${least}` : ""}`];
  if (byKind !== "") lines.push(`${" ".repeat(14)}${byKind}`);
  return lines.join("\n");
}

function fileLines(summary: Summary, { colors, shown }: SummaryLook): string {
  if (summary.files.length === 0) return "";
  const lines = summary.files.map(({ kind, path }) => `${kind.padEnd(13)} ${shown(path)}`);
  return `${colors.bold("Files")}\n${lines.join("\n")}`;
}

function nextLines(summary: Summary, { colors, shown }: SummaryLook): string {
  const steps = nextSteps(summary, shown).map(({ why, command }) => `${colors.bold("Next:")} ${why}\n  ${command}`);
  return steps.join("\n");
}

function total(counts: StateCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
