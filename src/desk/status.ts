/** Open work and its causes, and the list of runs; beside a running import. */
import { createRunStore } from "../ledger/runs.js";
import { type ProblemCount, tallyHeld, tallyProblems, type WaitingCount } from "../ledger/views/problems.js";
import { listRuns } from "../ledger/views/show/show.js";
import type { ShownRun } from "../ledger/views/show/shown.js";
import { type OpenWork, tallyOpen } from "../ledger/views/tally.js";
import type { Target } from "../model/target.js";
import { reading } from "./access.js";

export interface Status {
  open: OpenWork;
  problems: ProblemCount[];
  /** By what they wait for. */
  waiting: WaitingCount[];
  /** ISO 8601; `finishedAt` null: running, or killed. */
  lastRun: { name: string; startedAt: string; finishedAt: string | null; exitCode: number | null } | null;
}

/** `cells`: show cells in examples; default false. @throws RowferryError `ledger-missing` */
export async function readStatus({ target, cells }: { target: Target; cells?: boolean }): Promise<Status> {
  const iso = (ms: number) => new Date(ms).toISOString();
  return reading(target, (database) => {
    const last = createRunStore(database).last();
    return {
      open: tallyOpen(database),
      problems: tallyProblems(database, cells),
      waiting: tallyHeld(database),
      lastRun: last && {
        name: last.name,
        exitCode: last.exitCode,
        startedAt: iso(last.startedAt),
        finishedAt: last.finishedAt === null ? null : iso(last.finishedAt),
      },
    };
  });
}

/** Newest first. */
export function showRuns(target: Target, limit: number): ShownRun[] {
  return reading(target, (database) => listRuns(database, limit));
}
