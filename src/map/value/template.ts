/** Text with columns in braces. */
import type { ReadText } from "./row-view.js";

export type TemplatePart = { text: string } | { column: string; mayBeBlank: boolean };

/** @throws Error with a sentence, `offset` telling where, when braces do not pair up. */
export function parseTemplate(template: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let text = "";
  for (let index = 0; index < template.length; index++) {
    const character = template[index] ?? "";
    if ((character === "{" || character === "}") && template[index + 1] === character) {
      text += character;
      index++;
    } else if (character === "}") {
      throw new Error(`the "}" at character ${index + 1} closes nothing; a brace itself is written "}}"`);
    } else if (character === "{") {
      const end = template.indexOf("}", index);
      const inner = end < 0 ? "" : template.slice(index + 1, end).trim();
      if (inner === "" || inner === "?")
        throw new Error(
          `the "{" at character ${index + 1} must be followed by a column and "}"; a brace itself is written "{{"`,
        );
      if (text !== "") parts.push({ text });
      text = "";
      const mayBeBlank = inner.endsWith("?");
      parts.push({ column: mayBeBlank ? inner.slice(0, -1).trim() : inner, mayBeBlank });
      index = end;
    } else {
      text += character;
    }
  }
  if (text !== "") parts.push({ text });
  return parts;
}

/** Blank when a column that may not be blank is; `readers` stand in for the columns, in order. */
export function bindTemplate(parts: readonly TemplatePart[], readers: readonly ReadText[]): ReadText {
  return (view) => {
    let whole = "";
    let blank = false;
    let failed = false;
    let reader = 0;
    for (const part of parts) {
      if ("text" in part) {
        whole += part.text;
        continue;
      }
      const text = readers[reader++]?.(view) ?? null;
      if (text === null) failed = true;
      else if (text === "" && !part.mayBeBlank) blank = true;
      else whole += text;
    }
    view.kind = "text";
    if (failed) return null;
    return blank ? "" : whole;
  };
}
