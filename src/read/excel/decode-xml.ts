/** The bytes of an XML part as text, whatever its encoding; a character is never cut at a chunk's border. */
import { isUtf8 } from "node:buffer";
import iconv from "iconv-lite";

/** Bytes in which byte order mark and declaration are looked for. */
const HEAD_BYTES = 256;

interface Decoder {
  write(bytes: Buffer): string;
  end(): string;
}

/** @throws Error (plain) when the bytes are not text in their encoding, or the encoding is unknown. */
export async function* decodeXml(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let head: Buffer | null = Buffer.alloc(0);
  let decoder: Decoder | null = null;
  for await (const chunk of chunks) {
    let bytes = chunk;
    if (head !== null) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      if (head.length < HEAD_BYTES) continue;
      bytes = head;
      head = null;
    }
    decoder ??= decoderFor(bytes);
    const text = decoder.write(bytes);
    if (text !== "") yield text;
  }
  decoder ??= decoderFor(head ?? Buffer.alloc(0));
  const rest = (head === null ? "" : decoder.write(head)) + decoder.end();
  if (rest !== "") yield rest;
}

function decoderFor(head: Buffer): Decoder {
  if (head[0] === 0xff && head[1] === 0xfe) return standard("utf-16le");
  if (head[0] === 0xfe && head[1] === 0xff) return standard("utf-16be");
  if (head[0] === 0x3c && head[1] === 0) return standard("utf-16le");
  if (head[0] === 0 && head[1] === 0x3c) return standard("utf-16be");
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(head.toString("latin1"))?.[1] ?? "utf-8";
  // A part that says UTF-16 in one-byte letters is not UTF-16.
  if (/^(utf-?8|utf-?16.*|us-ascii)$/i.test(declared)) return new Utf8Decoder();
  const exists: boolean = iconv.encodingExists(declared);
  if (!exists) throw new Error(`its encoding ${declared} is unknown`);
  const decoder = iconv.getDecoder(declared);
  return { write: (bytes) => decoder.write(bytes), end: () => decoder.end() ?? "" };
}

function standard(encoding: string): Decoder {
  const decoder = new TextDecoder(encoding, { fatal: true });
  return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
}

class Utf8Decoder implements Decoder {
  #carried: Buffer | null = null;

  write(bytes: Buffer): string {
    const all = this.#carried === null ? bytes : Buffer.concat([this.#carried, bytes]);
    const end = all.length - unfinishedBytes(all);
    this.#carried = end === all.length ? null : Buffer.from(all.subarray(end));
    const whole = end === all.length ? all : all.subarray(0, end);
    if (!isUtf8(whole)) throw new Error("it is not valid UTF-8");
    return whole.toString("utf8");
  }

  end(): string {
    if (this.#carried !== null) throw new Error("it is not valid UTF-8");
    return "";
  }
}

/** How many last bytes begin a character that is not complete. */
function unfinishedBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
}
