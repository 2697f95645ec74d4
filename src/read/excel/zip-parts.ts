/**
 * The parts of a workbook: a zip read by its central directory, with caps on entries, sizes and ratio, and with every
 * part's checksum verified. Names are looked up without regard to case, since writers disagree about it.
 */
import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { RowferryError } from "../../model/error.js";
import { corrupt, oversized, reasonOf, refused } from "./fault.js";

export interface ExcelFile {
  path: string;
  /** What messages call it. */
  name: string;
  /** SHA-256 of the bytes, in hex. */
  contentHash: string;
  bytes: number;
}

/** What no genuine workbook exceeds; tests lower them. */
export interface ZipLimits {
  entries: number;
  /** Unpacked bytes of one part that is not a sheet. */
  partBytes: number;
  /** Unpacked bytes of one sheet: a million rows of a hundred columns are about 4 GiB. */
  sheetBytes: number;
  /** Unpacked against packed bytes, for parts above `ratioFrom` bytes. Sheets of constant rows reach 150. */
  ratio: number;
  ratioFrom: number;
}

export const defaultZipLimits: ZipLimits = {
  entries: 20_000,
  partBytes: 1024 ** 3,
  sheetBytes: 16 * 1024 ** 3,
  ratio: 400,
  ratioFrom: 32 * 1024 ** 2,
};

export class ZipParts {
  readonly file: ExcelFile;
  readonly #zip: ZipFile;
  readonly #entries: Map<string, Entry>;
  readonly #limits: ZipLimits;
  readonly #openedAt: { size: bigint; mtimeNs: bigint };

  private constructor(file: ExcelFile, zip: ZipFile, entries: Map<string, Entry>, limits: ZipLimits, at: FileState) {
    this.file = file;
    this.#zip = zip;
    this.#entries = entries;
    this.#limits = limits;
    this.#openedAt = at;
  }

  /** @throws RowferryError `file-missing`, `file-changed`, `file-corrupt`, `file-protected`, `file-oversized`. */
  static async open(file: ExcelFile, limits: ZipLimits = defaultZipLimits): Promise<ZipParts> {
    const at = await stateOf(file);
    if (at.size !== BigInt(file.bytes)) throw changed(file);
    let zip: ZipFile;
    try {
      // Names come as bytes: yauzl refuses absolute ones, which some writers use and which never reach a disk here.
      zip = await openPromise(file.path, { autoClose: false, decodeStrings: false, lazyEntries: true });
    } catch (cause) {
      throw corrupt(file.name, `it cannot be unpacked (${reasonOf(cause)})`, { cause });
    }
    try {
      return new ZipParts(file, zip, await readEntries(file, zip, limits), limits, at);
    } catch (error) {
      zip.close();
      throw error instanceof RowferryError
        ? error
        : corrupt(file.name, `it cannot be unpacked (${reasonOf(error)})`, { cause: error });
    }
  }

  has(name: string): boolean {
    return this.#entries.has(partKey(name));
  }

  /** The part names under which something is stored, folded to lower case. */
  names(): string[] {
    return [...this.#entries.keys()];
  }

  /**
   * The unpacked bytes of a part.
   * @throws RowferryError when there is no such part, when it is damaged, protected or too large.
   */
  async *read(name: string, kind: "part" | "sheet" = "part"): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(partKey(name));
    if (entry === undefined) throw corrupt(this.file.name, `its part ${name} is missing`);
    this.#checkSize(name, entry, kind);
    if (entry.isEncrypted())
      throw refused("file-protected", this.file.name, "the workbook's parts are encrypted with a password");
    let sum = 0;
    let size = 0;
    try {
      for await (const chunk of unpacked(
        await this.#zip.openReadStreamPromise(entry, { decodeFileData: false }),
        entry,
      )) {
        size += chunk.length;
        if (size > entry.uncompressedSize) throw new Error("it is larger than the archive says");
        sum = crc32(chunk, sum);
        yield chunk;
      }
    } catch (cause) {
      if (cause instanceof RowferryError) throw cause;
      throw corrupt(this.file.name, `its part ${name} cannot be unpacked (${reasonOf(cause)})`, { cause });
    }
    if (size !== entry.uncompressedSize) throw corrupt(this.file.name, `its part ${name} is cut off`);
    if (sum !== entry.crc32) throw corrupt(this.file.name, `the checksum of its part ${name} is wrong`);
  }

  /** @throws RowferryError `file-changed` when the file has been written to since it was opened. */
  async checkUnchanged(): Promise<void> {
    const now = await stateOf(this.file);
    if (now.size !== this.#openedAt.size || now.mtimeNs !== this.#openedAt.mtimeNs) throw changed(this.file);
  }

  /** Safe to call twice; what is being read is read to its end. */
  close(): void {
    this.#zip.close();
  }

  #checkSize(name: string, entry: Entry, kind: "part" | "sheet"): void {
    const { uncompressedSize: size, compressedSize: packed } = entry;
    const limit = kind === "sheet" ? this.#limits.sheetBytes : this.#limits.partBytes;
    if (size > limit || (size > this.#limits.ratioFrom && size > packed * this.#limits.ratio)) {
      const message = `its part ${name} would unpack from ${packed} to ${size} bytes, as archives do that are built to exhaust a machine`;
      throw oversized(this.file.name, message);
    }
  }
}

/** Large pieces: every piece is a round trip to zlib's thread. */
const CHUNK_BYTES = 64 * 1024;

async function* unpacked(packed: Readable, entry: Entry): AsyncGenerator<Buffer> {
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    packed.destroy();
    throw new Error(`its compression method ${entry.compressionMethod} is unknown`);
  }
  if (entry.compressionMethod === 0) {
    yield* packed as AsyncIterable<Buffer>;
    return;
  }
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

interface FileState {
  size: bigint;
  mtimeNs: bigint;
}

async function stateOf(file: ExcelFile): Promise<FileState> {
  return stat(file.path, { bigint: true }).catch((cause: unknown) => {
    const message = `${file.path} cannot be opened: ${reasonOf(cause)}`;
    throw new RowferryError("file-missing", message, { place: { file: file.name }, cause });
  });
}

function changed(file: ExcelFile): RowferryError {
  return refused("file-changed", file.name, "the file changed while it was read");
}

async function readEntries(file: ExcelFile, zip: ZipFile, limits: ZipLimits): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  let count = 0;
  for await (const entry of zip.eachEntry()) {
    if (++count > limits.entries) {
      throw oversized(file.name, `the workbook has more than ${limits.entries} parts`);
    }
    const key = partKey((entry.fileName as unknown as Buffer).toString("utf8"));
    // Of two parts with one name the first is read, by every look-up: what is checked is what is used.
    if (!entries.has(key)) entries.set(key, entry);
  }
  return entries;
}

/** One form for all spellings of a part's name: no leading slash, forward slashes, lower case. */
function partKey(name: string): string {
  return name.replaceAll("\\", "/").replace(/^\/+/, "").toLowerCase();
}
