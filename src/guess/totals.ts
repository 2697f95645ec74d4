/** Finds rows of sums, and the condition that skips them. */
import { foldName } from "../model/fold.js";
import type { Row } from "../model/row.js";
import { TOTAL } from "../read/rows.js";

export interface Totals {
  /** Sums are no evidence about the columns. */
  rows: ReadonlySet<Row>;
  /** Where their word stands. */
  column: number;
  /** The condition of `skip`; null where a column that it needs has no name. `word`: of the column of words, as text. `names`: of all, by position. */
  condition: (word: string | undefined, names: ReadonlyMap<number, string>) => string | null;
}

export function findTotals(rows: readonly Row[], blank: ReadonlySet<string>): Totals | null {
  const texts = new Map(
    rows.map((row) => [row, row.cells.map((cell) => (blank.has(cell.trim()) ? "" : foldName(cell)))]),
  );
  const text = (row: Row, column: number) => texts.get(row)?.[column] ?? "";
  const wordAt = (row: Row) => {
    const cells = texts.get(row) ?? [];
    const at = cells.findIndex((cell) => TOTAL.test(cell));
    // A sum's word is the first or second filled cell; further right it is a name.
    return cells.slice(0, Math.max(0, at)).filter((cell) => cell !== "").length > 1 ? -1 : at;
  };
  const byColumn = Map.groupBy(rows, wordAt);
  byColumn.delete(-1);
  const [best] = [...byColumn].toSorted(([, one], [, other]) => other.length - one.length);
  if (best === undefined || best[1].length * 3 > rows.length) return null;
  const [at, sums] = best;
  const others = rows.filter((row) => !sums.includes(row));
  const width = Math.max(...rows.map(({ cells }) => cells.length));
  const gap = [...Array(width).keys()].find(
    (column) =>
      column !== at && sums.every((row) => text(row, column) === "") && others.every((row) => text(row, column) !== ""),
  );
  const words = [...new Set(sums.map((row) => TOTAL.exec(text(row, at))?.[0] ?? ""))];
  // Without a gap only the bare word is certain.
  if (gap === undefined && !sums.every((row) => words.includes(text(row, at)))) return null;
  const condition: Totals["condition"] = (name, names) => {
    const missing = names.get(gap ?? at);
    if (name === undefined || missing === undefined) return null;
    if (gap === undefined) return `fold(${name}) in ${JSON.stringify(words)}`;
    const said = words.map((word) => `startsWith(fold(${name}), "${word}")`).join(" || ");
    return `blank(${missing}) && ${words.length > 1 ? `(${said})` : said}`;
  };
  return { rows: new Set(sums), column: at, condition };
}
