/** Standard input on the disk: it is read more than once (hash, encoding, rows), and a pipe cannot be. */
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

/** Readable by its owner only. @throws RowferryError `file-unreadable` when the stream or the disk fails. */
export async function spoolStandardInput(source: AsyncIterable<Buffer | string>): Promise<Spooled> {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, "stdin");
  try {
    await pipeline(Readable.from(source), createWriteStream(path, { mode: 0o600 }));
  } catch (cause) {
    await remove();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RowferryError("file-unreadable", `standard input could not be spooled: ${reason}`, {
      place: { file: "stdin" },
      cause,
    });
  }
  return { path, remove };
}
