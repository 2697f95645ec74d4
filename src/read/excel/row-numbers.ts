/** Which rows of a sheet have come by: every number at most once, in whatever order the writer chose. */
import { MAX_ROW } from "./cell-reference.js";

export class RowNumbers {
  #last = 0;
  /** One bit a row. */
  readonly #seen = new Uint8Array((MAX_ROW >> 3) + 1);

  /** The number of a row that does not say its own. */
  next(): number {
    return this.#last + 1;
  }

  /** @throws Error (plain) when the number has been taken, or is beyond Excel's last row. */
  take(number: number): void {
    if (number > MAX_ROW) throw new Error(`it has more than ${MAX_ROW} rows`);
    const byte = number >> 3;
    const bits = this.#seen[byte] as number;
    const bit = 1 << (number & 7);
    if ((bits & bit) !== 0) throw new Error(`row ${number} stands there twice`);
    this.#seen[byte] = bits | bit;
    this.#last = number;
  }
}
