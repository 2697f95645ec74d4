/**
 * Rowferry as a library: the command line's functions, with events and an abort signal instead of a terminal. Importing
 * it has no side effects. Errors are `RowferryError`s with a code; nothing here ends the process.
 */
import { resolve } from "node:path";
import { asRowferryError } from "./cli/report-error.js";
import { resolveTarget as resolveFrom } from "./settings/target.js";
import { type Clock, type Random, systemClock } from "./model/clock.js";
import type { PipelineEvent, Plan, RunLimits, Status, Summary } from "./model/summary.js";
import type { Target } from "./model/target.js";
import { readStatus as readStatusOf } from "./desk/status.js";
import { loadMapping as compileMapping } from "./map/load-mapping.js";
import * as runs from "./run/import.js";
import * as plans from "./run/plan.js";
import { writeReportAgain } from "./desk/files.js";
import {
  checkOptions,
  coded,
  harmless,
  importOptions,
  mappingOptions,
  planOptions,
  reportOptions,
  runOptions,
  statusOptions,
  targetOptions,
} from "./options.js";
import type { Dispatcher } from "undici";
import type { Logger, RunLogLevel } from "./report/run-log.js";

export { type Clock, type Random, systemClock } from "./model/clock.js";
export type { CodeEntry } from "./model/code.js";
export { type Code, codes } from "./model/codes.js";
export { RowferryError } from "./model/error.js";
export { ExitCode } from "./model/exit-code.js";
export type { Place } from "./model/place.js";
export type { PipelineEvent, Plan, RowCounts, StateCounts, Status, Summary } from "./model/summary.js";
export type { Target } from "./model/target.js";
export { createSandbox, type FaultRule, type Sandbox, type SandboxOptions } from "./sandbox/index.js";

/** Where to look for settings, as on the command line. */
export interface TargetOptions {
  /** A name from rowferry.config.yaml, `env` or `sandbox`. Default: as on the command line. */
  name?: string;
  /** The folder of rowferry.config.yaml, `.env` and `state/`; default: the process's. */
  cwd?: string;
  /** Default: the process's environment. */
  env?: Record<string, string | undefined>;
  /** Default `state/<target>/ledger.db`. The sandbox's store is next to it. */
  ledger?: string;
  /** Requests per second, and at once; default: the target's settings. */
  rate?: number;
  burst?: number;
}

/**
 * The service and its ledger. Reads the settings; a secret file only when it is needed. Makes no request, never guesses. @throws RowferryError
 * with the codes of the settings (`settings-incomplete`, `target-not-chosen` …), `usage` for an invalid option.
 */
export function resolveTarget(options: TargetOptions = {}): Target {
  checkOptions(targetOptions, options);
  const { name, cwd, env, ...flags } = options;
  const named = { ...flags, ...(name === undefined ? {} : { target: name }) };
  try {
    return resolveFrom({ flags: named, env: env ?? process.env, cwd: cwd ?? process.cwd() });
  } catch (error) {
    throw asRowferryError(error, false);
  }
}

export interface RunOptions {
  target: Target;
  /**
   * Called synchronously with stages, progress, the forecast and notices. An error in it becomes a process warning, and
   * stops nothing.
   */
  onEvent?: (event: PipelineEvent) => unknown;
  /**
   * Aborting lets calls under way finish and gives a summary with exit code 130; nothing is lost. While files are still
   * being read it rejects with `interrupted`: nothing was staged.
   */
  signal?: AbortSignal;
  limits?: Partial<RunLimits>;
  /** Empties the embedded sandbox and its ledger first; default false. No effect on other targets. */
  fresh?: boolean;
  /**
   * An append-only file, preferably on another disk, from which a lost ledger can be rebuilt; relative to the process's
   * folder. Default: the target's own.
   */
  journal?: string;
  /**
   * A Dispatcher of undici 7, for a proxy, certificates or an agent of your own; its owner closes it. Default: from the
   * environment.
   */
  dispatcher?: { dispatch(options: never, handler: never): boolean };
  /** For run.log in the run's folder; default `info`. */
  logLevel?: RunLogLevel;
  /**
   * Gets every line of run.log, at any level: pino, or an object with the same five functions. An error in it stops
   * nothing.
   */
  logger?: Logger;
  /** Default: the system's. */
  clock?: Clock;
  random?: Random;
}

export interface ImportOptions extends RunOptions {
  /** Path of the mapping file; relative to the process's folder, like `files`. */
  mapping: string;
  /** CSV or Excel files, folders, or patterns. */
  files: readonly string[];
}

export interface PlanOptions extends ImportOptions {
  /** A document's key, or `kind/key`: `preview` holds its requests. */
  document?: string;
}

/** A mapping that imports can use. */
export interface Mapping {
  /** Names of its inputs. */
  inputs: readonly string[];
  /** Valid but seldom meant; `check` shows the same. */
  warnings: readonly string[];
  /** Paths of the tables and function modules that it reads. */
  dependencies: readonly string[];
}

/** Loads a mapping as an import does. @throws RowferryError with every mistake, its place and its remedy */
export async function loadMapping(path: string): Promise<Mapping> {
  checkOptions(mappingOptions, { path });
  const { inputs, warnings, dependencies } = await coded(() => compileMapping(path));
  return { inputs: inputs.map(({ name }) => name), warnings: warnings.map(({ message }) => message), dependencies };
}

/**
 * Stages the files and sends; the same rows again send nothing. Returns a summary of every run that has begun, even if
 * a person is needed (`exitCode` 3) or the same call can continue (4). @throws RowferryError before the first request:
 * mapping, files, settings, a ledger in use.
 */
export async function runImport(options: ImportOptions): Promise<Summary> {
  checkOptions(importOptions, options);
  const { mapping, files } = options;
  return running(options, (run) => runs.runImport({ ...run, mappingPath: mapping, files: [...files] }));
}

/** Sends what the ledger still has to send: an import without files. */
export async function runResume(options: RunOptions): Promise<Summary> {
  checkOptions(runOptions, options);
  return running(options, (run) => runs.runResume(run));
}

/** What an import would do. Sends nothing, and leaves the ledger unchanged. @throws RowferryError as `runImport` */
export async function planImport(options: PlanOptions): Promise<Plan> {
  checkOptions(planOptions, options);
  const { mapping, files, document } = options;
  const only = document === undefined ? {} : { document };
  return running(options, (run) => plans.planImport({ ...run, mappingPath: mapping, files: [...files], ...only }));
}

/** Open work and its causes; works while an import is running. @throws RowferryError `ledger-missing` */
export async function readStatus(options: { target: Target }): Promise<Status> {
  checkOptions(statusOptions, options);
  return coded(() => readStatusOf(options));
}

/**
 * Writes a run's HTML report again; without `run`, the last one's. @returns its path. @throws RowferryError
 * `run-unknown`
 */
export async function writeReport(options: { target: Target; run?: string }): Promise<string> {
  checkOptions(reportOptions, options);
  return coded(async () => (await writeReportAgain(options.target, options.run ?? null)).path);
}

async function running<Result>(options: RunOptions, run: (completed: runs.ResumeOptions) => Promise<Result>) {
  return coded(async () => run(await completed(options)), options.signal);
}

async function completed(options: RunOptions): Promise<runs.ResumeOptions> {
  const { dispatcher } = options;
  const undici = dispatcher === undefined ? null : await import("./submit/undici-transport.js");
  return {
    target: options.target,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    signal: options.signal ?? new AbortController().signal,
    observe: harmless(options.onEvent ?? (() => {})),
    limits: { waitForLock: false, ...options.limits },
    fresh: options.fresh === true && options.target.name === "sandbox",
    journal: options.journal === undefined ? (options.target.journal ?? null) : resolve(options.journal),
    transport: undici?.createUndiciTransport({ dispatcher: dispatcher as Dispatcher }),
    logger: options.logger,
    ...(options.logLevel === undefined ? {} : { logLevel: options.logLevel }),
  };
}
