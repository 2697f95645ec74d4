/**
 * The text of a string item (`si`, `is`): its `t` elements joined, in rich runs or not; phonetic guides are left out.
 * White space at the ends of a `t` counts only under `xml:space="preserve"`, as in Excel itself.
 */
import { stripEnd } from "../../model/strip-end.js";
import type { Attributes } from "./xml.js";

const escape = /_x([0-9A-Fa-f]{4})_/g;

/** `_x000D_` is how a workbook writes a character that XML cannot carry; `_x005F_` is the underscore itself. */
export function unescapeText(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(escape, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

export class TextRuns {
  #text = "";
  #piece = "";
  #phonetic = 0;
  #capturing = false;
  #preserve = false;

  start(): void {
    this.#text = "";
    this.#phonetic = 0;
    this.#capturing = false;
  }

  open(name: string, attributes: Attributes): void {
    if (name === "rPh") this.#phonetic++;
    if (name !== "t" || this.#phonetic > 0) return;
    this.#capturing = true;
    this.#preserve = attributes["xml:space"] === "preserve";
    this.#piece = "";
  }

  close(name: string): void {
    if (name === "rPh") this.#phonetic--;
    if (name !== "t" || !this.#capturing) return;
    this.#capturing = false;
    this.#text += this.#preserve ? this.#piece : trimXml(this.#piece);
  }

  add(text: string): void {
    if (this.#capturing) this.#piece += text;
  }

  /** The item's whole text. */
  get(): string {
    return unescapeText(this.#text);
  }
}

/** Without the white space of XML at both ends; a no-break space is text. */
function trimXml(text: string): string {
  return stripEnd(text.replace(/^[ \t\r\n]+/, ""), " \t\r\n");
}
