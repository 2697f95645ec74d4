/** Formulas of cells as a row may take them along: only of cells of its own row. Never calculated. */
import { columnLetters, moveFormula } from "../../model/formula.js";
import type { Attributes } from "./xml.js";

/** More than a workbook has: formulas that are shared beyond it are taken for such as use other rows. */
const MAX_SHARED = 10_000;

interface Shared {
  text: string;
  row: number;
  column: number;
}

export function followFormulas() {
  /** By their number in the sheet; only the first cell of those that share a formula has its text. */
  const shared = new Map<string, Shared>();
  let kind = "";
  let group = "";
  return {
    /** The element `f`, before its text has come. */
    open({ t = "", si = "" }: Attributes): void {
      kind = t;
      group = si;
    },
    /** As it would be in row 1; null: it uses other rows. Rows count from 1, columns from 0. */
    of(text: string, row: number, column: number): string | null {
      if (kind === "") return ofOwnRow({ text, row, column }, row, column);
      if (kind !== "shared") return null;
      if (text !== "" && shared.size < MAX_SHARED) shared.set(group, { text, row, column });
      const first = shared.get(group);
      return first === undefined ? null : ofOwnRow(first, row, column);
    },
  };
}

function ofOwnRow(from: Shared, row: number, column: number): string | null {
  if (from.text === "") return null;
  return moveFormula(from.text, (reference) => {
    const { fixed } = reference;
    const there = reference.column + (fixed.column ? 0 : column - from.column);
    const isOwn = reference.row + (fixed.row ? 0 : row - from.row) === row;
    return isOwn && there >= 0 ? `${columnLetters(there + 1)}1` : null;
  });
}
