import type { LedgerDatabase } from "../ledger/open-ledger.js";
import { tallyRefused } from "../ledger/tally.js";

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
  return {
    isOver,
    isOverWhileSending(database, runId) {
      const { sent, refused } = tallyRefused(database, runId);
      return sent >= 100 && isOver(refused, sent);
    },
  };
}
