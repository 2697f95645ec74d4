/** The attributes of the tag at hand: one object for all tags of a part, so it must not be kept. */
export class XmlAttributes {
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  #count = 0;

  clear(): void {
    this.#count = 0;
  }

  /** False when there is one of that name already. */
  add(name: string, value: string): boolean {
    if (this.get(name) !== undefined) return false;
    this.#names[this.#count] = name;
    this.#values[this.#count++] = value;
    return true;
  }

  get count(): number {
    return this.#count;
  }

  /** The value with entities resolved; undefined when there is no such attribute. */
  get(name: string): string | undefined {
    for (let index = 0; index < this.#count; index++) if (this.#names[index] === name) return this.#values[index];
    return undefined;
  }

  /** Name and value of each, prefixes included, in the order of the tag. */
  *[Symbol.iterator](): Generator<[name: string, value: string]> {
    for (let index = 0; index < this.#count; index++) yield [this.#names[index] ?? "", this.#values[index] ?? ""];
  }
}

/** A boolean attribute as XML Schema writes it, or as old writers do. */
export function isTrue(text: string | undefined): boolean {
  return text !== undefined && /^\s*(1|true|on)\s*$/i.test(text);
}
