/** Decodes mappings, cases, settings and `.env`: UTF-8, or as the byte order mark says. */
import { isUtf8 } from "node:buffer";
import { RowferryError } from "./error.js";
import { quotedPath } from "./shell-quoted.js";

const REMEDY = "Save it as UTF-8: in an editor under Save as, Encoding; or: iconv -f windows-1252 -t utf-8";

/**
 * Never puts U+FFFD in place of a letter. `file`: for messages. @throws RowferryError `text-not-utf8` with the first
 * faulty line
 */
export function decodeText(bytes: Buffer, file: string): string {
  const wide =
    bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : null;
  if (wide !== null) {
    try {
      return new TextDecoder(wide, { fatal: true }).decode(bytes);
    } catch (cause) {
      const message = `the file begins with the byte order mark of ${wide}, but is not valid ${wide} throughout`;
      throw new RowferryError("text-not-utf8", message, { place: { file }, hint: REMEDY, cause });
    }
  }
  if (isUtf8(bytes)) return bytes.toString("utf8").replace(/^\uFEFF/u, "");
  const line = firstBroken(bytes);
  // Without the line, which may be a secret.
  throw new RowferryError("text-not-utf8", `the file is not UTF-8 text: line ${line} holds other bytes`, {
    place: { file, line },
    hint: `${REMEDY} ${quotedPath(file)}`,
  });
}

/** From 1. */
function firstBroken(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, start);
    if (!isUtf8(bytes.subarray(start, end < 0 ? bytes.length : end))) return line;
    start = end < 0 ? bytes.length : end + 1;
  }
  return line;
}
