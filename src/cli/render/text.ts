/** Lines for a terminal: joined, wrapped, coloured; and tables. */
import { stripVTControlCharacters } from "node:util";
import picocolors from "picocolors";
import { isJsonObject } from "../../model/json.js";
import { plainText } from "../../report/plain-text.js";

export { joined } from "../../report/figures.js";

/** The output removes them if nobody would see them. */
export const { bold, dim, green, red, yellow } = picocolors.createColors(true);

/** Empty parts are left out. */
export type Part = string | false | null | undefined | readonly Part[];

export const lines = (...parts: Part[]): string => kept(parts).join("\n");

/** Separated by empty lines; a list is one paragraph. */
export const paragraphs = (parts: readonly Part[]): string =>
  parts
    .map((part) => lines(part))
    .filter((text) => text !== "")
    .join("\n\n");

function kept(part: Part): string[] {
  if (typeof part === "string") return part === "" ? [] : [part];
  return part === false || part === null || part === undefined ? [] : part.flatMap(kept);
}

/**
 * Breaks lines at blanks. Continuations align with the text after a gap of two or more blanks (`Rows    560 = …`), else
 * with the line's beginning. Long words such as paths stay whole.
 */
export function fitted(text: string, columns: number): string {
  const width = Math.max(40, Math.min(columns, 120));
  return text
    .split("\n")
    .flatMap((line) => (lengthOf(line) <= width ? [line] : broken(line, width)))
    .join("\n");
}

function broken(line: string, width: number): string[] {
  const [lead = ""] = /^ *(?:- |\S+(?: \S+){0,2} {2,})?/.exec(stripVTControlCharacters(line)) ?? [];
  const indent = " ".repeat(lead.length > width / 2 ? 4 : lead.length);
  const found: string[] = [];
  let now = "";
  for (const word of line.split(/(?<=\S)(?= )/)) {
    if (now !== "" && now.trim() !== "" && lengthOf(now + word) > width) {
      found.push(now);
      now = indent + word.trimStart();
    } else now += word;
  }
  return [...found, now];
}

/** A label of ten characters, and its text; nothing for no text. */
export const labelled = (label: string, text: string): string =>
  text === "" ? "" : `${bold(label)}${" ".repeat(11 - label.length)}${text}`;

/** `right`: positions of right-aligned columns. */
export function table(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths = (rows[0] ?? []).map((_cell, index) => Math.max(...rows.map((row) => lengthOf(row[index] ?? ""))));
  return rows.map((row) =>
    row
      .map((cell, index) => {
        const blanks = " ".repeat((widths[index] ?? 0) - lengthOf(cell));
        return right.includes(index) ? blanks + cell : cell + blanks;
      })
      .join("  ")
      .trimEnd(),
  );
}

const lengthOf = (text: string): number => Array.from(stripVTControlCharacters(text)).length;

/** A copy whose texts are harmless for a terminal (H35); line feeds become visible. */
export function plain<Value>(value: Value): Value {
  if (typeof value === "string") return plainText(value, 2000) as Value;
  if (Array.isArray(value)) return value.map(plain) as Value;
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [plainText(name), plain(member)])) as Value;
}
