/** A file opened once: its bytes, its hash, and whether it changed while it was read. */
import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { RowferryError } from "../model/error.js";

const CHUNK_BYTES = 256 * 1024;
/** Also read behind the end, to notice a file that grows. */
const FEWEST_BYTES = 1024;

export interface OpenedFile {
  name: string;
  bytes: number;
  descriptor: number;
  /** SHA-256 in hex; `see` gets the bytes too. @throws RowferryError `file-unreadable`, `file-changed`. */
  hash(see?: (chunk: Buffer) => void): Promise<string>;
  /** From `start` to before `end`; default: all. @throws RowferryError `file-unreadable`. */
  chunks(start?: number, end?: number): AsyncIterable<Buffer>;
  position(): number;
  checkUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** `name`: for messages. @throws RowferryError `file-missing`. */
export async function openFile(path: string, name: string = basename(path)): Promise<OpenedFile> {
  const missing = (cause: NodeJS.ErrnoException): never => {
    throw new RowferryError("file-missing", openingFailure(cause), { place: { file: path }, cause });
  };
  // Checked first, because opening a named pipe without a writer blocks.
  refuseIrregular(await stat(path).catch(missing), path);
  const handle = await open(path, "r").catch(missing);
  const opened = await handle.stat({ bigint: true });
  const bytes = Number(opened.size);
  const place = { file: name };
  let position = 0;
  let closed: Promise<void> | null = null;
  // Not a stream, which would close the handle when destroyed; a file is read more than once.
  async function* chunks(start = 0, end = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const left = Math.max(Math.min(bytes, end) - at, FEWEST_BYTES);
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, left, end - at));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at).catch((cause: Error) => {
        throw new RowferryError("file-unreadable", `reading failed: ${cause.message}`, { place, cause });
      });
      if (bytesRead === 0) return;
      at += bytesRead;
      position = at;
      yield buffer.subarray(0, bytesRead);
    }
  }
  async function checkUnchanged() {
    const now = await handle.stat({ bigint: true });
    if (now.size === opened.size && now.mtimeNs === opened.mtimeNs) return;
    throw new RowferryError("file-changed", "the file changed while it was read", { place });
  }
  return {
    name,
    bytes,
    descriptor: handle.fd,
    async hash(see) {
      const hash = await hashOf(chunks(), see);
      await checkUnchanged();
      return hash;
    },
    chunks,
    position: () => position,
    checkUnchanged,
    close: () => (closed ??= handle.close()),
  };
}

export async function hashOf(chunks: AsyncIterable<Buffer>, see?: (chunk: Buffer) => void): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of chunks) {
    hash.update(chunk);
    see?.(chunk);
  }
  return hash.digest("hex");
}

function refuseIrregular(found: Stats, path: string): void {
  if (found.isFile()) return;
  const what = found.isDirectory()
    ? "this is a folder, not a file"
    : "this is not a regular file; use - for standard input";
  throw new RowferryError("file-missing", what, { place: { file: path } });
}

function openingFailure(cause: NodeJS.ErrnoException): string {
  if (cause.code === "ENOENT" || cause.code === "ENOTDIR") return "there is no such file";
  if (cause.code === "EACCES" || cause.code === "EPERM") return "this user may not read the file";
  return `the file cannot be opened (${cause.code ?? cause.message})`;
}
