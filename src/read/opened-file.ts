/** A file opened once: its bytes, its hash, and whether it stayed the same while it was read. Knows no format. */
import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { open, stat, type FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { RowferryError } from "../model/error.js";

const CHUNK_BYTES = 128 * 1024;

export interface OpenedFile {
  path: string;
  /** Without its folder; `stdin` for standard input. */
  name: string;
  /** SHA-256 of the bytes on the disk, in hex. */
  contentHash: string;
  bytes: number;
  handle: FileHandle;
  /** From the first byte to the last; may be called more than once. @throws RowferryError `file-unreadable`. */
  chunks(): AsyncIterable<Buffer>;
  /** The first `length` bytes, fewer where the file is shorter. */
  head(length: number): Promise<Buffer>;
  /** @throws RowferryError `file-changed` when the file has been written to since it was opened. */
  checkUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens and hashes a regular file. `name`: what messages call it, default the path's last part.
 * @throws RowferryError `file-missing`, `file-unreadable`, `file-changed`.
 */
export async function openFile(path: string, name: string = basename(path)): Promise<OpenedFile> {
  const missing = (cause: NodeJS.ErrnoException): never => {
    throw new RowferryError("file-missing", openingFailure(cause), { place: { file: path }, cause });
  };
  // Before opening: a named pipe that nobody writes to would block for ever.
  refuseIrregular(await stat(path).catch(missing), path);
  const handle = await open(path, "r").catch(missing);
  try {
    const opened = await handle.stat({ bigint: true });
    const file: OpenedFile = {
      path,
      name,
      contentHash: "",
      bytes: Number(opened.size),
      handle,
      chunks: () => chunksOf(handle, name),
      async head(length) {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
        return buffer.subarray(0, bytesRead);
      },
      async checkUnchanged() {
        const now = await handle.stat({ bigint: true });
        if (now.size === opened.size && now.mtimeNs === opened.mtimeNs) return;
        throw new RowferryError("file-changed", "the file changed while it was read", { place: { file: name } });
      },
      close: () => handle.close(),
    };
    const hash = createHash("sha256");
    for await (const chunk of file.chunks()) hash.update(chunk);
    await file.checkUnchanged();
    file.contentHash = hash.digest("hex");
    return file;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Not a stream: destroying one would close the handle, and a file is read more than once. */
async function* chunksOf(handle: FileHandle, name: string): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position).catch((cause: Error) => {
      throw new RowferryError("file-unreadable", `reading failed: ${cause.message}`, { place: { file: name }, cause });
    });
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
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
