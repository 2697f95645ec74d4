/** What import and resume share: target line, progress, closing summary, figures for Prometheus, --on-finish. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import type { PipelineEvent, Summary } from "../model/summary.js";
import type { Frame } from "./frame.js";
import { nextTimeOfDay, type OutputFlags, type RunFlags, type TargetFlags } from "./flags.js";
import { type Output, shownPath } from "./output.js";
import type { Pipeline, ResumeOptions } from "./pipeline.js";
import { printSummary } from "./print-summary.js";
import { createProgress, type Progress, silentProgress } from "./progress.js";
import type { World } from "./world.js";
import { withTarget } from "./with-target.js";

export type CommandFlags = TargetFlags & OutputFlags & RunFlags;

/** Runs `work` and gives its exit code; --on-finish runs afterwards whatever came of it. */
export function runCommand(
  frame: Frame,
  flags: CommandFlags,
  work: (pipeline: Pipeline, options: ResumeOptions) => Promise<Summary>,
): Promise<number> {
  return withTarget(frame, flags, async (target, output) => {
    const { world } = frame;
    const progress = openProgress(world, output, target.rate);
    let summary: Summary;
    try {
      summary = await work(world.pipeline, {
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
    if (flags.metrics !== undefined) {
      const { writeMetrics } = await import("../report/metrics.js");
      await writeMetrics(flags.metrics, summary);
    }
    const shown = (path: string) => shownPath(path, world.cwd);
    output.text(`\n${printSummary(summary, { columns: output.columns, colors: output.colors, shown })}\n`);
    if (flags.onFinish !== undefined) await onFinish(world, flags.onFinish, summary, target.stateFolder);
    output.data({ ...summary });
    return summary.exitCode;
  });
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

/** Its output goes to stderr; its failure is told and changes nothing. */
function onFinish(world: World, command: string, summary: Summary, stateFolder: string): Promise<void> {
  const env = {
    ...world.env,
    ROWFERRY_SUMMARY: join(stateFolder, "runs", summary.run, "summary.json"),
    ROWFERRY_RUN: summary.run,
    ROWFERRY_EXIT_CODE: String(summary.exitCode),
  };
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
