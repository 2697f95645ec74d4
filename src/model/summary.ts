import type { Code } from "./codes.js";
import type { ExitCode } from "./exit-code.js";

/** Fates of rows; read = skipped + invalid + known + staged, always (P7). */
export interface RowCounts {
  read: number;
  skipped: number;
  invalid: number;
  known: number;
  staged: number;
}

/** Counts by state; a state with none is absent. */
export type StateCounts = { [state: string]: number };

/** What a run did: `summary.json`, the last `--json` line, and what the terminal shows at the end. */
export interface Summary {
  type: "summary";
  /** `2026-11-20T0200-import`. */
  run: string;
  command: string;
  target: { name: string; baseUrl: string };
  ledger: string;
  /** The journal that `--journal` named, which the settings do not: the next command must name it too. Null: there was none. */
  journal: string | null;
  mapping: string | null;
  /** ISO 8601, UTC. */
  startedAt: string;
  finishedAt: string;
  exitCode: ExitCode;
  /** Why the run ended before its work did; null: it did not. */
  stopped: { code: Code; message: string } | null;
  inputs: (RowCounts & { input: string; sheet: string | null })[];
  rows: RowCounts;
  /** Of this run: what was sent and what became of it. */
  participants: StateCounts;
  addresses: StateCounts;
  documents: StateCounts;
  events: StateCounts;
  /** Of the whole ledger after this run: everything not at rest. */
  open: {
    participants: StateCounts;
    addresses: StateCounts;
    documents: StateCounts;
    events: StateCounts;
    rows: number;
  };
  requests: {
    sent: number;
    byKind: { [kind: string]: number };
    retries: number;
    rateLimited: number;
    /** How long the same requests would take at the limit, in seconds. */
    secondsAtLimit: number;
    limit: { rate: number; burst: number };
  };
  problems: { code: Code; count: number; example: string }[];
  warnings: { code: Code; count: number; example: string }[];
  /** Files a person may want next. `mapping`: of a rejected file, the mapping to import it with once it is corrected. */
  files: { kind: "rejected" | "stranded" | "receipts" | "report" | "log"; path: string; mapping?: string }[];
}

/** What the pipeline tells while it works; progress lines and `--json` lines are drawn from these. */
export type PipelineEvent =
  | {
      type: "stage";
      stage: "reading" | "planning" | "participants" | "addresses" | "documents" | "events";
      total: number | null;
    }
  | {
      type: "progress";
      stage: string;
      done: number;
      total: number | null;
      /** Of reading: how much of all files of the command is read, 0 to 1; absent where that is not known. */
      share?: number;
      sent: number;
      problems: number;
      held: number;
      retries: number;
    }
  | { type: "forecast"; requests: { [kind: string]: number }; secondsAtLimit: number; held: number; deferred: number }
  | {
      type: "backlog";
      documents: number;
      participants: number;
      addresses: number;
      secondsAtLimit: number;
      held: number;
      deferred: number;
    }
  | { type: "notice"; level: "info" | "warning"; code: Code | null; message: string };
