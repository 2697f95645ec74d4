/**
 * One writer at a time: a second SQLite file held in BEGIN EXCLUSIVE. The kernel frees it within milliseconds of a
 * kill. The holder must not open that file in any other way: closing another handle would drop POSIX locks.
 */
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import type { Clock } from "../../model/clock.js";
import { RowferryError } from "../../model/error.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { takeHold } from "./holder.js";

export interface LedgerLock {
  /** Safe to call twice. */
  release(): void;
}

function tryLock(lockPath: string): LedgerLock | null {
  // Only creates it, with its mode. Closing a handle of a file that this process has locked would free the lock.
  if (!existsSync(lockPath)) closeSync(openSync(lockPath, "a", 0o600));
  const database = new Database(lockPath, { timeout: 0 });
  try {
    database.pragma("locking_mode = EXCLUSIVE");
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY")) return null;
    throw error;
  }
  return { release: () => void (database.open && database.close()) };
}

export interface Waiting {
  /** For `--wait`. */
  wait: boolean;
  clock: Clock;
  signal?: AbortSignal;
}

/** @throws RowferryError `ledger-locked` when another process holds the ledger, or the wait was aborted. */
export async function lockLedger(ledgerPath: string, options: Waiting): Promise<LedgerLock> {
  mkdirSync(dirname(ledgerPath), { recursive: true, mode: 0o700 });
  return untilHeld(ledgerPath, options, () => tryLock(`${ledgerPath}.lock`));
}

/** Call right after opening the locked ledger; release before closing it. @throws as `lockLedger` */
export function holdLedger(database: LedgerDatabase, options: Waiting): Promise<LedgerLock> {
  return untilHeld(database.name, options, () => {
    const release = takeHold(database);
    return release && { release };
  });
}

async function untilHeld(ledgerPath: string, options: Waiting, take: () => LedgerLock | null): Promise<LedgerLock> {
  for (;;) {
    const lock = take();
    if (lock !== null) return lock;
    if (!options.wait || options.signal?.aborted) {
      throw new RowferryError(
        "ledger-locked",
        "Another rowferry process is staging into or sending from this ledger.",
        {
          place: { file: ledgerPath },
        },
      );
    }
    await options.clock.sleep(500, options.signal);
  }
}
