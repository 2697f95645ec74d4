/**
 * Walks the XML parts of a workbook with saxes: from their bytes to elements and texts, errors naming the part. No document
 * types; bounded depth and token length.
 */
import { SaxesParser } from "saxes";
import { RowferryError } from "../../model/error.js";
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

/** Bytes that hold a part's XML declaration. */
const DECLARATION = 256;

/** @throws Error (plain) when the bytes are not text in their encoding, or the encoding is unknown. */
export async function* decodeXml(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decode: Decode | null = null;
  let head: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (decode !== null) {
      yield decode(chunk);
      continue;
    }
    // The declaration may be cut by the first chunk's end.
    head = Buffer.concat([head, chunk]);
    if (head.length < DECLARATION) continue;
    decode = decoderFor(head);
    yield decode(head);
  }
  if (decode !== null) yield decode();
  else yield decoderFor(head)(head, true);
}

type Decode = (bytes?: Buffer, last?: boolean) => string;

function decoderFor(head: Buffer): Decode {
  const encoding = encodingOf(head);
  const decoder = textDecoder(encoding);
  return (bytes, last = bytes === undefined) => {
    try {
      return decoder.decode(bytes, { stream: !last });
    } catch {
      throw new Error(`it is not valid ${encoding.toUpperCase()}`);
    }
  };
}

function textDecoder(encoding: string) {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new Error(`its encoding ${encoding} is unknown`);
  }
}

function encodingOf(head: Buffer): string {
  const begins = (...bytes: number[]) => bytes.every((byte, index) => head[index] === byte);
  if (begins(0xff, 0xfe) || begins(0x3c, 0)) return "utf-16le";
  if (begins(0xfe, 0xff) || begins(0, 0x3c)) return "utf-16be";
  const declaration = /^\s*<\?xml[^>]{0,200}?\sencoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["']/;
  const declared = declaration.exec(head.toString("latin1", 0, DECLARATION))?.[1] ?? "utf-8";
  // A part that says UTF-16 in one-byte letters is not UTF-16.
  return /^(utf8|utf-?16.*)$/i.test(declared) ? "utf-8" : declared;
}
