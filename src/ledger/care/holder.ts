/**
 * Who holds a ledger, written in the ledger itself: whoever takes the lock's file away admits no second writer (F68), and a
 * ledger whose holder never let go needs its log (F93).
 */
import { closeSync, existsSync, openSync, readFileSync, readSync, realpathSync, statSync } from "node:fs";
import { RowferryError } from "../../model/error.js";
import { fact, type LedgerDatabase, setFact } from "../ledger-database.js";

/** Null: another process holds it. To be released before the ledger is closed. */
export function takeHold(database: LedgerDatabase): (() => void) | null {
  const mine = holderOf("self", database.name) ?? UNTOLD;
  const isTaken = database.atomic(() => {
    const theirs = fact(database, "holder");
    if (theirs !== null && theirs !== mine && isAlive(theirs, database.name)) return false;
    setFact(database, "holder", mine);
    return true;
  });
  if (!isTaken) return null;
  // From here on the ledger's own file says that its log belongs to it.
  database.pragma("wal_checkpoint(PASSIVE)");
  return () => {
    try {
      forget(database, mine);
    } catch {
      // On a disk that is full the log may make room; else this process ends, and is not found alive.
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

/** Of one who was killed, once his log has been read: whoever closes the ledger last puts the log away. */
export function forgetDeadHolder(database: LedgerDatabase): void {
  const holder = fact(database, "holder");
  if (holder === null || isAlive(holder, database.name)) return;
  forget(database, holder);
}

/** An empty one holds nothing: whoever reads a ledger makes it. */
export const hasLog = (path: string): boolean => existsSync(logOf(path)) && statSync(logOf(path)).size > 0;
/** SQLite looks for it where a link leads. */
const logOf = (path: string) => `${existsSync(path) ? realpathSync(path) : path}-wal`;

/** A copy as it is: nobody holds it, and it needs no log. It keeps none, so that an old one beside it is noticed. */
export function makeBackup(database: LedgerDatabase): void {
  database.run("DELETE FROM facts WHERE name = 'holder'");
  database.pragma("journal_mode = DELETE");
}

/** To be asked before SQLite opens the file, for it would read any log. @throws RowferryError `ledger-log-mismatch` */
export function refuseAnothersLog(path: string): void {
  if (!hasLog(path) || !isBackup(path)) return;
  throw mismatch(
    path,
    `A backup was put here beside ${logOf(path)}, the log of another ledger, which would be mixed into it.`,
    "Move both away, the backup and the log, then `rowferry ledger restore <backup>` puts the backup in place.",
  );
}

/** @throws RowferryError `ledger-log-mismatch` */
export function refuseMissingLog(database: LedgerDatabase, hadLog: boolean): void {
  const path = database.name;
  const holder = hadLog ? null : fact(database, "holder");
  // One that is alive has made its log a moment ago.
  if (holder === null || isAlive(holder, path)) return;
  throw mismatch(
    path,
    `A run was killed or copied from, and what it wrote last is in ${logOf(path)}, which is missing.`,
    `Put that file back beside the ledger. If it is lost: \`rowferry ledger rebuild <journal>\`, with the ledger moved away, or \`rowferry ledger restore <backup>\`. If another program has opened the ledger since, it may have put the log away: \`rowferry ledger restore ${path}\` then takes it as it is.`,
  );
}

function mismatch(path: string, message: string, hint: string): RowferryError {
  return new RowferryError("ledger-log-mismatch", message, { place: { file: path }, hint });
}

/** Its header says that it keeps no log: only what `ledger backup` has made does. */
function isBackup(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const header = Buffer.alloc(20);
    return readSync(file, header, 0, 20, 0) === 20 && header[18] === 1;
  } finally {
    closeSync(file);
  }
}

const forget = (database: LedgerDatabase, holder: string): void =>
  void database.run("DELETE FROM facts WHERE name = 'holder' AND value = @holder", { holder });

/** Where the system does not tell of processes: the lock's file alone counts. */
const UNTOLD = JSON.stringify({ pid: null });

/** A process, told from any other that ever had its number, and the ledger's file, told from its copies. Null: no such process. */
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
  const { pid } = JSON.parse(holder) as { pid: number | null };
  return pid !== null && holderOf(pid, ledgerPath) === holder;
}
