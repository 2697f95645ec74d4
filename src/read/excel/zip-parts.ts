/**
 * The parts of a workbook: a zip read by its central directory, with caps on entries, sizes and ratio, and with every
 * part's checksum verified. Names are looked up without regard to case, since writers disagree about it.
 */
import { type FileHandle, open, stat } from "node:fs/promises";
import { type Entry, fromFdPromise, type ZipFile } from "yauzl";
import { RowferryError } from "../../model/error.js";
import { corrupt, oversized, reasonOf, refused } from "./fault.js";
import { unpackEntry } from "./unpack-entry.js";

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
  readonly #handle: FileHandle;
  readonly #zip: ZipFile;
  readonly #entries: Map<string, Entry>;
  readonly #limits: ZipLimits;
  #closed: Promise<void> | null = null;
  readonly #openedAt: { size: bigint; mtimeNs: bigint };

  private constructor(
    file: ExcelFile,
    handle: FileHandle,
    zip: ZipFile,
    entries: Map<string, Entry>,
    limits: ZipLimits,
    at: FileState,
  ) {
    this.file = file;
    this.#handle = handle;
    this.#zip = zip;
    this.#entries = entries;
    this.#limits = limits;
    this.#openedAt = at;
  }

  /** @throws RowferryError `file-missing`, `file-changed`, `file-corrupt`, `file-protected`, `file-oversized`. */
  static async open(file: ExcelFile, limits: ZipLimits = defaultZipLimits): Promise<ZipParts> {
    const at = await stateOf(file);
    if (at.size !== BigInt(file.bytes)) throw changed(file);
    const handle = await open(file.path, "r").catch((cause: unknown) => {
      throw cannotOpen(file, cause);
    });
    try {
      // Names come as bytes: yauzl refuses absolute ones, which some writers use and which never reach a disk here.
      // It is never closed, since it would close the file's number, which is not its own.
      const zip = await fromFdPromise(handle.fd, { autoClose: false, decodeStrings: false, lazyEntries: true });
      return new ZipParts(file, handle, zip, await readEntries(file, zip, limits), limits, at);
    } catch (error) {
      await handle.close();
      throw readingError(file, "it cannot be unpacked", error);
    }
  }

  has(name: string): boolean {
    return this.#entries.has(partKey(name));
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
    try {
      yield* unpackEntry(this.#handle, this.#zip, entry);
    } catch (cause) {
      throw readingError(this.file, `its part ${name} cannot be unpacked`, cause);
    }
  }

  /** @throws RowferryError `file-changed` when the file has been written to since it was opened. */
  async checkUnchanged(): Promise<void> {
    const now = await stateOf(this.file);
    if (now.size !== this.#openedAt.size || now.mtimeNs !== this.#openedAt.mtimeNs) throw changed(this.file);
  }

  /** Safe to call twice. Waits until nothing reads the file any more. */
  close(): Promise<void> {
    return (this.#closed ??= this.#handle.close());
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

interface FileState {
  size: bigint;
  mtimeNs: bigint;
}

async function stateOf(file: ExcelFile): Promise<FileState> {
  return stat(file.path, { bigint: true }).catch((cause: unknown) => {
    throw cannotOpen(file, cause);
  });
}

function cannotOpen(file: ExcelFile, cause: unknown): RowferryError {
  const message = `${file.path} cannot be opened: ${reasonOf(cause)}`;
  return new RowferryError("file-missing", message, { place: { file: file.name }, cause });
}

/** A failing disk is not a damaged file. */
function readingError(file: ExcelFile, what: string, cause: unknown): RowferryError {
  if (cause instanceof RowferryError) return cause;
  if (cause instanceof Error && "syscall" in cause) {
    const message = `reading failed: ${cause.message}`;
    return new RowferryError("file-unreadable", message, { place: { file: file.name }, cause });
  }
  return corrupt(file.name, `${what} (${reasonOf(cause)})`, { cause });
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
