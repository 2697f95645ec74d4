/** Opens a ledger: SQLite settings, schema, and the target it belongs to. */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { RowferryError } from "../model/error.js";
import { makeFolder } from "../model/make-folder.js";
import { forgetDeadHolder, hasLog, makeBackup, refuseAnothersLog, refuseMissingLog } from "./care/lock.js";
import { asLedgerFailure, reasonOf } from "./care/ledger-failure.js";
import { fact, LedgerDatabase, setFact } from "./ledger-database.js";
import { schema } from "./schema.js";

/** Only this folder looks inside. */
export type { LedgerDatabase };

/** Incremented with every change of the schema. */
const SCHEMA_VERSION = 12;

/** "Rowf", in each ledger's header. */
const APPLICATION_ID = 0x526f7766;

/** One service, as seen by one credential (service.md, Authentication 2). */
export interface LedgerOwner {
  target: string;
  /** Null for the embedded sandbox, whose address changes at every start. */
  baseUrl: string | null;
  clientId: string;
}

/** Creates the file if necessary, readable by its owner only. The caller holds the lock. */
export function openLedger(path: string, owner: LedgerOwner, now: number): LedgerDatabase {
  const database = openLedgerOfAnyone(path);
  return orClose(database, () => {
    refuseAnothers(database, owner);
    if (fact(database, "owner") !== null) return;
    setFact(database, "owner", ownerName(owner));
    setFact(database, "created_at", new Date(now).toISOString());
  });
}

/** Whoever it belongs to: for `ledger rebind` and `ledger rebuild`. */
export function openLedgerOfAnyone(path: string): LedgerDatabase {
  makeFolder(dirname(path));
  if (!existsSync(path)) create(path);
  const database = openDatabase(path);
  // Takes rights away from others, but keeps a read-only file read-only.
  const { mode } = statSync(path);
  chmodSync(path, mode & 0o700);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.pragma("foreign_keys = ON");
  // A larger cache does not speed up a load of a million rows, and costs memory (bench/RESULTS.md).
  database.pragma("cache_size = -16384");
  forgetDeadHolder(database);
  return database;
}

/** It has its name once it has its schema: an empty file would be taken for a ledger that lost what it held. */
function create(path: string) {
  const part = `${path}.part`;
  rmSync(part, { force: true });
  // With its final mode: another process could open it before a later change.
  closeSync(openSync(part, "wx", 0o600));
  const database = new LedgerDatabase(part);
  try {
    database.pragma("journal_mode = MEMORY");
    database.atomic(() => {
      database.exec(schema);
      database.pragma(`application_id = ${APPLICATION_ID}`);
      database.pragma(`user_version = ${SCHEMA_VERSION}`);
    });
    database.pragma("journal_mode = WAL");
    database.close();
    // The log of a ledger that was deleted would be read with this one.
    rmSync(`${path}-wal`, { force: true });
    renameSync(part, path);
  } finally {
    database.close();
    rmSync(part, { force: true });
  }
}

/**
 * Makes a backup, or a copy without its log, usable as a ledger. @throws RowferryError `ledger-foreign`; `ledger-damaged`,
 * before it takes the place of one that is whole
 */
export function takeAsItIs(path: string): void {
  const place = { place: { file: path } };
  const database = new LedgerDatabase(path);
  try {
    if (isEmpty(database, path))
      throw new RowferryError("ledger-foreign", "This file is empty: it is not a ledger.", place);
    const fault = String(database.pragma("integrity_check(1)", { simple: true }));
    if (fault !== "ok") throw damagedBackup(path, fault);
    makeBackup(database);
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    if (error.code.startsWith("SQLITE_CORRUPT")) throw damagedBackup(path, error.message, error);
    if (error.code !== "SQLITE_NOTADB") throw error;
    throw new RowferryError("ledger-foreign", "This file is not a ledger.", { ...place, cause: error });
  } finally {
    database.close();
  }
}

function damagedBackup(path: string, fault: string, cause?: unknown): RowferryError {
  const [first] = fault.replace("*** in database main ***", "").trim().split("\n", 1);
  return new RowferryError("ledger-damaged", `This backup is damaged: ${first}.`, {
    place: { file: path },
    hint: "Nothing was changed. Restore another backup. If there is none, but a journal, move the ledger away and run `rowferry ledger rebuild <journal>`.",
    cause,
  });
}

/**
 * For reading while an import is running. `owner` null: anyone's, for `ledger rebind`. @throws RowferryError
 * `ledger-missing`, `ledger-newer`, or `ledger-of-another-target`
 */
export function openLedgerReadOnly(path: string, owner: LedgerOwner | null): LedgerDatabase {
  return proven(path, { readonly: true }, owner);
}

/** A person at a terminal learns within two seconds that the ledger is busy. */
const BESIDE_TIMEOUT_MS = 1_000;

/**
 * For short writes while an import is running (`dismiss`, `resolve`), without the lock. @throws RowferryError
 * `ledger-missing`, `ledger-newer`, `ledger-older`, or `ledger-of-another-target`
 */
export function openLedgerBeside(path: string, owner: LedgerOwner): LedgerDatabase {
  const database = proven(path, { timeout: BESIDE_TIMEOUT_MS }, owner);
  forgetDeadHolder(database);
  database.pragma("synchronous = FULL");
  database.pragma("foreign_keys = ON");
  return database;
}

/** An existing ledger, of this owner. */
function proven(path: string, options: Database.Options, owner: LedgerOwner | null): LedgerDatabase {
  if (!existsSync(path)) throw ledgerMissing(path);
  const database = openDatabase(path, options);
  return orClose(database, () => {
    if (owner !== null) refuseAnothers(database, owner);
  });
}

export const ledgerMissing = (path: string) =>
  new RowferryError("ledger-missing", "There is no ledger here yet.", { place: { file: path } });

const emptied = (path: string) =>
  new RowferryError(
    "ledger-damaged",
    "The ledger's file is empty: whatever it held is lost. If it never held anything, delete the file.",
    { place: { file: path } },
  );

/** Closes a ledger that must not be used. */
function orClose(database: LedgerDatabase, prove: () => void): LedgerDatabase {
  try {
    prove();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function openDatabase(path: string, options: Database.Options = {}): LedgerDatabase {
  try {
    // SQLite would treat it as a new ledger, in which all is well, and delete its log.
    if (statSync(path).size === 0) throw emptied(path);
    refuseAnothersLog(path);
    const hadLog = hasLog(path);
    const open = (database: LedgerDatabase, prepare = () => {}) =>
      orClose(database, () => {
        prepare();
        // A copy has just begun, for example.
        if (isEmpty(database, path)) throw emptied(path);
        refuseMissingLog(database, hadLog);
      });
    const settings = { timeout: 60_000, ...options };
    try {
      return open(new LedgerDatabase(path, settings));
    } catch (error) {
      if (!(error instanceof Database.SqliteError) || error.code !== "SQLITE_IOERR_SHMSIZE") throw error;
      // A full disk has no room for the index of the log, which one process alone keeps in memory.
      const alone = new LedgerDatabase(path, { ...settings, readonly: false });
      return open(alone, () => void alone.pragma("locking_mode = EXCLUSIVE"));
    }
  } catch (error) {
    // Moved away meanwhile.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw ledgerMissing(path);
    if (!(error instanceof Database.SqliteError)) throw error;
    if (error.code.startsWith("SQLITE_CORRUPT")) throw asLedgerFailure(error, path);
    throw new RowferryError("ledger-unreadable", `The ledger cannot be opened: ${reasonOf(error) ?? error.message}.`, {
      place: { file: path },
      cause: error,
      hint: isWritable(dirname(path)) ? undefined : UNWRITABLE,
    });
  }
}

const UNWRITABLE =
  "SQLite writes next to a ledger even to read it, and this folder cannot be written: make it writable, or copy the ledger (with its -wal, if there is one) into a folder that is, and name the copy with --ledger.";

function isWritable(folder: string) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A new ledger belongs to nobody yet. */
function refuseAnothers(database: LedgerDatabase, owner: LedgerOwner) {
  const [stored, mine] = [fact(database, "owner"), ownerName(owner)];
  if (stored === null || stored === mine) return;
  throw new RowferryError("ledger-of-another-target", `This ledger belongs to ${stored}, not to ${mine}.`, {
    place: { file: database.name },
  });
}

/** @returns the former owner; null: none */
export function rebindLedger(database: LedgerDatabase, owner: LedgerOwner): string | null {
  const before = fact(database, "owner");
  setFact(database, "owner", ownerName(owner));
  return before;
}

export function ownerName(owner: LedgerOwner): string {
  return owner.baseUrl === null ? "the embedded sandbox" : `${owner.baseUrl} as client ${owner.clientId}`;
}

/** False: a ledger that this program can use. @throws RowferryError `ledger-foreign`, `ledger-newer`, `ledger-older` */
function isEmpty(database: LedgerDatabase, path: string) {
  const place = { place: { file: path } };
  if (database.pragma("application_id", { simple: true }) !== APPLICATION_ID) {
    if (!database.has("SELECT 1 FROM sqlite_schema")) return true;
    throw new RowferryError("ledger-foreign", "This file belongs to another program: it is not a ledger.", place);
  }
  const version = database.pragma("user_version", { simple: true }) as number;
  if (version === SCHEMA_VERSION) return false;
  const message = `The ledger has schema ${version}; this program reads and writes ${SCHEMA_VERSION}.`;
  throw new RowferryError(version > SCHEMA_VERSION ? "ledger-newer" : "ledger-older", message, place);
}
