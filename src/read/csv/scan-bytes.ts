/**
 * One pass over a file's bytes as strict UTF-8: is it valid, and if not, which lines are not, and which lines prove
 * that part of the file is UTF-8 all the same. Chooses nothing.
 */
import { isAscii, isUtf8 } from "node:buffer";

export interface ByteScan {
  /** Every byte below 0x80. */
  ascii: boolean;
  /** All of it is valid UTF-8 (ASCII is). */
  validUtf8: boolean;
  /** Lines with bytes that are not UTF-8, ascending; no more than `limit`. */
  invalidLines: number[];
  /** Lines with UTF-8 sequences of more than one byte, ascending, as `invalidLines`. */
  multibyteLines: number[];
  /** Of `multibyteLines`, those whose sequences are Western letters or punctuation and so hardly chance. */
  plausibleLines: number[];
}

/** How many lines of each kind are remembered; the counts end there too. */
const LIMIT = 100_000;

/**
 * Scans the chunks, a second time where lines are wanted: always when they are not valid UTF-8, else only up to
 * `proof` lines of more than ASCII (default 0).
 */
export async function scanBytes(chunks: () => AsyncIterable<Buffer>, proof = 0): Promise<ByteScan> {
  const quick = await scanQuickly(chunks());
  if (quick.validUtf8 && (quick.ascii || proof === 0)) return { ...quick, ...noLines() };
  const scanner = new LineScanner();
  for await (const chunk of chunks()) {
    scanner.push(chunk);
    if (quick.validUtf8 && scanner.lines.plausibleLines.length >= proof) break;
  }
  scanner.end();
  return { ...quick, ...scanner.lines };
}

function noLines(): Pick<ByteScan, "invalidLines" | "multibyteLines" | "plausibleLines"> {
  return { invalidLines: [], multibyteLines: [], plausibleLines: [] };
}

async function scanQuickly(chunks: AsyncIterable<Buffer>): Promise<{ ascii: boolean; validUtf8: boolean }> {
  let ascii = true;
  let carry = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (carry.length === 0 && isAscii(chunk)) continue;
    ascii = false;
    const bytes = carry.length === 0 ? chunk : Buffer.concat([carry, chunk]);
    const whole = lengthOfWhole(bytes);
    if (!isUtf8(bytes.subarray(0, whole))) return { ascii, validUtf8: false };
    carry = Buffer.from(bytes.subarray(whole));
  }
  return { ascii, validUtf8: carry.length === 0 };
}

/** `bytes` without a sequence that its end cuts off. */
function lengthOfWhole(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** By the first byte of a sequence; 0: cannot begin one. */
function sequenceLength(first: number): number {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

/** Byte by byte, with lines ended by LF, CR or CRLF. Overlong forms and surrogates are not UTF-8. */
class LineScanner {
  readonly lines = noLines();
  #line = 1;
  #afterCr = false;
  #sequence: number[] = [];

  push(chunk: Buffer): void {
    // Fields are slow to touch for every byte: they are up to date only where another method is called.
    let line = this.#line;
    let afterCr = this.#afterCr;
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index] as number;
      if (byte > 13 && byte < 0x80 && this.#sequence.length === 0) {
        afterCr = false;
      } else if (byte >= 0x80 || this.#sequence.length > 0) {
        afterCr = false;
        this.#line = line;
        if (!this.#highByte(byte)) index--;
      } else {
        if (byte === 13 || (byte === 10 && !afterCr)) line++;
        afterCr = byte === 13;
      }
    }
    this.#line = line;
    this.#afterCr = afterCr;
  }

  end(): void {
    if (this.#sequence.length > 0) this.#note(this.lines.invalidLines);
  }

  /** False: the byte does not continue the sequence at hand and is to be looked at again. */
  #highByte(byte: number): boolean {
    const sequence = this.#sequence;
    const first = sequence[0];
    if (first === undefined) {
      if (sequenceLength(byte) < 2) this.#note(this.lines.invalidLines);
      else sequence.push(byte);
      return true;
    }
    const [low, high] = sequence.length === 1 ? secondByteRange(first) : [0x80, 0xbf];
    if (byte < low || byte > high) {
      this.#note(this.lines.invalidLines);
      this.#sequence = [];
      return false;
    }
    sequence.push(byte);
    if (sequence.length === sequenceLength(first)) {
      this.#note(this.lines.multibyteLines);
      if (first <= 0xc5 || first >= 0xe1) this.#note(this.lines.plausibleLines);
      this.#sequence = [];
    }
    return true;
  }

  #note(lines: number[]): void {
    if (lines.at(-1) !== this.#line && lines.length < LIMIT) lines.push(this.#line);
  }
}

function secondByteRange(first: number): [number, number] {
  if (first === 0xe0) return [0xa0, 0xbf];
  if (first === 0xed) return [0x80, 0x9f];
  if (first === 0xf0) return [0x90, 0xbf];
  return first === 0xf4 ? [0x80, 0x8f] : [0x80, 0xbf];
}
