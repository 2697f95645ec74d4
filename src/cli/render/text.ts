/** Lines for a terminal: wrapped to its width, and tables. Every text from outside is made plain by whoever hands it in. */
import type picocolors from "picocolors";

export type Colors = ReturnType<typeof picocolors.createColors>;

/** What every screen knows of the terminal. */
export interface Look {
  /** Width in characters. */
  columns: number;
  colors: Colors;
}

/** Breaks each line of a text at blanks; a word that is too long stays whole, as paths and commands must. */
export function wrapped(
  text: string,
  { columns, first = "", rest = first.replace(/./g, " ") }: { columns: number; first?: string; rest?: string },
): string {
  const width = Math.max(40, Math.min(columns, 120));
  const lines = text.split("\n").flatMap((line) => {
    const broken: string[] = [];
    let now: string | null = null;
    for (const word of line.split(" ")) {
      const longer: string = now === null ? (broken.length === 0 ? first : rest) + word : `${now} ${word}`;
      if (now !== null && lengthOf(longer) > width) {
        broken.push(now);
        now = rest + word;
      } else now = longer;
    }
    return [...broken, now ?? ""];
  });
  return lines.join("\n");
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
