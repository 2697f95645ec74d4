/**
 * Files that are complete or absent: written next to their place, synced, renamed. Readable by their owner only by
 * default (P9), like folders.
 */
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, parse } from "node:path";
import { RowferryError } from "../model/error.js";
import { makeFolder } from "../model/make-folder.js";

export interface AtomicFile {
  write(chunk: string | Uint8Array): void;
}

/**
 * For a file that each run writes again. @throws RowferryError `file-exists` if a file that Rowferry did not write has
 * the name
 */
export function refuseAnothers(path: string, begin: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  const head = Buffer.alloc(begin.length);
  const file = openSync(path, "r");
  const there = head.toString("latin1", 0, readSync(file, head));
  closeSync(file);
  if (there !== "" && there !== begin)
    throw new RowferryError("file-exists", "another file has this name, and was left as it is", {
      place: { file: path },
    });
}

/**
 * Puts the file that `body` writes in its place. If `body` fails or writes nothing, the former file stays. `mode`:
 * default 0600.
 * @throws RowferryError `path-unusable` where a device, pipe or folder has the name: the rename would put a file in the place of /dev/null
 */
export async function writeAtomically<Result>(
  path: string,
  body: (file: AtomicFile) => Promise<Result> | Result,
  mode = 0o600,
): Promise<Result> {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isFile() === false) {
    const what = there.isDirectory() ? "a folder" : "a device or a pipe";
    throw new RowferryError("path-unusable", `${path} cannot be used: it is ${what}`);
  }
  const temporary = temporaryPath(path);
  let file: number | null = null;
  let isWhole = false;
  try {
    const result = await body({ write: (chunk) => writeFileSync((file ??= openAnew(temporary, mode)), chunk) });
    if (file !== null) {
      // The umask may have removed permissions.
      fchmodSync(file, mode);
      fsyncSync(file);
      renameSync(temporary, path);
      isWhole = true;
    }
    return result;
  } catch (error) {
    // A full disk is an error of the open file, without its path; and nobody has heard of the temporary one.
    const isOfFile = error instanceof Error && "syscall" in error;
    if (isOfFile && (!("path" in error) || error.path === temporary)) Object.assign(error, { path });
    throw error;
  } finally {
    if (file !== null) closeSync(file);
    if (file !== null && !isWhole) rmSync(temporary, { force: true });
  }
}

/**
 * Puts the file that `write` makes in the place of this one. A person may have worked in the former one: with other
 * content, it is kept. @returns the path of the kept file; null: none
 */
export async function keepingFormer(path: string, write: () => Promise<void>): Promise<string | null> {
  if (!existsSync(path)) return write().then(() => null);
  const [aside, kept] = [`${path}.aside`, `${path}.former`];
  renameSync(path, aside);
  try {
    await write();
  } catch (error) {
    renameSync(aside, path);
    throw error;
  }
  const isSame = existsSync(path) && readFileSync(path).equals(readFileSync(aside));
  if (isSame) rmSync(aside);
  else renameSync(aside, kept);
  return isSame ? null : kept;
}

/** The path, or where something has that name, with a number behind it: `march-2.csv`. */
export function unusedPath(path: string): string {
  const { dir, name, ext } = parse(path);
  let unused = path;
  for (let count = 2; existsSync(unused); count += 1) unused = join(dir, `${name}-${count}${ext}`);
  return unused;
}

let made = 0;

/** Unique to this process, and not longer than names may be. */
function temporaryPath(path: string): string {
  made += 1;
  return join(dirname(path), `.${Array.from(basename(path)).slice(0, 50).join("")}.${process.pid}-${made}.tmp`);
}

function openAnew(path: string, mode: number): number {
  makeFolder(dirname(path));
  // Left by a killed process with the same number.
  rmSync(path, { force: true });
  return openSync(path, "wx", mode);
}
