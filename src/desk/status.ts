/** Open work and its causes, and the list of runs; while an import is running. */
import { existsSync } from "node:fs";
import { isAtWork } from "../ledger/care/lock.js";
import { requireJournal } from "../ledger/journal/own-journal.js";
import type { LedgerDatabase } from "../ledger/ledger-database.js";
import { createRunStore } from "../ledger/runs.js";
import { tallyWithdrawn } from "../ledger/decide/withdraw.js";
import { tallyHeld, tallyProblems } from "../ledger/views/problems.js";
import { listRuns } from "../ledger/views/show/show.js";
import { toldOf } from "../model/error.js";
import type { ShownRun } from "../model/lines/show.js";
import { tallyOpen } from "../ledger/views/tally.js";
import type { Status } from "../model/summary.js";
import type { Target } from "../model/target.js";
import { ownerOf } from "../run/sandbox.js";
import { DUE_MARGIN_MS } from "../run/send-events.js";
import { reading } from "./access.js";

/** Whether events that were deferred may be sent at `now` (ms), as far as the service's clock is known. */
export function isWorkDue(target: Target, now: number): boolean {
  if (!existsSync(target.ledgerPath)) return false;
  return reading(target, (database) => {
    const first = database.value<number>(
      "SELECT min(e.at) FROM open_events o JOIN events e ON e.id = o.id WHERE o.state = 'deferred'",
    );
    return first !== null && first < now + createRunStore(database).serviceAheadMs() - DUE_MARGIN_MS;
  });
}

/** Those of these runs that the ledger has. @throws RowferryError `ledger-missing` */
export const knownRuns = (target: Target, names: readonly string[]): Set<string> =>
  reading(target, (database) => new Set(createRunStore(database).known(names)));

/** Why the next run would be refused, as far as the ledger's journal shows. */
export function refusalOf(database: LedgerDatabase, target: Target): { message: string; hint: string } | null {
  try {
    requireJournal(database, target.journal ?? null, ownerOf(target));
    return null;
  } catch (error) {
    return toldOf(error);
  }
}

export interface StatusOptions {
  target: Target;
  cells?: boolean;
  files?: readonly string[];
}

/** `cells`: show cells in examples; default false. `files`: as for `tallyProblems`. @throws RowferryError `ledger-missing` */
export async function readStatus({ target, cells, files }: StatusOptions): Promise<Status> {
  const iso = (ms: number) => new Date(ms).toISOString();
  return reading(target, (database) => {
    const wasAtWork = isAtWork(database);
    const runs = createRunStore(database);
    const last = runs.last();
    const [restored, differed] = [runs.restored(), runs.differed()];
    return {
      unstaged: runs.lastUnstaged(),
      // Asked twice: a run that has just begun, or has just ended, was not killed.
      isAtWork: wasAtWork === true || isAtWork(database),
      restored: restored && {
        lastRun: restored.lastRun,
        lastAt: restored.lastAt === null ? null : iso(restored.lastAt),
        byJournal: restored.byJournal === 1,
      },
      differed: differed && { name: differed.name, at: iso(differed.at) },
      refused: wasAtWork === true ? null : refusalOf(database, target),
      withdrawn: tallyWithdrawn(database),
      open: tallyOpen(database),
      problems: tallyProblems(database, cells, files),
      waiting: tallyHeld(database, cells),
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
