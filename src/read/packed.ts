/** Unpacks gzip and zstd files. */
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import * as zlib from "node:zlib";
import { RowferryError } from "../model/error.js";
import { type OpenedFile, reasonOf, refusal } from "./opened-file.js";

/** Rows of text pack to a fiftieth at best, a bomb to a thousandth. */
const MAX_RATIO = 300;
/** The ratio is not checked below this many unpacked bytes. */
const UNBOUNDED_BYTES = 64 * 1024 * 1024;

/** @throws RowferryError `file-corrupt` (truncated, damaged), `file-oversized`, `file-refused` (zstd that cannot be unpacked here). */
export async function* unpacked({ fault, bytes, chunks }: OpenedFile, kind: "gzip" | "zstd"): AsyncGenerator<Buffer> {
  if (kind === "zstd" && !("createZstdDecompress" in zlib))
    throw refusal(fault, "the file is compressed with zstd, which this Node cannot unpack; unpack it first");
  const options = { chunkSize: 128 * 1024 };
  const limit = Math.max(UNBOUNDED_BYTES, bytes * MAX_RATIO);
  let size = 0;
  let at = 0;
  try {
    // Node ends after a frame of zstd, or at zeros between members of gzip, and says nothing of what follows.
    while (at < bytes) {
      const stream = kind === "gzip" ? zlib.createGunzip(options) : zlib.createZstdDecompress(options);
      for await (const chunk of through(kind === "gzip" ? chunks(at) : withByteBehind(chunks(at)), stream)) {
        size += chunk.length;
        if (size > limit) throw fault("file-oversized", `${bytes} bytes unpack to more than ${limit}`);
        yield chunk;
      }
      // Otherwise the file has shrunk.
      if (stream.bytesWritten === 0) return;
      at += stream.bytesWritten;
      if (at > bytes)
        throw fault("file-corrupt", "unpacking failed: the file does not end where one of its frames does");
      if (kind === "gzip") at = await afterZeros(chunks, at);
    }
  } catch (cause) {
    if (cause instanceof RowferryError) throw cause;
    if ((cause as NodeJS.ErrnoException).code === "ZSTD_error_frameParameter_windowTooLarge")
      throw refusal(fault, "the file is compressed with zstd over a window of more than 128 MiB; unpack it first");
    throw fault("file-corrupt", `unpacking failed: ${reasonOf(cause)}`, { cause });
  }
}

/** A frame of zstd that is cut off takes in the byte behind its end; some versions of Node say nothing of such a frame. */
async function* withByteBehind(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let last: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (last.length > 0) yield last;
    last = chunk;
  }
  yield Buffer.concat([last, Buffer.alloc(1)]);
}

/** Tapes are filled up with zeros. */
async function afterZeros(chunks: OpenedFile["chunks"], from: number): Promise<number> {
  let at = from;
  for await (const chunk of chunks(from)) {
    const filled = chunk.findIndex((byte) => byte !== 0);
    if (filled !== -1) return at + filled;
    at += chunk.length;
  }
  return at;
}

/** Closes both ends when it is given up. */
export async function* through(source: AsyncIterable<Buffer>, stream: Duplex): AsyncGenerator<Buffer> {
  // A failure of either end reaches the loop below through `stream`.
  const feeding = pipeline(source, stream).catch(() => undefined);
  try {
    yield* stream as AsyncIterable<Buffer>;
  } finally {
    stream.destroy();
    await feeding;
  }
}
