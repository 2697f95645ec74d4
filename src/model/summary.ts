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

/** What became of the rows that were staged or invalid, each counted once, by the worst: these add up to both. */
export interface RowOutcomes {
  /** All that the row says is at the service. */
  landed: number;
  /** Its time has not come, or that of what it follows. */
  later: number;
  /** Behind something that a person must correct or decide. */
  waiting: number;
  /** A person must change the row. */
  toCorrect: number;
  /** No change of the row helps; a person must say what is to happen. */
  toDecide: number;
  /** The next run sends it. */
  toSend: number;
  dismissed: number;
}

/** Counts by state; a state with none is absent. */
export type StateCounts = { [state: string]: number };

/** Problems of one kind, with an example. */
export interface ToldProblem {
  code: Code;
  /** Rows, or records, that have it; one row may have several problems. */
  count: number;
  /** The example's: `manifests.csv, row 17`; null: it has none. */
  place: string | null;
  /** The column at fault; null: none is. */
  column: string | null;
  /** What is wrong with one of them, in a sentence; cells are hidden. */
  example: string;
}

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
  /** Of an import that was held to a saved plan; absent: it was not. `savedAt`: ISO 8601, UTC. */
  approval?: { savedBy: string; savedAt: string; ranBy: string };
  mapping: string | null;
  /** ISO 8601, UTC. */
  startedAt: string;
  finishedAt: string;
  exitCode: ExitCode;
  /** Why the run ended before its work did; null: it did not. */
  stopped: { code: Code; message: string } | null;
  inputs: (RowCounts & { input: string; sheet: string | null })[];
  rows: RowCounts;
  outcomes: RowOutcomes;
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
  problems: ToldProblem[];
  warnings: ToldProblem[];
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
