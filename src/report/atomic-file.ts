/**
 * Files that are there whole or not at all: written beside their place, synced, renamed. Readable by their owner
 * only, unless said otherwise (P9); folders likewise.
 */
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFile,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

export interface AtomicFile {
  write(chunk: string | Uint8Array): Promise<void>;
}

const bufferBytes = 256 * 1024;
/** Goes on where the file stands. */
const writeInBackground = promisify(writeFile);

/**
 * Hands `body` a file to write, and puts it in its place when `body` is done. Where `body` fails nothing is left
 * behind; then, and where it writes nothing, what stood in that place stays. `mode` defaults to 0600.
 */
export async function writeAtomically<Result>(
  path: string,
  body: (file: AtomicFile) => Promise<Result>,
  mode = 0o600,
): Promise<Result> {
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

/** A name beside `path` that no other process uses, and no longer than a name may be where that of `path` is long. */
export function temporaryPath(path: string): string {
  made += 1;
  return join(dirname(path), `.${Array.from(basename(path)).slice(0, 50).join("")}.${process.pid}-${made}.tmp`);
}

/** Safe to call twice; folders that are there keep their rights. */
export function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** What fits the buffer is written at once: a run writes a handful of small files, and threads cost more than they do. */
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
    /** @returns whether there is a file: nothing was written, nothing is there. */
    finish(): boolean {
      if (handle === null && length === 0) return false;
      const file = opened();
      writeFileSync(file, buffered());
      // The umask may have taken rights away.
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

/** Where there is none yet: looking first would cost a run, whose folder is new, more than its files do. */
function openAnew(path: string, mode: number): number {
  try {
    return openSync(path, "wx", mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") makeFolder(dirname(path));
    // What a killed process of the same number left behind.
    else if (code === "EEXIST") rmSync(path);
    else throw error;
    return openSync(path, "wx", mode);
  }
}
