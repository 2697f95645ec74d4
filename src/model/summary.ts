/** What a run does and did, as types; the schemas in lines/ say what each member means. */
import type { z } from "zod";
import type * as run from "./lines/run.js";
import type { openWork, rowCounts, rowOutcomes, toldProblem } from "./lines/words.js";

/** Fates of rows; read = skipped + invalid + known + staged, always (P7). */
export type RowCounts = z.infer<typeof rowCounts>;

/** What became of the rows that were staged or invalid, each counted once, by the worst: these add up to both. */
export type RowOutcomes = z.infer<typeof rowOutcomes>;

/** Counts by state; a state with none is absent. */
export type StateCounts = { [state: string]: number };

/** Of the whole ledger: everything not at rest. */
export type OpenWork = z.infer<typeof openWork>;

/** Problems of one kind, with an example. */
export type ToldProblem = z.infer<typeof toldProblem>;

/** What a run did: `summary.json`, the last `--json` line, and what the terminal shows at the end. */
export type Summary = z.infer<typeof run.summary>;

/** What the pipeline tells while it works; progress lines and `--json` lines are drawn from these. */
export type PipelineEvent =
  | z.infer<typeof run.stage>
  | z.infer<typeof run.progress>
  | z.infer<typeof run.forecast>
  | z.infer<typeof run.backlog>
  | z.infer<typeof run.notice>;
