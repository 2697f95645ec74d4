/** Lines for a terminal: wrapped to its width, and tables. Every text from outside is made plain by whoever hands it in. */
import type picocolors from "picocolors";

export type Colors = ReturnType<typeof picocolors.createColors>;

/** What every screen knows of the terminal. */
export interface Look {
  /** Width in characters. */
  columns: number;
  colors: Colors;
}

/** Breaks a text at blanks; a word that is too long stays whole, as paths and commands must. */
export function wrapped(
  text: string,
  { columns, first = "", rest = first.replace(/./g, " ") }: { columns: number; first?: string; rest?: string },
): string {
  const width = Math.max(40, Math.min(columns, 120));
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(" ")) {
    if (!isEmpty && lengthOf(line) + 1 + lengthOf(word) > width) {
      lines.push(line);
      line = rest;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].join("\n");
}

/** A label of ten characters, and what belongs to it: `Rows       560 = …`. */
export function labelled(label: string, text: string, { columns, colors }: Look): string {
  return wrapped(text, { columns, first: label.padEnd(11) }).replace(label, colors.bold(label));
}

/** Columns as wide as their widest cell, two blanks apart; numbers (`right`: their positions) end together. */
export function table(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths = (rows[0] ?? []).map((_cell, index) => Math.max(...rows.map((row) => lengthOf(row[index] ?? ""))));
  return rows
    .map((row) =>
      row
        .map((cell, index) => {
          const blanks = " ".repeat((widths[index] ?? 0) - lengthOf(cell));
          return right.includes(index) ? blanks + cell : cell + blanks;
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const lengthOf = (text: string): number => Array.from(text).length;
