/** A zip writer for tests that can also write what no sane program writes: wrong sizes, odd names, zip64, descriptors. */
import { once } from "node:events";
import { crc32, createDeflateRaw } from "node:zlib";

export interface ZipEntry {
  name: string;
  /** Several pieces: for parts too large to be one text. */
  data: string | Buffer | Iterable<string>;
  /** Default: deflated. */
  stored?: boolean;
  /** Sizes and checksum behind the data, as streaming writers put them; the directory still has them. */
  descriptor?: boolean;
  /** Sizes and offset in zip64 extra fields. */
  zip64?: boolean;
  /** Overrides for lies. */
  claims?: { crc?: number; size?: number; packed?: number; flags?: number; method?: number };
}

/** An entry's content as one text. */
export function entryText({ data }: ZipEntry): string {
  if (typeof data === "string") return data;
  return Buffer.isBuffer(data) ? data.toString("utf8") : [...data].join("");
}

interface Placed {
  entry: ZipEntry;
  crc: number;
  size: number;
  packed: Buffer;
  offset: number;
}

export async function writeZip(entries: readonly ZipEntry[]): Promise<Buffer> {
  const parts: Buffer[] = [];
  const placed: Placed[] = [];
  let offset = 0;
  for (const entry of entries) {
    const packed = await pack(entry);
    const local = { entry, ...packed, offset };
    const pieces = [localHeader(local), packed.packed, entry.descriptor === true ? descriptor(local) : Buffer.alloc(0)];
    parts.push(...pieces);
    placed.push(local);
    offset += pieces.reduce((sum, { length }) => sum + length, 0);
  }
  const directory = Buffer.concat(placed.map(centralHeader));
  const zip64 = entries.some((entry) => entry.zip64 === true);
  return Buffer.concat([...parts, directory, endOfDirectory(entries.length, directory.length, offset, zip64)]);
}

async function pack({ data, stored }: ZipEntry) {
  const pieces = typeof data === "string" || Buffer.isBuffer(data) ? [data] : data;
  const deflate = stored === true ? null : createDeflateRaw();
  const packed: Buffer[] = [];
  deflate?.on("data", (chunk: Buffer) => packed.push(chunk));
  let crc = 0;
  let size = 0;
  for (const piece of pieces) {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    crc = crc32(bytes, crc);
    size += bytes.length;
    if (deflate === null) packed.push(bytes);
    else if (!deflate.write(bytes)) await once(deflate, "drain");
  }
  if (deflate !== null) {
    deflate.end();
    await once(deflate, "end");
  }
  return { crc, size, packed: Buffer.concat(packed) };
}

const UTF8_NAMES = 0x800;
const DESCRIPTOR = 0x8;
const MAX32 = 0xffffffff;

function flagsOf({ descriptor: later, claims }: ZipEntry) {
  return UTF8_NAMES | (later === true ? DESCRIPTOR : 0) | (claims?.flags ?? 0);
}

function methodOf({ stored, claims }: ZipEntry) {
  return claims?.method ?? (stored === true ? 0 : 8);
}

function localHeader({ entry, crc, size, packed }: Placed) {
  const name = Buffer.from(entry.name);
  const header = Buffer.alloc(30);
  const later = entry.descriptor === true;
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(flagsOf(entry), 6);
  header.writeUInt16LE(methodOf(entry), 8);
  header.writeUInt32LE(0x21_0000, 10);
  header.writeUInt32LE(later ? 0 : crc, 14);
  header.writeUInt32LE(later ? 0 : packed.length, 18);
  header.writeUInt32LE(later ? 0 : size, 22);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

function descriptor({ crc, size, packed }: Placed) {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(crc, 4);
  bytes.writeUInt32LE(packed.length, 8);
  bytes.writeUInt32LE(size, 12);
  return bytes;
}

function centralHeader({ entry, crc, size, packed, offset }: Placed) {
  const name = Buffer.from(entry.name);
  const claimedSize = entry.claims?.size ?? size;
  const claimedPacked = entry.claims?.packed ?? packed.length;
  const extra = entry.zip64 === true ? zip64Extra(claimedSize, claimedPacked, offset) : Buffer.alloc(0);
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(20, 6);
  header.writeUInt16LE(flagsOf(entry), 8);
  header.writeUInt16LE(methodOf(entry), 10);
  header.writeUInt32LE(0x21_0000, 12);
  header.writeUInt32LE(entry.claims?.crc ?? crc, 16);
  header.writeUInt32LE(entry.zip64 === true ? MAX32 : claimedPacked, 20);
  header.writeUInt32LE(entry.zip64 === true ? MAX32 : claimedSize, 24);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(entry.zip64 === true ? MAX32 : offset, 42);
  return Buffer.concat([header, name, extra]);
}

function zip64Extra(size: number, packed: number, offset: number) {
  const extra = Buffer.alloc(28);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(24, 2);
  extra.writeBigUInt64LE(BigInt(size), 4);
  extra.writeBigUInt64LE(BigInt(packed), 12);
  extra.writeBigUInt64LE(BigInt(offset), 20);
  return extra;
}

function endOfDirectory(count: number, length: number, offset: number, zip64: boolean) {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(zip64 ? 0xffff : count, 8);
  end.writeUInt16LE(zip64 ? 0xffff : count, 10);
  end.writeUInt32LE(zip64 ? MAX32 : length, 12);
  end.writeUInt32LE(zip64 ? MAX32 : offset, 16);
  if (!zip64) return end;
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(BigInt(count), 24);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(length), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + length), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([record, locator, end]);
}
