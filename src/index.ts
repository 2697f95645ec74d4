/**
 * Rowferry as a library: what the command line does, with events and an abort signal instead of a terminal. Importing
 * it does nothing by itself. Errors are `RowferryError`s with a code; nothing here ends the process.
 */
import { resolveTarget as resolveFrom } from "./settings/target.js";
import { type Clock, type Random, systemClock } from "./model/clock.js";
import type { PipelineEvent, Summary } from "./model/summary.js";
import type { Target } from "./model/target.js";
import { readStatus as readStatusOf, type Status } from "./desk/status.js";
import * as runs from "./run/import.js";
import * as plans from "./run/plan.js";
import { writeReportAgain } from "./desk/files.js";
import { checkOptions, harmless, importOptions, planOptions, runOptions, targetOptions } from "./options.js";
import type { Dispatcher } from "undici";
import type { Logger, RunLogLevel } from "./report/run-log.js";

export { loadMapping } from "./map/load-mapping.js";
export type { Mapping } from "./map/mapping.js";
export { type Clock, type Random, systemClock } from "./model/clock.js";
export type { CodeEntry } from "./model/code.js";
export { type Code, codes } from "./model/codes.js";
export { RowferryError } from "./model/error.js";
export { ExitCode } from "./model/exit-code.js";
export type { Place } from "./model/place.js";
export type { PipelineEvent, RowCounts, StateCounts, Summary } from "./model/summary.js";
export type { Target } from "./model/target.js";
export type { Status } from "./desk/status.js";
export type { Plan } from "./run/plan.js";
export { createSandbox, type FaultRule, type Sandbox, type SandboxOptions } from "./sandbox/index.js";

/** Where the settings of a target are looked for; the same places as the command line's, in the same order. */
export interface TargetOptions {
  /** A name from rowferry.config.yaml, `env` or `sandbox`. Default: as the command line chooses. */
  name?: string;
  /** The folder of rowferry.config.yaml, `.env` and `state/`; default: the process's. */
  cwd?: string;
  /** Default: the process's environment. */
  env?: Record<string, string | undefined>;
  /** The ledger's file; default `state/<target>/ledger.db`. For the sandbox its store lies beside it. */
  ledger?: string;
  /** Requests per second, and at once; default: the target's own settings. */
  rate?: number;
  burst?: number;
}

/**
 * The service to work with, and its ledger. Reads settings and secret files, makes no request.
 * @throws RowferryError with the codes of the settings (`settings-incomplete`, `target-not-chosen` …), `usage` for an option that cannot be; never guesses.
 */
export function resolveTarget(options: TargetOptions = {}): Target {
  checkOptions(targetOptions, options);
  const { name, cwd, env, ...flags } = options;
  return resolveFrom({
    flags: { ...flags, ...(name === undefined ? {} : { target: name }) },
    env: env ?? process.env,
    cwd: cwd ?? process.cwd(),
  });
}

/** What every run takes. */
export interface RunOptions {
  target: Target;
  /** Called synchronously with stages, progress, the forecast and notices. What it throws is a warning of the process, and stops nothing. */
  onEvent?: (event: PipelineEvent) => unknown;
  /**
   * Aborting lets calls under way finish (bounded) and gives a summary with exit code 130; nothing is lost. While files are still
   * read it rejects with the code `interrupted`: nothing was staged, and there is nothing to sum up.
   */
  signal?: AbortSignal;
  limits?: Partial<runs.RunLimits>;
  /** Empties the embedded sandbox and its ledger first; default false. Does nothing for other targets. */
  fresh?: boolean;
  /** An append-only file, best on another disk, from which a lost ledger can be rebuilt; default: the target's own. */
  journal?: string;
  /** undici's, for a proxy, certificates or an agent of your own. Default: by the process's environment. It stays open. */
  dispatcher?: Dispatcher;
  /** Of run.log in the run's folder; default `info`. */
  logLevel?: RunLogLevel;
  /** Gets what run.log gets, at any level: pino, or an object with the same five functions. What it throws stops nothing. */
  logger?: Logger;
  /** Default: the system's. */
  clock?: Clock;
  random?: Random;
}

export interface ImportOptions extends RunOptions {
  /** Path of the mapping file. */
  mapping: string;
  /** CSV or Excel files, folders, or patterns. */
  files: readonly string[];
}

export interface PlanOptions extends ImportOptions {
  /** A document's key, or `kind/key`: its requests come in full as `preview`. */
  document?: string;
}

/**
 * Stages the files and sends: the same rows again send nothing. Gives the summary of any run that has begun, also where
 * a person is needed (`exitCode` 3) or the same call can go on (4).
 * @throws RowferryError for what stops it before the first request: mapping, files, settings, a ledger in use.
 */
export async function runImport(options: ImportOptions): Promise<Summary> {
  checkOptions(importOptions, options);
  return runs.runImport({ ...(await completed(options)), mappingPath: options.mapping, files: [...options.files] });
}

/** Goes on with what the ledger still has to send: an import without files. */
export async function runResume(options: RunOptions): Promise<Summary> {
  checkOptions(runOptions, options);
  return runs.runResume(await completed(options));
}

/** What an import would do. Sends nothing, and leaves the ledger as it was. @throws RowferryError as `runImport` */
export async function planImport(options: PlanOptions): Promise<plans.Plan> {
  checkOptions(planOptions, options);
  const { mapping, files, document } = options;
  return plans.planImport({
    ...(await completed(options)),
    mappingPath: mapping,
    files: [...files],
    ...(document === undefined ? {} : { document }),
  });
}

/** What is open in the ledger and why; works beside a run. @throws RowferryError `ledger-missing` */
export function readStatus(options: { target: Target }): Promise<Status> {
  return readStatusOf(options);
}

/** Makes a run's HTML report again; `run` left out: of the last. Gives its path. @throws RowferryError `run-unknown` */
export async function writeReport(options: { target: Target; run?: string }): Promise<string> {
  return (await writeReportAgain(options.target, options.run ?? null)).path;
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
    journal: options.journal ?? options.target.journal ?? null,
    transport: undici?.createUndiciTransport({ dispatcher }),
    logger: options.logger,
    ...(options.logLevel === undefined ? {} : { logLevel: options.logLevel }),
  };
}
