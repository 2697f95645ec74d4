/** The bytes of a CSV file that lies packed in a gzip or zip file; bounded, so that a bomb ends in a sentence. */
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import * as zlib from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import { RowferryError } from "../../model/error.js";
import type { OpenedFile } from "../opened-file.js";

/** Text of rows packs to a fiftieth at the very best; a bomb to a thousandth. */
const MAX_RATIO = 300;
/** Below this many unpacked bytes the ratio is not looked at. */
const UNBOUNDED_BYTES = 64 * 1024 * 1024;

/** @throws RowferryError `file-corrupt` (truncated, damaged), `file-oversized`. */
export async function* gunzipped(file: OpenedFile): AsyncGenerator<Buffer> {
  const gunzip = zlib.createGunzip({ chunkSize: 128 * 1024 });
  // The failure of either end reaches the loop below through `gunzip`.
  const feeding = pipeline(Readable.from(file.chunks()), gunzip).catch(() => undefined);
  try {
    yield* bounded(file, gunzip, file.bytes);
  } finally {
    gunzip.destroy();
    await feeding;
  }
}

/** @throws RowferryError `file-corrupt` (truncated, damaged, wrong checksum), `file-oversized`. */
export async function* unzipped(file: OpenedFile, zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  const stream = await zip.openReadStreamPromise(entry).catch((cause: unknown) => {
    throw corrupt(file, cause);
  });
  try {
    let checksum = 0;
    for await (const chunk of bounded(file, stream, entry.compressedSize)) {
      checksum = zlib.crc32(chunk, checksum);
      yield chunk;
    }
    if (checksum !== entry.crc32) throw corrupt(file, new Error(`the checksum of ${entry.fileName} does not match`));
  } finally {
    stream.destroy();
  }
}

async function* bounded(file: OpenedFile, unpacked: Readable, packedBytes: number): AsyncGenerator<Buffer> {
  const limit = Math.max(UNBOUNDED_BYTES, packedBytes * MAX_RATIO);
  let bytes = 0;
  try {
    for await (const chunk of unpacked) {
      bytes += (chunk as Buffer).length;
      if (bytes > limit) {
        const sizes = `${packedBytes} bytes unpack to more than ${limit}`;
        throw new RowferryError("file-oversized", sizes, { place: { file: file.name } });
      }
      yield chunk as Buffer;
    }
  } catch (cause) {
    throw cause instanceof RowferryError ? cause : corrupt(file, cause);
  }
}

function corrupt(file: OpenedFile, cause: unknown): RowferryError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RowferryError("file-corrupt", `unpacking failed: ${reason}`, { place: { file: file.name }, cause });
}
