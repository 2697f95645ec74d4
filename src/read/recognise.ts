/** Recognises a file by its first bytes, not by its name, and says why it is refused. */

export const HEAD_BYTES = 8192;

export type Recognised =
  | { kind: "text" | "gzip" | "zip" | "zstd" }
  | { kind: "refused"; code: "file-empty" | "file-protected" | "file-refused"; what: string };

const OLD_EXCEL = "an Excel workbook in the old .xls format; save it as .xlsx (File, Save As, Excel Workbook)";

/** First bytes of refused files as latin1 text, longer than the beginning of any likely column name. */
const SIGNATURES: readonly [bytes: string, what: string, at?: number][] = [
  ["%PDF-", "a PDF document; export its table as .xlsx or CSV from the program that made it"],
  ["{\\rtf", "an RTF document"],
  ["SQLite format 3\0", "an SQLite database"],
  ["\x89PNG\r\n", "a picture (PNG)"],
  ["\xff\xd8\xff", "a picture (JPEG)"],
  ["GIF89a", "a picture (GIF)"],
  ["Rar!\x1a", "a RAR archive; unpack it first"],
  ["7z\xbc\xaf\x27\x1c", "a 7-Zip archive; unpack it first"],
  ["\xfd7zXZ\0", "compressed with xz; unpack it first"],
  ["ID;PWXL;", "a SYLK table; open it and save it as .xlsx or CSV (UTF-8)"],
  ["ID;PSCALC", "a SYLK table; open it and save it as .xlsx or CSV (UTF-8)"],
  ["ID;PCALCOOO", "a SYLK table; open it and save it as .xlsx or CSV (UTF-8)"],
  ["TABLE\r\n0,1", "a DIF table; open it and save it as .xlsx or CSV (UTF-8)"],
  ["TABLE\n0,1", "a DIF table; open it and save it as .xlsx or CSV (UTF-8)"],
  ["version https://git-lfs.github.com/spec/", "a Git LFS pointer, not the file itself; fetch it with `git lfs pull`"],
  ["PAR1\x15", "a Parquet file"],
  ["\x7fELF", "a program"],
  ["\x09\x08\x10\x00", OLD_EXCEL],
  ["\x09\x08\x08\x00", OLD_EXCEL],
  ["\x09\x04\x06\x00", OLD_EXCEL],
  ["\x09\x02\x06\x00", OLD_EXCEL],
  ["1AY&SY", "compressed with bzip2; unpack it first", 4],
  ["ustar", "a tar archive; unpack it first", 257],
];

export function recognise(head: Buffer, name: string): Recognised {
  if (name.startsWith("~$")) {
    return refused(
      "the lock file that Office keeps next to an open workbook; close the workbook, or name the file without ~$",
    );
  }
  if (head.length === 0) return { kind: "refused", code: "file-empty", what: "empty (0 bytes)" };
  const start = head.toString("latin1");
  if (start.startsWith("PK\x03\x04") || start.startsWith("PK\x05\x06")) return { kind: "zip" };
  if (start.startsWith("\x1f\x8b")) return { kind: "gzip" };
  const isSkippable = /^[P-_]/.test(start) && start.startsWith("\x2a\x4d\x18", 1);
  // Some writers put a frame without rows in front.
  if (start.startsWith("\x28\xb5\x2f\xfd") || isSkippable) return { kind: "zstd" };
  if (start.startsWith("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) return compoundFile(start);
  if (/\.(xl\w+|zip)$/i.test(name) && start.includes("PK\x03\x04"))
    return refused("a workbook or zip file with other bytes before it; fetch or export it again");
  const known = SIGNATURES.find(([bytes, , at = 0]) => start.startsWith(bytes, at));
  if (known !== undefined) return refused(known[1]);
  const isWide = looksWide(head) !== null;
  const markup = markupName(isWide ? start.replaceAll("\0", "") : start);
  if (markup !== null) return refused(markup);
  if (isWide) return { kind: "text" };
  if (looksBinary(head)) return refused("not text: it is full of control characters");
  if (/\.xl[st][xmb]?$/i.test(name))
    return refused("plain text that is named like an Excel workbook; name it .csv if it is one");
  return { kind: "text" };
}

function refused(what: string): Recognised {
  return { kind: "refused", code: "file-refused", what };
}

/** OLE compound files (.xls, Word, encrypted .xlsx); their stream names are UTF-16. */
function compoundFile(start: string): Recognised {
  const has = (stream: string) => start.includes(stream.split("").join("\0"));
  if (has("EncryptedPackage") || has("EncryptionInfo")) {
    return { kind: "refused", code: "file-protected", what: "protected with a password" };
  }
  if (has("WordDocument")) return refused("a Word document in the old .doc format");
  if (has("PowerPoint Document")) return refused("a PowerPoint presentation in the old .ppt format");
  return refused(OLD_EXCEL.replace("format", "format (or another old Office file)"));
}

function markupName(start: string): string | null {
  const text = start
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, "")
    .trimStart()
    .slice(0, 2048)
    .toLowerCase();
  if (/^(<!doctype html|<html|<head|<body|<table|<meta|<div|<script)/.test(text)) return "a web page (HTML)";
  if (text.startsWith("<?xml") || text.startsWith("<workbook")) {
    if (text.includes("<html")) return "a web page (HTML)";
    if (text.includes("urn:schemas-microsoft-com:office:spreadsheet"))
      return "an XML spreadsheet (Excel 2003); save it as .xlsx";
    return "an XML document";
  }
  if (/^(\{1:f01|:20:)/.test(text)) return "a bank statement (MT940)";
  if (/^(?:#[^\n]*\n|\s)*(?:---\r?\n|version: ?\d)/.test(text)) return "a YAML document, such as a mapping";
  return /^(\{\s*"|\[\s*\{\s*")/.test(text) ? "a JSON document" : null;
}

/** UTF-32 first: its mark begins like that of UTF-16. */
const BYTE_ORDER_MARKS: readonly [encoding: string, bytes: string][] = [
  ["utf-32le", "\xff\xfe\0\0"],
  ["utf-32be", "\0\0\xfe\xff"],
  ["utf-16le", "\xff\xfe"],
  ["utf-16be", "\xfe\xff"],
  ["utf-8", "\xef\xbb\xbf"],
];

export function byteOrderMark(head: Buffer): string | null {
  const start = head.toString("latin1", 0, 4);
  return BYTE_ORDER_MARKS.find(([, bytes]) => start.startsWith(bytes))?.[0] ?? null;
}

/** UTF-16 and UTF-32 without a byte order mark (and with one). */
export function looksWide(head: Buffer): string | null {
  const mark = byteOrderMark(head);
  if (mark !== null && mark !== "utf-8") return mark;
  const whole = head.subarray(0, head.length & ~3);
  if (whole.length === 0 || !whole.includes(0)) return null;
  const isCharacter = (plane: number, top: number) =>
    whole.filter((_, at) => at % 4 === 0 && whole[at + top] === 0 && (whole[at + plane] ?? 0) <= 0x10).length;
  if (isCharacter(2, 3) > whole.length / 4 - 1) return "utf-32le";
  if (isCharacter(1, 0) > whole.length / 4 - 1) return "utf-32be";
  if (isUtf16(whole)) return "utf-16le";
  return isUtf16(Buffer.from(whole).swap16()) ? "utf-16be" : null;
}

/** Nearly all characters are Latin, or there are line ends among letters of another script. */
function isUtf16(bytes: Buffer): boolean {
  const text = bytes.toString("utf16le");
  const latin = text.match(/[\0-\xff]/g)?.length ?? 0;
  const strange = text.match(/[\0\p{Cn}\p{Cs}]/gu)?.length ?? 0;
  const isForeign = /[\r\n]/.test(text) && /[^\0\t\n\r -~]/.test(bytes.toString("latin1"));
  return strange * 50 <= text.length && (latin * 2 > text.length || isForeign);
}

/** More than one control character in ten, other than blanks, line ends, separators (0x1c–0x1f) and a DOS end mark. */
function looksBinary(head: Buffer): boolean {
  let controls = 0;
  for (const byte of head) {
    if (byte < 0x1a && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 11 && byte !== 1) controls++;
  }
  return controls > head.length / 10;
}
