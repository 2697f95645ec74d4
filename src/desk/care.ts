/** What `ledger backup | check | prune | rebind` do, with the target's ledger, archive and service at hand. */
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { backupLedger, datedBackup, keepBackups } from "../ledger/care/backup.js";
import { type CheckResult, checkLedger } from "../ledger/care/check/check.js";
import { openLedgerOfAnyone, openLedgerReadOnly, ownerName, rebindLedger } from "../ledger/open-ledger.js";
import { forgetJournal } from "../ledger/journal/own-journal.js";
import { type Pruned, pruneLedger } from "../ledger/care/prune.js";
import { createRunStore } from "../ledger/runs.js";
import { createRegisteredView, type RegisteredParticipant } from "../ledger/views/expected.js";
import type { Clock } from "../model/clock.js";
import { RowferryError } from "../model/error.js";
import type { Target } from "../model/target.js";
import { participantOf } from "../submit/answers.js";
import { readParticipant } from "../submit/calls.js";
import { codeOfStop } from "../run/refusals.js";
import { isEmbedded, ownerOf } from "../run/sandbox.js";
import { alone, held, reading } from "./ledger-access.js";
import { type ReaderOptions, withReader } from "./reader.js";
import { archiveFolder } from "./show.js";
import { runFolder } from "../run/run-files.js";

export type { CheckResult } from "../ledger/care/check/check.js";

/** Beside a running import. @returns its size in bytes */
export function backup(target: Target, destination: string): Promise<number> {
  return backupLedger(target.ledgerPath, ownerOf(target), destination);
}

/** A copy in `folder` with the date in its name; of such copies the newest `keep` stay, once this one is whole. */
export async function backupInto(target: Target, folder: string, keep: number | null, now: number) {
  const path = datedBackup(folder, target.name, now);
  const bytes = await backup(target, path);
  return { path, bytes, removed: keep === null ? [] : keepBackups(folder, target.name, keep) };
}

/** The next run may begin another journal: with a backup made just now, that one rebuilds the ledger. @throws RowferryError `ledger-locked` */
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

/**
 * Takes what came to rest more than `keepMs` ago to the archive, and gives the room back; folders of runs that ended before
 * that go, but for those in which a person has worked since. Sizes in bytes.
 */
export function prune(
  target: Target,
  keepMs: number,
  options: { clock: Clock; waitForLock: boolean; signal?: AbortSignal },
): Promise<Pruned & { runFolders: number; sizeBefore: number; sizeAfter: number }> {
  return alone(target, options, (database) => {
    database.pragma("wal_checkpoint(TRUNCATE)");
    const sizeBefore = statSync(target.ledgerPath).size;
    const before = options.clock.now() - keepMs;
    const pruned = pruneLedger(database, archiveFolder(target), before);
    if (pruned.payloads + pruned.cells + pruned.attempts > 0) database.exec("VACUUM");
    database.pragma("wal_checkpoint(TRUNCATE)");
    const runFolders = removeRunFolders(target, createRunStore(database).endedBefore(before), before);
    return { ...pruned, runFolders, sizeBefore, sizeAfter: statSync(target.ledgerPath).size };
  });
}

function removeRunFolders(target: Target, runs: readonly string[], before: number): number {
  const old = runs
    .map((run) => runFolder(target, run))
    .filter((folder) => existsSync(folder))
    .filter((folder) => readdirSync(folder).every((name) => statSync(join(folder, name)).mtimeMs < before));
  for (const folder of old) rmSync(folder, { recursive: true });
  return old.length;
}

/** How many participants are looked up before a ledger changes hands. */
const LOOKED_UP = 50;

/**
 * Gives the ledger to this target, after the service there has shown that it knows what the ledger registered.
 * @throws RowferryError `rebind-refused`, `ledger-locked`, `ledger-missing`
 */
export async function rebind(
  target: Target,
  options: ReaderOptions & { waitForLock: boolean },
): Promise<{ before: string | null; lookedUp: number; journal: string | null }> {
  if (isEmbedded(target) && options.transport === undefined) {
    throw new RowferryError("rebind-refused", "The sandbox keeps its records beside its own ledger.");
  }
  openLedgerReadOnly(target.ledgerPath, null).close();
  const open = () => openLedgerOfAnyone(target.ledgerPath);
  return held(target, options, open, async (database) => {
    const participants = createRegisteredView(database).participantsAfter(0, LOOKED_UP);
    await lookUp(target, participants, options);
    return database.transaction(() => {
      const before = rebindLedger(database, ownerOf(target));
      const journal = before === ownerName(ownerOf(target)) ? null : forgetJournal(database);
      return { before, lookedUp: participants.length, journal };
    })();
  });
}

function lookUp(target: Target, participants: RegisteredParticipant[], options: ReaderOptions): Promise<void> {
  return withReader(target, options, async (reader) => {
    for (const { serviceId, data } of participants) {
      const answer = await reader.send(readParticipant(serviceId));
      if (answer.result === "stopped") throw new RowferryError(codeOfStop[answer.why], answer.message);
      const lookup = participantOf(answer);
      if (lookup === undefined) throw new RowferryError("rebind-refused", "The service did not answer a lookup.");
      const taxId = lookup.outcome === "found" ? lookup.participant.taxId : null;
      const same =
        lookup.outcome === "found" && (data["taxId"] === undefined || taxId === null || taxId === data["taxId"]);
      if (same) continue;
      const name = [data["taxIdType"], serviceId].filter((part) => typeof part === "string").join(" ");
      throw new RowferryError("rebind-refused", `The service does not know the participant ${name}.`);
    }
  });
}
