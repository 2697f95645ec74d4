/** A file opened once: its bytes, its hash, and whether it stayed the same while it was read. Knows no format. */
import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { RowferryError } from "../model/error.js";

const CHUNK_BYTES = 256 * 1024;

export interface OpenedFile {
  /** Without its folder; `stdin` for standard input. */
  name: string;
  bytes: number;
  /** The system's number of the open file. */
  descriptor: number;
  /** SHA-256 of the bytes on the disk, in hex. @param see gets them too. @throws RowferryError `file-unreadable`, `file-changed`. */
  hash(see?: (chunk: Buffer) => void): Promise<string>;
  /** The bytes from `start` (default: the first) to before `end` (default: the last). @throws RowferryError `file-unreadable`. */
  chunks(start?: number, end?: number): AsyncIterable<Buffer>;
  /** Where the last chunk ended. */
  position(): number;
  /** @throws RowferryError `file-changed` when the file has been written to since it was opened. */
  checkUnchanged(): Promise<void>;
  /** Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Opens a regular file. `name`: what messages call it, default the path's last part.
 * @throws RowferryError `file-missing`.
 */
export async function openFile(path: string, name: string = basename(path)): Promise<OpenedFile> {
  const missing = (cause: NodeJS.ErrnoException): never => {
    throw new RowferryError("file-missing", openingFailure(cause), { place: { file: path }, cause });
  };
  // Before opening: a named pipe that nobody writes to would block for ever.
  refuseIrregular(await stat(path).catch(missing), path);
  const handle = await open(path, "r").catch(missing);
  const opened = await handle.stat({ bigint: true });
  const place = { file: name };
  let position = 0;
  let closed: Promise<void> | null = null;
  // Not a stream: destroying one would close the handle, and a file is read more than once.
  async function* chunks(start = 0, end = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      const { bytesRead } = await handle.read(buffer, 0, Math.min(CHUNK_BYTES, end - at), at).catch((cause: Error) => {
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
    bytes: Number(opened.size),
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

/** SHA-256 in hex. */
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
