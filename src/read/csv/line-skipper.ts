/** Drops the first lines of a text that comes in pieces. A CRLF may be cut in two. */
export class LineSkipper {
  #left: number;
  /** The last character dropped was a CR that ended the last line to drop; an LF may belong to it. */
  #afterCr = false;

  /** @param lines how many; 0: none. */
  constructor(lines: number) {
    this.#left = lines;
  }

  /** What is left of the next piece. */
  skip(text: string): string {
    if (this.#left === 0 && !this.#afterCr) return text;
    let position = 0;
    while (this.#left > 0 || this.#afterCr) {
      if (position === text.length) return "";
      const code = text.charCodeAt(position);
      if (this.#afterCr && code === 10) {
        this.#afterCr = false;
        position++;
        continue;
      }
      this.#afterCr = code === 13;
      if (this.#left === 0) {
        this.#afterCr = false;
        break;
      }
      if (code === 13 || code === 10) this.#left--;
      position++;
    }
    return text.slice(position);
  }
}
