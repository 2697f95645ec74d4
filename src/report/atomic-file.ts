/**
 * Files that are complete or absent: written beside their place, synced, renamed. Readable by their owner only by
 * default (P9), like folders.
 */
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFile,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { RowferryError } from "../model/error.js";

export interface AtomicFile {
  write(chunk: string | Uint8Array): Promise<void>;
}

const bufferBytes = 256 * 1024;
/** Writes from the file's current position. */
const writeInBackground = promisify(writeFile);

/**
 * Puts the file that `body` writes in its place. If `body` fails or writes nothing, the former file stays. `mode`:
 * default 0600.
 * @throws RowferryError `path-unusable` where a device, pipe or folder has the name: the rename would put a file in the place of /dev/null
 */
export async function writeAtomically<Result>(
  path: string,
  body: (file: AtomicFile) => Promise<Result>,
  mode = 0o600,
): Promise<Result> {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isFile() === false) {
    const what = there.isDirectory() ? "a folder" : "a device or a pipe";
    throw new RowferryError("path-unusable", `${path} cannot be used: it is ${what}`);
  }
  const temporary = temporaryPath(path);
  const file = bufferedFile(temporary, mode);
  try {
    const result = await body(file);
    if (file.finish()) renameSync(temporary, path);
    return result;
  } catch (error) {
    file.abandon();
    throw error;
  }
}

let made = 0;

/** Unique to this process, and not longer than names may be. */
function temporaryPath(path: string): string {
  made += 1;
  return join(dirname(path), `.${Array.from(basename(path)).slice(0, 50).join("")}.${process.pid}-${made}.tmp`);
}

/** Existing folders keep their mode. Safe to call twice. */
export function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Writes small contents synchronously: a run writes a few small files, and threads cost more. */
function bufferedFile(path: string, mode: number) {
  let handle: number | null = null;
  let chunks: Uint8Array[] = [];
  let length = 0;
  const buffered = () => {
    const whole = Buffer.concat(chunks);
    chunks = [];
    length = 0;
    return whole;
  };
  const close = () => {
    if (handle !== null) closeSync(handle);
    handle = null;
  };
  const opened = () => (handle ??= openAnew(path, mode));
  return {
    async write(chunk: string | Uint8Array) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      chunks.push(bytes);
      length += bytes.length;
      if (length >= bufferBytes) await writeInBackground(opened(), buffered());
    },
    /** @returns false if nothing was written */
    finish(): boolean {
      if (handle === null && length === 0) return false;
      const file = opened();
      writeFileSync(file, buffered());
      // The umask may have removed permissions.
      fchmodSync(file, mode);
      fsyncSync(file);
      close();
      return true;
    },
    abandon() {
      try {
        close();
      } finally {
        rmSync(path, { force: true });
      }
    },
  };
}

/** Checking first would cost a run more than its files do. */
function openAnew(path: string, mode: number): number {
  try {
    return openSync(path, "wx", mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") makeFolder(dirname(path));
    // Left by a killed process with the same number.
    else if (code === "EEXIST") rmSync(path);
    else throw error;
    return openSync(path, "wx", mode);
  }
}
