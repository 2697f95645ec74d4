/** The unpacked bytes of one entry of a zip file, checked against the size and the checksum that the zip gives. */
import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";

/** Large pieces: every piece is a round trip to another thread. */
const CHUNK_BYTES = 64 * 1024;

/** @throws Error (plain) when the bytes are damaged, or are not what the zip says; the system's error when the disk fails. */
export async function* unpackEntry(handle: FileHandle, zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  const { compressionMethod, compressedSize, uncompressedSize } = entry;
  if (compressionMethod !== 0 && compressionMethod !== 8) {
    throw new Error(`its compression method ${compressionMethod} is unknown`);
  }
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const packed = bytesBetween(handle, fileDataStart, fileDataStart + compressedSize);
  let size = 0;
  let sum = 0;
  for await (const chunk of compressionMethod === 0 ? packed : inflated(packed)) {
    size += chunk.length;
    if (size > uncompressedSize) throw new Error("it is larger than the archive says");
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (size !== uncompressedSize) throw new Error("it is cut off");
  if (sum !== entry.crc32) throw new Error("its checksum is wrong");
}

/** Not through yauzl, whose streams crash the process when they are given up while a read is waiting. */
async function* bytesBetween(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const { buffer, bytesRead } = await handle.read(
      Buffer.allocUnsafe(CHUNK_BYTES),
      0,
      Math.min(CHUNK_BYTES, end - at),
      at,
    );
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* inflated(bytes: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const packed = Readable.from(bytes, { objectMode: false });
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
  packed.on("error", (error) => inflate.destroy(error));
  packed.pipe(inflate);
  try {
    yield* inflate as AsyncIterable<Buffer>;
  } finally {
    packed.unpipe(inflate);
    packed.destroy();
    inflate.destroy();
  }
}
