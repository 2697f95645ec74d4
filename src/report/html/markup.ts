/** HTML from templates: every value is escaped unless it is markup already (HARD-CASES H35). */
import { plainText } from "../plain-text.js";

/** Text that is HTML already. Made by `html` and `raw` only. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

export type Value = string | number | Markup | null | undefined | false | readonly Value[];

/** Escapes for text and for attribute values in double quotes; control characters and direction marks become visible. */
export function escaped(text: string): string {
  return plainText(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/** A template; arrays are joined, null, undefined and false are left out. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Markup {
  let text = parts[0] ?? "";
  values.forEach((value, index) => {
    text += rendered(value) + (parts[index + 1] ?? "");
  });
  return new Markup(text);
}

/** Our own constant text, unescaped. Never for anything that was read. */
export function raw(text: string): Markup {
  return new Markup(text);
}

function rendered(value: Value): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "string") return escaped(value);
  if (typeof value === "number") return String(value);
  return value.map(rendered).join("");
}
