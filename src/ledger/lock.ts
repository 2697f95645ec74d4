/**
 * One writer at a time: a second SQLite file held in BEGIN EXCLUSIVE. The kernel frees it within milliseconds of a
 * kill. The holder never opens that file in any other way: closing another handle would drop POSIX locks.
 * Whoever takes that file away admits nobody: the holder stands in the ledger too.
 */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import type { Clock } from "../model/clock.js";
import { isOn } from "../model/safeguards.js";
import { RowferryError } from "../model/error.js";

export interface LedgerLock {
  /** Safe to call twice. */
  release(): void;
}

function tryLock(lockPath: string): LedgerLock | null {
  // Only to make it with its mode. Closing a handle of a file that is locked by this process would free the lock.
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
  /** Keep trying until the other process ends (`--wait`). */
  wait: boolean;
  clock: Clock;
  signal?: AbortSignal;
}

/**
 * @param wait keep trying until the other process ends (`--wait`).
 * @throws RowferryError `ledger-locked` when another process holds the ledger, or the wait was aborted.
 */
export async function lockLedger(ledgerPath: string, options: Waiting): Promise<LedgerLock> {
  mkdirSync(dirname(ledgerPath), { recursive: true, mode: 0o700 });
  const nothing = { release: () => {} };
  return untilHeld(ledgerPath, options, () => (isOn("lock") ? tryLock(`${ledgerPath}.lock`) : nothing));
}

/** Written into the ledger right after it is opened under its lock; released before it is closed. @throws as `lockLedger` */
export async function holdLedger(database: Database.Database, options: Waiting): Promise<LedgerLock> {
  const mine = holderOf("self", database.name);
  if (mine === null || !isOn("lock")) return { release: () => {} };
  const read = database.prepare<[], string>("SELECT value FROM facts WHERE name = 'holder'").pluck();
  const write = database.prepare<[string]>(
    "INSERT INTO facts (name, value) VALUES ('holder', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  const take = database.transaction((): LedgerLock | null => {
    const theirs = read.get();
    if (theirs !== undefined && theirs !== mine && isAlive(theirs, database.name)) return null;
    write.run(mine);
    return { release };
  });
  const release = () => {
    try {
      database.prepare<[string]>("DELETE FROM facts WHERE name = 'holder' AND value = ?").run(mine);
    } catch {
      // Of a disk that is full: this process ends, and is not found alive.
    }
  };
  return untilHeld(database.name, options, () => take.immediate());
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

/**
 * A process, told from any other that ever had its number, and the ledger's file, told from its copies. Null: no such process,
 * or a system that does not tell.
 */
function holderOf(pid: number | "self", ledgerPath: string): string | null {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Behind the name, which may hold anything: the state first, the time of its start twentieth.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return null;
    const { dev, ino } = statSync(ledgerPath);
    return JSON.stringify({ pid: Number.parseInt(stat, 10), started: fields[19], boot, file: `${dev}:${ino}` });
  } catch {
    return null;
  }
}

function isAlive(holder: string, ledgerPath: string): boolean {
  const { pid } = JSON.parse(holder) as { pid: number };
  return holderOf(pid, ledgerPath) === holder;
}
