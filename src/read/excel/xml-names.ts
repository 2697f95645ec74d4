/**
 * Names of elements without their prefixes: those of the root's own namespace by their local names, those of any
 * other (extensions) with an empty one. Prefixes are looked up where they first come up, which is enough for parts
 * that programs write.
 */
import type { XmlAttributes } from "./xml-attributes.js";

/** Names are few; a file that makes them up goes without the memory. */
const MAX_NAMES = 1000;
const validName = /^[A-Z_a-z\u00c0-\ufffd:][-.\dA-Z_a-z\u00b7-\ufffd:]*$/;

export class XmlNames {
  readonly #locals = new Map<string, string>();
  readonly #valid = new Set<string>();
  /** Those bound to the root's namespace. */
  readonly #prefixes = new Set<string>();
  #uri: string | undefined;
  /** Whether elements without a prefix are in it. */
  #plain = false;

  /** Which prefixes stand for the namespace of the root element. */
  readRoot(name: string, attributes: XmlAttributes): void {
    const prefix = prefixOf(name);
    this.#uri = attributes.get(prefix === "" ? "xmlns" : `xmlns:${prefix}`);
    this.#prefixes.add(prefix);
    for (const [attribute, value] of attributes) {
      if (value === this.#uri && attribute.startsWith("xmlns:")) this.#prefixes.add(attribute.slice(6));
    }
    if (this.#uri !== undefined && attributes.get("xmlns") === this.#uri) this.#prefixes.add("");
    this.#plain = this.#prefixes.has("");
  }

  /** @throws Error (plain) when it is no name. */
  local(name: string, attributes: XmlAttributes): string {
    // Cells and their values, of which there are millions.
    if (this.#plain && name.length === 1 && isLetter(name)) return name;
    const known = this.#locals.get(name);
    if (known !== undefined) return known;
    this.check(name);
    const prefix = prefixOf(name);
    if (this.#uri !== undefined && attributes.get(`xmlns:${prefix}`) === this.#uri) this.#prefixes.add(prefix);
    const local = this.#prefixes.has(prefix) ? name.slice(name.indexOf(":") + 1) : "";
    if (this.#locals.size < MAX_NAMES) this.#locals.set(name, local);
    return local;
  }

  /** @throws Error (plain) when it is no name of an element or attribute. */
  check(name: string): void {
    if ((name.length === 1 && isLetter(name)) || this.#valid.has(name)) return;
    if (!validName.test(name))
      throw new Error(`${JSON.stringify(name.slice(0, 30))} is no name of an element or attribute`);
    if (this.#valid.size < MAX_NAMES) this.#valid.add(name);
  }
}

function prefixOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf(":")));
}

function isLetter(name: string): boolean {
  return name >= "a" && name <= "z";
}
