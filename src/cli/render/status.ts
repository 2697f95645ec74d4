/** What is open in a ledger, and the list of runs. Text only. */
import type { ShownRun } from "../../ledger/views/show/shown.js";
import { ExitCode } from "../../model/exit-code.js";
import type { StateCounts } from "../../model/summary.js";
import { counted, grouped, moment } from "../../report/figures.js";
import { type NextStep, stepsOfOpen, stepsOfWaiting } from "../../report/next-steps.js";
import { endings, needed } from "../../report/outcome.js";
import { plainText } from "../../report/plain-text.js";
import type { Status } from "../pipeline.js";
import { causes, problemSections, steps } from "./problems.js";
import { labelled, type Look, table } from "./text.js";

export interface StatusLook extends Look {
  /** The target's name, and ` --target production` as a command takes it. */
  target: { name: string; flags: string };
  /** ms since 1970. */
  now: number;
}

/** Several lines without a closing line feed; one where all is well. */
export function printStatus(status: Status, look: StatusLook): string {
  const open = openLines(status, look);
  const sections = [
    [answer(status, look), ...(open === "" ? [] : [open])].join("\n\n"),
    ...problemSections(status.problems, look),
    causes("Waiting", "for something else", status.waiting, look),
    steps(nextSteps(status, look.target.flags), look),
    lastRunLine(status, look.now),
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

function answer(status: Status, { colors, target }: StatusLook): string {
  const name = plainText(target.name);
  const count = needed(status.open);
  if (count > 0)
    return colors.yellow(`${name}: ${counted(count, "thing")} ${count === 1 ? "needs" : "need"} you. Nothing is lost.`);
  if (needsResume(status)) return colors.yellow(`${name}: some work is still to be sent. Nothing needs you.`);
  if (status.waiting.length > 0) return colors.yellow(`${name}: some events wait. Nothing is lost.`);
  return colors.green(`${name}: all is well. Nothing is open.`);
}

function nextSteps(status: Status, target: string): NextStep[] {
  const found: NextStep[] = [];
  if (needsResume(status)) found.push({ why: resume(status), command: `rowferry resume${target}` });
  const why = "write the rows to correct to files; correct those and import them";
  found.push(...stepsOfOpen(status, target, [{ why, command: `rowferry rejects${target}` }]));
  return [...found, ...stepsOfWaiting(status.waiting, target)];
}

/** A run that has not finished may be at work, or may have been killed: only the ledger's lock tells, and it is not touched here. */
function resume({ lastRun }: Status): string {
  const atWork = lastRun !== null && lastRun.finishedAt === null;
  return atWork ? "send what is still open, unless that run is still working" : "send what is still open";
}

function lastRunLine({ lastRun }: Status, now: number): string {
  if (lastRun === null) return "No run yet.";
  const { name, startedAt, finishedAt, exitCode } = lastRun;
  const started = `Last run ${plainText(name)}, ${moment(startedAt, now)}`;
  return finishedAt === null ? `${started}: still working, or killed.` : `${started}: ${ending(exitCode)}.`;
}

function ending(exitCode: number | null): string {
  return endings[(exitCode ?? ExitCode.unexpected) as ExitCode]?.word ?? `exit code ${exitCode}`;
}

function openLines({ open }: Status, look: Look): string {
  const kinds = ["participants", "addresses", "documents", "events"] as const;
  return kinds
    .map((kind) => ({ kind, text: stateText(open[kind]) }))
    .concat({ kind: "rows" as never, text: open.rows > 0 ? `${grouped(open.rows)} to correct` : "" })
    .filter(({ text }) => text !== "")
    .map(({ kind, text }) => labelled(`${kind.charAt(0).toUpperCase()}${kind.slice(1)}`.padEnd(12), text, look))
    .join("\n");
}

/** `404 landed, 3 held`; states with none are left out. */
function stateText(counts: StateCounts): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${grouped(count)} ${plainText(state, 40)}`)
    .join(", ");
}

/** Whether sending could go on without a person. */
function needsResume({ open }: Status): boolean {
  return [open.participants, open.addresses, open.documents, open.events].some((counts) =>
    ["planned", "sending", "stalled"].some((state) => (counts[state] ?? 0) > 0),
  );
}

/** Newest first, a line each. */
export function printRuns(runs: readonly ShownRun[], now: number): string {
  if (runs.length === 0) return "No run yet.";
  const lines = runs.map((run) => {
    const rows = run.inputs.reduce((sum, input) => sum + input.read, 0);
    const landed = (run.events["landed"] ?? 0) + (run.events["landed-without-id"] ?? 0);
    const requests = Object.values(run.requests).reduce((sum, count) => sum + count, 0);
    const end = run.finishedAt === null ? "still working, or killed" : ending(run.exitCode);
    return [plainText(run.name), moment(run.startedAt, now), grouped(rows), grouped(landed), grouped(requests), end];
  });
  return table([["Run", "When", "Rows", "Landed", "Requests", "Ended"], ...lines], [2, 3, 4]);
}
