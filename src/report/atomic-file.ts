/**
 * Files that are there whole or not at all: written beside their place, synced, renamed. Readable by their owner
 * only, unless said otherwise (P9); folders likewise.
 */
import { createReadStream, mkdirSync, rmSync } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

export interface AtomicFile {
  write(chunk: string | Uint8Array): Promise<void>;
  /** Replaces all that was written so far: `convert` sees it in chunks, and null at its end. */
  rewrite(convert: (chunk: Uint8Array | null) => Uint8Array): Promise<void>;
}

const bufferBytes = 256 * 1024;

/**
 * Hands `body` a file to write, and puts it in its place when `body` is done. Where `body` fails nothing is left
 * behind, and what stood in that place stays. `mode` defaults to 0600.
 */
export async function writeAtomically<Result>(
  path: string,
  body: (file: AtomicFile) => Promise<Result>,
  mode = 0o600,
): Promise<Result> {
  makeFolder(dirname(path));
  const temporary = temporaryPath(path);
  const file = bufferedFile(temporary, mode);
  try {
    await file.begin();
    const result = await body(file);
    await file.finish();
    await rename(temporary, path);
    return result;
  } catch (error) {
    await file.abandon();
    throw error;
  }
}

/** A name beside `path` that no other process uses. */
export function temporaryPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
}

/** Safe to call twice; folders that are there keep their rights. */
export function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

function bufferedFile(path: string, mode: number) {
  let handle: FileHandle | null = null;
  let chunks: Uint8Array[] = [];
  let length = 0;
  const flush = async () => {
    const whole = Buffer.concat(chunks);
    chunks = [];
    length = 0;
    if (whole.length > 0) await handle?.appendFile(whole);
  };
  const close = async () => {
    await handle?.close();
    handle = null;
  };
  const begin = async () => {
    // What a killed process of the same number left behind.
    rmSync(path, { force: true });
    handle = await open(path, "wx", mode);
  };
  const write = async (chunk: string | Uint8Array) => {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    chunks.push(bytes);
    length += bytes.length;
    if (length >= bufferBytes) await flush();
  };
  return {
    begin,
    write,
    async rewrite(convert: (chunk: Uint8Array | null) => Uint8Array) {
      await flush();
      await close();
      const earlier = `${path}.earlier`;
      await rename(path, earlier);
      try {
        await begin();
        for await (const chunk of createReadStream(earlier) as AsyncIterable<Uint8Array>) await write(convert(chunk));
        await write(convert(null));
      } finally {
        rmSync(earlier, { force: true });
      }
    },
    async finish() {
      await flush();
      // The umask may have taken rights away.
      await handle?.chmod(mode);
      await handle?.sync();
      await close();
    },
    async abandon() {
      await close().catch(() => {});
      rmSync(path, { force: true });
    },
  };
}
