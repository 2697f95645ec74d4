/**
 * The texts of a workbook, as UTF-8 bytes instead of a million small strings. A workbook whose texts exceed the bound
 * is refused.
 */
import { stripEnd } from "../../model/strip-end.js";
import { oversized } from "./fault.js";
import { type Attributes, walkPart } from "./xml.js";
import type { Zip } from "../zip.js";

const MAX_SHARED_BYTES = 192 * 1024 ** 2;
/** A string never spans two segments. */
const SEGMENT = 4 * 1024 ** 2;
/** UTF-16 units; an Excel cell holds 32,767. */
const MAX_STRING = 1024 ** 2;

export class SharedStrings {
  readonly #segments: Buffer[] = [];
  #ends = new Uint32Array(1024);
  #used = 0;
  count = 0;

  get bytes(): number {
    return this.#used + this.count * 8;
  }

  add(text: string): void {
    if (text.length > MAX_STRING) throw new Error(`one of its texts has ${text.length} characters`);
    if (text.length * 3 > this.#segments.length * SEGMENT - this.#used) {
      this.#used = this.#segments.length * SEGMENT;
      this.#segments.push(Buffer.allocUnsafeSlow(SEGMENT));
    }
    if (this.count * 2 === this.#ends.length) {
      const ends = new Uint32Array(this.#ends.length * 2);
      ends.set(this.#ends);
      this.#ends = ends;
    }
    this.#ends[this.count * 2] = this.#used;
    this.#used += this.#segments.at(-1)?.write(text, this.#used % SEGMENT, "utf8") ?? 0;
    this.#ends[this.count++ * 2 + 1] = this.#used;
  }

  /** Undefined: no string has that index. */
  get(index: number): string | undefined {
    if (!(index >= 0 && index < this.count)) return undefined;
    const start = this.#ends[index * 2] as number;
    const segment = Math.floor(start / SEGMENT);
    const end = (this.#ends[index * 2 + 1] as number) - segment * SEGMENT;
    return this.#segments[segment]?.toString("utf8", start % SEGMENT, end) ?? "";
  }
}

export async function readSharedStrings(
  parts: Zip,
  name: string,
  maxBytes: number = MAX_SHARED_BYTES,
): Promise<SharedStrings> {
  const strings = new SharedStrings();
  const runs = new TextRuns();
  let inItem = false;
  await walkPart(parts, name, {
    open(element, attributes) {
      if (element === "si") {
        inItem = true;
        runs.start();
      } else if (inItem) runs.open(element, attributes);
    },
    close(element) {
      if (!inItem) return;
      if (element !== "si") return runs.close(element);
      inItem = false;
      strings.add(runs.get());
      if (strings.bytes > maxBytes)
        throw oversized(parts.file.name, `the workbook's texts take more than ${Math.round(maxBytes / 1024 ** 2)} MiB`);
    },
    text(text) {
      if (inItem) runs.add(text);
    },
  });
  return strings;
}

/** `_x000D_` encodes a character that XML cannot hold; `_x005F_` is the underscore itself. */
export function unescapeText(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/**
 * The text of a string item (`si`, `is`): its `t` elements joined, without phonetic guides. White space at the ends of
 * a `t` counts only under `xml:space="preserve"`, as in Excel.
 */
export class TextRuns {
  #text = "";
  /** The current `t`. */
  #piece: string | null = null;
  #phonetic = 0;
  #preserve = false;

  start(): void {
    this.#text = "";
    this.#piece = null;
    this.#phonetic = 0;
  }

  open(name: string, attributes: Attributes): void {
    if (name === "rPh") this.#phonetic++;
    if (name !== "t" || this.#phonetic > 0) return;
    this.#piece = "";
    this.#preserve = attributes["xml:space"] === "preserve";
  }

  close(name: string): void {
    if (name === "rPh") this.#phonetic--;
    if (name !== "t" || this.#piece === null) return;
    // XML's white space only; a no-break space is text.
    this.#text += this.#preserve ? this.#piece : stripEnd(this.#piece.replace(/^[ \t\r\n]+/, ""), " \t\r\n");
    this.#piece = null;
  }

  add(text: string): void {
    if (this.#piece !== null) this.#piece += text;
  }

  get(): string {
    return unescapeText(this.#text);
  }
}
