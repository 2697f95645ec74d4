import { open } from "node:fs/promises";
import type { Code } from "../model/codes.js";
import { decodeText } from "../model/decode-text.js";
import { RowferryError } from "../model/error.js";

/** @throws RowferryError `code` if it cannot be read, `mapping-too-large` beyond `limit` bytes, `text-not-utf8`. */
export async function readText(path: string, code: Code, limit = 1024 * 1024): Promise<string> {
  let bytes: Buffer;
  try {
    const file = await open(path, "r");
    try {
      const buffer = Buffer.alloc(limit + 1);
      let length = 0;
      while (length <= limit) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length, null);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      bytes = buffer.subarray(0, length);
    } finally {
      await file.close();
    }
  } catch (error) {
    const cause = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new RowferryError(code, `the file cannot be read (${cause})`, { place: { file: path }, cause: error });
  }
  if (bytes.length > limit)
    throw new RowferryError("mapping-too-large", `the file is larger than ${limit} bytes`, { place: { file: path } });
  return decodeText(bytes, path);
}
