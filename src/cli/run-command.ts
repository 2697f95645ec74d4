/** What import, resume and retry share: progress, closing summary, figures for Prometheus, --on-finish. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { ExitCode } from "../model/exit-code.js";
import type { PipelineEvent, Summary } from "../model/summary.js";
import { plainText } from "../report/plain-text.js";
import { nextTimeOfDay, type OutputFlags, type RunFlags, type TargetFlags } from "./flags.js";
import type { Frame } from "./frame.js";
import { type Told, type Work, withTarget } from "./on-target.js";
import type { Output } from "./output.js";
import type { Pipeline, ResumeOptions } from "./pipeline.js";
import { createProgress, type Progress } from "./render/progress.js";
import { printSummary } from "./render/summary.js";
import { endOf } from "./report-error.js";
import type { World } from "./world.js";

export type CommandFlags = TargetFlags & OutputFlags & RunFlags;

/**
 * Runs `run` and gives its exit code. --metrics and --on-finish run afterwards whatever came of it, an error too: that
 * is when they are needed. Their own failures are told, and change nothing.
 */
export async function runCommand(
  frame: Frame,
  flags: CommandFlags,
  run: (pipeline: Pipeline, options: ResumeOptions) => Promise<Summary>,
): Promise<number> {
  const { world } = frame;
  const ran: { summary: Summary; stateFolder: string }[] = [];
  try {
    const exitCode = await withTarget(frame, flags, async (work) => {
      const summary = await runOnTarget(work, flags, run);
      ran.push({ summary, stateFolder: work.target.stateFolder });
      return tellSummary(work, summary);
    });
    for (const { summary, stateFolder } of ran) {
      await saveMetrics(world, flags, async (path) =>
        (await import("../report/metrics.js")).writeMetrics(path, summary),
      );
      await onFinish(world, flags, {
        ROWFERRY_SUMMARY: join(stateFolder, "runs", summary.run, "summary.json"),
        ROWFERRY_RUN: summary.run,
        ROWFERRY_EXIT_CODE: String(exitCode),
      });
    }
    return exitCode;
  } catch (thrown) {
    const { error, exitCode } = endOf(thrown, frame.signal);
    const target = flags.target ?? (flags.sandbox === true ? "sandbox" : "");
    const failure = { target, exitCode, at: world.clock.now() };
    await saveMetrics(world, flags, async (path) =>
      (await import("../report/metrics.js")).writeFailureMetrics(path, failure),
    );
    await onFinish(world, flags, { ROWFERRY_EXIT_CODE: String(exitCode), ROWFERRY_ERROR: error.code });
    throw thrown;
  }
}

function runOnTarget(
  { world, output, target, options, announce }: Work,
  flags: CommandFlags,
  run: (pipeline: Pipeline, options: ResumeOptions) => Promise<Summary>,
): Promise<Summary> {
  announce();
  return watched(world, output, target.rate, (observe) =>
    run(world.pipeline, {
      ...options,
      observe,
      limits: limits(flags, world.clock.now()),
      ...(flags.logLevel === undefined ? {} : { logLevel: flags.logLevel }),
    }),
  );
}

/** The problems with what the cells hold, where a person sits at the terminal; in collected output they stay hidden (P9). */
async function tellSummary({ world, target, output, shown }: Work, summary: Summary): Promise<Told> {
  let { problems } = summary;
  if (world.stdout.isTTY && problems.length > 0) {
    const status = await world.pipeline.readStatus({ target, cells: true });
    // Of files that hold nothing the ledger knows nothing.
    problems = [...problems.filter(({ code }) => code === "file-empty"), ...status.problems];
  }
  const { exitCode } = summary;
  return { ...printSummary({ ...summary, problems }, { ...output, shown }), line: { ...summary }, exitCode };
}

/** Shows the progress of `work`, and tells it with --json. */
export async function watched<Result>(
  world: World,
  output: Output,
  limit: number | null,
  work: (observe: (event: PipelineEvent) => void) => Promise<Result>,
): Promise<Result> {
  const progress = openProgress(world, output, limit);
  try {
    return await work((event) => {
      output.data(event);
      progress.observe(event);
    });
  } finally {
    progress.close();
  }
}

export function openProgress(world: World, output: Output, limit: number | null): Progress {
  if (output.quiet || output.json) return { observe: () => {}, close: () => {} };
  return createProgress({ stream: world.stderr, clock: world.clock, limit });
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

async function saveMetrics(
  world: World,
  { metrics }: CommandFlags,
  write: (path: string) => Promise<void>,
): Promise<void> {
  if (metrics === undefined) return;
  const folder = dirname(metrics);
  try {
    // One that is made here would hide that a mount is missing, and nobody would collect from it.
    if (!existsSync(folder)) throw new Error(`there is no folder ${folder}`);
    await write(metrics);
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
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => world.stderr.write(chunk.toString()));
    child.on("error", (error) => {
      world.stderr.write(`rowferry: the --on-finish command could not be run (${error.message})\n`);
      resolve();
    });
    child.on("close", (code, signal) => {
      const ending = code ?? signal;
      if (ending !== null && ending !== ExitCode.ok)
        world.stderr.write(`rowferry: the --on-finish command ended with ${ending}\n`);
      resolve();
    });
  });
}
