/**
 * The table of shared strings, kept as UTF-8 bytes rather than as a million small strings; a bounded number of them
 * is kept decoded. What it holds is bounded too: beyond that the workbook is refused.
 */
import { oversized } from "./fault.js";
import { TextRuns } from "./text-runs.js";
import { walkPart } from "./xml.js";
import type { Zip } from "../zip.js";

/** Bytes of all strings together. */
export const MAX_SHARED_BYTES = 192 * 1024 ** 2;
/** Bytes of one segment; a string lies in one segment whole. */
const SEGMENT = 4 * 1024 ** 2;
/** UTF-16 units of one string; a cell of Excel holds 32,767. */
const MAX_STRING = 1024 ** 2;
/** Strings kept decoded (a power of two), and their characters. */
const CACHED_STRINGS = 2 ** 15;
const CACHED_CHARACTERS = 4 * 1024 ** 2;

export class SharedStrings {
  readonly #segments: Buffer[] = [];
  #starts = new Uint32Array(1024);
  #lengths = new Uint32Array(1024);
  #count = 0;
  #used = 0;
  /** Decoded strings that were asked for twice, each in its own place: texts of one cell only would just fill it. */
  #cache: (string | undefined)[] = Array<undefined>(CACHED_STRINGS).fill(undefined);
  readonly #cachedIndex = new Int32Array(CACHED_STRINGS).fill(-1);
  #cachedCharacters = 0;
  #asked = new Uint8Array(0);

  get count(): number {
    return this.#count;
  }

  /** What the strings take, white space at the ends of segments included. */
  get bytes(): number {
    return this.#used + this.#count * 9;
  }

  /** @throws Error (plain) for a string longer than any cell's. */
  add(text: string): void {
    if (text.length > MAX_STRING) throw new Error(`one of its texts has ${text.length} characters`);
    // A UTF-16 unit is at most three bytes of UTF-8.
    const left = this.#segments.length * SEGMENT - this.#used;
    if (text.length * 3 > left) {
      this.#used = this.#segments.length * SEGMENT;
      this.#segments.push(Buffer.allocUnsafeSlow(SEGMENT));
    }
    const length = this.#segments.at(-1)?.write(text, this.#used % SEGMENT, "utf8") ?? 0;
    if (this.#count === this.#starts.length) {
      this.#starts = doubled(this.#starts);
      this.#lengths = doubled(this.#lengths);
    }
    this.#starts[this.#count] = this.#used;
    this.#lengths[this.#count++] = length;
    this.#used += length;
  }

  /** Undefined when there is no string with that index (counting from 0). */
  get(index: number): string | undefined {
    const place = index & (CACHED_STRINGS - 1);
    if (this.#cachedIndex[place] === index) return this.#cache[place];
    if (!(index >= 0 && index < this.#count)) return undefined;
    const start = this.#starts[index] as number;
    const within = start % SEGMENT;
    const segment = this.#segments[Math.floor(start / SEGMENT)];
    const text = segment?.toString("utf8", within, within + (this.#lengths[index] as number)) ?? "";
    this.#remember(index, place, text);
    return text;
  }

  #remember(index: number, place: number, text: string): void {
    if (this.#asked.length < this.#count) this.#asked = new Uint8Array(this.#count);
    if (this.#asked[index] === 0) {
      this.#asked[index] = 1;
      return;
    }
    this.#cachedCharacters += text.length - (this.#cache[place]?.length ?? 0);
    if (this.#cachedCharacters > CACHED_CHARACTERS) {
      this.#cache.fill(undefined);
      this.#cachedIndex.fill(-1);
      this.#cachedCharacters = text.length;
    }
    this.#cache[place] = text;
    this.#cachedIndex[place] = index;
  }
}

function doubled(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const next = new Uint32Array(numbers.length * 2);
  next.set(numbers);
  return next;
}

/** @throws RowferryError when the part is damaged, or holds more than {@link MAX_SHARED_BYTES}. */
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
      if (strings.bytes > maxBytes) {
        throw oversized(parts.file.name, `the workbook's texts take more than ${Math.round(maxBytes / 1024 ** 2)} MiB`);
      }
    },
    text(text) {
      if (inItem) runs.add(text);
    },
  });
  return strings;
}
