/** What import and resume share: target line, progress, closing summary, figures for Prometheus, --on-finish. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ExitCode } from "../model/exit-code.js";
import { nextSteps } from "../report/next-steps.js";
import { plainText } from "../report/plain-text.js";
import { endOf } from "./report-error.js";
import type { PipelineEvent, Summary } from "../model/summary.js";
import type { Target } from "../model/target.js";
import type { Frame } from "./frame.js";
import { nextTimeOfDay, type OutputFlags, type RunFlags, type TargetFlags } from "./flags.js";
import { type Output, shownPath } from "./output.js";
import type { Pipeline, ResumeOptions } from "./pipeline.js";
import { closingLine, printSummary } from "./render/summary.js";
import { createProgress, type Progress, silentProgress } from "./render/progress.js";
import type { World } from "./world.js";
import { withTarget } from "./with-target.js";
import type { Teller } from "../serve/teller.js";

export type CommandFlags = TargetFlags & OutputFlags & RunFlags;

/**
 * Runs `work` and gives its exit code. --metrics, --on-finish and notifications follow whatever came of it, an error too:
 * that is when they are needed. Their own failures are told, and change nothing. `source`: the mapping's path, or the command.
 */
export async function runCommand(
  frame: Frame,
  flags: CommandFlags,
  source: string,
  work: (pipeline: Pipeline, options: ResumeOptions) => Promise<Summary>,
): Promise<number> {
  const { world } = frame;
  const teller: { open: Teller | null; target: string } = {
    open: null,
    target: flags.target ?? (flags.sandbox === true ? "sandbox" : ""),
  };
  try {
    return await withTarget(frame, flags, async (target, output) => {
      teller.target = target.name;
      teller.open = await tellerOf(target, world);
      await teller.open?.began();
      return runOnTarget(frame, flags, { target, output, work, teller: teller.open });
    });
  } catch (thrown) {
    const { code, exitCode, place } = endOf(thrown, frame.signal);
    await saveMetrics(world, flags, async (path) => {
      const { writeFailureMetrics } = await import("../report/metrics.js");
      return writeFailureMetrics(path, { target: teller.target, exitCode, at: world.clock.now() });
    });
    await onFinish(world, flags, { ROWFERRY_EXIT_CODE: String(exitCode), ROWFERRY_ERROR: code });
    if (teller.open !== null && !isWatched(world, exitCode)) {
      const { failureOf } = await import("../serve/outcome.js");
      const { target } = teller;
      await teller.open.failed(failureOf({ target, source: basename(source), code, exitCode, place }));
    }
    throw thrown;
  }
}

/** Whoever typed the command sees for himself that it was mistyped, or interrupted. */
const isWatched = ({ stderr }: World, exitCode: number): boolean =>
  exitCode === ExitCode.interrupted || (stderr.isTTY && exitCode === ExitCode.usage);

/** Null where the settings name nobody to tell. */
export async function tellerOf(target: Target, world: World): Promise<Teller | null> {
  const { readNotifySettings } = await import("../settings/notify-settings.js");
  const settings = readNotifySettings(target.name, world);
  if (settings === null) return null;
  const { createTeller } = await import("../serve/teller.js");
  const say = (line: string) => world.stderr.write(`rowferry: ${line}\n`);
  return createTeller(target, settings, { clock: world.clock, say });
}

async function runOnTarget(
  frame: Frame,
  flags: CommandFlags,
  given: {
    target: Target;
    output: Output;
    work: (pipeline: Pipeline, options: ResumeOptions) => Promise<Summary>;
    teller: Teller | null;
  },
): Promise<number> {
  const { world } = frame;
  const { target, output, teller } = given;
  output.announce();
  const progress = openProgress(world, output, target.rate);
  let summary: Summary;
  try {
    summary = await given.work(world.pipeline, {
      target,
      clock: world.clock,
      random: world.random,
      signal: frame.signal,
      observe: (event) => {
        tellEvent(output, event);
        progress.observe(event);
      },
      limits: limits(flags, world.clock.now()),
      fresh: flags.fresh === true,
      journal: flags.journal ?? target.journal ?? null,
      ...(flags.logLevel === undefined ? {} : { logLevel: flags.logLevel }),
    });
  } finally {
    progress.close();
  }
  await saveMetrics(world, flags, async (path) => {
    const { writeMetrics } = await import("../report/metrics.js");
    return writeMetrics(path, summary);
  });
  const shown = (path: string) => shownPath(path, world.cwd);
  const problems = await watchedProblems(world, target, summary);
  output.text(`${printSummary(summary, { columns: output.columns, colors: output.colors, shown, problems })}\n`);
  output.closeWith(closingLine(summary, shown));
  await onFinish(world, flags, {
    ROWFERRY_SUMMARY: join(target.stateFolder, "runs", summary.run, "summary.json"),
    ROWFERRY_RUN: summary.run,
    ROWFERRY_EXIT_CODE: String(summary.exitCode),
  });
  const commands = nextSteps(summary, shown).map(({ command }) => command);
  if (!isWatched(world, summary.exitCode)) await teller?.ended(summary, commands);
  output.data({ ...summary });
  return summary.exitCode;
}

/** With what the cells hold, where a person sits at the terminal; in collected output they stay hidden (P9). */
async function watchedProblems(world: World, target: Target, summary: Summary): Promise<Summary["problems"]> {
  if (!world.stdout.isTTY || summary.problems.length === 0) return summary.problems;
  const { problems } = await world.pipeline.readStatus({ target, cells: true });
  // Of files that hold nothing the ledger knows nothing.
  return [...summary.problems.filter(({ code }) => code === "file-empty"), ...problems];
}

export function openProgress(world: World, output: Output, limit: number | null): Progress {
  if (output.quiet || output.json) return silentProgress;
  return createProgress({ stream: world.stderr, clock: world.clock, limit });
}

/** The pipeline's own lines for --json, under their own `type`. */
export function tellEvent(output: Output, event: PipelineEvent): void {
  output.data({ ...event });
}

export function limits(flags: RunFlags, now: number): ResumeOptions["limits"] {
  return {
    ...(flags.maxErrors === undefined ? {} : { maxErrors: flags.maxErrors }),
    ...(flags.maxOutage === undefined ? {} : { maxOutageMs: flags.maxOutage }),
    ...(flags.limit === undefined ? {} : { limitDocuments: flags.limit }),
    ...(flags.until === undefined ? {} : { until: nextTimeOfDay(flags.until, now) }),
    waitForLock: flags.wait === true,
  };
}

async function saveMetrics(world: World, flags: CommandFlags, write: (path: string) => Promise<void>): Promise<void> {
  if (flags.metrics === undefined) return;
  const folder = dirname(flags.metrics);
  try {
    // One that is made here would hide that a mount is missing, and nobody would collect from it.
    if (!existsSync(folder)) throw new Error(`there is no folder ${folder}`);
    await write(flags.metrics);
  } catch (error) {
    world.stderr.write(`rowferry: --metrics was not written: ${plainText((error as Error).message)}\n`);
  }
}

/** Its output goes to stderr; its failure is told and changes nothing. */
function onFinish(world: World, { onFinish: command }: CommandFlags, told: Record<string, string>): Promise<void> {
  if (command === undefined) return Promise.resolve();
  const env = { ...world.env, ...told };
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, cwd: world.cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.on("data", (chunk: Buffer) => world.stderr.write(chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => world.stderr.write(chunk.toString()));
    child.on("error", (error) => {
      world.stderr.write(`rowferry: the --on-finish command could not be run (${error.message})\n`);
      resolve();
    });
    child.on("close", (code, signal) => {
      if (code !== 0 && (code !== null || signal !== null)) {
        world.stderr.write(`rowferry: the --on-finish command ended with ${code ?? signal}\n`);
      }
      resolve();
    });
  });
}
