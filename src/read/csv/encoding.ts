/**
 * Bytes to text. The encoding comes from the byte order mark, else the mapping, else strict UTF-8, else the fallback.
 * Text that cannot be decoded, or is in another encoding, gets a {@link MARK} in front, so that its row can be named.
 */
import { isUtf8 } from "node:buffer";
import iconv from "iconv-lite";
import type { CsvOptions } from "../../model/dialect.js";
import type { FaultOf } from "../opened-file.js";
import type { RowferryError } from "../../model/error.js";
import { shorten } from "../../model/fold.js";
import { byteOrderMark, looksWide } from "../recognise.js";

/** A noncharacter, which no text holds. */
export const MARK = "\uFDD0";

/** From the beginning, each time. */
export type Chunks = () => AsyncIterable<Buffer>;

export interface Encoding {
  name: string;
  bom: boolean;
  /** Some lines have another encoding; they are marked. */
  mixed: boolean;
  notes: string[];
}

/** DOS programs end a text with it. */
const DOS_END = 0x1a;
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");
/** Last bytes that the next ones may complete to a byte order mark, or show not to be the {@link DOS_END}. */
const UNDECIDED = ["\xef\xbb", "\xef", "\x1a"];

/** This many lines prove that the mapping names the wrong encoding. */
const PROOF_LINES = 3;
/** With more lines in another encoding, the whole file is refused. */
const MAX_ODD_LINES = 10_000;
/**
 * What Western words do not contain as windows-1252: bytes without a letter, four letters beyond ASCII in a row,
 * within a word signs, or a capital Æ or Ž, that are letters elsewhere (the Brazilian `SÆo` of DOS, `ComŽrcio` of a Mac), the Polish zł, Łó and KŁA, the Turkish ş, ğ and ı, and the Czech ě and ů.
 */
const FOREIGN =
  /[\x81\x8d\x8f\x90\x9d]|([\x80-\x9f\xa1-\xff])(?!\1\1\1)[\x80-\x9f\xa1-\xff]{3}|[a-zA-Z\xe0-\xff](?:[\x80\x82-\x84\x86-\x89\x8b\x94\x98\x99\x9b\xa1-\xa5\xb3\xb9\xbc\xbe\xbf][a-z\xc0-\xff]|[\x8a\x8c\x8e\x9f\xc6][a-z])|[zZ]\xb3|\xa3[a-z\xe0-\xff]{2}|[A-Z\xc0-\xde][\xa1\xa3\xa5\xaf][A-Z\xc0-\xde]|[a-zA-Z\xc0-\xff][\xd0\xdd\xde\xf0\xfd\xfe]|[a-zA-Z][\xec\xf9][a-z]/;
/** Offered to a person who has to name one. */
const OTHERS = [
  "windows-1250",
  "windows-1251",
  "windows-1253",
  "windows-1254",
  "windows-1255",
  "windows-1256",
  "windows-1257",
  "windows-874",
  "iso-8859-2",
  "koi8-r",
  "cp866",
  "cp850",
  "macintosh",
  "shift_jis",
  "euc-jp",
  "gb18030",
  "big5",
  "euc-kr",
];
/** The letters of a word are of one script. */
const SCRIPTS = [
  /^(?![a-zA-Z]*[^\0-\x7f]{4})\p{sc=Latin}+$/u,
  /^\p{sc=Cyrillic}+$/u,
  /^\p{sc=Greek}+$/u,
  /^\p{sc=Hebrew}+$/u,
  /^[\p{sc=Arabic}\p{M}]+$/u,
  /^\p{sc=Thai}+$/u,
  /^\p{sc=Hangul}+$/u,
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u30fc]+$/u,
];
/** A word has a capital in front only, or nothing but capitals. */
const CASES = /^(?:\p{Lu}?\P{Lu}+|\p{Lu}+)$/u;
/** Never in a text: what is no character, and signs that only wrong decoding yields. */
const NO_TEXT = /[\p{C}\p{Sm}\p{Sk}\p{No}\u2500-\u259f\ufffd]|(?<![\p{L}\p{M}])\p{M}/u;
/** Longer lines are examined in parts. */
const MAX_LINE = 4 * 1024 ** 2;

/** @param head the file's first bytes. @throws RowferryError `encoding-unknown`, `encoding-differs`, `encoding-mixed`, `encoding-uncertain`. */
export async function chooseEncoding(
  { chunks, fault, isUtf8: isKnown }: { chunks: Chunks; fault: FaultOf; isUtf8?: boolean },
  head: Buffer,
  options: CsvOptions,
): Promise<Encoding> {
  const wanted = known(options.encoding ?? "auto", fault);
  const fallback = known(options.fallbackEncoding ?? "windows-1252", fault);
  const differs = (found: string) => fault("encoding-differs", `the mapping says ${wanted}, but ${found}`);
  const mark = byteOrderMark(head);
  const bom = mark !== null;
  const chosen = (name: string, ...notes: string[]): Encoding => ({ name, bom, mixed: false, notes });
  const wide = looksWide(head);
  if (mark !== null) {
    // `utf-16` leaves the byte order to the mark.
    const agrees = wanted === "auto" || wanted === mark || mark === `${wanted}le` || mark === `${wanted}be`;
    if (!agrees) throw differs(`it begins with the byte order mark of ${mark}`);
    if (mark !== "utf-8") return chosen(mark);
  } else if (/^utf-(16|32)/.test(wanted)) return chosen(wanted);
  else if (wide !== null) {
    if (wanted !== "auto") throw differs(`it is ${wide}`);
    return chosen(wide, `Read as ${wide}, which its bytes show, though there is no byte order mark.`);
  }

  const isUtf8Wanted = bom || wanted === "utf-8";
  if (wanted !== "auto" && !isUtf8Wanted) {
    const { invalid, proof } = await lookAtLines(chunks());
    if (invalid.count === 0 && proof.count >= PROOF_LINES)
      throw differs(`it is UTF-8 from end to end (lines ${proof.first.slice(0, PROOF_LINES).join(", ")} …)`);
    return chosen(wanted);
  }
  if (isKnown === true) return chosen("utf-8");
  const { invalid, foreign, valid, proof, lines } = await lookAtLines(chunks());
  if (invalid.count === 0) return chosen("utf-8");
  const mixed = (name: string, what: string, { count, first }: Lines, ...notes: string[]): Encoding => {
    if (count > MAX_ODD_LINES) {
      const message = `encodings are mixed: ${count} lines are not in ${name}, the first is line ${first[0]}`;
      throw fault("encoding-mixed", message, { row: first[0] });
    }
    const shown = first.join(", ") + (count > first.length ? ", …" : "");
    const odd =
      count === 1 ? `line ${shown} is ${what}; its row is` : `${count} lines are ${what} (${shown}); their rows are`;
    notes.push(`Mixed encodings: read as ${name}, but ${odd} invalid.`);
    return { name, bom, mixed: true, notes };
  };
  if (bom || (valid > 0 && (isUtf8Wanted || (proof.count > 0 && valid >= invalid.count))))
    return mixed("utf-8", "not UTF-8", invalid);
  if (options.fallbackEncoding === undefined && foreign.count * 2 > invalid.count) {
    // A few damaged rows must not stop the others.
    if (foreign.first[0] !== 1 && (foreign.count === 1 || foreign.count * 10 <= lines))
      return mixed("utf-8", "not UTF-8", invalid);
    throw uncertain(head, fault);
  }
  if (isUtf8Wanted) throw differs(`line ${invalid.first[0]} is not; it may be ${fallback}`);
  const chose =
    options.fallbackEncoding === undefined
      ? "; if its letters look wrong, name another in `csv: { encoding }`, such as cp850 (DOS), windows-1250 (Central European), windows-1251 (Cyrillic), windows-1254 (Turkish), shift_jis (Japanese), gb18030 (Chinese) or euc-kr (Korean), or save the file as UTF-8"
      : "";
  const note = `Not UTF-8 (line ${invalid.first[0]}), so read as ${fallback}, the fallback${chose}.`;
  if (proof.count === 0) return chosen(fallback, note);
  return mixed(fallback, "UTF-8", proof, note);
}

/** The text as UTF-8, without the {@link DOS_END} and byte order marks that begin a line, as the files of a joined one do. */
export async function* asUtf8(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  encoding: Encoding,
): AsyncGenerator<Buffer> {
  let before = "\n";
  let held: Buffer = Buffer.alloc(0);
  for await (const piece of encoding.name === "utf-8" && !encoding.mixed ? chunks : marked(chunks, encoding)) {
    const bytes = held.length === 0 ? piece : Buffer.concat([held, piece]);
    const tail = bytes.toString("latin1", Math.max(0, bytes.length - 2));
    const end = bytes.length - (UNDECIDED.find((one) => tail.endsWith(one))?.length ?? 0);
    held = bytes.subarray(end);
    const text = withoutMarks(bytes.subarray(0, end), before);
    if (text.length === 0) continue;
    before = text.toString("latin1", text.length - 1);
    yield text;
  }
  if (held.at(-1) === DOS_END) held = held.subarray(0, -1);
  if (held.length > 0) yield held;
}

function withoutMarks(bytes: Buffer, before: string): Buffer {
  if (!bytes.includes(BYTE_ORDER_MARK)) return bytes;
  const text = (before + bytes.toString("latin1")).replace(/(?<=[\r\n])(?:\xef\xbb\xbf)+/g, "");
  return Buffer.from(text.slice(1), "latin1");
}

async function* marked(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  { name, mixed }: Encoding,
): AsyncGenerator<Buffer> {
  const decoder = iconv.getDecoder(name, { stripBOM: false });
  const wide = name.startsWith("utf-16");
  const mark = (text: string) => {
    if (wide) return text.replace(/\p{Surrogate}/gu, `${MARK}\uFFFD`);
    const replaced = text.replaceAll("\uFFFD", `${MARK}\uFFFD`);
    if (!mixed || name === "utf-8") return replaced;
    return replaced.replace(/[^\0-\x7f]+/g, (run) => (isPlausible(iconv.encode(run, name)) ? MARK + run : run));
  };
  let bytes = 0;
  // A chunk may end inside a surrogate pair, or inside a letter of several bytes.
  let held = "";
  for await (const chunk of chunks) {
    bytes += chunk.length;
    const text = held + decoder.write(chunk);
    const end = wide ? text.length - (/[\uD800-\uDBFF]$/.test(text) ? 1 : 0) : mixed ? endOfAscii(text) : text.length;
    held = text.slice(end);
    yield Buffer.from(mark(text.slice(0, end)));
  }
  // For CESU-8 it returns 0.
  const rest = mark(held + (decoder.end() || ""));
  yield Buffer.from(wide && bytes % 2 === 1 ? `${rest}${MARK}\uFFFD` : rest);
}

interface Lines {
  count: number;
  first: number[];
}

/**
 * Counts lines that are not UTF-8, those of them that are hardly Western, lines that are UTF-8 beyond ASCII, and those
 * that are hardly UTF-8 by chance.
 */
async function lookAtLines(chunks: AsyncIterable<Buffer>) {
  const invalid: Lines = { count: 0, first: [] };
  const foreign: Lines = { count: 0, first: [] };
  const proof: Lines = { count: 0, first: [] };
  let valid = 0;
  let number = 1;
  let high = "";
  const note = (lines: Lines) => {
    if (lines.count++ < 5) lines.first.push(number);
  };
  const take = (text: string) => {
    for (const [part] of text.matchAll(/\r\n?|\n|[a-zA-Z]?[\x80-\xff]+[a-zA-Z]?/g)) {
      const isLineEnd = part < " ";
      if (!isLineEnd) high += `${part} `;
      if (isLineEnd || high.length > MAX_LINE) settle();
      if (isLineEnd) number++;
    }
  };
  const settle = () => {
    if (high === "") return;
    const bytes = Buffer.from(high, "latin1");
    if (!isUtf8(bytes)) {
      note(invalid);
      if (FOREIGN.test(high)) note(foreign);
    } else {
      valid++;
      if (isPlausible(bytes)) note(proof);
    }
    high = "";
  };
  let held = "";
  for await (const chunk of chunks) {
    const text = held + chunk.toString("latin1");
    const end = endOfAscii(text);
    held = text.slice(end);
    take(text.slice(0, end));
  }
  take(held);
  settle();
  return { invalid, foreign, valid, proof, lines: number };
}

/** Refuses text that is hardly Western, and shows how other encodings would read its first such line. */
function uncertain(head: Buffer, fault: FaultOf): RowferryError {
  const all = head.toString("latin1").split(/\r\n?|\n/);
  const at = all.findIndex((line) => !isUtf8(Buffer.from(line, "latin1")) && FOREIGN.test(line));
  const bytes = Buffer.from(all[at] ?? "", "latin1");
  const read = (encoding: string) => iconv.decode(bytes, encoding);
  const isOdd = (part: string) => /[^\0-\x7f]/.test(part);
  const cells = (text: string) => text.split(/[;,|\t"]/);
  const telling = cells(all[at] ?? "").findIndex((cell) => FOREIGN.test(cell));
  const said = (text: string) => {
    const cell = cells(text).find((one, place) => place >= telling && isOdd(one)) ?? "";
    return `"${shorten(cell.trim(), 30)}"`;
  };
  const isWord = (word: string) => CASES.test(word) && SCRIPTS.some((one) => one.test(word));
  const readings = OTHERS.flatMap((name) => {
    const text = read(name).replaceAll("\t", " ");
    const words = (text.match(/[\p{L}\p{M}]+/gu) ?? []).filter(isOdd);
    return words.length > 0 && words.every(isWord) && !NO_TEXT.test(text) ? [`${name} reads ${said(text)}`] : [];
  });
  const where = at === -1 ? "" : `: line ${at + 1} would read ${said(read("windows-1252"))}`;
  const choice = readings.length === 0 ? "" : ` Of that line, ${readings.join(", ")}.`;
  return fault("encoding-uncertain", `it is not UTF-8, and probably not windows-1252 either${where}`, {
    row: at === -1 ? undefined : at + 1,
    hint: `Name its encoding, \`csv: { encoding: … }\` in the mapping or \`--encoding\` of rowferry guess, or save the file as UTF-8.${choice}`,
  });
}

/** Where the last non-ASCII letters begin, or a CR whose LF may follow. */
function endOfAscii(text: string): number {
  let end = text.length;
  while (end > 0 && text.length - end < MAX_LINE && (text.charCodeAt(end - 1) > 0x7f || text[end - 1] === "\r")) end--;
  return end;
}

/** Western letters and punctuation: other encodings hardly produce their UTF-8 byte sequences. */
function isPlausible(bytes: Buffer): boolean {
  return isUtf8(bytes) && bytes.some((byte) => (byte >= 0xc2 && byte <= 0xc5) || byte >= 0xe1);
}

/** `isAll`: whether all that was seen is UTF-8. */
export function utf8Check() {
  let held: Buffer = Buffer.alloc(0);
  let valid = true;
  return {
    see(chunk: Buffer): void {
      if (!valid) return;
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      // A chunk may cut its last character, which then waits for the next one.
      const last = bytes.subarray(-4).findLastIndex((byte) => byte >= 0xc0);
      const end = last === -1 ? bytes.length : Math.max(0, bytes.length - 4) + last;
      valid = isUtf8(bytes.subarray(0, end));
      held = bytes.subarray(end);
    },
    isAll: (): boolean => valid && isUtf8(held),
  };
}

function known(name: string, fault: FaultOf): string {
  const encoding = name === "auto" ? name : canonicalEncoding(name);
  if (encoding !== null) return encoding;
  throw fault("encoding-unknown", `there is no encoding "${name}"`);
}

/** Null: unknown. */
export function canonicalEncoding(name: string): string | null {
  const folded = name.trim().toLowerCase();
  const plain = folded.replace(/[^a-z0-9]/g, "");
  if (plain === "utf8" || plain === "unicode11utf8") return "utf-8";
  const [, wide, order = ""] = /^(utf16|utf32|ucs4)(le|be)?$/.exec(plain.replace(/^ucs2$/, "utf16le")) ?? [];
  if (wide !== undefined) return (wide === "utf16" ? "utf-16" : "utf-32") + order;
  if (["windows1252", "cp1252", "win1252", "1252", "ansi"].includes(plain)) return "windows-1252";
  const isText = !["base64", "hex", "binary"].includes(plain);
  return isText && iconv.encodingExists(folded) ? folded : null;
}
