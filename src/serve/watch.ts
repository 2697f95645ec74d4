/**
 * Finds complete files in a folder and handles them one at a time, in order. A file is complete when `<name>.done`
 * exists, or when size and time have not changed for a while. Handled files are remembered across restarts; a changed
 * file is handled again.
 */
import { createHash } from "node:crypto";
import {
  createReadStream,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { isWorkDue, knownRuns, readStatus } from "../desk/status.js";
import { type LedgerLock, lockLedger, lockOf, tryLock } from "../ledger/care/lock.js";
import { filesOfModule } from "../map/beside.js";
import type { MappingSpec } from "../map/language/mapping-schema.js";
import type { Clock } from "../model/clock.js";
import { ExitCode } from "../model/exit-code.js";
import { RowferryError } from "../model/error.js";
import { byNumber, listed } from "../model/fold.js";
import { makeFolder } from "../model/make-folder.js";
import { READABLE } from "../model/file-endings.js";
import type { StateCounts } from "../model/summary.js";
import type { Target } from "../model/target.js";
import { alsoHolds, filesWithin } from "../read/files.js";
import { hashOf, missingFile } from "../read/opened-file.js";
import { type AtomicFile, unusedPath, writeAtomically } from "../report/atomic-file.js";
import { closing } from "../run/closing.js";
import { exitCodeOf } from "../run/finish.js";

export interface WatchOptions {
  folder: string;
  /** Null: they stay. */
  moveTo: string | null;
  order: "name" | "time";
  /** In ms. */
  settleMs: number;
  /** In ms. */
  everyMs: number;
  once: boolean;
  mapping: string;
  /** The settings' file. */
  settings: string;
  target: Target;
  clock: Clock;
  signal: AbortSignal;
  /**
   * `isStaged`: the ledger has its rows, so that what is still open is sent, and nothing that was withdrawn since.
   * `run`: its name; null: it came to none. `isLeft`: the same may succeed later. `isCut`: a limit left some of its rows to the next run.
   */
  handle: (
    path: string,
    isStaged: boolean,
  ) => Promise<{ exitCode: number; run: string | null; isStaged: boolean; isLeft: boolean; isCut: boolean }>;
  idle: () => Promise<void>;
  say: (line: string) => void;
  /** Says nothing if all is well. */
  quiet: boolean;
  /** Explains what ends neither the watch nor the other files. @returns its exit code */
  tell: (error: unknown) => number;
}

interface Found {
  name: string;
  path: string;
  size: number;
  /** In ms. */
  changed: number;
  /** When anything of it changed, which nobody can set: the content, or its name, rights or links. In ms. */
  touched: number;
}

const handledSchema = z.record(
  z.string(),
  z.object({
    size: z.number(),
    changed: z.number(),
    touched: z.number(),
    /** Of its content. Null: it could not be read. */
    hash: z.string().nullable(),
    exitCode: z.number(),
    stamp: z.string(),
    isStaged: z.boolean().default(false),
    /** Null: the ledger has none. */
    run: z.string().nullable(),
  }),
);
type Handled = z.infer<typeof handledSchema>;

/** All in ms. `begun`: when it first failed. */
interface Retry {
  since: number;
  waitMs: number;
  begun: number;
}

/** Among the retries: work that waited for its time. No file has this name. */
const WAITED = "";

/**
 * Only one at a time with the same mapping: each would forget what the other has handled. And only one if files are moved
 * away: another mapping or target would never read them. @returns as `watchAlone` @throws RowferryError `usage` if there is
 * no folder at the start, or it is the one to move to; `ledger-locked`
 */
export async function watchFolder(options: WatchOptions): Promise<number> {
  const { folder, moveTo, target } = options;
  if (namesIn(folder) === null) throw new RowferryError("usage", `there is no folder ${folder}, or it cannot be read`);
  if (moveTo !== null && isSameFolder(moveTo, folder))
    throw new RowferryError("usage", "--move-to is the watched folder itself");
  // Each mapping and ledger has its own memory: another one has not read the files of this folder.
  const memoryOf = (names: readonly string[]) =>
    join(target.stateFolder, "watched", `${hashed(names.join("\n"))}.json`);
  const names = [options.mapping, folder];
  const isOwnLedger = target.ledgerPath === join(target.stateFolder, "ledger.db");
  const memory = memoryOf(isOwnLedger ? names : [...names, target.ledgerPath]);
  return closing(async (later) => {
    const own = lockFor(
      lockOf(memoryOf(names)),
      false,
      folder,
      "Another watch with the same mapping is running on this folder.",
      "It imports the files that arrive. To watch with other options, end it first.",
    );
    later(own.release);
    const common = lockFor(
      // For all mappings and targets.
      join(dirname(target.stateFolder), "watched", `${hashed(realpathSync(folder))}.lock`),
      moveTo === null,
      folder,
      "Another watch is running on this folder, and --move-to would move files before the other one has read them.",
      "Give each watch a folder of its own, or start both without --move-to.",
    );
    later(common.release);
    return watchAlone(options, memory);
  });
}

const hashed = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** When the mapping, the files that it reads and the settings were changed, or their rights: then a failed file is tried again. */
const stampOf = ({ mapping, settings }: WatchOptions): string =>
  [mapping, settings, ...namedBy(mapping)]
    .map((file) => statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0)
    .join(" ");

/** The files that a mapping and its base read, as far as both can be read. */
function namedBy(path: string, isBase = false): string[] {
  try {
    const { extends: base, functions, tables } = parse(readFileSync(path, "utf8")) as MappingSpec;
    const names = [base, functions, ...Object.values(tables ?? {}).map(({ file }) => file)];
    // A module also imports files.
    const named = names.flatMap((name) => (name === undefined ? [] : filesOfModule(resolve(dirname(path), name))));
    return base === undefined || isBase ? named : [...named, ...namedBy(resolve(dirname(path), base), true)];
  } catch {
    return [];
  }
}

/** Waits while another process holds the ledger. */
async function untilFree({ target, clock, signal, say, quiet }: WatchOptions): Promise<void> {
  if (!existsSync(target.ledgerPath)) return;
  const onWait = () => {
    if (!quiet) say("waiting until another rowferry process has finished with this ledger");
  };
  const lock = await lockLedger(target.ledgerPath, { wait: true, clock, signal, onWait });
  lock.release();
}

/** For `once`, where there was nothing to do. @returns the exit code */
async function nothingNew({ target, signal, folder, say, quiet }: WatchOptions): Promise<number> {
  if (!existsSync(target.ledgerPath)) return ExitCode.ok;
  const { open } = await readStatus({ target });
  const exitCode = exitCodeOf({ stopped: null, emptyFiles: [], signal }, open, () => false);
  const more = exitCode === ExitCode.ok ? "" : `; \`rowferry status --target ${target.name}\` shows what is open`;
  if (!quiet || exitCode !== ExitCode.ok) say(`nothing new in ${folder}${more}`);
  return exitCode;
}

/** Whether a resume would send something, whatever became of the files. */
async function isWorkOpen(target: Target): Promise<boolean> {
  if (!existsSync(target.ledgerPath)) return false;
  const { open, lastRun } = await readStatus({ target });
  const { events, documents, participants, addresses } = open;
  const any = (state: string, among: StateCounts[]) => among.some((counts) => (counts[state] ?? 0) > 0);
  const registrations = [participants, addresses];
  if (any("planned", [events]) || any("sending", [events, documents, ...registrations])) return true;
  // Those of events that wait for their time or a person wait with them.
  if (Object.keys(events).length === 0 && any("planned", registrations)) return true;
  return lastRun?.exitCode === ExitCode.again && any("stalled", [events, documents, ...registrations]);
}

/** If no lock can be made, the memory cannot be written either, which is reported. @throws RowferryError `ledger-locked` */
function lockFor(path: string, isShared: boolean, folder: string, message: string, hint: string) {
  let lock: LedgerLock | null;
  try {
    makeFolder(dirname(path));
    lock = tryLock(path, isShared);
  } catch {
    return { release: () => {} };
  }
  if (lock === null) throw new RowferryError("ledger-locked", message, { place: { file: folder }, hint });
  return lock;
}

/**
 * Watches until the signal, or with `once` until all files are handled. Retries what may succeed later, also once its file
 * is gone, and a move after one minute, then two, four, at most fifteen; what a limit left to the next run after half a
 * day, or when it is started again; a file of which nothing was staged once it, its mapping or the settings change. Sends
 * deferred events when their time has come.
 * @returns the worst exit code; that of an interrupting signal is the highest
 */
async function watchAlone(options: WatchOptions, memory: string): Promise<number> {
  const { folder, moveTo, target, clock, signal, say } = options;
  const handled = knownTo(target, readHandled(memory));
  const seen: Seen = new Map();
  const retries = new Map<string, Retry>();
  const unread = new Set<string>();
  let worst: number = ExitCode.ok;
  let isAway = false;
  let isFirstLook = true;
  let isAnyHandled = false;
  /** Whether a run has tried what an earlier watch left open. */
  let isOpenTried = false;
  const told = new Set<string>();
  const tell = (error: unknown) => {
    if (!told.has(String(error))) worst = Math.max(worst, options.tell(error));
    told.add(String(error));
  };
  const handle: WatchOptions["handle"] = async (path, isStaged) => {
    const done = await options.handle(path, isStaged);
    worst = Math.max(worst, done.exitCode);
    isOpenTried ||= done.isStaged;
    return done;
  };
  /** Whether the ledger has work that waited for its time, which has come, or that nobody has tried to continue. */
  const isWorkWaiting = async (): Promise<boolean> => {
    try {
      return isWorkDue(target, clock.now()) || (!isOpenTried && (await isWorkOpen(target)));
    } catch (error) {
      tell(error);
      return false;
    }
  };
  const retryLater = (name: string, isLeft: boolean, isCut = false) => {
    const before = retries.get(name);
    const waitMs = isCut && !isLeft ? HALF_DAY : Math.min(15 * MINUTE, 2 * (before?.waitMs ?? MINUTE / 2));
    if (isLeft || isCut) retries.set(name, { since: clock.now(), waitMs, begun: before?.begun ?? clock.now() });
    else retries.delete(name);
  };
  const sayOnce = (line: string) => {
    if (!options.quiet && !told.has(line)) say(line);
    told.add(line);
  };
  const isSettled = (file: Found, stamp: string) =>
    isHandled(file, handled[file.name], stamp) && (moveTo === null || !isDone(handled[file.name]));
  const sayFailed = (settled: readonly Found[]) => {
    const failed = settled.flatMap(({ name }) => (isDone(handled[name]) ? [] : name));
    if (failed.length === 0) return;
    say(`failed earlier, and tried again once the file or the mapping changes: ${listed(failed, 5)}`);
    worst = Math.max(worst, ...failed.map((name) => handled[name]?.exitCode ?? ExitCode.ok));
  };
  /** @returns false: the folder must be looked at again */
  const importOne = async (file: Found, stamp: string): Promise<boolean> => {
    if (signal.aborted) return false;
    const { name, path, size, changed, touched } = file;
    const before = handled[name];
    let isLeft = false;
    let isCut = false;
    // The imports before it, or those of another process, may have taken hours.
    await untilFree(options).catch(tell);
    if (signal.aborted) return false;
    const [now] = filesOf([name], folder, tell);
    if (now === undefined) return true;
    if (!isUnchanged(now, file)) return false;
    if (!isHandled(file, before, stamp)) {
      const isSame = isUnchanged(file, before) && before.stamp === stamp;
      const hash = await contentOf(path);
      const done = await handle(path, isSame && before.isStaged);
      const { run, isStaged } = done;
      if (done.exitCode >= ExitCode.interrupted) return false;
      ({ isLeft, isCut } = done);
      const exitCode = isLeft || isCut ? ExitCode.again : done.exitCode;
      handled[name] = { size, changed, touched, hash, exitCode, stamp, isStaged, run };
      await remember(memory, handled, folder).catch(tell);
    }
    // Written to during its import, it is imported again.
    const [left] = filesOf([name], folder, tell);
    const isAsImported = left !== undefined && isUnchanged(left, handled[name]);
    if (moveTo !== null && isDone(handled[name]) && isAsImported)
      await moveAway(path, moveTo)
        // Put back, it is to be imported: its rows may have been withdrawn.
        .then(() => remember(memory, handled, folder))
        .catch((error: unknown) => {
          isLeft = existsSync(path);
          tell(error);
        });
    retryLater(name, isLeft, isCut);
    isAnyHandled = true;
    return !isUnread(file);
  };
  /** Whether nothing of it is staged, though it may be later. */
  const isUnread = ({ name }: Found) => retries.has(name) && handled[name]?.isStaged === false;
  while (!signal.aborted) {
    const names = namesIn(folder);
    if ((names === null) !== isAway) say(isAway ? `${folder} is back` : `${folder} has disappeared; waiting for it`);
    isAway = names === null;
    const stamp = stampOf(options);
    const present = filesOf(names ?? [], folder, tell);
    for (const file of present) await recognise(file, handled[file.name]);
    const files = present.filter((file) => !isSettled(file, stamp));
    if (options.once && isFirstLook) sayFailed(present.filter((file) => isSettled(file, stamp)));
    const isNextDue = (file: Found) =>
      !isUnchanged(file, handled[file.name]) || isDue(retries.get(file.name), clock.now());
    const ordered = inOrder(files, options.order);
    const whole = new Set(ordered.filter((file) => isComplete(file, seen, options, isFirstLook)));
    const isReady = (file: Found) => whole.has(file) && isNextDue(file);
    // A later file would make its rows late. One that is written to all the time, or never read, holds no other up for long.
    const isAwaited = (file: Found) => {
      const since = whole.has(file) ? retries.get(file.name)?.begun : seen.get(file.name)?.growsSince;
      return clock.now() - (since ?? 0) < HALF_DAY && (!whole.has(file) || (isUnread(file) && !isNextDue(file)));
    };
    const awaited = ordered.find(isAwaited);
    const upTo = awaited === undefined ? ordered.length : ordered.indexOf(awaited);
    const complete = ordered.slice(0, upTo).filter(isReady);
    const waiting = ordered.slice(upTo).find(isReady);
    if (waiting !== undefined && awaited !== undefined) {
      const why = whole.has(awaited) ? "could not be imported yet" : "is still being written";
      sayOnce(`${waiting.name} waits for ${awaited.name}, which comes before it and ${why}`);
    }
    isFirstLook = false;
    for (const file of complete) if (!(await importOne(file, stamp))) break;
    // What is open is in the ledger, and no other file may come for days.
    const isGone = (name: string) =>
      name === WAITED || (names?.includes(name) === false && handled[name]?.isStaged !== false);
    const gone = [...retries.keys()].filter(isGone);
    for (const name of !retries.has(WAITED) && (await isWorkWaiting()) ? [...gone, WAITED] : gone) {
      if (signal.aborted) break;
      if (!isDue(retries.get(name), clock.now())) continue;
      const { isLeft, isCut } = await handle(join(folder, name), true);
      retryLater(name, isLeft || (name === WAITED && (await isWorkWaiting())), isCut);
      isAnyHandled = true;
    }
    if (signal.aborted) break;
    await options.idle().catch(tell);
    await tellUnread(folder, unread, say);
    if (options.once && ordered.slice(0, upTo + 1).every(({ name }) => retries.has(name)))
      return isAnyHandled ? worst : Math.max(worst, await nothingNew(options));
    if (complete.length > 0) continue;
    await clock.sleep(options.everyMs, signal);
  }
  return worst;
}

/** A clock set back must not wait for the old time. */
const isDue = (retry: Retry | undefined, now: number): boolean =>
  retry === undefined || now < retry.since || now - retry.since >= retry.waitMs;

/** By whatever path. */
function isSameFolder(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false, bigint: true }));
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino;
}

/** Null: there is no such folder, or it cannot be read. */
function namesIn(folder: string): string[] | null {
  try {
    return readdirSync(folder);
  } catch {
    return null;
  }
}

/** `tell` gets what cannot be looked at, such as links to nothing or in a circle and names that are not UTF-8. */
function filesOf(names: readonly string[], folder: string, tell: (error: unknown) => void): Found[] {
  return names.flatMap((name) => {
    if (name.startsWith(".") || name.startsWith("~$") || !READABLE.test(name)) return [];
    const path = join(folder, name);
    try {
      const status = statSync(path, { throwIfNoEntry: false });
      if (status === undefined && (name.includes("\uFFFD") || isLink(path)))
        tell(new RowferryError("file-missing", missingFile(path), { place: { file: path } }));
      if (status?.isFile() !== true) return [];
      return [{ name, path, size: status.size, changed: status.mtimeMs, touched: status.ctimeMs }];
    } catch (error) {
      tell(error);
      return [];
    }
  });
}

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

function inOrder(files: readonly Found[], order: WatchOptions["order"]): Found[] {
  const byName = (left: Found, right: Found) => byNumber.compare(left.name, right.name);
  return files.toSorted((left, right) =>
    order === "name" ? byName(left, right) : left.changed - right.changed || byName(left, right),
  );
}

/** Once of each name. */
async function tellUnread(folder: string, told: Set<string>, say: (line: string) => void): Promise<void> {
  const { others } = await filesWithin(folder).catch(() => ({ others: [] }));
  const fresh = others.filter((name) => !told.has(name));
  if (fresh.length > 0) say(alsoHolds(folder, fresh));
  for (const name of fresh) told.add(name);
}

const isUnchanged = <Before extends Pick<Found, "size" | "changed" | "touched">>(
  { size, changed, touched }: Found,
  before: Before | undefined,
): before is Before => before?.size === size && before.changed === changed && before.touched === touched;

/** If only its rights or links have changed, it is the same file; another file may have its size and time. */
async function recognise(file: Found, before: Handled[string] | undefined): Promise<void> {
  if (before === undefined || before.touched === file.touched) return;
  if (before.size !== file.size || before.changed !== file.changed) return;
  if (before.hash !== null && before.hash === (await contentOf(file.path))) before.touched = file.touched;
}

const contentOf = (path: string): Promise<string | null> => hashOf(createReadStream(path)).catch(() => null);

function isHandled(file: Found, before: Handled[string] | undefined, stamp: string): boolean {
  if (!isUnchanged(file, before)) return false;
  return isDone(before) || (before.exitCode !== ExitCode.again && before.stamp === stamp);
}

/** A person may be needed for an empty or unreadable file, of which the ledger has nothing. */
const isDone = (before: Handled[string] | undefined): boolean =>
  before?.exitCode === ExitCode.ok || (before?.exitCode === ExitCode.person && before.isStaged);

const MINUTE = 60_000;
/** `--until` means the nearest such time. */
const HALF_DAY = 12 * 60 * MINUTE;
/** `since`: when it last changed. `growsSince`: when it was first seen incomplete; null: it was complete. In ms. */
type Seen = Map<string, Found & { since: number; growsSince: number | null }>;

function isComplete(file: Found, seen: Seen, options: WatchOptions, isFirstLook: boolean): boolean {
  // One that is older is yesterday's.
  const done = `${file.path}.done`;
  if (existsSync(done) && (statSync(done, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= file.changed) {
    seen.delete(file.name);
    return true;
  }
  const now = options.clock.now();
  const before = seen.get(file.name);
  const isSame = isUnchanged(file, before);
  // A file unchanged for long enough was complete before the watch began; later its time may be that of another clock.
  const since = isSame || isFirstLook ? Math.min(now, isSame ? before.since : Math.max(file.changed, 0)) : now;
  const isWhole = now - since >= options.settleMs;
  seen.set(file.name, { ...file, since, growsSince: isWhole ? null : (before?.growsSince ?? now) });
  return isWhole;
}

/** Overwrites nothing. @throws RowferryError `output-unwritable`; then the file is where it was */
async function moveAway(path: string, folder: string): Promise<void> {
  try {
    makeFolder(folder, 0o777);
    await move(path, unusedPath(join(folder, basename(path))));
    rmSync(`${path}.done`, { force: true });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = cause instanceof RowferryError || code === undefined ? message : code;
    throw new RowferryError("output-unwritable", `it is imported, but cannot be moved to ${folder}: ${why}`, {
      place: { file: path },
      cause,
      hint: "Check that there is room and that you may write to both folders; then it is moved.",
    });
  }
}

async function move(path: string, target: string): Promise<void> {
  // A relative link would lead elsewhere from there.
  if (isLink(path)) return moveByCopy(path, target);
  try {
    renameSync(path, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await moveByCopy(path, target);
  }
}

/** To another file system, or what a link leads to. */
async function moveByCopy(path: string, target: string): Promise<void> {
  const { mode, atime, mtime } = statSync(path);
  const copy = async (file: AtomicFile) => {
    file.write("");
    for await (const chunk of createReadStream(path)) file.write(chunk as Buffer);
  };
  await writeAtomically(target, copy, mode & 0o777);
  try {
    utimesSync(target, atime, mtime);
    rmSync(path);
  } catch (error) {
    // Each further try would leave another copy.
    rmSync(target);
    throw error;
  }
}

function readHandled(path: string): Handled {
  try {
    return handledSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    // Importing a file again sends nothing twice.
    return {};
  }
}

/** Those that the ledger knows of: it may be a new one, or a backup that was restored. One that cannot be read is told later. */
function knownTo(target: Target, handled: Handled): Handled {
  if (!existsSync(target.ledgerPath)) return {};
  try {
    const runs = knownRuns(
      target,
      Object.values(handled).flatMap(({ run }) => run ?? []),
    );
    return Object.fromEntries(Object.entries(handled).filter(([, { run }]) => run === null || runs.has(run)));
  } catch {
    return handled;
  }
}

async function remember(path: string, handled: Handled, folder: string): Promise<void> {
  for (const name of Object.keys(handled)) if (!existsSync(join(folder, name))) delete handled[name];
  await writeAtomically(path, (file) => file.write(`${JSON.stringify(handled, null, 2)}\n`));
}
