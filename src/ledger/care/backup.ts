import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { RowferryError } from "../../model/error.js";
import { syncFolder } from "../journal/durable-file.js";
import { makeBackup } from "./holder.js";
import { refuseMissingFolder } from "./missing-folder.js";
import { LedgerDatabase } from "../ledger-database.js";
import { type LedgerOwner, openLedgerReadOnly } from "../open-ledger.js";

/**
 * A copy of the ledger as it is at one moment, made while others read and write; readable by its owner only. Whole or
 * not at all. @returns its size in bytes
 * @throws RowferryError `ledger-there-already`, `ledger-missing`, `ledger-of-another-target`, `folder-missing`
 */
export async function backupLedger(path: string, owner: LedgerOwner, destination: string): Promise<number> {
  if (existsSync(destination)) {
    throw new RowferryError("ledger-there-already", "There is a file already.", { place: { file: destination } });
  }
  refuseMissingFolder(destination);
  const database = openLedgerReadOnly(path, owner);
  const temporary = `${destination}.part`;
  rmSync(temporary, { force: true });
  closeSync(openSync(temporary, "wx", 0o600));
  try {
    const { totalPages } = await database.backup(temporary);
    const pageSize = database.pragma("page_size", { simple: true }) as number;
    const copy = new LedgerDatabase(temporary);
    makeBackup(copy);
    copy.close();
    chmodSync(temporary, 0o600);
    const file = openSync(temporary, "r+");
    fsyncSync(file);
    closeSync(file);
    renameSync(temporary, destination);
    syncFolder(dirname(destination));
    return totalPages * pageSize;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    database.close();
  }
}

/** A copy for a look at it, made in one reading: however much is written meanwhile, it ends. Readable by its owner only. */
export function copyLedger(path: string, owner: LedgerOwner, destination: string): void {
  closeSync(openSync(destination, "wx", 0o600));
  const database = openLedgerReadOnly(path, owner);
  try {
    database.run("VACUUM INTO @destination", { destination });
    const copy = new LedgerDatabase(destination);
    makeBackup(copy);
    copy.close();
  } finally {
    database.close();
  }
}
