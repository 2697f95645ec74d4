/** Bytes that come as a stream, on the disk: files are read more than once, and not only from their beginning. */
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { RowferryError } from "../model/error.js";

export interface Spooled {
  path: string;
  /** Safe to call twice. */
  remove(): Promise<void>;
}

/**
 * Readable by its owner only. @param name what messages call it.
 * @throws RowferryError the stream's own; `file-unreadable` when the stream or the disk fails.
 */
export async function spool(source: AsyncIterable<Buffer | string>, name: string): Promise<Spooled> {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, "spooled");
  try {
    await pipeline(Readable.from(source), createWriteStream(path, { mode: 0o600 }));
  } catch (cause) {
    await remove();
    if (cause instanceof RowferryError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RowferryError("file-unreadable", `it could not be spooled to ${tmpdir()}: ${reason}`, {
      place: { file: name },
      cause,
    });
  }
  return { path, remove };
}
