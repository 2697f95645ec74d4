/** What the commands need of src/pipeline, and its loading: only when a command does real work, so that `--help` stays quick. */
import type { Clock, Random } from "../model/clock.js";
import type { PipelineEvent, Summary } from "../model/summary.js";
import type { Target } from "../model/target.js";

export interface ImportOptions {
  target: Target;
  mappingPath: string;
  files: string[];
  clock: Clock;
  random: Random;
  /** Aborted by a signal; its `reason` then carries `exitCode` (130 or 143). */
  signal: AbortSignal;
  observe: (event: PipelineEvent) => void;
  limits: {
    /** `N` or `N%`. */
    maxErrors?: string;
    maxOutageMs?: number;
    limitDocuments?: number;
    /** ms since 1970. */
    until?: number;
    waitForLock: boolean;
  };
  /** Empty the sandbox and its ledger first. */
  fresh: boolean;
  journal: string | null;
  runName?: string;
}

export type ResumeOptions = Omit<ImportOptions, "mappingPath" | "files">;
export type PlanOptions = ImportOptions & { /** Show the payloads of this document. */ document: string | null };
export interface StatusOptions {
  target: Target;
  clock: Clock;
}

/** Figures and texts that the terminal shows as they are named; `--json` prints them with a `type`. */
export type Shown = { [name: string]: unknown };

export interface Pipeline {
  runImport(options: ImportOptions): Promise<Summary>;
  runResume(options: ResumeOptions): Promise<Summary>;
  planImport(options: PlanOptions): Promise<Shown>;
  readStatus(options: StatusOptions): Promise<Shown>;
}

export async function loadPipeline(): Promise<Pipeline> {
  const location: string = "../pipeline/index.js";
  return (await import(location)) as Pipeline;
}
