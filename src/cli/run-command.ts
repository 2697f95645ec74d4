/** What import, resume and retry share: progress, closing summary, figures for Prometheus, --on-finish. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ExitCode } from "../model/exit-code.js";
import type { PipelineEvent, Summary } from "../model/summary.js";
import type { Target } from "../model/target.js";
import { nextSteps } from "../report/next-steps.js";
import { plainText } from "../report/plain-text.js";
import type { Teller } from "../serve/teller.js";
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

type Run = (pipeline: Pipeline, options: ResumeOptions) => Promise<Summary>;

/**
 * Runs `run` and gives its exit code. --metrics, --on-finish and notifications follow whatever came of it, an error too:
 * that is when they are needed. Their own failures are told, and change nothing. `source`: the mapping's path, or the command.
 */
export async function runCommand(frame: Frame, flags: CommandFlags, source: string, run: Run): Promise<number> {
  const { world } = frame;
  const begun: { target: string; teller: Teller | null; end: (exitCode: number) => Promise<void> } = {
    target: flags.target ?? (flags.sandbox === true ? "sandbox" : ""),
    teller: null,
    end: () => Promise.resolve(),
  };
  const follow = async (exitCode: number, variables: Record<string, string>, ending: Ending) => {
    await saveMetrics(world, flags, ending.metrics);
    await onFinish(world, flags, { ...variables, ROWFERRY_EXIT_CODE: String(exitCode) });
    if (begun.teller !== null && !isWatched(world, exitCode)) await ending.notify(begun.teller);
  };
  try {
    const exitCode = await withTarget(frame, flags, async (work) => {
      const { target, shown } = work;
      begun.target = target.name;
      begun.teller = await tellerOf(target, world);
      await begun.teller?.began();
      const summary = await runOnTarget(work, flags, run);
      const told = await tellSummary(work, summary);
      const commands = nextSteps(summary, shown).map(({ command }) => command);
      const variables = {
        ROWFERRY_SUMMARY: join(target.stateFolder, "runs", summary.run, "summary.json"),
        ROWFERRY_RUN: summary.run,
      };
      begun.end = (code) =>
        follow(code, variables, {
          metrics: async (path) => (await import("../report/metrics.js")).writeMetrics(path, summary),
          notify: (teller) => teller.ended(summary, commands),
        });
      return told;
    });
    await begun.end(exitCode);
    return exitCode;
  } catch (thrown) {
    const { error, exitCode } = endOf(thrown, frame.signal);
    const { target } = begun;
    const { code, place } = error;
    await follow(
      exitCode,
      { ROWFERRY_ERROR: code },
      {
        metrics: async (path) =>
          (await import("../report/metrics.js")).writeFailureMetrics(path, { target, exitCode, at: world.clock.now() }),
        notify: async (teller) => {
          const { failureOf } = await import("../serve/outcome.js");
          await teller.failed(failureOf({ target, source: basename(source), code, exitCode, place }));
        },
      },
    );
    throw thrown;
  }
}

interface Ending {
  metrics: (path: string) => Promise<void>;
  notify: (teller: Teller) => Promise<void>;
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

function runOnTarget(
  { world, output, target, options, announce }: Work,
  flags: CommandFlags,
  run: Run,
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
