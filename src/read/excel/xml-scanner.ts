/**
 * Cuts XML text into tags and texts as it comes, and refuses what is not well-formed. No document types, hence no
 * entities of their own; bounded depth and token length. Why not saxes: docs/decisions/xml-scanner.md.
 */
import { stripEnd } from "../../model/strip-end.js";
import { XmlAttributes } from "./xml-attributes.js";
import { forbidden, resolveEntities } from "./xml-entities.js";
import { XmlNames } from "./xml-names.js";

export interface XmlHandlers {
  /** `name`: local name; "" for an element of another namespace than the root's. `attributes` must not be kept. */
  open(name: string, attributes: XmlAttributes): void;
  close(name: string): void;
  /** Character data and CDATA, entities resolved; one text may come in several pieces. */
  text(text: string): void;
}

/** A part declares a document type: no workbook does, and entity bombs hide there. */
export class DoctypeError extends Error {}

const MAX_DEPTH = 100;
/** Characters of one tag, text, comment or instruction. A cell holds at most 32,767. */
const MAX_TOKEN = 4 * 1024 ** 2;
const MAX_ATTRIBUTES = 200;

const TAB = 0x09;
const SPACE = 0x20;
const BANG = 0x21;
const DOUBLE_QUOTE = 0x22;
const AMPERSAND = 0x26;
const SINGLE_QUOTE = 0x27;
const SLASH = 0x2f;
const LESS = 0x3c;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const QUESTION = 0x3f;

export class XmlScanner {
  readonly #handlers: XmlHandlers;
  readonly #attributes = new XmlAttributes();
  readonly #names = new XmlNames();
  /** Names of the open elements as written, and their local names. */
  readonly #open: string[] = [];
  readonly #locals: string[] = [];
  /** What could not be cut yet. */
  #text = "";
  #started = false;
  /** Whether anything came before. */
  #begun = false;
  #sawRoot = false;

  constructor(handlers: XmlHandlers) {
    this.#handlers = handlers;
  }

  /** @throws Error (plain) where the text is not well-formed, or exceeds what any part needs. */
  write(piece: string): void {
    if (forbidden.test(piece)) throw new Error("it has a control character");
    this.#text = this.#text === "" ? piece : this.#text + piece;
    this.#text = this.#text.slice(this.#scan(this.#text));
    if (this.#text.length > MAX_TOKEN) throw new Error("it has a tag, text or comment without end");
  }

  end(): void {
    const rest = this.#text;
    if (rest.includes("<")) throw new Error("it ends within a tag");
    this.#characters(rest);
    if (this.#open.length > 0) throw new Error(`its element ${this.#open.at(-1)} is not closed`);
    if (!this.#sawRoot) throw new Error("it has no element");
  }

  /** Where the first token begins that is not complete. */
  #scan(text: string): number {
    let at = this.#started ? 0 : this.#start(text);
    while (at < text.length) {
      if (text.charCodeAt(at) !== LESS) {
        const end = text.indexOf("<", at);
        if (end === -1) return at;
        this.#characters(text.slice(at, end));
        this.#begun = true;
        at = end;
      }
      const next = this.#markup(text, at);
      if (next === -1) return at;
      this.#begun = true;
      at = next;
    }
    return at;
  }

  #start(text: string): number {
    this.#started = true;
    return text.charCodeAt(0) === 0xfeff ? 1 : 0;
  }

  /** Takes one tag, comment, CDATA section or instruction at `at`. Where it ends; -1: not in this text. */
  #markup(text: string, at: number): number {
    switch (text.charCodeAt(at + 1)) {
      case SLASH:
        return this.#closeTag(text, at);
      case BANG:
        return this.#declaration(text, at);
      case QUESTION:
        return this.#instruction(text, at);
      default:
        return at + 1 === text.length ? -1 : this.#openTag(text, at);
    }
  }

  #characters(raw: string): void {
    if (raw === "") return;
    if (this.#open.length === 0) {
      if (/[^ \t\r\n]/.test(raw)) throw new Error("it has text outside its outermost element");
      return;
    }
    if (raw.includes("]]>")) throw new Error("it has ]]> in a text");
    this.#handlers.text(resolveEntities(raw.includes("\r") ? raw.replace(/\r\n?/g, "\n") : raw));
  }

  /** `<?xml … ?>` may stand at the very beginning only; what others say is left alone. */
  #instruction(text: string, at: number): number {
    const end = text.indexOf("?>", at + 2);
    if (end === -1) return -1;
    const target = /^[^ \t\r\n]*/.exec(text.slice(at + 2, end))?.[0] ?? "";
    this.#names.check(target);
    if (target.toLowerCase() === "xml" && (target !== "xml" || this.#begun)) {
      throw new Error("it has an XML declaration that is not at its beginning");
    }
    return end + 2;
  }

  #declaration(text: string, at: number): number {
    if (text.startsWith("<!--", at)) {
      const end = text.indexOf("--", at + 4);
      if (end === -1 || end + 2 === text.length) return -1;
      if (text.charCodeAt(end + 2) !== GREATER) throw new Error("it has -- in a comment");
      return end + 3;
    }
    if (text.startsWith("<![CDATA[", at)) {
      const end = text.indexOf("]]>", at + 9);
      if (end === -1) return -1;
      if (this.#open.length === 0) throw new Error("it has text outside its outermost element");
      this.#handlers.text(text.slice(at + 9, end).replace(/\r\n?/g, "\n"));
      return end + 3;
    }
    const begun = text.slice(at, at + 9);
    if (begun === "<!DOCTYPE") throw new DoctypeError();
    if (["<!--", "<![CDATA[", "<!DOCTYPE"].some((form) => form.startsWith(begun))) return -1;
    throw new Error("it has a declaration of an unknown kind");
  }

  #closeTag(text: string, at: number): number {
    const name = this.#open.at(-1);
    // Nearly always the open element's name and nothing else.
    let end = name !== undefined && text.startsWith(name, at + 2) ? at + 2 + name.length : -1;
    if (end === -1 || text.charCodeAt(end) !== GREATER) {
      end = text.indexOf(">", at + 2);
      if (end === -1) return -1;
      const found = stripEnd(text.slice(at + 2, end), " \t\r\n");
      if (found !== name) throw new Error(`its element ${name ?? "(none)"} is closed as ${found.slice(0, 30)}`);
    }
    this.#open.pop();
    this.#handlers.close(this.#locals.pop() ?? "");
    return end + 1;
  }

  #openTag(text: string, at: number): number {
    const { length } = text;
    let end = at + 1;
    for (; end < length; end++) if (endsName(text.charCodeAt(end))) break;
    if (end === length) return -1;
    const name = text.slice(at + 1, end);
    const attributes = this.#attributes;
    attributes.clear();
    let code = text.charCodeAt(end);
    while (code !== GREATER && code !== SLASH) {
      const next = skipSpace(text, end);
      if (next === length) return -1;
      code = text.charCodeAt(next);
      if (code === GREATER || code === SLASH) {
        end = next;
        break;
      }
      if (next === end) throw new Error(`the attributes of its element ${name.slice(0, 30)} are not separated`);
      end = this.#attribute(text, next);
      if (end === -1 || end === length) return -1;
      code = text.charCodeAt(end);
    }
    if (code === SLASH) {
      if (end + 1 === length) return -1;
      if (text.charCodeAt(end + 1) !== GREATER) throw new Error(`its element ${name.slice(0, 30)} has a / too many`);
    }
    this.#opened(name, code === SLASH);
    return code === SLASH ? end + 2 : end + 1;
  }

  #opened(name: string, closed: boolean): void {
    const attributes = this.#attributes;
    if (this.#open.length === 0) {
      if (this.#sawRoot) throw new Error("it has more than one outermost element");
      this.#sawRoot = true;
      this.#names.readRoot(name, attributes);
    }
    if (this.#open.length === MAX_DEPTH) throw new Error(`its elements are nested more than ${MAX_DEPTH} deep`);
    const local = this.#names.local(name, attributes);
    this.#handlers.open(local, attributes);
    if (closed) {
      this.#handlers.close(local);
      return;
    }
    this.#open.push(name);
    this.#locals.push(local);
  }

  /** Takes one attribute at `at`. Where it ends; -1: not in this text. */
  #attribute(text: string, at: number): number {
    const { length } = text;
    let nameEnd = at;
    for (; nameEnd < length; nameEnd++) {
      const code = text.charCodeAt(nameEnd);
      if (code === EQUALS || endsName(code)) break;
    }
    let start = skipSpace(text, nameEnd);
    if (start === length) return -1;
    const name = text.slice(at, nameEnd);
    if (text.charCodeAt(start) !== EQUALS) throw new Error(`its attribute ${name.slice(0, 30)} has no value`);
    start = skipSpace(text, start + 1);
    if (start === length) return -1;
    const quote = text.charCodeAt(start);
    if (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE)
      throw new Error(`its attribute ${name.slice(0, 30)} is not quoted`);
    let plain = true;
    let end = start + 1;
    for (; end < length; end++) {
      const code = text.charCodeAt(end);
      if (code === quote) break;
      if (code === LESS) throw new Error(`its attribute ${name.slice(0, 30)} has a < in it`);
      if (code === AMPERSAND || code < SPACE) plain = false;
    }
    if (end === length) return -1;
    const raw = text.slice(start + 1, end);
    this.#names.check(name);
    const value = plain ? raw : resolveEntities(raw.replace(/\r\n|[\t\r\n]/g, " "));
    if (!this.#attributes.add(name, value)) throw new Error(`its attribute ${name.slice(0, 30)} stands there twice`);
    if (this.#attributes.count > MAX_ATTRIBUTES)
      throw new Error(`an element of it has more than ${MAX_ATTRIBUTES} attributes`);
    return end + 1;
  }
}

function isSpace(code: number): boolean {
  return code === SPACE || (code >= TAB && code <= 0x0d);
}

function endsName(code: number): boolean {
  return code === GREATER || code === SLASH || isSpace(code);
}

function skipSpace(text: string, at: number): number {
  let next = at;
  while (next < text.length && isSpace(text.charCodeAt(next))) next++;
  return next;
}
