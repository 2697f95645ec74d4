/** HTML templates that escape every value unless it is markup (H35). */
import { plainText } from "../plain-text.js";

/** Made by `html`; otherwise of our own constants only. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Value = string | number | Markup | null | undefined | false | readonly Value[];

/** For text and double-quoted attributes; shows control characters and direction marks. */
export function escaped(text: string): string {
  return plainText(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/** Our own text: what is in backticks is code. */
export const prose = (text: string): Value =>
  text.split(/`([^`]*)`/).map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`));

/** Joins arrays; leaves out null, undefined and false. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Markup {
  let text = parts[0] ?? "";
  values.forEach((value, index) => {
    text += rendered(value) + (parts[index + 1] ?? "");
  });
  return new Markup(text);
}

function rendered(value: Value): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "string") return escaped(value);
  if (typeof value === "number") return String(value);
  return value.map(rendered).join("");
}
