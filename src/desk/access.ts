/** Access to a ledger outside of runs (reading, short writes, alone under the lock), and to the service. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { asLedgerFailure } from "../ledger/care/ledger-failure.js";
import { holdLedger, lockLedger, nextTry } from "../ledger/care/lock.js";
import { createChoiceLog } from "../ledger/journal/choices.js";
import { createJournalEntries, type JournalEntries } from "../ledger/journal/entries.js";
import { type Journal, type JournalEntry, openJournal } from "../ledger/journal/journal.js";
import { dropUncommitted, journalOf, rememberJournal } from "../ledger/journal/own-journal.js";
import { listInputs } from "../ledger/inputs.js";
import { inTransaction } from "../ledger/ledger-database.js";
import { type LedgerDatabase, openLedger, openLedgerBeside, openLedgerReadOnly } from "../ledger/open-ledger.js";
import type { Clock, Random } from "../model/clock.js";
import { RowferryError } from "../model/error.js";
import type { Target } from "../model/target.js";
import { closing } from "../run/closing.js";
import { isEmbedded, openEmbeddedSandbox, ownerOf } from "../run/sandbox.js";
import type { Submitter } from "../submit/submitter.js";
import type { Throttle } from "../submit/throttle.js";
import type { Transport } from "../submit/transport.js";

type Work<Result> = (database: LedgerDatabase) => Result;

/** @throws RowferryError `ledger-missing`, `ledger-of-another-target` */
export function reading<Result>(target: Target, work: Work<Result>): Result {
  return using(openLedgerReadOnly(target.ledgerPath, ownerOf(target)), work);
}

/**
 * Without the lock: writes in short transactions while an import is running. @throws RowferryError `ledger-locked` while
 * it stages
 */
export function beside<Result>(target: Target, work: Work<Result>): Result {
  return using(openLedgerBeside(target.ledgerPath, ownerOf(target)), work);
}

export const MAKE_ROOM = "Nothing was changed. Make room or restore the permission, then type the command again.";

function using<Result>(database: LedgerDatabase, work: Work<Result>): Result {
  try {
    return work(database);
  } catch (error) {
    throw asLedgerFailure(error, database.name, MAKE_ROOM);
  } finally {
    database.close();
  }
}

/** The zone of local times in the newest file. */
export function zoneOfFiles(database: LedgerDatabase): string | null {
  const [newest] = listInputs(database, 1);
  return newest === undefined ? null : zoneOfMapping(newest.mapping);
}

/** The time zone that the mapping, or its base, gives for its files; null: none, or it cannot be read. */
export function zoneOfMapping(mapping: string, isBase = false): string | null {
  try {
    const { defaults, extends: base } = parse(readFileSync(mapping, "utf8")) as {
      defaults?: { timezone?: unknown };
      extends?: unknown;
    };
    if (defaults?.timezone === undefined && typeof base === "string" && !isBase)
      return zoneOfMapping(join(dirname(mapping), base), true);
    return new Intl.DateTimeFormat("en", { timeZone: String(defaults?.timezone) }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** Retries while another process writes, if `waitForLock`. @throws RowferryError `ledger-locked`, `interrupted` */
export async function patiently<Result>(holding: Holding, work: () => Result): Promise<Result> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      const isLocked = error instanceof RowferryError && error.code === "ledger-locked";
      if (!isLocked || !holding.waitForLock) throw error;
      await nextTry(holding);
    }
  }
}

/** `journal`: a named path, or the ledger's own. */
export interface Holding {
  clock: Clock;
  waitForLock: boolean;
  signal?: AbortSignal;
  journal?: string | null;
}

/** @throws RowferryError `ledger-locked` while another process stages or sends; `ledger-missing` */
export function alone<Result>(
  target: Target,
  holding: Holding,
  work: Work<Promise<Result> | Result>,
  open = () => openLedger(target.ledgerPath, ownerOf(target), holding.clock.now()),
): Promise<Result> {
  return closing(async (later) => {
    const waiting = { ...holding, wait: holding.waitForLock };
    // Opening for writing would create an empty ledger.
    openLedgerReadOnly(target.ledgerPath, null).close();
    const lock = await lockLedger(target.ledgerPath, waiting);
    later(() => lock.release());
    const database = open();
    later(() => void database.close());
    const hold = await holdLedger(database, waiting);
    later(() => hold.release());
    return work(database);
  }).catch((error: unknown) => {
    throw asLedgerFailure(error, target.ledgerPath, MAKE_ROOM);
  });
}

/** What a person decides; also used for rehearsals. `entries`: what the journal cannot note by itself. */
export type Decision<Done> = (
  database: LedgerDatabase,
  now: number,
) => { done: Done; entries?: (entries: JournalEntries) => JournalEntry[] };

/** Beside a running import. @throws as the decision; RowferryError `ledger-locked` while it stages */
export function decideBeside<Done>(
  target: Target,
  decide: Decision<Done>,
  { clock, journal }: Pick<Holding, "clock" | "journal">,
): Done {
  return beside(target, (database) => journaled(target, database, journal, clock.now(), decide));
}

/** Under the lock. `confirm` sees the result beforehand, and may throw. @throws as the decision; RowferryError `ledger-locked` */
export function decideAlone<Done>(
  target: Target,
  decide: Decision<Done>,
  holding: Holding,
  confirm?: (done: Done) => Promise<void>,
): Promise<Done> {
  return alone(target, holding, async (database) => {
    const now = holding.clock.now();
    if (confirm !== undefined)
      await confirm(await inTransaction(database, "ROLLBACK", async () => decide(database, now).done));
    return journaled(target, database, holding.journal, now, decide);
  });
}

/** The journal, if there is one, has the decision before the ledger commits it. */
function journaled<Done>(
  target: Target,
  database: LedgerDatabase,
  named: string | null | undefined,
  now: number,
  decide: Decision<Done>,
): Done {
  const path = journalOf(database, named ?? null);
  let journal = null as Journal | null;
  // One transaction, because a running import continues in the meantime.
  const commit = database.transaction(() => {
    if (path === null) return decide(database, now).done;
    journal = openJournal(path, target.ledgerPath, ownerOf(target));
    dropUncommitted(database, path, journal);
    const entries = createJournalEntries(database);
    const choices = createChoiceLog(database, journal, entries);
    const decided = decide(database, now);
    const own = decided.entries?.(entries) ?? [];
    if (own.length > 0) journal.write(...own);
    choices.record(now);
    rememberJournal(database, path);
    return decided.done;
  });
  try {
    return commit.immediate();
  } catch (error) {
    // Otherwise a rebuilt ledger would carry out a decision that the person was told had failed.
    journal?.takeBack();
    throw error;
  } finally {
    journal?.close();
  }
}

export interface ReaderOptions {
  clock: Clock;
  random: Random;
  /** Aborting ends the current read, and no other begins. */
  signal?: AbortSignal;
  transport?: Transport | undefined;
  throttle?: Throttle | undefined;
}

export type Reader = Pick<Submitter, "send">;

/**
 * Reads from the service outside of a run, within the target's limit. Starts the embedded sandbox, which needs the
 * ledger's lock. @throws RowferryError `ledger-locked`
 */
export function withReader<Result>(
  target: Target,
  options: ReaderOptions,
  work: (reader: Reader) => Promise<Result>,
): Promise<Result> {
  const { clock, signal } = options;
  return closing(async (later) => {
    let reached = target;
    target.clientSecret();
    if (isEmbedded(target) && options.transport === undefined) {
      const lock = await lockLedger(target.ledgerPath, { wait: false, clock });
      later(() => lock.release());
      reached = await openEmbeddedSandbox(target, false, later);
    }
    // `status` reads only the ledger, and answers at once.
    const { createSubmitter } = await import("../submit/submitter.js");
    const submitter = createSubmitter({ ...options, target: reached });
    later(() => submitter.close());
    const drain = () => submitter.drain();
    if (signal?.aborted === true) drain();
    signal?.addEventListener("abort", drain, { once: true });
    later(() => signal?.removeEventListener("abort", drain));
    return work(submitter);
  });
}
