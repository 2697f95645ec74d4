/**
 * A zip file by its central directory: a workbook's parts, or packed files. Entries, sizes and ratio are bounded before
 * anything is unpacked; sizes and checksums are checked afterwards. Names ignore case, since writers disagree about it.
 */
import { crc32, createInflateRaw } from "node:zlib";
import { type Entry, fromFdPromise, type ZipFile } from "yauzl";
import { RowferryError } from "../model/error.js";
import { type OpenedFile, reasonOf, refusal } from "./opened-file.js";
import { through } from "./packed.js";

/** No genuine file exceeds these. */
const MOST_ENTRIES = 20_000;
/** Of a part with rows: a million rows of a hundred columns take about 4 GiB. */
const MOST_BYTES = { part: 1024 ** 3, rows: 16 * 1024 ** 3 };
/** Checked for parts above `RATIO_FROM` bytes. Sheets of constant rows reach 150. */
const MOST_RATIO = 400;
const RATIO_FROM = 32 * 1024 ** 2;

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

/** The directory read last: that of 2,000 files takes a quarter of a second, and every file within an archive opens it. */
let last: { version: string; names: string[]; entries: Map<string, Entry>; twice: Set<string> } | null = null;

export type Zip = Awaited<ReturnType<typeof openZip>>;

/** The owner closes the file. @throws RowferryError `file-corrupt`, `file-oversized`, `file-unreadable`. */
export async function openZip(file: OpenedFile) {
  const known = last?.version === file.version ? last : null;
  /** With forward slashes, and inside the archive. */
  const names: string[] = known?.names ?? [];
  const entries = known?.entries ?? new Map<string, Entry>();
  const twice = known?.twice ?? new Set<string>();
  const zip = await readDirectory().catch(
    failing("it begins like a zip file or workbook, but is damaged, cut off or followed by other bytes"),
  );

  async function readDirectory(): Promise<ZipFile> {
    // Names come as bytes: yauzl refuses absolute ones, which some writers use and which never reach a disk here. It
    // is never closed, because it would close the file's descriptor, which it does not own.
    const opened = await fromFdPromise(file.descriptor, { autoClose: false, decodeStrings: false, lazyEntries: true });
    if (known !== null) return opened;
    for await (const entry of opened.eachEntry()) {
      const name = plainName((entry.fileName as unknown as Buffer).toString("utf8"));
      // If two parts have the same name, every look-up reads the first, so the part that was checked is also the one
      // used.
      if (has(name)) {
        twice.add(name);
        continue;
      }
      names.push(name);
      entries.set(name.toLowerCase(), entry);
      if (names.length > MOST_ENTRIES) throw file.fault("file-oversized", `it holds more than ${MOST_ENTRIES} parts`);
    }
    last = { version: file.version, names, entries, twice };
    return opened;
  }

  /** A failing disk is not a damaged file. */
  function failing(what: string) {
    return (cause: unknown): never => {
      if (cause instanceof RowferryError) throw cause;
      if (cause instanceof Error && "syscall" in cause)
        throw file.fault("file-unreadable", `reading failed: ${cause.message}`, { cause });
      throw file.fault("file-corrupt", what, { cause });
    };
  }

  function has(name: string): boolean {
    return entries.has(plainName(name).toLowerCase());
  }

  async function* read(name: string, kind: "part" | "rows" = "part"): AsyncGenerator<Buffer> {
    const entry = entries.get(plainName(name).toLowerCase());
    if (entry === undefined) throw file.fault("file-corrupt", `its part ${name} is missing`);
    const { uncompressedSize: size, compressedSize: packed, compressionMethod: method } = entry;
    if (size > MOST_BYTES[kind] || (size > RATIO_FROM && size > packed * MOST_RATIO)) {
      const message = `its part ${name} would unpack from ${packed} to ${size} bytes, as archives built to exhaust a machine do`;
      throw file.fault("file-oversized", message);
    }
    if (entry.isEncrypted()) throw file.fault("file-protected", `its part ${name} is protected with a password`);
    // Deflate64 of Windows, bzip2, LZMA.
    if (method !== 0 && method !== 8)
      throw refusal(
        file.fault,
        `its part ${name} is packed by method ${method}, which is not read here; unpack it first`,
      );
    try {
      yield* unpackEntry(file, zip, entry);
    } catch (cause) {
      failing(`its part ${name} cannot be unpacked (${reasonOf(cause)})`)(cause);
    }
  }

  /** Without folders, hidden files, and the files that macOS and Windows add. */
  function members(): string[] {
    const clutter = /(^|\/)(\.[^/]*|thumbs\.db|desktop\.ini|)$|^__MACOSX\//i;
    const [name] = [...twice].filter((one) => !clutter.test(one));
    if (name !== undefined)
      throw file.fault("archive-ambiguous", `the archive holds ${name} twice`, {
        hint: "Upper and lower case do not count. Unpack it, give each file a name of its own, and import the files.",
      });
    return names.filter((one) => !clutter.test(one));
  }

  function isWorkbook(): boolean {
    const lower = [...entries.keys()];
    const holds = (what: RegExp) => lower.some((name) => what.test(name));
    const what = DOCUMENTS.find(([part]) => holds(part))?.[1];
    if (what !== undefined) throw refusal(file.fault, `the file is ${what}`);
    return holds(/^(\[content_types\]\.xml$|xl\/)/);
  }

  return { file, has, read, members, isWorkbook };
}

function plainName(name: string): string {
  return name.replaceAll("\\", "/").replace(/(?<![^/])(?:\.{1,2}\/|\/+)/g, "");
}

/**
 * @throws Error (plain) when the bytes are damaged or contradict the directory; the system's error when the disk fails.
 */
async function* unpackEntry(file: OpenedFile, zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  const { compressionMethod, compressedSize, uncompressedSize } = entry;
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
