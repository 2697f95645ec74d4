import { openLedgerReadOnly } from "../ledger/open-ledger.js";
import { createRunStore } from "../ledger/runs.js";
import { type OpenWork, tallyOpen } from "../ledger/views/tally.js";
import { type ProblemCount, tallyProblems, tallyHeld, type WaitingCount } from "../ledger/views/problems.js";
import type { Target } from "../model/target.js";
import { ownerOf } from "../run/sandbox.js";

export interface Status {
  open: OpenWork;
  problems: ProblemCount[];
  /** What is held, by what it waits for. */
  waiting: WaitingCount[];
  /** Times in ISO 8601; `finishedAt` null while it goes on, or when it was killed. */
  lastRun: { name: string; startedAt: string; finishedAt: string | null; exitCode: number | null } | null;
}

/**
 * What is open, and why; works beside a running import. `cells`: whether examples show what cells hold; default false.
 * @throws RowferryError `ledger-missing`
 */
export async function readStatus({ target, cells }: { target: Target; cells?: boolean }): Promise<Status> {
  const database = openLedgerReadOnly(target.ledgerPath, ownerOf(target));
  try {
    const last = createRunStore(database).last();
    const open = tallyOpen(database);
    const iso = (ms: number) => new Date(ms).toISOString();
    return {
      open,
      problems: tallyProblems(database, cells),
      waiting: tallyHeld(database),
      lastRun: last && {
        ...last,
        startedAt: iso(last.startedAt),
        finishedAt: last.finishedAt === null ? null : iso(last.finishedAt),
      },
    };
  } finally {
    database.close();
  }
}
