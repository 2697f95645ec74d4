/** Which encoding a file is read in: byte order mark, else what the mapping says, else strict UTF-8, else the fallback. */
import type { CsvOptions } from "../../model/dialect.js";
import { RowferryError } from "../../model/error.js";
import { looksUtf16 } from "../recognise.js";
import { canonicalEncoding } from "./decode.js";
import { type ByteScan, scanBytes } from "./scan-bytes.js";

/** Rows in the wrong encoding beyond which the file is refused as a whole. */
const MAX_ODD_LINES = 10_000;

/** UTF-8 lines by which a file that was pinned to something else is known to be UTF-8, not by chance. */
const PROOF_LINES = 3;

export interface ChosenEncoding {
  /** As `canonicalEncoding` names it. */
  encoding: string;
  /** Length in bytes of the byte order mark, 0 for none. */
  bomBytes: number;
  /** Lines whose bytes are in another encoding than the rest (their rows are invalid, `encoding-mixed`). */
  oddLines: ReadonlySet<number>;
  notes: string[];
}

export interface EncodedBytes {
  name: string;
  head: Buffer;
  chunks: () => AsyncIterable<Buffer>;
}

/** @throws RowferryError `encoding-unknown`, `encoding-differs`, `encoding-mixed`. */
export async function chooseEncoding(file: EncodedBytes, options: CsvOptions): Promise<ChosenEncoding> {
  const wanted = known(options.encoding ?? "auto", file.name);
  const fallback = known(options.fallbackEncoding ?? "windows-1252", file.name);
  const mark = byteOrderMark(file.head);
  if (mark !== null) {
    if (wanted !== "auto" && !agrees(wanted, mark.encoding)) {
      throw differs(file, wanted, `it begins with the byte order mark of ${mark.encoding}`);
    }
    const scan = mark.encoding === "utf-8" ? await scanBytes(file.chunks) : null;
    return chosen(file, mark.encoding, mark.bytes, scan?.invalidLines ?? []);
  }
  const wide = looksUtf16(file.head);
  if (wide !== null && wanted !== "auto" && !isWide(wanted)) throw differs(file, wanted, `it is ${wide}`);
  if (wanted === "utf-8") return pinnedUtf8(file, fallback);
  if (wanted !== "auto") return pinnedOther(file, wanted);
  if (wide !== null) {
    return {
      ...chosen(file, wide, 0, []),
      notes: [`Read as ${wide}: every other byte is NUL, though there is no byte order mark.`],
    };
  }
  const scan = await scanBytes(file.chunks);
  return scan.validUtf8 ? chosen(file, "utf-8", 0, []) : notUtf8(file, scan, fallback);
}

/** Some of it is not UTF-8: the fallback, or a mixture, read as what most of its lines are. */
function notUtf8(file: EncodedBytes, scan: ByteScan, fallback: string): ChosenEncoding {
  const first = scan.invalidLines[0] ?? 1;
  if (scan.plausibleLines.length > 0 && scan.multibyteLines.length >= scan.invalidLines.length) {
    return chosen(file, "utf-8", 0, scan.invalidLines);
  }
  const other = chosen(file, fallback, 0, scan.plausibleLines);
  other.notes.unshift(`Not UTF-8 (line ${first}), so read as the fallback ${fallback}.`);
  return other;
}

async function pinnedUtf8(file: EncodedBytes, fallback: string): Promise<ChosenEncoding> {
  const scan = await scanBytes(file.chunks);
  if (!scan.validUtf8 && scan.multibyteLines.length === 0) {
    throw differs(file, "utf-8", `line ${scan.invalidLines[0] ?? 1} is not; it may be ${fallback}`);
  }
  return chosen(file, "utf-8", 0, scan.validUtf8 ? [] : scan.invalidLines);
}

async function pinnedOther(file: EncodedBytes, wanted: string): Promise<ChosenEncoding> {
  if (isWide(wanted)) return chosen(file, wanted, 0, []);
  const scan = await scanBytes(file.chunks, PROOF_LINES);
  if (scan.validUtf8 && scan.plausibleLines.length >= PROOF_LINES) {
    throw differs(
      file,
      wanted,
      `it is UTF-8 from end to end (lines ${scan.plausibleLines.slice(0, PROOF_LINES).join(", ")} …)`,
    );
  }
  return chosen(file, wanted, 0, []);
}

function chosen(file: EncodedBytes, encoding: string, bomBytes: number, oddLines: number[]): ChosenEncoding {
  if (oddLines.length > MAX_ODD_LINES) {
    const message = `encodings are mixed: more than ${MAX_ODD_LINES} lines differ from ${encoding}, the first is line ${oddLines[0]}`;
    throw new RowferryError("encoding-mixed", message, { place: { file: file.name, row: oddLines[0] } });
  }
  const notes: string[] = [];
  if (oddLines.length > 0) {
    const shown = oddLines.slice(0, 5).join(", ") + (oddLines.length > 5 ? ", …" : "");
    const what = encoding === "utf-8" ? "are not UTF-8" : "hold UTF-8";
    notes.push(
      `Mixed encodings: read as ${encoding}, but ${oddLines.length} line(s) ${what} (${shown}); their rows are invalid.`,
    );
  }
  return { encoding, bomBytes, oddLines: new Set(oddLines), notes };
}

/** Two or four bytes to a character. */
function isWide(encoding: string): boolean {
  return /^(utf|ucs)-?(16|32|2|4)/.test(encoding);
}

function byteOrderMark(head: Buffer): { encoding: string; bytes: number } | null {
  if (head[0] === 0xff && head[1] === 0xfe) {
    if (head.length >= 4 && head[2] === 0 && head[3] === 0) return { encoding: "utf-32le", bytes: 4 };
    return { encoding: "utf-16le", bytes: 2 };
  }
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: "utf-16be", bytes: 2 };
  if (head.length >= 4 && head.readUInt32BE(0) === 0xfeff) return { encoding: "utf-32be", bytes: 4 };
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: "utf-8", bytes: 3 };
  return null;
}

/** `utf-16` without a byte order named agrees with either. */
function agrees(wanted: string, found: string): boolean {
  return wanted === found || (/^utf-?(16|32)$/.test(wanted) && found.startsWith(wanted.replace(/^utf(?=\d)/, "utf-")));
}

function known(name: string, file: string): string {
  if (name === "auto") return name;
  const encoding = canonicalEncoding(name);
  if (encoding !== null) return encoding;
  throw new RowferryError("encoding-unknown", `there is no encoding "${name}"`, { place: { file } });
}

function differs(file: EncodedBytes, wanted: string, found: string): RowferryError {
  return new RowferryError("encoding-differs", `the mapping says ${wanted}, but ${found}`, {
    place: { file: file.name },
  });
}
