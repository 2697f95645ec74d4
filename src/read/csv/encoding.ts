/**
 * Bytes to text. Which encoding: byte order mark, else what the mapping says, else strict UTF-8, else the fallback. What is no
 * text in it, or text in another one, comes with a {@link MARK} in front, so that its row can be told.
 */
import { isUtf8 } from "node:buffer";
import iconv from "iconv-lite";
import type { CsvOptions } from "../../model/dialect.js";
import { RowferryError } from "../../model/error.js";
import { looksUtf16 } from "../recognise.js";

/** Stands in front of what was not text in the file's encoding. A noncharacter: no text holds it. */
export const MARK = "\uFDD0";

export interface Bytes {
  /** The file's name, for messages. */
  name: string;
  /** From the beginning; may be called more than once. */
  chunks: () => AsyncIterable<Buffer>;
}

export interface Encoding {
  /** As {@link canonicalEncoding} names it. */
  name: string;
  bom: boolean;
  /** Some lines are in another encoding than the rest: they are marked. */
  mixed: boolean;
  notes: string[];
}

/** What DOS programs put at the end of a text. */
const DOS_END = "\u001a";

/** Lines that prove, by their number, that a file is in another encoding than the mapping says. */
const PROOF_LINES = 3;
/** Lines in another encoding beyond which the file is refused as a whole. */
const MAX_ODD_LINES = 10_000;

/** @param head the file's first bytes. @throws RowferryError `encoding-unknown`, `encoding-differs`. */
export async function chooseEncoding(file: Bytes, head: Buffer, options: CsvOptions): Promise<Encoding> {
  const wanted = known(options.encoding ?? "auto", file.name);
  const fallback = known(options.fallbackEncoding ?? "windows-1252", file.name);
  const differs = (found: string) =>
    new RowferryError("encoding-differs", `the mapping says ${wanted}, but ${found}`, { place: { file: file.name } });
  const bom = byteOrderMark(head);
  if (bom !== null) {
    const agrees =
      bom === wanted || (/^utf-?(16|32)$/.test(wanted) && bom.startsWith(wanted.replace(/^utf-?/, "utf-")));
    if (wanted !== "auto" && !agrees) throw differs(`it begins with the byte order mark of ${bom}`);
    const lines = bom === "utf-8" ? await checkUtf8(file) : null;
    const notes = lines === null ? [] : [mixedNote(file, bom, lines.invalid)];
    return { name: bom, bom: true, mixed: lines !== null, notes };
  }
  const wide = looksUtf16(head);
  const pinnedWide = /^(utf|ucs)-?(16|32|2|4)/.test(wanted);
  if (wide !== null && wanted !== "auto" && !pinnedWide) throw differs(`it is ${wide}`);
  if (pinnedWide) return { name: wanted, bom: false, mixed: false, notes: [] };
  if (wide !== null) {
    const note = `Read as ${wide}: every other byte is NUL, though there is no byte order mark.`;
    return { name: wide, bom: false, mixed: false, notes: [note] };
  }
  const lines = await checkUtf8(file, wanted === "auto" || wanted === "utf-8" ? 0 : PROOF_LINES);
  if (wanted !== "auto" && wanted !== "utf-8") {
    if (lines !== null && lines.invalid.count === 0 && lines.proof.count >= PROOF_LINES)
      throw differs(`it is UTF-8 from end to end (lines ${lines.proof.first.slice(0, PROOF_LINES).join(", ")} …)`);
    return { name: wanted, bom: false, mixed: false, notes: [] };
  }
  if (lines === null) return { name: "utf-8", bom: false, mixed: false, notes: [] };
  const { invalid, proof } = lines;
  if (wanted === "utf-8" && lines.valid === 0) throw differs(`line ${invalid.first[0]} is not; it may be ${fallback}`);
  if (wanted === "utf-8" || (proof.count > 0 && lines.valid >= invalid.count))
    return { name: "utf-8", bom: false, mixed: true, notes: [mixedNote(file, "utf-8", invalid)] };
  const notes = [`Not UTF-8 (line ${invalid.first[0]}), so read as the fallback ${fallback}.`];
  if (proof.count > 0) notes.push(mixedNote(file, fallback, proof));
  return { name: fallback, bom: false, mixed: proof.count > 0, notes };
}

/** The file's text in pieces, without byte order marks at its beginning and the {@link DOS_END}. */
export async function* decoded(file: Bytes, { name, mixed }: Encoding): AsyncGenerator<string> {
  let start = true;
  let held = "";
  for await (const piece of mixed ? markedLines(file, name) : plainText(file, name)) {
    let text = held + piece;
    if (start) text = text.replace(/^\uFEFF+/, "");
    start &&= text === "";
    held = text.endsWith(DOS_END) ? DOS_END : "";
    if (text.length > held.length) yield held === "" ? text : text.slice(0, -1);
  }
}

async function* plainText(file: Bytes, encoding: string): AsyncGenerator<string> {
  const decoder = iconv.getDecoder(encoding, { stripBOM: false });
  const wide = encoding.startsWith("utf-16");
  let bytes = 0;
  const mark = (text: string) => {
    if (encoding === "utf-8") return text;
    return wide ? text.replace(/\p{Surrogate}/gu, `${MARK}\uFFFD`) : text.replaceAll("\uFFFD", `${MARK}\uFFFD`);
  };
  // A pair of surrogates may be cut in two by a chunk's border.
  let half = "";
  for await (const chunk of file.chunks()) {
    bytes += chunk.length;
    const text = half + decoder.write(chunk);
    half = wide && /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : "";
    yield mark(half === "" ? text : text.slice(0, -1));
  }
  const rest = mark(half + (decoder.end() ?? ""));
  yield wide && bytes % 2 === 1 ? `${rest}${MARK}\uFFFD` : rest;
}

/** Line by line, those in another encoding marked. */
async function* markedLines(file: Bytes, encoding: string): AsyncGenerator<string> {
  for await (const lines of rawLines(file)) {
    yield lines
      .map((line) => {
        if (!hasHighByte(line)) return line;
        const bytes = Buffer.from(line, "latin1");
        const valid = isUtf8(bytes);
        if (encoding === "utf-8")
          return valid ? bytes.toString() : bytes.toString().replaceAll("\uFFFD", `${MARK}\uFFFD`);
        const text = iconv.decode(bytes, encoding, { stripBOM: false });
        return valid && isPlausible(bytes) ? text.replace(/[^\0-\x7f]/, `${MARK}$&`) : text;
      })
      .join("");
  }
}

interface Lines {
  count: number;
  /** The first numbers. */
  first: number[];
}

/** How many lines are not UTF-8, are UTF-8 and more than ASCII, and are so hardly by chance. Null: all of it is UTF-8. */
async function checkUtf8(file: Bytes, proofLines = 0): Promise<{ invalid: Lines; valid: number; proof: Lines } | null> {
  if ((await isAllUtf8(file)) && proofLines === 0) return null;
  const invalid: Lines = { count: 0, first: [] };
  const proof: Lines = { count: 0, first: [] };
  let valid = 0;
  let number = 0;
  const note = (lines: Lines) => {
    if (lines.count++ < 5) lines.first.push(number);
  };
  for await (const lines of rawLines(file)) {
    for (const line of lines) {
      number++;
      if (!hasHighByte(line)) continue;
      const bytes = Buffer.from(line, "latin1");
      if (!isUtf8(bytes)) note(invalid);
      else {
        valid++;
        if (isPlausible(bytes)) note(proof);
      }
    }
  }
  return { invalid, valid, proof };
}

async function isAllUtf8(file: Bytes): Promise<boolean> {
  let carry = Buffer.alloc(0);
  for await (const chunk of file.chunks()) {
    const bytes = carry.length === 0 ? chunk : Buffer.concat([carry, chunk]);
    const whole = bytes.length - unfinishedBytes(bytes);
    if (!isUtf8(bytes.subarray(0, whole))) return false;
    carry = Buffer.from(bytes.subarray(whole));
  }
  return carry.length === 0;
}

/** How many last bytes begin a character of UTF-8 that is not complete. */
export function unfinishedBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
}

const MAX_LINE = 4 * 1024 ** 2;

/** Lines with their ends, a byte a character. A line that is longer than any row comes in pieces. */
async function* rawLines(file: Bytes): AsyncGenerator<string[]> {
  let rest = "";
  for await (const chunk of file.chunks()) {
    const lines = (rest + chunk.toString("latin1")).split(/(?<=\n|\r(?!\n))/);
    // A CR at the end of a chunk may belong to an LF at the beginning of the next.
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE) {
      lines.push(rest);
      rest = "";
    }
    yield lines;
  }
  yield [rest];
}

function hasHighByte(line: string): boolean {
  return /[\x80-\xff]/.test(line);
}

/** Western letters and punctuation: bytes that stand for them in UTF-8 hardly follow each other in any other encoding. */
function isPlausible(bytes: Buffer): boolean {
  return bytes.some((byte) => (byte >= 0xc2 && byte <= 0xc5) || byte >= 0xe1);
}

/** @throws RowferryError `encoding-mixed`: beyond some thousand lines the encoding itself is wrong. */
function mixedNote({ name }: Bytes, encoding: string, { count, first }: Lines): string {
  if (count > MAX_ODD_LINES) {
    const message = `encodings are mixed: ${count} lines are not in ${encoding}, the first is line ${first[0]}`;
    throw new RowferryError("encoding-mixed", message, { place: { file: name, row: first[0] } });
  }
  const shown = first.join(", ") + (count > first.length ? ", …" : "");
  const what = encoding === "utf-8" ? "not UTF-8" : "UTF-8";
  return `Mixed encodings: read as ${encoding}, but ${count} line(s) are ${what} (${shown}); their rows are invalid.`;
}

function byteOrderMark(head: Buffer): string | null {
  const begins = (...bytes: number[]) => bytes.every((byte, index) => head[index] === byte);
  if (begins(0xff, 0xfe, 0, 0)) return "utf-32le";
  if (begins(0xff, 0xfe)) return "utf-16le";
  if (begins(0xfe, 0xff)) return "utf-16be";
  if (begins(0, 0, 0xfe, 0xff)) return "utf-32be";
  return begins(0xef, 0xbb, 0xbf) ? "utf-8" : null;
}

function known(name: string, file: string): string {
  const encoding = name === "auto" ? name : canonicalEncoding(name);
  if (encoding !== null) return encoding;
  throw new RowferryError("encoding-unknown", `there is no encoding "${name}"`, { place: { file } });
}

/** One name for one encoding, in lower case; null: unknown. */
export function canonicalEncoding(name: string): string | null {
  const folded = name.trim().toLowerCase();
  const plain = folded.replace(/[^a-z0-9]/g, "");
  if (plain === "utf8" || plain === "unicode11utf8") return "utf-8";
  if (plain === "utf16le" || plain === "ucs2") return "utf-16le";
  if (plain === "utf16be") return "utf-16be";
  if (["windows1252", "cp1252", "win1252", "1252", "ansi"].includes(plain)) return "windows-1252";
  return iconv.encodingExists(folded) ? folded : null;
}
