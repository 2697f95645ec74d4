/**
 * Reads the XML parts of a workbook with saxes. Refuses document types; bounds depth and token length; errors name the
 * part.
 */
import { SaxesParser } from "saxes";
import { RowferryError } from "../../model/error.js";
import { type FaultOf, reasonOf } from "../opened-file.js";
import { looksWide } from "../recognise.js";
import type { Zip } from "../zip.js";

export type Attributes = Readonly<Record<string, string>>;

export interface XmlHandlers {
  /** `name`: the local name; "" for an element of another namespace than the root's. */
  open(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

const MAX_DEPTH = 100;
/** Declared ones are copied for every element that declares another. */
const MAX_NAMESPACES = 1000;
/** Characters of one tag, text, comment or instruction. A cell holds at most 32,767. */
const MAX_TOKEN = 4 * 1024 ** 2;

/** `what` completes "the workbook is damaged: …". It has its checksums, so a program has written it so. */
export function damaged(
  { fault }: { fault: FaultOf },
  what: string,
  details: { sheet?: string; cause?: unknown } = {},
): RowferryError {
  const hint =
    "Open it in Excel or LibreOffice, save it, and import that file. If it does not open, copy or download it again.";
  return fault("file-corrupt", `the workbook is damaged: ${what}`, { hint, ...details });
}

/** From the element at `depth` on, within which its declarations of namespaces hold. */
interface Scope {
  depth: number;
  /** By prefix; "" for elements without one. */
  namespaces: ReadonlyMap<string, string>;
}

const isDeclaration = (name: string) => name === "xmlns" || name.startsWith("xmlns:");

function scopeWithin(outer: Scope | undefined, attributes: Attributes, depth: number): Scope {
  const declared = Object.entries(attributes)
    .filter(([name]) => isDeclaration(name))
    .map(([name, value]): [string, string] => [name.slice("xmlns:".length), value]);
  const namespaces = new Map([...(outer?.namespaces ?? []), ...declared]);
  if (namespaces.size > MAX_NAMESPACES) throw new Error(`it declares more than ${MAX_NAMESPACES} namespaces`);
  return { depth, namespaces };
}

/** Returns the name of the part's root. */
export async function walkPart(zip: Zip, name: string, handlers: XmlHandlers): Promise<string> {
  let root = "";
  for await (root of walkInPieces(zip, name, handlers));
  return root;
}

/**
 * `kind`: with rows, or with all but them. Yields the root's name after every piece, so that the caller decides whether
 * to continue.
 */
export async function* walkInPieces(
  zip: Zip,
  name: string,
  handlers: XmlHandlers,
  kind: "part" | "rows" | "layout" = "part",
): AsyncGenerator<string> {
  let depth = 0;
  /** Characters since the last event. */
  let pending = 0;
  let root = "";
  let home = "";
  /** The innermost is the last. */
  const scopes: Scope[] = [];
  let scope: Scope | undefined;
  /** Whether an element of the piece at hand may declare a namespace: looking for it in each takes a third of the time. */
  let mayDeclare = false;
  /** The last tag, which the next piece may complete. */
  let cut = "";
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false });
  parser.on("error", (error) => {
    throw error;
  });
  const localName = (tag: string) => {
    const colon = tag.indexOf(":");
    const prefix = tag.slice(0, Math.max(0, colon));
    // An undeclared prefix is a namespace of its own.
    const namespace = scope?.namespaces.get(prefix) ?? prefix;
    if (depth === 1) home = namespace;
    return namespace === home ? tag.slice(colon + 1) : "";
  };
  parser.on("opentag", ({ name: tag, attributes }) => {
    pending = 0;
    if (++depth > MAX_DEPTH) throw new Error(`its elements are nested more than ${MAX_DEPTH} deep`);
    if (scope === undefined || (mayDeclare && Object.keys(attributes).some(isDeclaration)))
      scopes.push((scope = scopeWithin(scope, attributes, depth)));
    const local = localName(tag);
    root ||= local;
    handlers.open(local, attributes);
  });
  parser.on("closetag", ({ name: tag }) => {
    pending = 0;
    handlers.close?.(localName(tag));
    if (scope?.depth === depth--) {
      scopes.pop();
      scope = scopes.at(-1);
    }
  });
  const onText = (text: string) => {
    pending = 0;
    if (depth > 0) handlers.text?.(text);
  };
  parser.on("text", onText);
  parser.on("cdata", onText);
  parser.on("comment", () => (pending = 0));
  /** Entity bombs need one, and no workbook has one. */
  const refuseDoctype = () => {
    const message = `its part ${name} declares a document type, which workbooks never have and which can hide entity bombs`;
    throw zip.file.fault("file-refused", message);
  };
  parser.on("doctype", refuseDoctype);

  try {
    const texts = decodeXml(zip.read(name, kind === "part" ? kind : "rows"));
    for await (const text of kind === "layout" ? withoutRows(texts) : texts) {
      // saxes keeps a doctype whole before it reports it.
      if (depth === 0 && text.includes("<!DOCTYPE")) refuseDoctype();
      const whole = cut + text;
      mayDeclare = whole.includes("xmlns");
      cut = whole.slice(whole.lastIndexOf("<"));
      pending += text.length;
      parser.write(text);
      if (pending > MAX_TOKEN + text.length) throw new Error("it has a tag, text or comment without end");
      yield root;
    }
    parser.close();
    yield root;
  } catch (cause) {
    if (cause instanceof RowferryError) throw cause;
    throw damaged(zip.file, `its part ${name} cannot be read: ${reasonOf(cause)}`, { cause });
  }
}

const ROWS_BEGIN = /<(?:[\w.-]{1,40}:)?sheetData\s{0,9}>/;
const ROWS_END = /<\/(?:[\w.-]{1,40}:)?sheetData\s{0,9}>/;
/** Characters of the longest tag above. */
const ROWS_TAG = 64;

/** A closing tag within a comment or a CDATA section of a row ends the walk as damaged. */
async function* withoutRows(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let held = "";
  let within = false;
  let done = false;
  for await (const text of texts) {
    held += text;
    const begin = within || done ? null : ROWS_BEGIN.exec(held);
    if (begin !== null) {
      yield held.slice(0, begin.index + begin[0].length);
      held = held.slice(begin.index + begin[0].length);
      within = true;
    }
    const end = within && held.includes("sheetData") ? ROWS_END.exec(held) : null;
    if (end !== null) {
      held = held.slice(end.index);
      within = false;
      done = true;
    }
    // A tag may be cut at the end of a piece.
    const ready = done ? held.length : Math.max(0, held.length - ROWS_TAG);
    if (!within) yield held.slice(0, ready);
    held = held.slice(ready);
  }
  if (!within) yield held;
}

/** As XML Schema or old writers write it. */
export function isTrue(text: string | undefined): boolean {
  return text !== undefined && /^(1|true|on)$/i.test(text.trim());
}

const DECLARATION = 256;

/** @throws Error (plain) when the bytes are not text in their encoding, or the encoding is unknown. */
async function* decodeXml(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  let head: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    // The first chunk may cut the declaration.
    const bytes = decoder === null ? Buffer.concat([head, chunk]) : chunk;
    if (decoder === null && bytes.length < DECLARATION) head = bytes;
    else yield (decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true })).decode(bytes, { stream: true });
  }
  yield decoder === null ? new TextDecoder(encodingOf(head), { fatal: true }).decode(head) : decoder.decode();
}

function encodingOf(head: Buffer): string {
  const wide = looksWide(head.subarray(0, DECLARATION));
  if (wide !== null) return wide;
  const declaration = /^\s*<\?xml[^>]{0,200}?\sencoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["']/;
  const declared = declaration.exec(head.toString("latin1", 0, DECLARATION))?.[1] ?? "utf-8";
  // A part that declares UTF-16 in one-byte letters is not UTF-16.
  return /^(utf8|utf-?16.*)$/i.test(declared) ? "utf-8" : declared;
}
