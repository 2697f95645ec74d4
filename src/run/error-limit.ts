import type { LedgerDatabase } from "../ledger/open-ledger.js";
import { newestProblem, tallyRefused } from "../ledger/views/tally.js";

/** `--max-errors N|N%`. */
export interface ErrorLimit {
  isOver(errors: number, of: number): boolean;
  /** Of events sent by this run, once 100 have been. */
  isOverWhileSending(database: LedgerDatabase, runId: number): boolean;
}

/** Null: no limit. The text was checked by the command line. */
export function parseErrorLimit(text: string | undefined): ErrorLimit | null {
  if (text === undefined) return null;
  const share = text.endsWith("%");
  const bound = Number(text.replace("%", ""));
  const isOver = (errors: number, of: number) => (share ? errors * 100 > bound * of : errors > bound);
  // Asked at every request, of all that the run has sent: counted anew only when something was refused since.
  let lookedAt = -1;
  let waitsForMore = false;
  return {
    isOver,
    isOverWhileSending(database, runId) {
      const newest = newestProblem(database);
      if (newest === lookedAt && !waitsForMore) return false;
      lookedAt = newest;
      const { sent, refused } = tallyRefused(database, runId);
      const isTooMany = isOver(refused, sent);
      waitsForMore = isTooMany;
      return sent >= 100 && isTooMany;
    },
  };
}
