/** `ledger rebuild <journal> [backup]`: a new ledger from what the journal tells, over a backup where there is one. */
import { chmodSync, copyFileSync, createReadStream, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { syncFolder } from "../ledger/durable-file.js";
import { journalOwner } from "../ledger/journal.js";
import { lockLedger } from "../ledger/lock.js";
import { openLedger, ownerName } from "../ledger/open-ledger.js";
import { rememberJournal } from "../ledger/own-journal.js";
import { rebuildFrom, type Rebuilt } from "../ledger/rebuild/rebuild.js";
import { inTransaction } from "../ledger/transaction.js";
import type { Clock } from "../model/clock.js";
import { RowferryError } from "../model/error.js";
import type { Target } from "../model/target.js";
import { ownerOf } from "./ledger-access.js";

export type { Rebuilt } from "../ledger/rebuild/rebuild.js";

/**
 * Made beside and moved into place when it is whole; no ledger is overwritten.
 * @throws RowferryError `ledger-there-already`, `journal-unreadable`, `ledger-of-another-target`, `ledger-locked`
 */
export async function rebuildLedger(
  target: Target,
  from: { journal: string; backup: string | null },
  clock: Clock,
): Promise<Rebuilt> {
  const path = target.ledgerPath;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = await lockLedger(path, { wait: false, clock });
  const temporary = `${path}.rebuilding`;
  try {
    if (existsSync(path)) {
      throw new RowferryError("ledger-there-already", "There is a ledger already.", { place: { file: path } });
    }
    const theirs = journalOwner(from.journal);
    if (theirs !== ownerName(ownerOf(target))) {
      throw new RowferryError("ledger-of-another-target", `This journal belongs to ${theirs}.`, {
        place: { file: from.journal },
      });
    }
    removeLedger(temporary);
    if (from.backup !== null) {
      copyFileSync(from.backup, temporary);
      chmodSync(temporary, 0o600);
    }
    const database = openLedger(temporary, ownerOf(target), clock.now());
    let rebuilt: Rebuilt;
    try {
      const lines = createInterface({ input: createReadStream(from.journal), crlfDelay: Number.POSITIVE_INFINITY });
      rebuilt = await inTransaction(database, "COMMIT", () => rebuildFrom(database, lines, clock.now()));
      rememberJournal(database, from.journal);
      database.pragma("wal_checkpoint(TRUNCATE)");
    } finally {
      database.close();
    }
    renameSync(temporary, path);
    syncFolder(dirname(path));
    return rebuilt;
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
