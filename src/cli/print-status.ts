/** What is open in a ledger, as lines for a terminal. Text only; whoever calls it prints it. */
import { grouped } from "../report/figures.js";
import { type NextStep, stepsOfOpen, stepsOfWaiting } from "../report/next-steps.js";
import { plainText } from "../report/plain-text.js";
import type { Status } from "./pipeline.js";
import { type Colors, problemTable, stateText } from "./text-tables.js";

export interface StatusLook {
  columns: number;
  colors: Colors;
  /** ` --target production`, as it stands in a command. */
  target: string;
}

/** Several lines without a closing line feed. */
export function printStatus(status: Status, { columns, colors, target }: StatusLook): string {
  const sections = [
    lastRunLine(status),
    openLines(status, colors),
    problemTable("Problems", status.problems, columns, colors),
    problemTable("Waiting", status.waiting, columns, colors),
    nextSteps(status, target)
      .map(({ why, command }) => `${colors.bold("Next:")} ${why}\n  ${command}`)
      .join("\n"),
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

function nextSteps(status: Status, target: string): NextStep[] {
  const steps: NextStep[] = [];
  if (needsResume(status)) steps.push({ why: goOn(status), command: `rowferry resume${target}` });
  const write = "write the rows that a person must change to files, correct them, and import those";
  steps.push(...stepsOfOpen(status, target, [{ why: write, command: `rowferry rejects${target}` }]));
  return [...steps, ...stepsOfWaiting(status.waiting, target)];
}

/** A run that has not finished may be at work, or may have been killed: only the ledger's lock tells, and it is not touched here. */
function goOn({ lastRun }: Status): string {
  const atWork = lastRun !== null && lastRun.finishedAt === null;
  return atWork ? "unless that run is still at work, go on with what is open" : "go on with what is open";
}

function lastRunLine({ lastRun }: Status): string {
  if (lastRun === null) return "No run yet.";
  const { name, startedAt, finishedAt, exitCode } = lastRun;
  const end =
    finishedAt === null
      ? "not finished: it goes on, or was killed"
      : `finished ${finishedAt}${exitCode === null ? "" : `, exit code ${exitCode}`}`;
  return `Last run ${plainText(name)}, begun ${startedAt}, ${end}`;
}

function openLines({ open }: Status, colors: StatusLook["colors"]): string {
  const kinds = ["participants", "addresses", "documents", "events"] as const;
  const lines = kinds
    .map((kind) => ({ kind, text: stateText(open[kind]) }))
    .filter(({ text }) => text !== "")
    .map(({ kind, text }) => `${kind.padEnd(13)} ${text}`);
  if (open.rows > 0) lines.push(`${"rows".padEnd(13)} ${grouped(open.rows)} to correct`);
  if (lines.length === 0) return "Nothing is open.";
  return `${colors.bold("Open")}\n${lines.join("\n")}`;
}

/** Whether sending could go on without a person. */
function needsResume({ open }: Status): boolean {
  return [open.participants, open.addresses, open.documents, open.events].some((counts) =>
    ["planned", "sending", "stalled"].some((state) => (counts[state] ?? 0) > 0),
  );
}
