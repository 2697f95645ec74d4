/**
 * Finds complete files in a folder and handles them one at a time, in order. A file is complete when `<name>.done`
 * exists, or when size and time have not changed for a while. Handled files are remembered across restarts by size and
 * time; a changed file is handled again.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { z } from "zod";
import type { Clock } from "../model/clock.js";
import { ExitCode } from "../model/exit-code.js";
import { RowferryError } from "../model/error.js";
import { makeFolder } from "../model/make-folder.js";
import { READABLE } from "../model/file-endings.js";
import { alsoHolds, filesWithin } from "../read/files.js";
import { missingFile } from "../read/opened-file.js";
import { writeAtomically } from "../report/atomic-file.js";

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
  memory: string;
  /** The mapping and settings: a file that could not be imported is tried again when they change. */
  stamp: () => string;
  clock: Clock;
  signal: AbortSignal;
  /** `isStaged`: the ledger has its rows, so that what is still open is sent, and nothing that was withdrawn since. */
  handle: (path: string, isStaged: boolean) => Promise<{ exitCode: number; isStaged: boolean }>;
  idle?: () => Promise<void>;
  say: (line: string) => void;
}

interface Found {
  name: string;
  path: string;
  size: number;
  /** In ms. */
  changed: number;
}

const handledSchema = z.record(
  z.string(),
  z.object({
    size: z.number(),
    changed: z.number(),
    exitCode: z.number(),
    stamp: z.string(),
    isStaged: z.boolean().default(false),
  }),
);
type Handled = z.infer<typeof handledSchema>;

/**
 * Watches until the signal, or with `once` until all files are handled. Retries an import that can continue (exit 4, 5)
 * after one minute, then two, four, at most fifteen; a failed one (1, 2) once it, its mapping or the settings change.
 * @returns the worst exit code, or that of an interrupting signal @throws RowferryError `file-unreadable` if there is
 * no folder at the start
 */
export async function watchFolder(options: WatchOptions): Promise<number> {
  const { folder, clock, signal, say } = options;
  if (!isFolder(folder)) throw new RowferryError("usage", `there is no folder ${folder}`);
  const handled = readHandled(options.memory);
  const seen = new Map<string, Found & { since: number }>();
  const retries = new Map<string, { at: number; waitMs: number }>();
  const unread = new Set<string>();
  let worst: number = ExitCode.ok;
  let isGone = false;
  const lost = new Set<string>();
  const tellLost = (path: string) => {
    if (!lost.has(path)) say(`${path}: ${missingFile(path)}`);
    lost.add(path);
    worst = Math.max(worst, ExitCode.usage);
  };
  while (!signal.aborted) {
    if (isFolder(folder) === isGone) say(isGone ? `${folder} is back` : `${folder} is gone; waiting for it`);
    isGone = !isFolder(folder);
    const stamp = options.stamp();
    const files = isGone ? [] : filesIn(folder, tellLost).filter((file) => !isHandled(file, handled[file.name], stamp));
    const complete = inOrder(files, options.order).filter(
      (file) => isComplete(file, seen, options) && clock.now() >= (retries.get(file.name)?.at ?? 0),
    );
    for (const file of complete) {
      if (signal.aborted) break;
      const { size, changed } = file;
      const before = handled[file.name];
      const isSame = isUnchanged(file, before) && before.stamp === stamp;
      const { exitCode, isStaged } = await options.handle(file.path, isSame && before.isStaged);
      if (exitCode >= ExitCode.interrupted) return exitCode;
      worst = Math.max(worst, exitCode);
      handled[file.name] = { size, changed, exitCode, stamp, isStaged };
      if (canGoOn(exitCode)) {
        const waitMs = Math.min(15 * MINUTE, 2 * (retries.get(file.name)?.waitMs ?? MINUTE / 2));
        retries.set(file.name, { at: clock.now() + waitMs, waitMs });
      } else retries.delete(file.name);
      const isDone = exitCode === ExitCode.ok || exitCode === ExitCode.person;
      if (isDone && options.moveTo !== null) moveAway(file.path, options.moveTo);
      await remember(options.memory, handled, folder);
    }
    await options.idle?.();
    await tellUnread(folder, unread, say);
    if (options.once && files.every(({ name }) => retries.has(name))) return worst;
    if (complete.length > 0) continue;
    await clock.sleep(options.everyMs, signal);
  }
  return worst;
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** `lost`: told of names that open nothing, because they are not UTF-8. */
function filesIn(folder: string, lost: (path: string) => void): Found[] {
  return readdirSync(folder).flatMap((name) => {
    if (name.startsWith(".") || name.startsWith("~$") || !READABLE.test(name)) return [];
    const path = join(folder, name);
    const status = statSync(path, { throwIfNoEntry: false });
    if (status === undefined && name.includes("\uFFFD")) lost(path);
    return status?.isFile() === true ? [{ name, path, size: status.size, changed: status.mtimeMs }] : [];
  });
}

function inOrder(files: readonly Found[], order: WatchOptions["order"]): Found[] {
  const byName = (left: Found, right: Found) => (left.name < right.name ? -1 : 1);
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

const isUnchanged = ({ size, changed }: Found, before: Handled[string] | undefined): before is Handled[string] =>
  before?.size === size && before.changed === changed;

function isHandled(file: Found, before: Handled[string] | undefined, stamp: string): boolean {
  if (!isUnchanged(file, before)) return false;
  const isDone = before.exitCode === ExitCode.ok || before.exitCode === ExitCode.person;
  return isDone || (!canGoOn(before.exitCode) && before.stamp === stamp);
}

const MINUTE = 60_000;
const canGoOn = (exitCode: number) => exitCode === ExitCode.again || exitCode === ExitCode.locked;

function isComplete(file: Found, seen: Map<string, Found & { since: number }>, options: WatchOptions): boolean {
  if (existsSync(`${file.path}.done`)) return true;
  const now = options.clock.now();
  const before = seen.get(file.name);
  const isSame = before !== undefined && before.size === file.size && before.changed === file.changed;
  // A file unchanged for long enough was complete before the watch began.
  const since = isSame ? before.since : Math.min(now, Math.max(file.changed, 0));
  seen.set(file.name, { ...file, since: isSame || before === undefined ? since : now });
  return now - (seen.get(file.name)?.since ?? now) >= options.settleMs;
}

/** Overwrites nothing. */
function moveAway(path: string, folder: string): void {
  makeFolder(folder, 0o777);
  const extension = extname(path);
  const stem = basename(path, extension);
  let target = join(folder, basename(path));
  for (let count = 2; existsSync(target); count += 1) target = join(folder, `${stem}-${count}${extension}`);
  renameSync(path, target);
  rmSync(`${path}.done`, { force: true });
}

function readHandled(path: string): Handled {
  try {
    return handledSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    // Importing a file again sends nothing twice.
    return {};
  }
}

async function remember(path: string, handled: Handled, folder: string): Promise<void> {
  for (const name of Object.keys(handled)) if (!existsSync(join(folder, name))) delete handled[name];
  await writeAtomically(path, (file) => file.write(`${JSON.stringify(handled, null, 2)}\n`));
}
