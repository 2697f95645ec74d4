/**
 * Walks the XML parts of a workbook with saxes: from their bytes to elements and texts, errors naming the part. No document
 * types; bounded depth and token length.
 */
import { isUtf8 } from "node:buffer";
import iconv from "iconv-lite";
import { SaxesParser } from "saxes";
import { RowferryError } from "../../model/error.js";
import { unfinishedBytes } from "../csv/encoding.js";
import { corrupt, reasonOf, refused } from "./fault.js";
import type { Zip } from "../zip.js";

/** With their prefixes, entities resolved. */
export type Attributes = Readonly<Record<string, string>>;

export interface XmlHandlers {
  /** `name`: local name; "" for an element of another namespace than the root's. */
  open(name: string, attributes: Attributes): void;
  close?(name: string): void;
  /** Character data and CDATA. */
  text?(text: string): void;
}

const MAX_DEPTH = 100;
/** Characters of one tag, text, comment or instruction. A cell holds at most 32,767. */
const MAX_TOKEN = 4 * 1024 ** 2;

/** A part declares a document type: no workbook does, and entity bombs hide there. */
class DoctypeError extends Error {}

/** Walks one part to its end. @throws RowferryError naming the part. */
export async function walkPart(parts: Zip, name: string, handlers: XmlHandlers): Promise<void> {
  for await (const _ of walkInPieces(parts, name, handlers, "part"));
}

/** Walks one part, giving control back after every piece, for as long as it is asked to go on. */
export async function* walkInPieces(
  parts: Zip,
  name: string,
  handlers: XmlHandlers,
  kind: "part" | "rows",
): AsyncGenerator<void> {
  try {
    const walker = walkerOf(handlers);
    for await (const text of decodeXml(parts.read(name, kind))) {
      walker.write(text);
      yield;
    }
    walker.end();
    yield;
  } catch (cause) {
    throw partError(parts, name, cause);
  }
}

/** What went wrong in a part, as the file's error. */
export function partError(parts: Zip, name: string, cause: unknown): RowferryError {
  if (cause instanceof RowferryError) return cause;
  if (!(cause instanceof DoctypeError))
    return corrupt(parts.file.name, `its part ${name} cannot be read: ${reasonOf(cause)}`, { cause });
  const message = `its part ${name} declares a document type, which no workbook has and which hides entity bombs`;
  return refused("file-refused", parts.file.name, message);
}

export interface XmlWalker {
  /** @throws Error (plain) where the text is not well-formed, or exceeds what any part needs. */
  write(text: string): void;
  end(): void;
}

export function walkerOf(handlers: XmlHandlers): XmlWalker {
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false });
  const names = new Map<string, string>();
  let prefix = "";
  let depth = 0;
  /** Characters since the last event. */
  let pending = 0;
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    pending = 0;
    if (depth === 0) prefix = name.slice(0, name.indexOf(":") + 1);
    if (++depth > MAX_DEPTH) throw new Error(`its elements are nested more than ${MAX_DEPTH} deep`);
    let local = names.get(name);
    if (local === undefined) {
      // Whatever prefix the root has stands for its namespace in the whole part.
      local = name.startsWith(prefix) && !name.includes(":", prefix.length) ? name.slice(prefix.length) : "";
      names.set(name, local);
    }
    handlers.open(local, attributes);
  });
  parser.on("closetag", ({ name }) => {
    pending = 0;
    depth--;
    handlers.close?.(names.get(name) ?? "");
  });
  const onText = (value: string) => {
    pending = 0;
    if (depth > 0) handlers.text?.(value);
  };
  parser.on("text", onText);
  parser.on("cdata", onText);
  parser.on("comment", () => (pending = 0));
  parser.on("doctype", () => {
    throw new DoctypeError();
  });
  return {
    write(piece) {
      // Doctypes are kept whole before they are told.
      if (depth === 0 && piece.includes("<!DOCTYPE")) throw new DoctypeError();
      pending += piece.length;
      parser.write(piece);
      if (pending > MAX_TOKEN + piece.length) throw new Error("it has a tag, text or comment without end");
    },
    end: () => void parser.close(),
  };
}

/** A boolean attribute as XML Schema writes it, or as old writers do. */
export function isTrue(text: string | undefined): boolean {
  return text !== undefined && /^(1|true|on)$/i.test(text.trim());
}

/** @throws Error (plain) when the bytes are not text in their encoding, or the encoding is unknown. */
export async function* decodeXml(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decoder: { write(bytes: Buffer): string; end(): string } | null = null;
  let head: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (decoder !== null) yield decoder.write(chunk);
    else {
      head = Buffer.concat([head, chunk]);
      // The declaration may be cut by the first chunk's end.
      if (head.length < 256) continue;
      decoder = decoderFor(head);
      yield decoder.write(head);
    }
  }
  if (decoder === null) {
    decoder = decoderFor(head);
    yield decoder.write(head);
  }
  yield decoder.end();
}

function decoderFor(head: Buffer) {
  const begins = (...bytes: number[]) => bytes.every((byte, index) => head[index] === byte);
  const wide =
    begins(0xff, 0xfe) || begins(0x3c, 0) ? "utf-16le" : begins(0xfe, 0xff) || begins(0, 0x3c) ? "utf-16be" : null;
  if (wide !== null) {
    const decoder = new TextDecoder(wide, { fatal: true });
    return { write: (bytes: Buffer) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
  }
  const declaration = /^\s*<\?xml[^>]{0,200}?\sencoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["']/;
  const declared: string = declaration.exec(head.toString("latin1", 0, 256))?.[1] ?? "utf-8";
  // A part that says UTF-16 in one-byte letters is not UTF-16.
  if (/^(utf-?8|utf-?16.*|us-ascii)$/i.test(declared)) return utf8Decoder();
  const known: boolean = iconv.encodingExists(declared);
  if (!known) throw new Error(`its encoding ${declared} is unknown`);
  const decoder = iconv.getDecoder(declared);
  return { write: (bytes: Buffer) => decoder.write(bytes), end: () => decoder.end() ?? "" };
}

function utf8Decoder() {
  /** The bytes of a character that is not complete. */
  let held: Buffer = Buffer.alloc(0);
  const whole = (bytes: Buffer) => {
    if (!isUtf8(bytes)) throw new Error("it is not valid UTF-8");
    return bytes.toString("utf8");
  };
  return {
    write(chunk: Buffer) {
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const end = bytes.length - unfinishedBytes(bytes);
      held = Buffer.from(bytes.subarray(end));
      return whole(bytes.subarray(0, end));
    },
    end: () => whole(held),
  };
}
