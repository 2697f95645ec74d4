/** The closing summary for a terminal, from what stands in `summary.json`. Text only; whoever calls it prints it. */
import Table from "cli-table3";
import picocolors from "picocolors";
import { ExitCode } from "../model/exit-code.js";
import type { RowCounts, StateCounts, Summary } from "../model/summary.js";
import { grouped, shortDuration } from "../report/figures.js";
import { nextSteps } from "../report/next-steps.js";
import { plainText, shortened } from "../report/plain-text.js";

type Colors = ReturnType<typeof picocolors.createColors>;

export interface SummaryLook {
  columns: number;
  colors: Colors;
  /** How a path is shown. */
  shown: (path: string) => string;
}

/** Several lines without a closing line feed; every text from files and from the service made plain (HARD-CASES H35). */
export function printSummary(summary: Summary, look: SummaryLook): string {
  const width = Math.max(40, Math.min(look.columns, 120));
  const { colors } = look;
  const sections = [
    headline(summary, colors),
    summary.rows.read > 0 ? rowTable(summary, width, colors) : "",
    recordLines(summary, colors),
    requestLine(summary, colors),
    problemTable("Problems", summary.problems, width, colors),
    problemTable("Warnings", summary.warnings, width, colors),
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

/** read = skipped + invalid + known + staged, written as the sum that it is (P7). */
function rowTable(summary: Summary, width: number, colors: Colors): string {
  const table = plainTable(["Rows", "read", "=", "skipped", "+", "invalid", "+", "known", "+", "staged"], colors);
  const nameWidth = Math.max(12, width - 58);
  for (const input of summary.inputs) {
    const name = input.sheet === null ? input.input : `${input.input}, ${input.sheet}`;
    table.push(sumCells(middleCut(plainText(name), nameWidth), input));
  }
  if (summary.inputs.length !== 1) table.push(sumCells("all", summary.rows));
  return table.toString();
}

function sumCells(name: string, { read, skipped, invalid, known, staged }: RowCounts): string[] {
  const [whole = "", ...parts] = [read, skipped, invalid, known, staged].map(grouped);
  return [name, whole, "=", ...parts.flatMap((part, index) => (index === 0 ? [part] : ["+", part]))];
}

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

function stateText(counts: StateCounts): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${grouped(count)} ${plainText(state, 40)}`)
    .join(", ");
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

function problemTable(title: string, problems: Summary["problems"], width: number, colors: Colors): string {
  if (problems.length === 0) return "";
  const codeWidth = Math.min(28, Math.max(...problems.map(({ code }) => code.length)) + 2);
  const table = new Table({
    head: [title, "code", "for example"],
    colWidths: [9, codeWidth, Math.max(16, width - 9 - codeWidth - 3)],
    colAligns: ["right", "left", "left"],
    wordWrap: true,
    wrapOnWordBoundary: true,
    style: { head: [], border: [], compact: true, "padding-left": 0, "padding-right": 1 },
    chars: withoutLines,
  });
  const largestFirst = problems.toSorted((left, right) => right.count - left.count);
  table.push(...largestFirst.map(({ code, count, example }) => [grouped(count), code, plainText(example, 400)]));
  const [head = "", ...lines] = trimmedLines(table.toString());
  return [colors.bold(head), ...lines].join("\n");
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

const withoutLines = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: " ",
};

function plainTable(head: string[], colors: Colors): { push(line: string[]): void; toString(): string } {
  const table = new Table({
    head,
    colAligns: head.map((name, index) => (index === 0 ? "left" : name.length === 1 ? "center" : "right")),
    style: { head: [], border: [], compact: true, "padding-left": 0, "padding-right": 0 },
    chars: withoutLines,
  });
  return {
    push: (line) => table.push(line),
    toString() {
      const [first = "", ...lines] = trimmedLines(table.toString());
      return [colors.bold(first), ...lines].join("\n");
    },
  };
}

function trimmedLines(text: string): string[] {
  return text.split("\n").map((line) => line.trimEnd());
}

/** `a-very-long….csv`: beginning and end stay. */
function middleCut(text: string, width: number): string {
  const characters = Array.from(text);
  if (characters.length <= width) return text;
  const end = Math.min(12, Math.floor(width / 3));
  return shortened(text, width - end) + characters.slice(-end).join("");
}

function total(counts: StateCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
