/** Types of events and summaries; lines/ describes their fields. */
import type { z } from "zod";
import type * as run from "./lines/run.js";
import type { openWork, rowCounts, rowOutcomes, toldProblem } from "./lines/words.js";

/** read = skipped + invalid + known + staged (P7). */
export type RowCounts = z.infer<typeof rowCounts>;

/** Outcomes of staged and invalid rows, each counted once, by the worst. */
export type RowOutcomes = z.infer<typeof rowOutcomes>;

/** Zero counts are absent. */
export type StateCounts = { [state: string]: number };

/** Of the whole ledger. */
export type OpenWork = z.infer<typeof openWork>;

/** With an example. */
export type ToldProblem = z.infer<typeof toldProblem>;

/** `summary.json`, the last `--json` line, and the terminal's summary. */
export type Summary = z.infer<typeof run.summary>;

/** The source of progress lines and `--json` lines. */
export type PipelineEvent =
  | z.infer<typeof run.stage>
  | z.infer<typeof run.progress>
  | z.infer<typeof run.forecast>
  | z.infer<typeof run.backlog>
  | z.infer<typeof run.notice>;
