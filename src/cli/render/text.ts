/** Lines for a terminal: parts put together, wrapped to its width, in colours; and tables. */
import { stripVTControlCharacters } from "node:util";
import type picocolors from "picocolors";
import { isJsonObject } from "../../model/json.js";
import { plainText } from "../../report/plain-text.js";

export type Colors = ReturnType<typeof picocolors.createColors>;

/** Something to print, or nothing: what is empty is left out. */
export type Part = string | false | null | undefined | readonly Part[];

/** One below the other. */
export const lines = (...parts: Part[]): string => kept(parts).join("\n");

/** With an empty line between them; a list is the lines of one paragraph. */
export const paragraphs = (parts: readonly Part[]): string =>
  parts
    .map((part) => lines(part))
    .filter((text) => text !== "")
    .join("\n\n");

/** In one line. */
export const joined = (parts: readonly Part[], separator = ", "): string => kept(parts).join(separator);

function kept(part: Part): string[] {
  if (typeof part === "string") return part === "" ? [] : [part];
  return part === false || part === null || part === undefined ? [] : part.flatMap(kept);
}

/**
 * Breaks lines at blanks. What follows goes below the text that stands behind a gap of two blanks or more (`Rows    560 = …`),
 * else as deep as its line began. A word that is too long stays whole, as paths must.
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

/** A label of ten characters, and what belongs to it; nothing where there is nothing. */
export const labelled = (label: string, text: string, colors: Colors): string =>
  text === "" ? "" : `${colors.bold(label)}${" ".repeat(11 - label.length)}${text}`;

/** Columns as wide as their widest cell, two blanks apart; numbers (`right`: their positions) end together. */
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

/** A copy in which every text, however deep, is harmless for a terminal (HARD-CASES H35); line feeds become visible too. */
export function plain<Value>(value: Value): Value {
  if (typeof value === "string") return plainText(value, 2000) as Value;
  if (Array.isArray(value)) return value.map(plain) as Value;
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [plainText(name), plain(member)])) as Value;
}
