/** The three ways to a ledger outside of runs: reading, short writes beside a running import, and alone under the lock. */
import { type JournalEntry, openJournal } from "../ledger/journal.js";
import { createChoiceLog } from "../ledger/journal-choices.js";
import { createJournalEntries, type JournalEntries } from "../ledger/journal-entries.js";
import { lockLedger } from "../ledger/lock.js";
import {
  type LedgerDatabase,
  type LedgerOwner,
  openLedger,
  openLedgerBeside,
  openLedgerReadOnly,
} from "../ledger/open-ledger.js";
import type { Clock } from "../model/clock.js";
import type { Target } from "../model/target.js";

/** The embedded sandbox: its address is known only while it listens. */
export const isEmbedded = (target: Target): boolean => target.name === "sandbox" && target.baseUrl === "";

export function ownerOf(target: Target): LedgerOwner {
  return { target: target.name, baseUrl: isEmbedded(target) ? null : target.baseUrl, clientId: target.clientId };
}

/** @throws RowferryError `ledger-missing` */
export function reading<Result>(target: Target, work: (database: LedgerDatabase) => Result): Result {
  return using(openLedgerReadOnly(target.ledgerPath), work);
}

/** Without the lock: `work` writes in short transactions, which wait for those of a running import. */
export function beside<Result>(target: Target, work: (database: LedgerDatabase) => Result): Result {
  return using(openLedgerBeside(target.ledgerPath), work);
}

function using<Result>(database: LedgerDatabase, work: (database: LedgerDatabase) => Result): Result {
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** A person's word, written into the journal, where one is kept, before the ledger commits it. */
export function journaled<Result>(
  target: Target,
  database: LedgerDatabase,
  path: string | null | undefined,
  now: number,
  work: () => Result,
  entryOf: (entries: JournalEntries, result: Result) => JournalEntry | null,
): Result {
  if (path == null) return work();
  const journal = openJournal(path, target.ledgerPath, ownerOf(target));
  try {
    const entries = createJournalEntries(database);
    const choices = createChoiceLog(database, journal, entries);
    return database
      .transaction(() => {
        const result = work();
        const entry = entryOf(entries, result);
        if (entry !== null) journal.write(entry);
        choices.record(now);
        return result;
      })
      .immediate();
  } finally {
    journal.close();
  }
}

/** @throws RowferryError `ledger-locked` while another process stages or sends */
export async function alone<Result>(
  target: Target,
  options: { clock: Clock; waitForLock: boolean; signal?: AbortSignal },
  work: (database: LedgerDatabase) => Promise<Result> | Result,
): Promise<Result> {
  const { clock, signal } = options;
  const lock = await lockLedger(target.ledgerPath, {
    wait: options.waitForLock,
    clock,
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    const database = openLedger(target.ledgerPath, ownerOf(target), clock.now());
    try {
      return await work(database);
    } finally {
      database.close();
    }
  } finally {
    lock.release();
  }
}
