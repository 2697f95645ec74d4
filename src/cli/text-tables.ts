/** The tables and lists that summary, plan and status share, for a terminal. Texts from outside are made plain (HARD-CASES H35). */
import Table from "cli-table3";
import type picocolors from "picocolors";
import type { RowCounts, StateCounts, Summary } from "../model/summary.js";
import { grouped } from "../report/figures.js";
import { plainText, shortened } from "../report/plain-text.js";

export type Colors = ReturnType<typeof picocolors.createColors>;

/** Tables are made for 40 to 120 columns. */
function tableWidth(columns: number): number {
  return Math.max(40, Math.min(columns, 120));
}

/** read = skipped + invalid + known + staged, written as the sum that it is (P7). */
export function rowTable(counted: Pick<Summary, "inputs" | "rows">, columns: number, colors: Colors): string {
  const table = plainTable(["Rows", "read", "=", "skipped", "+", "invalid", "+", "known", "+", "staged"], colors);
  const nameWidth = Math.max(12, tableWidth(columns) - 58);
  for (const input of counted.inputs) {
    const name = input.sheet === null ? input.input : `${input.input}, ${input.sheet}`;
    table.push(sumCells(middleCut(plainText(name), nameWidth), input));
  }
  if (counted.inputs.length !== 1) table.push(sumCells("all", counted.rows));
  return table.toString();
}

function sumCells(name: string, { read, skipped, invalid, known, staged }: RowCounts): string[] {
  const [whole = "", ...parts] = [read, skipped, invalid, known, staged].map(grouped);
  return [name, whole, "=", ...parts.flatMap((part, index) => (index === 0 ? [part] : ["+", part]))];
}

/** `404 landed, 3 held`; states with none are left out. */
export function stateText(counts: StateCounts): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${grouped(count)} ${plainText(state, 40)}`)
    .join(", ");
}

/** Most frequent first, with an example each; empty where there is none. */
export function problemTable(title: string, problems: Summary["problems"], columns: number, colors: Colors): string {
  if (problems.length === 0) return "";
  const width = tableWidth(columns);
  const codeWidth = Math.min(28, Math.max(...problems.map(({ code }) => code.length)) + 2);
  const table = new Table({
    head: [title, "code", "for example"],
    colWidths: [9, codeWidth, Math.max(16, width - 9 - codeWidth - 3)],
    colAligns: ["right", "left", "left"],
    wordWrap: true,
    wrapOnWordBoundary: true,
    style: { head: [], border: [], compact: true, "padding-left": 0, "padding-right": 1 },
    chars: withoutLines,
  });
  const largestFirst = problems.toSorted((left, right) => right.count - left.count);
  table.push(...largestFirst.map(({ code, count, example }) => [grouped(count), code, plainText(example, 400)]));
  const [head = "", ...lines] = trimmedLines(table.toString());
  return [colors.bold(head), ...lines].join("\n");
}

const withoutLines = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: " ",
};

function plainTable(head: string[], colors: Colors): { push(line: string[]): void; toString(): string } {
  const table = new Table({
    head,
    colAligns: head.map((name, index) => (index === 0 ? "left" : name.length === 1 ? "center" : "right")),
    style: { head: [], border: [], compact: true, "padding-left": 0, "padding-right": 0 },
    chars: withoutLines,
  });
  return {
    push: (line) => table.push(line),
    toString() {
      const [first = "", ...lines] = trimmedLines(table.toString());
      return [colors.bold(first), ...lines].join("\n");
    },
  };
}

function trimmedLines(text: string): string[] {
  return text.split("\n").map((line) => line.trimEnd());
}

/** `a-very-long….csv`: beginning and end stay. */
function middleCut(text: string, width: number): string {
  const characters = Array.from(text);
  if (characters.length <= width) return text;
  const end = Math.min(13, Math.floor(width / 2));
  return shortened(text, width - end) + characters.slice(-end).join("");
}
