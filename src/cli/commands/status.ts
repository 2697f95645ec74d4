/** `rowferry status`: open work and what it waits for. Works while an import is running. */
import { unexplainedWaits } from "../../model/solution.js";
import type { Status } from "../../model/summary.js";
import { counted, countedStates, grouped, moment, sumOf } from "../../report/figures.js";
import {
  importAllAgain,
  type NextStep,
  type StepMaker,
  stepsOfOpen,
  stepsOfRestored,
  stepsOfWaiting,
} from "../../report/next-steps.js";
import {
  ending,
  needed,
  onlyYouCanSettle,
  openOfCompared,
  openOfCopy,
  recordKinds,
  saidRestored,
  saidUnstaged,
  saidWithdrawn,
  unsentIn,
  waitForTime,
} from "../../report/outcome.js";
import { onTarget } from "../on-target.js";
import { causes, problemSections } from "../render/problems.js";
import { bold, green, joined, table, yellow } from "../render/text.js";

export const spec = onTarget({
  examples: { "rowferry status": "", "rowferry status --target production --json": "" },
  async run({ world, target, output: { json }, step, shown }) {
    const found = await world.pipeline.readStatus({ target, cells: world.stdout.isTTY && !json });
    return {
      type: "status",
      line: found,
      // One line if all is well.
      text: (status) => [
        `${target.name}: ${answer(status)}`,
        status.restored !== null && saidRestored(status.restored, (time) => moment(time, world.clock.now())),
        status.refused !== null && `${status.refused.message} ${status.refused.hint}`,
        status.differed !== null &&
          `${status.differed.name}, which ended ${moment(status.differed.at, world.clock.now())}, found differences or could not read everything.`,
        openLines(status.open),
        ...problemSections(status.problems),
        causes("Waiting", "each for something else", status.waiting),
        status.withdrawn.map(saidWithdrawn),
        lastRun(status, world.clock.now()),
      ],
      next: nextOf(found, step, shown),
    };
  },
});

function answer(status: Status): string {
  const count = needed(status.open);
  const needs = `${counted(count, "thing needs", "things need")} you. Nothing is lost.`;
  if (status.unstaged !== null) {
    const { name, exitCode } = status.unstaged;
    if (exitCode === null && status.isAtWork === true)
      return yellow(`${name} is still reading its files. ${count > 0 ? needs : "Nothing needs you."}`);
    const unknown = `${name} has not staged its rows: it is still reading its files, or was killed. If it was killed, run that import again.`;
    const said = exitCode === null && status.isAtWork === null ? unknown : saidUnstaged(status.unstaged);
    return yellow(joined([said, count > 0 && needs], " "));
  }
  if (count > 0) return yellow(needs);
  if (status.isAtWork === true) return green("another process is staging or sending. Nothing needs you.");
  if (needsResume(status)) return yellow("some work is still to be sent. Nothing needs you.");
  if (status.waiting.some(({ code }) => unexplainedWaits.includes(code)))
    return yellow(onlyYouCanSettle(sumOf(status.waiting, "count")));
  if (status.waiting.length > 0) return yellow("some events wait. Nothing is lost.");
  if (status.refused !== null) return yellow("nothing is open, but the next import would be refused.");
  if (status.restored !== null) return yellow(`nothing ${openOfCopy}`);
  if (status.differed !== null) return yellow(`nothing ${openOfCompared}`);
  return green(`all is well. ${waitForTime(status.open) || "Nothing is open."}`);
}

/** Whether sending could continue without a person. */
const needsResume = ({ open }: Status): boolean => recordKinds.some((kind) => unsentIn(open[kind]) > 0);

function openLines({ rows, ...records }: Status["open"]): string[] {
  const lines = recordKinds.map((kind) => [
    `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`,
    countedStates(records[kind]),
  ]);
  if (rows > 0) lines.push(["Rows", `${grouped(rows)} to correct`]);
  return table(lines.flatMap(([kind = "", text = ""]) => (text === "" ? [] : [[bold(kind), text]])));
}

function lastRun({ lastRun: run, unstaged, isAtWork }: Status, now: number): string {
  if (run === null) return "No run yet.";
  const staged = run.name === unstaged?.name && unstaged.exitCode !== null ? "; nothing was staged" : "";
  return `Last run ${run.name}, ${moment(run.startedAt, now)}: ${ending(run, isAtWork ?? undefined)}${staged}.`;
}

function nextOf(status: Status, step: StepMaker, shown: (path: string) => string): NextStep[] {
  const { isAtWork, lastRun: run } = status;
  const unless = isAtWork === null && run?.finishedAt === null ? ", unless that run is still working" : "";
  const rejects = step("rejects", "write the rows to correct to files; correct those and import them");
  return [
    ...(needsResume(status) && isAtWork !== true ? [step("resume", `send what is still open${unless}`)] : []),
    ...stepsOfOpen(status, step, [rejects]),
    ...stepsOfWaiting(status.waiting, step, shown),
    ...(status.differed === null ? [] : [step("verify", "compare everything again, and see what differs")]),
    ...(status.restored?.byJournal === true ? [importAllAgain(step)] : []),
    ...(status.restored?.byJournal === false ? stepsOfRestored("<backup>", step) : []),
  ];
}
