import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { RowferryError } from "../../model/error.js";
import { makeFolder } from "../../model/make-folder.js";
import { shellQuoted } from "../../model/shell-quoted.js";
import { refuseMissingFolder, syncFolder } from "../journal/durable-file.js";
import { reasonOf } from "./ledger-failure.js";
import { makeBackup } from "./lock.js";
import { LedgerDatabase } from "../ledger-database.js";
import { type LedgerOwner, openLedgerReadOnly } from "../open-ledger.js";
import { minuteOf } from "../runs.js";

/**
 * Copies the ledger as it is at one moment, while others read and write; whole or not at all. Readable by its
 * owner only. @returns its size in bytes @throws RowferryError `ledger-there-already`, `ledger-missing`,
 * `ledger-of-another-target`, `folder-missing`
 */
export function backupLedger(path: string, owner: LedgerOwner, destination: string): number {
  if (existsSync(destination)) {
    throw new RowferryError("ledger-there-already", "This file exists already.", { place: { file: destination } });
  }
  refuseMissingFolder(destination);
  // Another backup in the same minute may be under way.
  const temporary = `${destination}.${randomBytes(4).toString("hex")}.part`;
  try {
    copyLedger(path, owner, temporary);
    const file = openSync(temporary, "r+");
    fsyncSync(file);
    closeSync(file);
    renameSync(temporary, destination);
    syncFolder(dirname(destination));
    return statSync(destination).size;
  } catch (error) {
    rmSync(temporary, { force: true });
    const why = error instanceof Database.SqliteError ? reasonOf(error) : null;
    if (why === null) throw error;
    const about = { place: { file: destination }, cause: error };
    throw new RowferryError("output-unwritable", `The backup could not be written: ${why}.`, about);
  }
}

const dated = (name: string, date: string) => `rowferry-${name}-${date}.db`;

/** `now`: ms; names are in UTC, to the minute. */
export function datedBackup(folder: string, name: string, now: number): string {
  return join(folder, dated(name, minuteOf(now)));
}

/**
 * Deletes all dated backups of this name but `made` and the newest `keep` - 1 others, and what killed ones before it have
 * left, and no other files. @returns the deleted backups
 */
export function keepBackups(made: string, name: string, keep: number): string[] {
  const [folder, newest] = [dirname(made), basename(made)];
  const files = readdirSync(folder).toSorted().toReversed();
  const dateIn = (file: string) => dated(name, /\d{4}-\d\d-\d\dT\d{4}/.exec(file)?.[0] ?? "");
  // One made while the clock was ahead has a later name.
  const others = files.filter((file) => file === dateIn(file) && file !== newest);
  const gone = others.slice(keep - 1);
  const isLeft = (file: string, date = dateIn(file)) =>
    date < newest && file.startsWith(date) && /^\.\w{8}\.part(-journal)?$/.test(file.slice(date.length));
  const left = files.filter((file) => isLeft(file));
  for (const file of [...gone, ...left]) rmSync(join(folder, file), { force: true });
  return gone;
}

const DAY_MS = 86_400_000;

/** A new folder next to the ledger, for a copy. Removes those that killed commands left, which no command uses for a day. */
export function folderForCopy(path: string): string {
  const prefix = `${path}.plan-`;
  for (const name of readdirSync(dirname(path))) {
    const left = join(dirname(path), name);
    const made = left.startsWith(prefix) ? statSync(left, { throwIfNoEntry: false })?.mtimeMs : undefined;
    if (made !== undefined && made < Date.now() - DAY_MS) rmSync(left, { recursive: true, force: true });
  }
  return mkdtempSync(prefix);
}

/**
 * Copies the ledger for reading, in one pass that ends however much is written meanwhile. Readable by its owner only.
 */
export function copyLedger(path: string, owner: LedgerOwner, destination: string): void {
  const database = openLedgerReadOnly(path, owner);
  try {
    copyOf(database, destination);
  } finally {
    database.close();
  }
}

function copyOf(database: LedgerDatabase, destination: string): void {
  closeSync(openSync(destination, "wx", 0o600));
  database.run("VACUUM INTO @destination", { destination });
  const copy = new LedgerDatabase(destination);
  makeBackup(copy);
  copy.close();
}

/**
 * Notices that an open ledger was moved, deleted or replaced: SQLite would continue to write into a file that the next
 * run does not find.
 */
export function keepInPlace(database: LedgerDatabase) {
  const path = database.name;
  const fileThere = () => {
    const file = statSync(path, { throwIfNoEntry: false });
    return file === undefined ? null : `${file.dev}:${file.ino}`;
  };
  const mine = fileThere();
  let copy: string | null = null;
  return {
    /** @throws RowferryError `ledger-not-written` */
    refuseMoved(): void {
      const found = fileThere();
      if (found === mine) return;
      copy ??= found === null ? path : `${path}.of-${process.pid}`;
      const restore = found === null ? "" : `\`rowferry ledger restore ${shellQuoted(copy)}\`, then `;
      throw new RowferryError(
        "ledger-not-written",
        "The ledger was moved, deleted or replaced during this run, so the run stopped.",
        {
          place: { file: path },
          hint: `A copy of everything it held is in ${copy}. Run ${restore}\`rowferry resume\`.`,
        },
      );
    },
    /** Makes the copy that was told of. Call once nothing more is written. */
    rescue(): void {
      if (copy === null) return;
      makeFolder(dirname(copy));
      copyOf(database, copy);
    },
  };
}
