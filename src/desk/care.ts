/** `ledger backup | check | prune`. */
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { backupLedger, datedBackup, keepBackups } from "../ledger/care/backup.js";
import { type CheckResult, checkLedger } from "../ledger/care/check/check.js";
import { lockLedger, refuseHeld } from "../ledger/care/lock.js";
import type { StoredInput } from "../ledger/inputs.js";
import { forgetJournal } from "../ledger/journal/own-journal.js";
import type { LedgerDatabase } from "../ledger/open-ledger.js";
import { createRunStore } from "../ledger/runs.js";
import { createRejects } from "../ledger/views/open-rows.js";
import type { Clock } from "../model/clock.js";
import type { Target } from "../model/target.js";
import { closing } from "../run/closing.js";
import { rejectedPath, runFolder } from "../run/run-files.js";
import { ownerOf } from "../run/sandbox.js";
import { alone, type Holding, patiently, reading } from "./access.js";

/** Beside a running import. @returns its size in bytes */
export async function backup(target: Target, destination: string): Promise<number> {
  return backupLedger(target.ledgerPath, ownerOf(target), destination);
}

/** Adds the date to the name, and afterwards keeps the newest `keep` copies. */
export async function backupInto(target: Target, folder: string, keep: number | null, now: number) {
  const path = datedBackup(folder, target.name, now);
  const bytes = await backup(target, path);
  return { path, bytes, removed: keep === null ? [] : keepBackups(path, target.name, keep) };
}

/**
 * Lets the next run begin another journal, which rebuilds the ledger together with a new backup. @throws RowferryError
 * `ledger-locked`
 */
export function withoutJournal<Result>(target: Target, clock: Clock, backUp: () => Promise<Result>): Promise<Result> {
  return alone(target, { clock, waitForLock: false }, async (database) => {
    const result = await backUp();
    forgetJournal(database);
    return result;
  });
}

/** Beside a running import. */
export function check(target: Target): CheckResult[] {
  return reading(target, checkLedger);
}

export interface Pruned {
  /** Names of the runs. */
  runFolders: string[];
  bytes: number;
  /** The oldest run whose folder stays. Null: none does. */
  oldestKept: string | null;
}

/** What `prune` would delete, while an import is running. */
export const prunable = (target: Target, before: number): Pruned =>
  reading(target, (database) => prunableIn(database, target, before));

/** Writes nothing, because a full disk may be the reason to run it. `confirmed`: throws if nothing may be deleted. */
export function prune(
  target: Target,
  before: number,
  holding: Holding,
  confirmed: (found: Pruned) => Promise<void> = async () => {},
): Promise<Pruned> {
  return closing(async (later) => {
    // Locking makes the ledger's folder.
    reading(target, () => {});
    const lock = await lockLedger(target.ledgerPath, { ...holding, wait: holding.waitForLock });
    later(() => lock.release());
    await patiently(holding, () => reading(target, refuseHeld));
    const found = prunable(target, before);
    await confirmed(found);
    for (const run of found.runFolders) rmSync(runFolder(target, run), { recursive: true, force: true });
    return found;
  });
}

/**
 * Folders of runs that ended before then (ms), unless a person has worked in them since, or they are the newest with rows
 * that a person must still correct.
 */
function prunableIn(database: LedgerDatabase, target: Target, before: number): Pruned {
  const filesOf = (run: string) =>
    readdirSync(runFolder(target, run)).map((name) => statSync(join(runFolder(target, run), name)));
  const all = database.values<string>("SELECT name FROM runs ORDER BY id");
  // Every run writes all rows that still need correction.
  const newestWith = (input: StoredInput) =>
    all.findLast((run) => existsSync(rejectedPath(runFolder(target, run), input, [])));
  const needed = new Set(createRejects(database).inputs().map(newestWith));
  const isThere = (run: string) => existsSync(runFolder(target, run));
  const runFolders = createRunStore(database)
    .endedBefore(before)
    .filter((run) => isThere(run) && filesOf(run).every(({ mtimeMs }) => mtimeMs < before) && !needed.has(run));
  const bytes = runFolders.flatMap(filesOf).reduce((sum, { size }) => sum + size, 0);
  const oldestKept = all.find((run) => isThere(run) && !runFolders.includes(run)) ?? null;
  return { runFolders, bytes, oldestKept };
}
