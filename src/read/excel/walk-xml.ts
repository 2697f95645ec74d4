/**
 * Walks an XML part with saxes: no document types, hence no entities of their own; bounded depth and token length;
 * elements by local name, those of foreign namespaces (extensions) with an empty one.
 */
import { SaxesParser } from "saxes";
import { RowferryError } from "../../model/error.js";
import { decodeXml } from "./decode-xml.js";
import { corrupt, reasonOf, refused } from "./fault.js";
import type { ZipParts } from "./zip-parts.js";

export type Attributes = Readonly<Record<string, string>>;

export interface XmlHandlers {
  /** `name`: local name; "" for an element of another namespace than the root's. */
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  /** Character data and CDATA, entities resolved; one text may come in several pieces. */
  text(text: string): void;
}

const MAX_DEPTH = 100;
/** Characters between two opening tags: of one tag, text or comment. A cell holds at most 32,767. */
const MAX_BETWEEN_TAGS = 8 * 1024 ** 2;

export class XmlWalker {
  readonly #parser = new SaxesParser({ position: false, xmlns: false as const });
  /** Of names with a prefix. */
  readonly #locals = new Map<string, string>();
  /** Those bound to the root's namespace, {@link XmlWalker.#uri}. */
  readonly #prefixes = new Set<string>();
  #uri: string | undefined;
  /** Whether elements without a prefix are in it. */
  #plain = false;
  #depth = 0;
  #sinceTag = 0;

  constructor(handlers: XmlHandlers) {
    this.#parser.on("opentag", ({ name, attributes }) => {
      this.#sinceTag = 0;
      if (this.#depth === 0) this.#readNamespaces(name, attributes);
      if (++this.#depth > MAX_DEPTH) throw new Error(`its elements are nested more than ${MAX_DEPTH} deep`);
      handlers.open(this.#local(name, attributes), attributes);
    });
    this.#parser.on("closetag", ({ name }) => {
      this.#depth--;
      handlers.close(this.#local(name, null));
    });
    const text = (piece: string) => handlers.text(piece);
    this.#parser.on("text", text);
    this.#parser.on("cdata", text);
    this.#parser.on("doctype", () => {
      throw new DoctypeError();
    });
  }

  /** @throws Error (plain) where the text is not well-formed, or exceeds what any part needs. */
  write(text: string): void {
    this.#parser.write(text);
    this.#sinceTag += text.length;
    if (this.#sinceTag > MAX_BETWEEN_TAGS) throw new Error("it has a text or a comment without end");
  }

  end(): void {
    this.#parser.close();
  }

  /** Which prefixes stand for the root's own namespace. */
  #readNamespaces(name: string, attributes: Attributes): void {
    const prefix = name.includes(":") ? name.slice(0, name.indexOf(":")) : "";
    const uri = attributes[prefix === "" ? "xmlns" : `xmlns:${prefix}`];
    this.#plain = prefix === "" || (uri !== undefined && attributes["xmlns"] === uri);
    this.#locals.set(name, name.slice(name.indexOf(":") + 1));
    this.#prefixes.add(prefix);
    for (const [attribute, value] of Object.entries(attributes)) {
      if (value === uri && attribute.startsWith("xmlns:")) this.#prefixes.add(attribute.slice(6));
    }
    this.#uri = uri;
  }

  #local(name: string, attributes: Attributes | null): string {
    // Names of cells have one or two letters, and no room for a prefix.
    if (name.length < 3 || !name.includes(":")) return this.#plain ? name : "";
    const known = this.#locals.get(name);
    if (known !== undefined) return known;
    const colon = name.indexOf(":");
    const prefix = name.slice(0, colon);
    if (attributes !== null && this.#uri !== undefined && attributes[`xmlns:${prefix}`] === this.#uri) {
      this.#prefixes.add(prefix);
    }
    const local = this.#prefixes.has(prefix) ? name.slice(colon + 1) : "";
    if (this.#locals.size < 1000) this.#locals.set(name, local);
    return local;
  }
}

class DoctypeError extends Error {}

/** Walks one part to its end. @throws RowferryError naming the part. */
export async function walkPart(parts: ZipParts, name: string, handlers: XmlHandlers): Promise<void> {
  for await (const _ of walkInPieces(parts, name, handlers, "part"));
}

/** Walks one part, giving control back after every piece, for as long as it is asked to go on. */
export async function* walkInPieces(
  parts: ZipParts,
  name: string,
  handlers: XmlHandlers,
  kind: "part" | "sheet",
): AsyncGenerator<void> {
  try {
    const walker = new XmlWalker(handlers);
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
export function partError(parts: ZipParts, name: string, cause: unknown): RowferryError {
  if (cause instanceof RowferryError) return cause;
  if (cause instanceof DoctypeError) {
    const message = `its part ${name} declares a document type, which no workbook has and which hides entity bombs`;
    return refused("file-refused", parts.file.name, message);
  }
  return corrupt(parts.file.name, `its part ${name} cannot be read: ${reasonOf(cause)}`, { cause });
}

/** A boolean attribute as XML Schema writes it, or as old writers do. */
export function isTrue(text: string | undefined): boolean {
  return text !== undefined && /^\s*(1|true|on)\s*$/i.test(text);
}
