/** The output of `status` and `runs`. Texts are plain already. */
import type { ShownRun } from "../../model/lines/show.js";
import type { StateCounts } from "../../model/summary.js";
import { counted, grouped, moment } from "../../report/figures.js";
import { type NextStep, type StepMaker, stepsOfOpen, stepsOfWaiting } from "../../report/next-steps.js";
import { ending, landedOf, needed, total } from "../../report/outcome.js";
import type { Status } from "../../model/summary.js";
import { causes, problemSections } from "./problems.js";
import { type Colors, joined, type Part, table } from "./text.js";

export interface StatusLook {
  colors: Colors;
  target: string;
  /** In ms. */
  now: number;
}

/** One line if all is well. */
export function printStatus(status: Status, { colors, target, now }: StatusLook): Part[] {
  const { open, problems, waiting, lastRun } = status;
  return [
    `${target}: ${answer(status, colors)}`,
    openLines(open, colors),
    ...problemSections(problems, colors),
    causes("Waiting", "for something else", waiting, colors),
    lastRun === null
      ? "No run yet."
      : `Last run ${lastRun.name}, ${moment(lastRun.startedAt, now)}: ${ending(lastRun)}.`,
  ];
}

function openLines({ rows, ...records }: Status["open"], { bold }: Colors): string[] {
  const kinds = ["participants", "addresses", "documents", "events"] as const;
  const lines = kinds.map((kind) => [`${kind.charAt(0).toUpperCase()}${kind.slice(1)}`, states(records[kind])]);
  if (rows > 0) lines.push(["Rows", `${grouped(rows)} to correct`]);
  return table(lines.flatMap(([kind = "", text = ""]) => (text === "" ? [] : [[bold(kind), text]])));
}

function answer(status: Status, { green, yellow }: Colors): string {
  const count = needed(status.open);
  if (count > 0) return yellow(`${counted(count, "thing")} ${count === 1 ? "needs" : "need"} you. Nothing is lost.`);
  if (status.unstaged !== null) {
    const what = `${status.unstaged} has not staged its rows: it is still reading its files, or was killed.`;
    return yellow(`${what} If it was killed, run that import again.`);
  }
  if (needsResume(status)) return yellow("some work is still to be sent. Nothing needs you.");
  return status.waiting.length > 0
    ? yellow("some events wait. Nothing is lost.")
    : green("all is well. Nothing is open.");
}

export function nextOf(status: Status, step: StepMaker): NextStep[] {
  const rejects = step("rejects", "write the rows to correct to files; correct those and import them");
  return [
    ...(needsResume(status) ? [step("resume", resume(status))] : []),
    ...stepsOfOpen(status, step, [rejects]),
    ...stepsOfWaiting(status.waiting, step),
  ];
}

/** An unfinished run may be running or killed: only the lock shows it, and it is not touched here. */
const resume = ({ lastRun }: Status): string =>
  lastRun !== null && lastRun.finishedAt === null
    ? "send what is still open, unless that run is still working"
    : "send what is still open";

/** Without zeros. */
const states = (counts: StateCounts): string =>
  joined(Object.entries(counts).map(([state, count]) => count > 0 && `${grouped(count)} ${state}`));

/** Whether sending could continue without a person. */
const needsResume = ({ open: { participants, addresses, documents, events } }: Status): boolean =>
  [participants, addresses, documents, events].some(
    ({ planned = 0, sending = 0, stalled = 0 }) => planned + sending + stalled > 0,
  );

export function printRuns(runs: readonly ShownRun[], now: number): Part[] {
  if (runs.length === 0) return ["No run yet."];
  const [one, ...others] = new Set(runs.map(({ startedBy }) => startedBy));
  const lines = runs.map((run) => {
    const rows = run.inputs.reduce((sum, input) => sum + input.read, 0);
    const numbers = [rows, landedOf(run.events), total(run.requests)].map((count) =>
      run.did === null ? grouped(count) : "",
    );
    const who = others.length > 0 ? `, by ${run.startedBy}` : "";
    return [run.name, moment(run.startedAt, now), ...numbers, `${run.did ?? ending(run)}${who}`];
  });
  return [
    table([["Run", "When", "Rows", "Landed", "Requests", "Ended"], ...lines], [2, 3, 4]),
    others.length === 0 && `All by ${one}.`,
  ];
}
