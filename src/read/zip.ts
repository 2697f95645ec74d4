/**
 * A zip file by its central directory: a workbook's parts, or packed files. Entries, sizes and ratio are bounded before
 * anything is unpacked; sizes and checksums are checked afterwards. Names ignore case, since writers disagree about it.
 */
import { crc32, createInflateRaw } from "node:zlib";
import { type Entry, fromFdPromise, type ZipFile } from "yauzl";
import { RowferryError } from "../model/error.js";
import type { Code } from "../model/codes.js";
import type { OpenedFile } from "./opened-file.js";
import { through } from "./packed.js";

/** No genuine file exceeds these; tests lower them. */
export interface ZipLimits {
  entries: number;
  /** Of a part without rows. */
  partBytes: number;
  /** Of a part with rows: a million rows of a hundred columns take about 4 GiB. */
  rowsBytes: number;
  /** Checked for parts above `ratioFrom` bytes. Sheets of constant rows reach 150. */
  ratio: number;
  ratioFrom: number;
}

export const defaultZipLimits: ZipLimits = {
  entries: 20_000,
  partBytes: 1024 ** 3,
  rowsBytes: 16 * 1024 ** 3,
  ratio: 400,
  ratioFrom: 32 * 1024 ** 2,
};

/** Large, because every chunk is a round trip to another thread. */
const CHUNK_BYTES = 64 * 1024;

/** Other documents that are zip files, recognised by a part, with advice. */
const DOCUMENTS: readonly [part: RegExp, what: string][] = [
  [
    /^xl\/workbook\.bin$/,
    "an Excel workbook in the binary .xlsb format; save it as .xlsx (File, Save As, Excel Workbook)",
  ],
  [/^word\//, "a Word document; copy its table into a spreadsheet and save that as .xlsx"],
  [/^ppt\//, "a PowerPoint presentation; copy its table into a spreadsheet and save that as .xlsx"],
  [/^content\.xml$/, "an OpenDocument file (.ods); save it as .xlsx or CSV (LibreOffice: File, Save As)"],
  [/\.iwa$/, "a Numbers or Pages document; export it as .xlsx or CSV (File, Export To)"],
];

export class Zip {
  readonly file: OpenedFile;
  /** With forward slashes and no leading one. */
  readonly names: string[] = [];
  readonly #zip: ZipFile;
  readonly #entries = new Map<string, Entry>();
  readonly #limits: ZipLimits;

  private constructor(file: OpenedFile, zip: ZipFile, limits: ZipLimits) {
    this.file = file;
    this.#zip = zip;
    this.#limits = limits;
  }

  /** The owner closes the file. @throws RowferryError `file-corrupt`, `file-oversized`, `file-unreadable`. */
  static async open(file: OpenedFile, limits: ZipLimits = defaultZipLimits): Promise<Zip> {
    try {
      // Names come as bytes: yauzl refuses absolute ones, which some writers use and which never reach a disk here. It
      // is never closed, because it would close the file's descriptor, which it does not own.
      const zip = await fromFdPromise(file.descriptor, { autoClose: false, decodeStrings: false, lazyEntries: true });
      const opened = new Zip(file, zip, limits);
      for await (const entry of zip.eachEntry()) {
        const name = plainName((entry.fileName as unknown as Buffer).toString("utf8"));
        // Of two parts with one name, every look-up reads the first: the part that was checked is the part that is
        // used.
        if (opened.has(name)) continue;
        opened.names.push(name);
        opened.#entries.set(name.toLowerCase(), entry);
        if (opened.names.length > limits.entries)
          throw opened.#fault("file-oversized", `it holds more than ${limits.entries} parts`);
      }
      return opened;
    } catch (cause) {
      throw failure(file, "it begins like a zip file or workbook but is damaged or cut off", cause);
    }
  }

  /** Without folders, hidden files, and the files that macOS and Windows add. */
  members(): string[] {
    const clutter = /(^|\/)(\.[^/]*|thumbs\.db|desktop\.ini|)$|^__MACOSX\//i;
    return this.names.filter((name) => !clutter.test(name));
  }

  isWorkbook(): boolean {
    const lower = this.names.map((name) => name.toLowerCase());
    const holds = (what: RegExp) => lower.some((name) => what.test(name));
    const what = DOCUMENTS.find(([part]) => holds(part))?.[1];
    if (what !== undefined) throw this.#fault("file-refused", `the file is ${what}`);
    return holds(/^(\[content_types\]\.xml$|xl\/)/);
  }

  has(name: string): boolean {
    return this.#entries.has(plainName(name).toLowerCase());
  }

  async *read(name: string, kind: "part" | "rows" = "part"): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(plainName(name).toLowerCase());
    if (entry === undefined) throw this.#fault("file-corrupt", `its part ${name} is missing`);
    const { uncompressedSize: size, compressedSize: packed } = entry;
    const { partBytes, rowsBytes, ratio, ratioFrom } = this.#limits;
    if (size > (kind === "rows" ? rowsBytes : partBytes) || (size > ratioFrom && size > packed * ratio)) {
      const message = `its part ${name} would unpack from ${packed} to ${size} bytes, as archives do that are built to exhaust a machine`;
      throw this.#fault("file-oversized", message);
    }
    if (entry.isEncrypted()) throw this.#fault("file-protected", `its part ${name} is protected with a password`);
    try {
      yield* unpackEntry(this.file, this.#zip, entry);
    } catch (cause) {
      throw failure(this.file, `its part ${name} cannot be unpacked`, cause);
    }
  }

  #fault(code: Code, message: string): RowferryError {
    return new RowferryError(code, message, { place: { file: this.file.name } });
  }
}

function plainName(name: string): string {
  return name.replaceAll("\\", "/").replace(/^\/+/, "");
}

/** A failing disk is not a damaged file. */
function failure({ name }: OpenedFile, what: string, cause: unknown): RowferryError {
  if (cause instanceof RowferryError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const disk = cause instanceof Error && "syscall" in cause;
  const message = disk ? `reading failed: ${reason}` : `${what} (${reason})`;
  return new RowferryError(disk ? "file-unreadable" : "file-corrupt", message, { place: { file: name }, cause });
}

/**
 * @throws Error (plain) when the bytes are damaged or contradict the directory; the system's error when the disk fails.
 */
async function* unpackEntry(file: OpenedFile, zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  const { compressionMethod, compressedSize, uncompressedSize } = entry;
  if (compressionMethod !== 0 && compressionMethod !== 8)
    throw new Error(`its compression method ${compressionMethod} is unknown`);
  // Not through yauzl's streams, which crash the process when they are given up during a read.
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const packed = file.chunks(fileDataStart, fileDataStart + compressedSize);
  let size = 0;
  let sum = 0;
  for await (const chunk of compressionMethod === 0
    ? packed
    : through(packed, createInflateRaw({ chunkSize: Math.max(1024, Math.min(CHUNK_BYTES, uncompressedSize)) }))) {
    size += chunk.length;
    if (size > uncompressedSize) throw new Error("it is larger than the archive says");
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (size !== uncompressedSize) throw new Error("it is cut off");
  if (sum !== entry.crc32) throw new Error("its checksum is wrong");
}
