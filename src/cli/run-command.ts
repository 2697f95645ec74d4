/**
 * Runs import, resume, retry and watch with progress and summary. --metrics, --on-finish and notifications follow every
 * ending, errors included; their failures are reported and change nothing.
 */
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { RowferryError } from "../model/error.js";
import { nearestTimeOfDay, unlessAborted } from "../model/clock.js";
import { ExitCode } from "../model/exit-code.js";
import { type PipelineEvent, type Summary, telling } from "../model/summary.js";
import type { Target } from "../model/target.js";
import { keepCourse } from "../report/course.js";
import { localZone, shortDuration } from "../report/figures.js";
import { nextSteps, withFlags } from "../report/next-steps.js";
import type { Failure } from "../report/metrics.js";
import { plainText } from "../report/plain-text.js";
import type { ResumeOptions } from "../run/import.js";
import { targetName } from "../settings/target.js";
import { runShellCommand } from "../serve/shell-command.js";
import type { Teller } from "../serve/teller.js";
import { command, type CommandSpec, type Flags, type Given } from "./command.js";
import { runFlags, targetFlags } from "./flags.js";
import { type CommonFlags, type Work, withTarget } from "./on-target.js";
import type { Output, Told } from "./output.js";
import type { Pipeline } from "./pipeline.js";
import { createProgress, type Progress, silentProgress } from "./render/progress.js";
import { printSummary } from "./render/summary.js";
import { asRowferryError, endOf } from "./report-error.js";
import type { Frame, World } from "./world.js";

const sendingFlags = { ...runFlags, ...targetFlags };

export type SendingFlags = Given<typeof sendingFlags> & CommonFlags;

/** `source`: the mapping's path, or the command. */
export interface Run {
  source: string;
  send(pipeline: Pipeline, options: ResumeOptions): Promise<Summary>;
}

type SendingSpec<Table extends Flags> = Omit<CommandSpec<Table>, "run"> & {
  /** Before anything is opened. A number: the command has ended with it. */
  prepare(frame: Frame, given: Given<Table> & SendingFlags, ...taken: never[]): Run | number | Promise<Run | number>;
  /** With --dry-run. */
  foresee?(work: Work, given: Given<Table>, ...taken: never[]): Promise<Told>;
};

/** A forecast covers everything that the ledger and the files hold. */
const bounds = ["fresh", "limit", "until", "maxErrors"];

export function sendingCommand<const Table extends Flags>({
  prepare,
  foresee,
  ...spec
}: SendingSpec<Table>): CommandSpec {
  const table: Flags = { ...spec.flags, ...sendingFlags };
  return command({
    ...spec,
    flags: table,
    async run(frame, given, ...taken) {
      const flags = given as Given<Table> & SendingFlags;
      if (foresee !== undefined && "dryRun" in given) {
        const left = bounds.flatMap((name) => (name in given ? (table[name]?.[0].split(" ", 1) ?? []) : []));
        if (left.length > 0) throw new RowferryError("usage", `--dry-run cannot foresee ${left.join(" or ")}.`);
        return withTarget(frame, flags, (work) => foresee(work, flags, ...taken));
      }
      let prepared: Run | number;
      try {
        prepared = await prepare(frame, flags, ...taken);
      } catch (error) {
        // A watch that cannot start is reported like an import that cannot.
        prepared = { source: String(taken[0]), send: () => Promise.reject(error) };
      }
      return typeof prepared === "number" ? prepared : runCommand(frame, flags, prepared);
    },
  });
}

/** @returns the exit code @throws the run's error, after everything that follows a run */
export async function runCommand(frame: Frame, flags: SendingFlags, { source, send }: Run): Promise<number> {
  const { world, signal } = frame;
  const now = world.clock.now();
  let target = flags.target ?? "";
  let teller: Teller | null = null;
  let run: { summary: Summary; folder: string; commands: string[] } | undefined;
  const follow = async (exitCode: number, told: Record<string, string>, notify: (to: Teller) => Promise<void>) => {
    await saveMetrics(world, flags.metrics, run?.summary ?? { target, exitCode, at: world.clock.now() });
    await onFinish(frame, flags.onFinish, { ...told, ROWFERRY_EXIT_CODE: String(exitCode) });
    if (teller === null || isWatched(world, exitCode)) return;
    let missed = "stopped by a signal";
    const notified = notify(teller).then(
      () => void (missed = ""),
      (error: unknown) => void (missed = asRowferryError(error, false).message),
    );
    // What follows an interrupted run is run, but holds up a shutdown only briefly.
    await unlessAborted(notified, signal.aborted ? AbortSignal.timeout(NOTIFY_MS) : signal);
    if (missed !== "")
      world.stderr.write(`rowferry: the next run may send the same notification again: ${plainText(missed)}\n`);
  };
  let exitCode: number;
  try {
    target = targetName({ flags, env: world.env, cwd: world.cwd });
    const sending = async (work: Work) => {
      teller = await tellerOf(work.target, world);
      await unlessAborted(teller?.began() ?? Promise.resolve(), signal);
      // The console sees the running command.
      const course = keepCourse(work.target.stateFolder, () => world.clock.now(), work.target.rate);
      const until = flags.until === undefined ? undefined : nearestTimeOfDay(flags.until, now);
      let isAnnounced = false;
      // Only once there is work: a mistyped command sends nothing to any target.
      const announce = () => {
        if (!isAnnounced) work.announce();
        isAnnounced = true;
      };
      const summary = await watched(work, (tell) => {
        const observe = (event: PipelineEvent): void => {
          announce();
          // Both announce what will be sent next.
          if (event.type === "forecast" || event.type === "backlog") frame.isSending = true;
          tell(event);
        };
        if (until !== undefined) tellUntil(work, `${flags.until} (${localZone()})`, now - until, observe);
        return send(world.pipeline, {
          ...work.options,
          observe(event) {
            observe(event);
            course.observe(event);
          },
          limits: {
            maxErrors: flags.maxErrors,
            maxOutageMs: flags.maxOutage,
            limitDocuments: flags.limit,
            until,
            waitForLock: flags.wait === true,
          },
          logLevel: flags.logLevel,
        });
      }).finally(() => {
        frame.isSending = false;
        course.close();
      });
      announce();
      const commands = nextSteps(summary, work.shown, work.step).map((step) => step.command);
      run = { summary, folder: join(work.target.stateFolder, "runs", summary.run), commands };
      return tellSummary(work, summary);
    };
    exitCode = await withTarget(frame, flags, sending, { mapping: source });
  } catch (thrown) {
    run = undefined;
    const { error, exitCode: code } = endOf(thrown, signal);
    await follow(code, { ROWFERRY_ERROR: error.code }, async (to) => {
      const { failureOf } = await import("../serve/outcome.js");
      const { code: why, place } = error;
      await to.failed(failureOf({ target, source: basename(source), code: why, exitCode: code, place }));
    });
    throw thrown;
  }
  if (run === undefined) return exitCode;
  const { summary, folder, commands } = run;
  const variables = { ROWFERRY_SUMMARY: join(folder, "summary.json"), ROWFERRY_RUN: summary.run };
  await follow(exitCode, variables, (to) => to.ended(summary, commands));
  return exitCode;
}

/** `ago`: in ms. Even --quiet says so if a run sends nothing for this reason, because that is not what was wanted. */
function tellUntil({ world, output }: Work, time: string, ago: number, observe: (event: PipelineEvent) => void) {
  if (ago < 0) return telling(observe)(`Starts no new work after ${time}.`);
  const message = `${time} passed ${shortDuration(ago / 1000)} ago, so this run sends nothing. --until means the nearest such time, up to twelve hours away.`;
  telling(observe)(message, "warning");
  if (output.quiet) world.stderr.write(`rowferry: ${message}\n`);
}

/** A person at the terminal sees a mistyped or interrupted command. */
const isWatched = ({ stderr }: World, exitCode: number): boolean =>
  exitCode === ExitCode.interrupted || (stderr.isTTY && exitCode === ExitCode.usage);

/** Null: the settings name nobody. */
export async function tellerOf(target: Target, world: World): Promise<Teller | null> {
  const { readNotifySettings } = await import("../settings/notify-settings.js");
  const settings = readNotifySettings(target.name, world);
  if (settings === null) return null;
  const { createTeller } = await import("../serve/teller.js");
  const say = (line: string) => world.stderr.write(`rowferry: ${line}\n`);
  return createTeller(target, settings, { clock: world.clock, say });
}

/** Shows cells on a terminal; collected output hides them (P9). */
async function tellSummary({ world, target, shown, step }: Work, summary: Summary): Promise<Told> {
  let { problems } = summary;
  if (world.stdout.isTTY && problems.length > 0) {
    // The ledger knows nothing of empty files.
    const empty = problems.filter(({ code }) => code === "file-empty");
    const files = [...summary.inputs.map(({ input }) => input), ...empty.map(({ place }) => basename(place ?? ""))];
    const status = await world.pipeline.readStatus({ target, cells: true, files });
    problems = [...empty, ...status.problems];
  }
  return printSummary(summary, problems, shown, step);
}

export async function watched<Result>(
  { world, output, target, step }: Work,
  work: (observe: (event: PipelineEvent) => void) => Promise<Result>,
): Promise<Result> {
  const progress = openProgress(world, output, target.rate);
  const observe = (found: PipelineEvent) => {
    const event = found.type === "notice" ? { ...found, message: withFlags(found.message, step) } : found;
    output.data(event);
    progress.observe(event);
  };
  return work(observe).finally(progress.close);
}

export function openProgress(world: World, { quiet, json }: Output, limit: number | null): Progress {
  return quiet || json ? silentProgress : createProgress({ stream: world.stderr, clock: world.clock, limit });
}

async function saveMetrics(world: World, file: string | undefined, ended: Summary | Failure): Promise<void> {
  if (file === undefined) return;
  const path = resolve(world.cwd, file);
  try {
    // A new folder would hide a missing mount, and nothing would collect from it.
    if (!existsSync(dirname(path))) throw new RowferryError("output-unwritable", `there is no folder ${dirname(path)}`);
    const { writeMetrics } = await import("../report/metrics.js");
    await writeMetrics(path, ended);
  } catch (error) {
    const { message } = asRowferryError(error, false);
    world.stderr.write(`rowferry: --metrics was not written: ${plainText(message)}\n`);
  }
}

const HOOK_MS = 10 * 60_000;
/** After an interrupted run. */
const [HASTY_HOOK_MS, NOTIFY_MS] = [60_000, 10_000];

/** Its output goes to stderr; its failure is reported and changes nothing. */
async function onFinish({ world, signal }: Frame, typed: string | undefined, told: Record<string, string>) {
  if (typed === undefined) return;
  const print = (text: string): void => world.stderr.write(text);
  const env = { ...world.env, ...told };
  const limitMs = signal.aborted ? HASTY_HOOK_MS : HOOK_MS;
  const how = await runShellCommand(typed, { cwd: world.cwd, env, limitMs, signal, print });
  if (how !== null) world.stderr.write(`rowferry: the --on-finish command ${how}\n`);
}
