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

export class Formulas {
  /** By their number in the sheet; only the first cell of those that share a formula has its text. */
  readonly #shared = new Map<string, Shared>();
  #kind = "";
  #group = "";

  /** The element `f`, before its text has come. */
  open({ t = "", si = "" }: Attributes): void {
    this.#kind = t;
    this.#group = si;
  }

  /** As it would be in row 1; null: it uses other rows. Rows count from 1, columns from 0. */
  of(text: string, row: number, column: number): string | null {
    if (this.#kind === "") return ofOwnRow({ text, row, column }, row, column);
    if (this.#kind !== "shared") return null;
    if (text !== "" && this.#shared.size < MAX_SHARED) this.#shared.set(this.#group, { text, row, column });
    const shared = this.#shared.get(this.#group);
    return shared === undefined ? null : ofOwnRow(shared, row, column);
  }
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
