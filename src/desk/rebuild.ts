/** `ledger rebuild <journal> [backup]`: a new ledger from what the journal tells, over a backup where there is one. */
import { chmodSync, copyFileSync, createReadStream, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { syncFolder } from "../ledger/journal/durable-file.js";
import { hasLog, refuseAnothersLog } from "../ledger/care/holder.js";
import { journalOwner } from "../ledger/journal/journal.js";
import { takeAsItIs } from "../ledger/open-ledger.js";
import { lockLedger } from "../ledger/care/lock.js";
import { openLedger, ownerName } from "../ledger/open-ledger.js";
import { rememberJournal } from "../ledger/journal/own-journal.js";
import { rebuildFrom, type Rebuilt } from "../ledger/journal/rebuild.js";
import { createRunStore } from "../ledger/runs.js";
import { inTransaction } from "../ledger/transaction.js";
import type { Clock } from "../model/clock.js";
import { RowferryError } from "../model/error.js";
import { ExitCode } from "../model/exit-code.js";
import type { Target } from "../model/target.js";
import { ownerOf } from "../run/sandbox.js";

export type { Rebuilt } from "../ledger/journal/rebuild.js";

/**
 * Made beside and moved into place when it is whole; no ledger is overwritten.
 * @throws RowferryError `ledger-there-already`, `journal-unreadable`, `ledger-of-another-target`, `ledger-locked`
 */
export function rebuildLedger(
  target: Target,
  from: { journal: string; backup: string | null },
  clock: Clock,
): Promise<Rebuilt> {
  const path = target.ledgerPath;
  return putInPlace(target, clock, async (temporary) => {
    if (existsSync(path))
      throw new RowferryError("ledger-there-already", "There is a ledger already.", { place: { file: path } });
    const theirs = journalOwner(from.journal);
    if (theirs !== ownerName(ownerOf(target))) {
      const place = { file: from.journal };
      throw new RowferryError("ledger-of-another-target", `This journal belongs to ${theirs}.`, { place });
    }
    if (from.backup !== null) {
      copyFileSync(from.backup, temporary);
      chmodSync(temporary, 0o600);
    }
    const database = openLedger(temporary, ownerOf(target), clock.now());
    try {
      const lines = createInterface({ input: createReadStream(from.journal), crlfDelay: Number.POSITIVE_INFINITY });
      const rebuilt = await inTransaction(database, "COMMIT", () => rebuildFrom(database, lines, clock.now()));
      rememberJournal(database, from.journal);
      database.pragma("wal_checkpoint(TRUNCATE)");
      return rebuilt;
    } finally {
      database.close();
    }
  });
}

/**
 * Puts a backup in the ledger's place. What lay there is kept beside it. @returns the name under which; null: nothing lay there
 * @throws RowferryError `file-missing`, `ledger-foreign`, `ledger-of-another-target`, `ledger-locked`
 */
export async function restoreLedger(target: Target, backup: string, clock: Clock): Promise<string | null> {
  const path = target.ledgerPath;
  if (!existsSync(backup))
    throw new RowferryError("file-missing", "there is no such file", { place: { file: backup } });
  return putInPlace(target, clock, (temporary) => {
    refuseAnothersLog(backup);
    copyFileSync(backup, temporary);
    if (hasLog(backup)) copyFileSync(`${backup}-wal`, `${temporary}-wal`);
    chmodSync(temporary, 0o600);
    takeAsItIs(temporary);
    const database = openLedger(temporary, ownerOf(target), clock.now());
    const runs = createRunStore(database);
    runs.finish(runs.begin("restore", null, clock.now()).id, ExitCode.ok, null, clock.now());
    database.close();
    const minute = new Date(clock.now()).toISOString().slice(0, 16).replace(/:/g, "");
    let kept = `${path}.before-${minute}`;
    for (let count = 2; existsSync(kept); count += 1) kept = `${path}.before-${minute}-${count}`;
    const wasThere = existsSync(path);
    // The log first: without it a ledger is refused, and a log alone is put away.
    for (const suffix of ["-wal", "-shm", ""])
      if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${kept}${suffix}`);
    return wasThere ? kept : null;
  });
}

/** Under the lock: what `make` writes beside the ledger takes its place once it is whole. */
async function putInPlace<Made>(
  { ledgerPath: path }: Target,
  clock: Clock,
  make: (temporary: string) => Promise<Made> | Made,
): Promise<Made> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = await lockLedger(path, { wait: false, clock });
  const temporary = `${path}.new`;
  try {
    removeLedger(temporary);
    const made = await make(temporary);
    renameSync(temporary, path);
    syncFolder(dirname(path));
    return made;
  } catch (error) {
    removeLedger(temporary);
    throw error;
  } finally {
    lock.release();
  }
}

function removeLedger(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
}
