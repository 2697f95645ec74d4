/** Types of events and summaries; lines/ describes their fields. */
import type { Code } from "./codes.js";
import type { LineOf } from "./lines.js";

/** `summary.json`, the last `--json` line, and the terminal's summary. */
export type Summary = LineOf<"summary">;

/** read = skipped + invalid + known + staged (P7). */
export type RowCounts = Summary["rows"];

/** Outcomes of staged and invalid rows, each counted once, by the worst. */
export type RowOutcomes = Summary["outcomes"];

/** Zero counts are absent. */
export type StateCounts = { [state: string]: number };

/** The open work of the whole ledger. */
export type OpenWork = Summary["open"];

/** With an example. */
export type ToldProblem = Summary["problems"][number];

/** Held events of one cause, with an example. */
export type ToldWaiting = NonNullable<Summary["waiting"]>[number];

export type Plan = Omit<LineOf<"plan">, "type">;

export type Status = Omit<LineOf<"status">, "type">;

export type Verification = Omit<LineOf<"verify">, "type">;

/** What a mapping makes of a file. */
export type FileCheck = Omit<LineOf<"file">, "type">;

/** How one table is read: a CSV file or a sheet. */
export type TableCheck = FileCheck["tables"][number];

/** The source of progress lines and `--json` lines. */
export type PipelineEvent = LineOf<"stage" | "progress" | "forecast" | "backlog" | "notice">;

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
