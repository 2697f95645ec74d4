/** The three ways to a ledger outside of runs: reading, short writes beside a running import, and alone under the lock. */
import { type JournalEntry, openJournal } from "../ledger/journal/journal.js";
import { createChoiceLog } from "../ledger/journal/choices.js";
import { createJournalEntries, type JournalEntries } from "../ledger/journal/entries.js";
import { asLedgerFailure } from "../ledger/care/ledger-failure.js";
import { holdLedger, lockLedger } from "../ledger/care/lock.js";
import { journalOf, rememberJournal } from "../ledger/journal/own-journal.js";
import { type LedgerDatabase, openLedger, openLedgerBeside, openLedgerReadOnly } from "../ledger/open-ledger.js";
import type { Clock } from "../model/clock.js";
import { ownerOf } from "../run/sandbox.js";
import { RowferryError } from "../model/error.js";
import type { Target } from "../model/target.js";

/** @throws RowferryError `ledger-missing`, `ledger-of-another-target` */
export function reading<Result>(target: Target, work: (database: LedgerDatabase) => Result): Result {
  return using(openLedgerReadOnly(target.ledgerPath, ownerOf(target)), work);
}

/** Without the lock: `work` writes in short transactions, between those of a running import. @throws RowferryError `ledger-locked` while it stages */
export function beside<Result>(target: Target, work: (database: LedgerDatabase) => Result): Result {
  return using(openLedgerBeside(target.ledgerPath, ownerOf(target)), work);
}

function using<Result>(database: LedgerDatabase, work: (database: LedgerDatabase) => Result): Result {
  try {
    return work(database);
  } catch (error) {
    throw asLedgerFailure(error, database.name);
  } finally {
    database.close();
  }
}

/** Tries again while another process writes the ledger, where `wait` says so. @throws RowferryError `ledger-locked` */
export async function patiently<Result>(
  { wait, clock, signal }: { wait: boolean; clock: Clock; signal: AbortSignal },
  work: () => Result,
): Promise<Result> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      const isLocked = error instanceof RowferryError && error.code === "ledger-locked";
      if (!isLocked || !wait || signal.aborted) throw error;
      await clock.sleep(500, signal);
    }
  }
}

/** A person's word, written into the journal, where one is kept, before the ledger commits it. */
export function journaled<Result>(
  target: Target,
  database: LedgerDatabase,
  named: string | null | undefined,
  now: number,
  work: () => Result,
  entryOf: (entries: JournalEntries, result: Result) => JournalEntry | null,
): Result {
  // Read and written in one transaction: a running import moves on meanwhile.
  const path = journalOf(database, named ?? null);
  if (path === null) return database.transaction(work).immediate();
  const entries = createJournalEntries(database);
  return database
    .transaction(() => {
      const journal = openJournal(path, target.ledgerPath, ownerOf(target));
      try {
        const choices = createChoiceLog(database, journal, entries);
        const result = work();
        const entry = entryOf(entries, result);
        if (entry !== null) journal.write(entry);
        choices.record(now);
        rememberJournal(database, path);
        return result;
      } finally {
        journal.close();
      }
    })
    .immediate();
}

/** @throws RowferryError `ledger-locked` while another process stages or sends */
export async function alone<Result>(
  target: Target,
  options: { clock: Clock; waitForLock: boolean; signal?: AbortSignal },
  work: (database: LedgerDatabase) => Promise<Result> | Result,
): Promise<Result> {
  const open = () => openLedger(target.ledgerPath, ownerOf(target), options.clock.now());
  return held(target, options, open, work);
}

/** The same of a ledger opened in a way of its own. */
export async function held<Result>(
  target: Target,
  options: { clock: Clock; waitForLock: boolean; signal?: AbortSignal },
  open: () => LedgerDatabase,
  work: (database: LedgerDatabase) => Promise<Result> | Result,
): Promise<Result> {
  const { clock, signal } = options;
  const waiting = { wait: options.waitForLock, clock, ...(signal === undefined ? {} : { signal }) };
  const lock = await lockLedger(target.ledgerPath, waiting);
  try {
    const database = open();
    try {
      const hold = await holdLedger(database, waiting);
      try {
        return await work(database);
      } finally {
        hold.release();
      }
    } finally {
      database.close();
    }
  } finally {
    lock.release();
  }
}
