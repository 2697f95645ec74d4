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
  const seen = rows.map((row) => ({
    row,
    texts: row.cells.map((cell) => (blank.has(cell.trim()) ? "" : foldName(cell))),
  }));
  const byColumn = Map.groupBy(seen, ({ texts }) => {
    const at = texts.findIndex((text) => TOTAL.test(text));
    // A sum's word is the first or second filled cell; further right it is a name.
    return texts.slice(0, Math.max(0, at)).filter((text) => text !== "").length > 1 ? -1 : at;
  });
  byColumn.delete(-1);
  const [best] = [...byColumn].toSorted(([, one], [, other]) => other.length - one.length);
  if (best === undefined || best[1].length * 3 > rows.length) return null;
  const [at, sums] = best;
  const others = seen.filter((one) => !sums.includes(one));
  const width = Math.max(...rows.map(({ cells }) => cells.length));
  const isBlank =
    (column: number) =>
    ({ texts }: (typeof seen)[number]) =>
      (texts[column] ?? "") === "";
  const gap = [...Array(width).keys()].find(
    (column) => column !== at && sums.every(isBlank(column)) && !others.some(isBlank(column)),
  );
  const said = sums.map(({ texts }) => texts[at] ?? "");
  const words = [...new Set(said.map((text) => TOTAL.exec(text)?.[0] ?? ""))];
  // Without a gap only the bare word is certain.
  if (gap === undefined && !said.every((text) => words.includes(text))) return null;
  const condition: Totals["condition"] = (name, names) => {
    const missing = names.get(gap ?? at);
    if (name === undefined || missing === undefined) return null;
    if (gap === undefined) return `fold(${name}) in ${JSON.stringify(words)}`;
    const begins = words.map((word) => `startsWith(fold(${name}), "${word}")`).join(" || ");
    return `blank(${missing}) && ${words.length > 1 ? `(${begins})` : begins}`;
  };
  return { rows: new Set(sums.map(({ row }) => row)), column: at, condition };
}
