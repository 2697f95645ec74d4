/**
 * One writer at a time: a second SQLite file held in BEGIN EXCLUSIVE. The kernel frees it within milliseconds of a
 * kill. The holder must not open that file in any other way: closing another handle would drop POSIX locks.
 */
import { shellQuoted } from "../../model/shell-quoted.js";
import { closeSync, existsSync, openSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { readAt } from "../journal/durable-file.js";
import { fact, type LedgerDatabase, setFact } from "../ledger-database.js";
import type { Clock } from "../../model/clock.js";
import { RowferryError } from "../../model/error.js";
import { makeFolder } from "../../model/make-folder.js";

export interface LedgerLock {
  /** Safe to call twice. */
  release(): void;
}

/** Several can share it. Null: another process has it. */
export function tryLock(lockPath: string, isShared = false): LedgerLock | null {
  // Only creates it, with its mode. Closing a handle of a file that this process has locked would free the lock.
  if (!existsSync(lockPath)) closeSync(openSync(lockPath, "a", 0o600));
  const database = new Database(lockPath, { timeout: 0 });
  try {
    if (!isShared) database.pragma("locking_mode = EXCLUSIVE");
    // Writes nothing, so that a full disk keeps nobody from making room.
    database.pragma("journal_mode = MEMORY");
    database.exec(isShared ? "BEGIN; SELECT 1 FROM sqlite_schema" : "BEGIN EXCLUSIVE");
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
  /** Called once, where it has to wait. */
  onWait?: () => void;
}

/** @throws RowferryError `ledger-locked` when another process holds the ledger, `interrupted` when the wait was aborted. */
export async function lockLedger(ledgerPath: string, options: Waiting): Promise<LedgerLock> {
  makeFolder(dirname(ledgerPath));
  return untilHeld(ledgerPath, options, () => tryLock(lockOf(ledgerPath)));
}

export const lockOf = (ledgerPath: string): string => `${ledgerPath}.lock`;

/** Call right after opening the locked ledger; release before closing it. @throws as `lockLedger` */
export function holdLedger(database: LedgerDatabase, options: Waiting): Promise<LedgerLock> {
  return untilHeld(database.name, options, () => {
    const release = takeHold(database);
    return release && { release };
  });
}

async function untilHeld(ledgerPath: string, options: Waiting, take: () => LedgerLock | null): Promise<LedgerLock> {
  for (let isTold = false; ; isTold = true) {
    const lock = take();
    if (lock !== null) return lock;
    if (!options.wait) throw inUse(ledgerPath);
    if (!isTold) options.onWait?.();
    await nextTry(options);
  }
}

/** While another process holds or writes the ledger. @throws RowferryError `interrupted` */
export async function nextTry({ clock, signal }: Omit<Waiting, "wait">): Promise<void> {
  await clock.sleep(500, signal);
  if (signal?.aborted !== true) return;
  throw new RowferryError("interrupted", "Stopped while waiting for another rowferry process; nothing was changed.", {
    hint: "Type the same command again.",
  });
}

function inUse(file: string): RowferryError {
  const message = "Another rowferry process is staging into or sending from this ledger.";
  return new RowferryError("ledger-locked", message, { place: { file } });
}

/** For what holds the lock and writes nothing, on a full disk for example. @throws RowferryError `ledger-locked` */
export function refuseHeld(database: LedgerDatabase): void {
  if (isHeld(database)) throw inUse(database.name);
}

/**
 * Records the holder in the ledger itself: deleting the lock's file must not admit a second writer (F68), and a ledger
 * whose holder was killed needs its log (F93). Null: another process holds it. Release before closing the ledger.
 */
function takeHold(database: LedgerDatabase): (() => void) | null {
  const mine = holderOf("self", database.name) ?? UNTOLD;
  const isTaken = database.atomic(() => {
    const theirs = fact(database, "holder");
    if (theirs !== null && theirs !== mine && isAlive(theirs, database.name)) return false;
    setFact(database, "holder", mine);
    return true;
  });
  if (!isTaken) return null;
  // From here on, the ledger's own file says that its log belongs to it.
  database.pragma("wal_checkpoint(PASSIVE)");
  // And the log has something of its own: otherwise SQLite would remove it even where a full disk keeps the name in the file.
  database.atomic(() => {
    forget(database, mine);
    setFact(database, "holder", mine);
  });
  return () => {
    try {
      forget(database, mine);
    } catch {
      // On a full disk the log may make room. Otherwise this process ends, and is not found alive.
      try {
        database.pragma("wal_checkpoint(TRUNCATE)");
        forget(database, mine);
      } catch {}
    }
  };
}

/** Whether a process stages into the ledger or sends from it. False where the system does not tell of processes. */
export function isHeld(database: LedgerDatabase): boolean {
  const holder = fact(database, "holder");
  return holder !== null && isAlive(holder, database.name);
}

/** As `isHeld`; null where the system does not tell of processes. */
export const isAtWork = (database: LedgerDatabase): boolean | null =>
  processOf("self") === null ? null : isHeld(database);

/** Called once the killed holder's log has been read; SQLite then removes the log at the last close. */
export function forgetDeadHolder(database: LedgerDatabase): void {
  const holder = fact(database, "holder");
  if (holder === null || isAlive(holder, database.name)) return;
  forget(database, holder);
}

/** An empty log holds nothing: every reader of a ledger makes one. */
export const hasLog = (path: string): boolean =>
  // The last process that closes the ledger may remove it at any moment.
  (statSync(logOf(path), { throwIfNoEntry: false })?.size ?? 0) > 0;
/** SQLite looks for it at a link's target. */
const logOf = (path: string) => `${existsSync(path) ? realpathSync(path) : path}-wal`;

/** Makes the copy independent: no holder, and no log, so that an old log next to it is noticed. */
export function makeBackup(database: LedgerDatabase): void {
  database.run("DELETE FROM facts WHERE name = 'holder'");
  database.pragma("journal_mode = DELETE");
}

/** Call before SQLite opens the file, because it would read any log. @throws RowferryError `ledger-log-mismatch` */
export function refuseAnothersLog(path: string): void {
  if (!hasLog(path) || !isBackup(path)) return;
  throw mismatch(
    path,
    `A backup was put here next to ${logOf(path)}, the log of another ledger, which would be mixed into it.`,
    "Move both away, the backup and the log, then `rowferry ledger restore <backup>` puts the backup in place.",
  );
}

/** @throws RowferryError `ledger-log-mismatch` */
export function refuseMissingLog(database: LedgerDatabase, hadLog: boolean): void {
  const path = database.name;
  const holder = hadLog ? null : fact(database, "holder");
  // A living holder has just made its log.
  if (holder === null || isAlive(holder, path)) return;
  throw mismatch(
    path,
    `A run was killed or its ledger was copied, and what it wrote last is in ${logOf(path)}, which is missing.`,
    `Put that file back next to the ledger. If it is lost: \`rowferry ledger rebuild <journal>\`, with the ledger moved away, or \`rowferry ledger restore <backup>\`. If another program has since opened the ledger, it may have merged the log: \`rowferry ledger restore ${shellQuoted(path)}\` then takes it as it is.`,
  );
}

function mismatch(path: string, message: string, hint: string): RowferryError {
  return new RowferryError("ledger-log-mismatch", message, { place: { file: path }, hint });
}

/** Only `ledger backup` makes a file whose header says that it has no log. */
const isBackup = (path: string) => readAt(path, 0, 20)[18] === 1;

const forget = (database: LedgerDatabase, holder: string) =>
  void database.run("DELETE FROM facts WHERE name = 'holder' AND value = @holder", { holder });

/** For systems without /proc, where only the lock's file counts. */
const UNTOLD = JSON.stringify({ pid: null });

/** Identifies a process even if its number is reused. Null: none, or the system does not tell of processes. */
function processOf(pid: number | "self") {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // After the name, which may hold anything: the state comes first, the start time twentieth.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X"
      ? null
      : { pid: Number.parseInt(stat, 10), started: fields[19], boot };
  } catch {
    return null;
  }
}

/** For `isRunning`. */
export const identityOf = (pid: number): string => JSON.stringify(processOf(pid) ?? { pid });

export function isRunning(identity: string): boolean {
  const { pid, boot } = JSON.parse(identity) as { pid: number; boot?: string };
  if (boot !== undefined) return identityOf(pid) === identity;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** With the ledger's file as opposed to its copies. Null: no such process. */
function holderOf(pid: number | "self", ledgerPath: string) {
  const found = processOf(pid);
  const file = statSync(ledgerPath, { throwIfNoEntry: false });
  return found && file ? JSON.stringify({ ...found, file: `${file.dev}:${file.ino}` }) : null;
}

function isAlive(holder: string, ledgerPath: string) {
  const { pid } = JSON.parse(holder) as { pid: number | null };
  return pid !== null && holderOf(pid, ledgerPath) === holder;
}
