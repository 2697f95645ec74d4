/** Types of events and summaries; lines/ describes their fields. */
import type { z } from "zod";
import type { Code } from "./codes.js";
import type * as files from "./lines/files.js";
import type * as ledger from "./lines/ledger.js";
import type * as run from "./lines/run.js";
import type { openWork, rowCounts, rowOutcomes, toldProblem, waiting } from "./lines/words.js";

/** read = skipped + invalid + known + staged (P7). */
export type RowCounts = z.infer<typeof rowCounts>;

/** Outcomes of staged and invalid rows, each counted once, by the worst. */
export type RowOutcomes = z.infer<typeof rowOutcomes>;

/** Zero counts are absent. */
export type StateCounts = { [state: string]: number };

/** The open work of the whole ledger. */
export type OpenWork = z.infer<typeof openWork>;

/** With an example. */
export type ToldProblem = z.infer<typeof toldProblem>;

/** `summary.json`, the last `--json` line, and the terminal's summary. */
export type Summary = z.infer<typeof run.summary>;

/** Held events of one cause, with an example. */
export type ToldWaiting = z.infer<typeof waiting>;

export type Plan = Omit<z.infer<typeof ledger.plan>, "type">;

export type Status = Omit<z.infer<typeof ledger.status>, "type">;

export type Verification = Omit<z.infer<typeof ledger.verify>, "type">;

/** What a mapping makes of a file. */
export type FileCheck = Omit<z.infer<typeof files.file>, "type">;

/** How one table is read: a CSV file or a sheet. */
export type TableCheck = FileCheck["tables"][number];

/** The source of progress lines and `--json` lines. */
export type PipelineEvent =
  | z.infer<typeof run.stage>
  | z.infer<typeof run.progress>
  | z.infer<typeof run.forecast>
  | z.infer<typeof run.backlog>
  | z.infer<typeof run.notice>;

/** Tells sentences to whoever observes a run. */
export const telling =
  (observe: (event: PipelineEvent) => unknown) =>
  (message: string, level: "info" | "warning" = "info", code: Code | null = null): void =>
    void observe({ type: "notice", level, code, message });

export interface RunLimits {
  /** `N` or `N%`: of rows read before anything is sent; later of events sent, after 100. */
  maxErrors?: string | undefined;
  maxOutageMs?: number | undefined;
  limitDocuments?: number | undefined;
  /** In ms. */
  until?: number | undefined;
  waitForLock: boolean;
}

/** As `maxErrors` is written: a whole number, or a percentage. */
export const ERROR_BOUND = /^(\d+|(\d|[1-9]\d)(\.\d+)?%|100(\.0+)?%)$/;
