/** `ledger backup | check | prune | rebind | rebuild | restore`. */
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  existsSync,
  linkSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { backupLedger, datedBackup, keepBackups } from "../ledger/care/backup.js";
import { asLedgerFailure } from "../ledger/care/ledger-failure.js";
import { type CheckResult, checkLedger } from "../ledger/care/check/check.js";
import { hasLog, lockLedger, lockOf, refuseAnothersLog, refuseHeld } from "../ledger/care/lock.js";
import { syncFolder } from "../ledger/journal/durable-file.js";
import { journalOwner, openJournal } from "../ledger/journal/journal.js";
import {
  dropUncommitted,
  forgetJournal,
  holdsAllOf,
  rememberedJournal,
  rememberJournal,
} from "../ledger/journal/own-journal.js";
import { rebuildFrom, type Rebuilt } from "../ledger/journal/rebuild.js";
import {
  type LedgerDatabase,
  type LedgerOwner,
  openLedger,
  openLedgerOfAnyone,
  ownerName,
  rebindLedger,
  takeAsItIs,
} from "../ledger/open-ledger.js";
import type { StoredInput } from "../ledger/inputs.js";
import { createRejects } from "../ledger/views/open-rows.js";
import { createRunStore, minuteOf } from "../ledger/runs.js";
import { inTransaction } from "../ledger/ledger-database.js";
import { createRegisteredView, type RegisteredParticipant } from "../ledger/views/expected.js";
import { withoutQuery } from "../model/addresses.js";
import type { Clock } from "../model/clock.js";
import { RowferryError } from "../model/error.js";
import { makeFolder } from "../model/make-folder.js";
import { ExitCode } from "../model/exit-code.js";
import { type PipelineEvent, telling } from "../model/summary.js";
import type { Target } from "../model/target.js";
import { closing } from "../run/closing.js";
import { codeOfStop } from "../run/refusals.js";
import { rejectedPath, runFolder } from "../run/run-files.js";
import { isEmbedded, ownerOf } from "../run/sandbox.js";
import { documentOf, participantOf } from "../submit/answers.js";
import type { Answer, Call } from "../submit/call.js";
import { readDocument, readParticipant } from "../submit/calls.js";
import { alone, type Holding, MAKE_ROOM, patiently, type ReaderOptions, reading, withReader } from "./access.js";

export type { CheckResult, Rebuilt };

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

/** Participants, before a ledger changes hands. */
const LOOKED_UP = 50;
/** This many of the newest documents, and of the oldest, which a service restored from a backup still has. */
const READ = 5;

/** In ms; a request under way then still ends by itself. */
const SILENCE_MS = { told: 2_000, longest: 30_000 };

type Rebinding = ReaderOptions & { waitForLock: boolean; observe(event: PipelineEvent): void };

/**
 * Gives the ledger to this target, once its service proves to know the ledger's participants and documents. @throws
 * RowferryError `rebind-refused`, `service-outage`, `credentials-refused`, `ledger-locked`, `ledger-missing`
 */
export async function rebind(
  target: Target,
  options: Rebinding,
): Promise<{ before: string | null; lookedUp: number; journal: string | null }> {
  if (isEmbedded(target) && options.transport === undefined)
    throw new RowferryError("rebind-refused", "The sandbox keeps its records next to its own ledger.", {
      hint: "Nothing was changed. Name the service to bind it to with --target.",
    });
  const open = () => openLedgerOfAnyone(target.ledgerPath);
  const rebindIt = async (database: LedgerDatabase) => {
    const view = createRegisteredView(database);
    const participants = view.participantsAfter(0, LOOKED_UP);
    await asking(target, options, async (ask) => {
      await requireParticipants(ask, participants);
      await requireDocument(ask, view.newestAndOldest(READ));
    });
    const owner = ownerOf(target);
    return database.transaction(() => {
      const before = rebindLedger(database, owner);
      const journal = before === ownerName(owner) ? null : forgetJournal(database);
      return { before, lookedUp: participants.length, journal };
    })();
  };
  return alone(target, options, rebindIt, open);
}

type Ask = (call: Call) => Promise<Answer>;

/** Tells of a service that is silent, and soon gives up. */
function asking(target: Target, options: Rebinding, work: (ask: Ask) => Promise<void>): Promise<void> {
  const { clock, observe } = options;
  const silence = new AbortController();
  const signal = AbortSignal.any([silence.signal, options.signal ?? silence.signal]);
  const { told, longest } = SILENCE_MS;
  let isTold = false;
  const waitFor = async (answered: AbortSignal) => {
    await clock.sleep(told, answered);
    if (answered.aborted) return;
    const message = `${target.baseUrl} does not answer; waiting up to ${longest / 1_000} s for it.`;
    if (!isTold) telling(observe)(message, "warning", "service-outage");
    isTold = true;
    await clock.sleep(longest - told, answered);
    if (!answered.aborted) silence.abort();
  };
  return withReader(target, { ...options, signal }, (reader) =>
    work(async (call) => {
      const answered = new AbortController();
      void waitFor(answered.signal);
      const answer = await reader.send(call).finally(() => answered.abort());
      const isSilent = answer.result === "stopped" && answer.why === "interrupted" && options.signal?.aborted !== true;
      if (isSilent || answer.result === "unanswered") {
        const last = answer.attempts.at(-1);
        const why =
          last === undefined
            ? `no token could be got from ${withoutQuery(target.tokenUrl)}`
            : (last.failure ?? last.status);
        throw new RowferryError("service-outage", `${target.baseUrl} did not answer: ${why}.`);
      }
      if (answer.result === "stopped") throw new RowferryError(codeOfStop[answer.why], answer.message);
      return answer;
    }),
  );
}

async function requireParticipants(ask: Ask, participants: RegisteredParticipant[]): Promise<void> {
  for (const { serviceId, data } of participants) {
    const lookup = participantOf(await ask(readParticipant(serviceId)));
    if (lookup === undefined) throw new RowferryError("rebind-refused", "The service did not answer a lookup.");
    const { taxIdType, taxId } = data;
    const theirs = lookup.outcome === "found" ? lookup.participant.taxId : "";
    if (theirs === null || theirs === taxId || (lookup.outcome === "found" && taxId === undefined)) continue;
    const name = [taxIdType, serviceId].filter((part) => typeof part === "string").join(" ");
    throw new RowferryError("rebind-refused", `The service does not know the participant ${name}.`);
  }
}

/** Another tenant may know all participants, but never the documents. One found document is proof: others may be gone.
 * */
async function requireDocument(ask: Ask, documents: { name: string; serviceId: string }[]): Promise<void> {
  for (const { serviceId } of documents) {
    const answer = await ask(readDocument(serviceId));
    const isAbsent =
      answer.result === "refused" ? answer.notFound : answer.result === "accepted" && documentOf(answer.body) === null;
    if (!isAbsent) return;
  }
  const [first] = documents;
  if (first === undefined) return;
  throw new RowferryError(
    "rebind-refused",
    `The service has none of the documents that were looked up, not even ${first.name} with the id ${first.serviceId}.`,
  );
}

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

function requireOwn(journal: string, owner: LedgerOwner): void {
  const theirs = journalOwner(journal);
  if (theirs === ownerName(owner)) return;
  const place = { file: journal };
  throw new RowferryError("ledger-of-another-target", `This journal belongs to ${theirs}.`, { place });
}

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

/** `journal`: it supplied what is `known`; null: there was none, and the one that the ledger remembered is `forgotten`.
 * */
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
 * for it. @throws RowferryError `file-missing`, `ledger-foreign`, `ledger-of-another-target`, `ledger-locked`,
 * `journal-unreadable`
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
      if (journal !== null) requireOwn(journal, owner);
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

/** It has both names until another file takes its place: after a kill in between, an import would begin a new ledger.
 * */
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
    const isAboutCopy = error instanceof RowferryError && error.place.file === temporary && from !== null;
    if (!isAboutCopy) throw asUnmade(error, path);
    const { code, message, hint } = error;
    throw new RowferryError(code, message, { place: { file: from }, hint, cause: error });
  } finally {
    lock.release();
  }
}
