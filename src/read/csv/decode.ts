/** Bytes to text, piece by piece. windows-1252 and the like by iconv-lite: the TextDecoder of Node 20 gets 0x80–0x9f wrong. */
import iconv from "iconv-lite";

export interface TextPieces {
  write(bytes: Buffer): string;
  /** What an unfinished character at the end of the file yields (U+FFFD), mostly nothing. */
  end(): string;
}

/**
 * `encoding` as `canonicalEncoding` gives it. Bytes that are no text in it become U+FFFD, in UTF-16 a lone surrogate;
 * `holdsUndecodable` finds them. A byte order mark is kept as U+FEFF.
 */
export function textPieces(encoding: string): TextPieces {
  if (encoding === "utf-8") {
    const decoder = new TextDecoder(encoding, { ignoreBOM: true });
    return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
  }
  const decoder = iconv.getDecoder(encoding, { stripBOM: false });
  if (isUtf16(encoding)) {
    let length = 0;
    return {
      write(bytes) {
        length += bytes.length;
        return decoder.write(bytes);
      },
      end: () => (decoder.end(), length % 2 === 0 ? "" : "\udfff"),
    };
  }
  return {
    write: (bytes) => (encoding === "windows-1252" && !hasC1(bytes) ? bytes.toString("latin1") : decoder.write(bytes)),
    end: () => decoder.end() ?? "",
  };
}

/** Whether `text` has a trace of bytes that were no text. Not for UTF-8, where U+FFFD may be meant: its lines are known from the scan. */
export function holdsUndecodable(text: string, encoding: string): boolean {
  if (encoding === "utf-8") return false;
  return isUtf16(encoding) ? /\p{Surrogate}/u.test(text) : text.includes("\uFFFD");
}

function isUtf16(encoding: string): boolean {
  return encoding === "utf-16le" || encoding === "utf-16be";
}

/** Only in 0x80–0x9f does windows-1252 differ from latin1, which is far quicker to decode. */
function hasC1(bytes: Buffer): boolean {
  for (let index = 0; index < bytes.length; index++) {
    if (((bytes[index] as number) & 0xe0) === 0x80) return true;
  }
  return false;
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

/** Without the mark (0x1a) that DOS programs put behind the last line of a file. */
export function withoutDosEnd(text: string): string {
  return text.endsWith("\u001a") ? text.slice(0, -1) : text;
}
