/** `ledger rebuild | restore`. */
import { chmodSync, copyFileSync, createReadStream, existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { asLedgerFailure } from "../ledger/care/ledger-failure.js";
import { hasLog, lockLedger, lockOf, refuseAnothersLog } from "../ledger/care/lock.js";
import { syncFolder } from "../ledger/journal/durable-file.js";
import { openJournal, requireOwn } from "../ledger/journal/journal.js";
import {
  committedLength,
  dropUncommitted,
  forgetJournal,
  holdsAllOf,
  rememberedJournal,
  rememberJournal,
} from "../ledger/journal/own-journal.js";
import { rebuildFrom, type Rebuilt } from "../ledger/journal/rebuild.js";
import { inTransaction } from "../ledger/ledger-database.js";
import { type LedgerDatabase, openLedger, takeAsItIs } from "../ledger/open-ledger.js";
import { createRunStore, minuteOf } from "../ledger/runs.js";
import type { Clock } from "../model/clock.js";
import { RowferryError } from "../model/error.js";
import { ExitCode } from "../model/exit-code.js";
import { makeFolder } from "../model/make-folder.js";
import type { Target } from "../model/target.js";
import { ownerOf } from "../run/sandbox.js";
import { MAKE_ROOM, reading } from "./access.js";

export type { Rebuilt };

/**
 * A new ledger from a journal, perhaps over a backup. Overwrites nothing. @throws RowferryError `ledger-there-already`,
 * `journal-unreadable`, `ledger-of-another-target`, `ledger-locked`
 */
export function rebuildLedger(
  target: Target,
  { journal, backup: from }: { journal: string; backup: string | null },
  clock: Clock,
): Promise<Rebuilt> {
  const owner = ownerOf(target);
  return putInPlace(target, clock, from, async (temporary) => {
    const file = target.ledgerPath;
    if (isRebuilt(target, journal, from !== null))
      throw new RowferryError("already-done", "The ledger was rebuilt from this journal already.", {
        place: { file },
        hint: "Nothing was changed. Run `rowferry import <mapping> <files…>` with all files, if you have not yet: rows that have landed are known, and not sent again.",
      });
    if (existsSync(file))
      throw new RowferryError("ledger-there-already", "There is already a ledger here.", {
        place: { file },
        hint:
          from === null
            ? "Move it away, then type the command again."
            : "Use `rowferry ledger restore` with this backup and --journal; it keeps the old ledger next to the new one.",
      });
    requireOwn(journal, owner);
    if (from !== null) copyBackup(from, temporary);
    const database = openLedger(temporary, owner, clock.now());
    try {
      return await replayed(database, journal, clock.now());
    } finally {
      database.close();
    }
  });
}

/** Nothing was done with the ledger, and nothing was added to the journal, since one was rebuilt from the other. */
const isRebuilt = (target: Target, journal: string, isOverBackup: boolean): boolean =>
  ofFormer(target, (database) => {
    const runs = createRunStore(database);
    const wasOverBackup = runs.restored()?.lastRun != null;
    return (
      runs.newest()?.command === "rebuild" &&
      wasOverBackup === isOverBackup &&
      holdsAllOf(database, journal) &&
      committedLength(database, journal) === statSync(journal).size
    );
  }) === true;

/** The ledger takes over what the journal knows, and continues it. */
async function replayed(database: LedgerDatabase, journal: string, now: number): Promise<Rebuilt> {
  const lines = createInterface({ input: createReadStream(journal), crlfDelay: Number.POSITIVE_INFINITY });
  const isPart = !holdsAllOf(database, journal);
  const rebuilt = await inTransaction(database, "COMMIT", () => rebuildFrom(database, lines, isPart, now));
  rememberJournal(database, journal);
  database.pragma("wal_checkpoint(TRUNCATE)");
  return rebuilt;
}

/** With the write-ahead log and its index. */
const BESIDE = ["-wal", "-shm"];

/** `journal`: it supplied what is `known`; null: there was none, and the one that the ledger remembered is `forgotten`. */
export interface Restored {
  kept: string | null;
  journal: string | null;
  /** Whether the journal's last decision was removed from it, because a kill kept it from the former ledger. */
  dropped: boolean;
  forgotten: string | null;
  known: Rebuilt | null;
  /** Events of the backup that wait to be sent: no journal knows which were withdrawn since. */
  unsent: number;
}

/**
 * Keeps the former ledger next to the restored one, and replays a journal: the named one, else the one that either
 * ledger remembers, if it exists. A remembered journal that does not exist is forgotten, so the next run does not ask
 * for it. @throws RowferryError `file-missing`, `ledger-foreign`, `ledger-damaged`, `ledger-of-another-target`,
 * `ledger-locked`, `journal-unreadable`
 */
export async function restoreLedger(
  target: Target,
  { backup: from, journal: named }: { backup: string; journal: string | null },
  clock: Clock,
): Promise<Restored> {
  const { ledgerPath: path } = target;
  const owner = ownerOf(target);
  return putInPlace(target, clock, from, async (temporary) => {
    const isThere = (journal: string | null | undefined) => journal != null && existsSync(journal);
    copyBackup(from, temporary);
    const now = clock.now();
    const database = openLedger(temporary, owner, now);
    let restored: Omit<Restored, "kept">;
    try {
      const journal =
        named ??
        [target.journal, ofFormer(target, rememberedJournal), rememberedJournal(database)].find((one) =>
          isThere(one),
        ) ??
        null;
      if (journal !== null) requireOwn(journal, owner, { unreadable: named === null ? WITHOUT_JOURNAL : undefined });
      const dropped = journal !== null && ofFormer(target, (former) => dropUnmade(former, target, journal)) === true;
      const runs = createRunStore(database);
      runs.finish(runs.begin("restore", null, now).id, ExitCode.ok, null, now);
      const known = journal === null ? null : await replayed(database, journal, now);
      const forgotten = journal === null ? forgetJournal(database) : null;
      const waiting =
        "SELECT count(*) FROM events_now WHERE state IN ('planned', 'deferred', 'held') AND dismissed = 0";
      restored = { journal, dropped, forgotten, known, unsent: database.number(waiting) };
    } finally {
      database.close();
    }
    const name = `${path}.before-${minuteOf(now)}`;
    let kept = name;
    for (let count = 2; existsSync(kept); count += 1) kept = `${name}-${count}`;
    const wasThere = existsSync(path);
    // The log first: a ledger without it is refused.
    for (const suffix of BESIDE) if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${kept}${suffix}`);
    if (wasThere) keepAs(path, kept);
    return { kept: wasThere ? kept : null, ...restored };
  });
}

const WITHOUT_JOURNAL =
  "Nothing was changed. Put the right file back, or name it with --journal, and type the command again. If it is lost, move this file away first: the backup is then restored without a journal.";

/** It has both names until another file takes its place: after a kill in between, an import would begin a new one. */
function keepAs(path: string, kept: string): void {
  try {
    linkSync(path, kept);
  } catch {
    // Not all file systems have links.
    renameSync(path, kept);
  }
}

/** Null: the ledger cannot be read, or lacks what its journal has, which is why a backup replaces it. */
function ofFormer<Result>(target: Target, work: (former: LedgerDatabase) => Result): Result | null {
  try {
    return reading(target, work);
  } catch {
    return null;
  }
}

/** A replay would carry the decision out. */
function dropUnmade(former: LedgerDatabase, target: Target, path: string): boolean {
  const journal = openJournal(path, target.ledgerPath, ownerOf(target));
  try {
    return holdsAllOf(former, path) && dropUncommitted(former, path, journal);
  } finally {
    journal.close();
  }
}

/** Including its log. */
function copyBackup(from: string, to: string): void {
  if (!existsSync(from)) throw new RowferryError("file-missing", "there is no such file", { place: { file: from } });
  refuseAnothersLog(from);
  copyFileSync(from, to);
  chmodSync(to, 0o600);
  if (hasLog(from)) copyFileSync(`${from}-wal`, `${to}-wal`);
  takeAsItIs(to);
}

function asUnmade(error: unknown, file: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  // A copy that finds no room names only what it copies.
  if (code !== "ENOSPC" && code !== "EFBIG") return asLedgerFailure(error, file, MAKE_ROOM);
  const message = `The ledger could not be written: the disk is full (${code}).`;
  return new RowferryError("ledger-not-written", message, { place: { file }, hint: MAKE_ROOM, cause: error });
}

/** Under the lock; `make`'s file, perhaps a copy of `from`, takes the ledger's place once it is complete. */
async function putInPlace<Made>(
  { ledgerPath: path }: Target,
  clock: Clock,
  from: string | null,
  make: (temporary: string) => Promise<Made> | Made,
): Promise<Made> {
  const isNew = !existsSync(path) && !existsSync(lockOf(path));
  const folder = makeFolder(dirname(path));
  const lock = await lockLedger(path, { wait: false, clock });
  const temporary = `${path}.new`;
  const clear = () => {
    for (const suffix of [...BESIDE, ""]) rmSync(`${temporary}${suffix}`, { force: true });
  };
  try {
    clear();
    const made = await make(temporary);
    renameSync(temporary, path);
    syncFolder(dirname(path));
    return made;
  } catch (error) {
    clear();
    if (isNew) rmSync(folder ?? lockOf(path), { recursive: true, force: true });
    const isAboutCopy = error instanceof RowferryError && error.place.file === temporary;
    if (!isAboutCopy) throw asUnmade(error, path);
    const { code, message, hint } = error;
    throw new RowferryError(code, message, { place: { file: from ?? path }, hint, cause: error });
  } finally {
    lock.release();
  }
}
