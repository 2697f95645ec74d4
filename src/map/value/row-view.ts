/** What the compiled fields of one input look at: one row, or a group of rows, at a time. One object, used again and again. */
import type { ExactNumber } from "../../model/json.js";
import type { Problem } from "../../model/problem.js";
import type { CellKind, Row } from "../../model/row.js";

export interface RowView {
  /** Of a group: the first filled cell of each column. */
  cells: readonly string[];
  kinds: readonly CellKind[] | null;
  /** The rows of a group of several; null for a single row. */
  members: readonly Row[] | null;
  /** In a group: columns whose filled cells differ, by position, with two of the texts. */
  conflicts: ReadonlyMap<number, readonly [string, string]> | null;
  /** Header texts as they stand in the file. */
  header: readonly string[];
  /** Where fields report what is wrong with the row. */
  problems: Problem[];
  /** The kind of the text that was read last. */
  kind: CellKind;
}

/** A value as it is sent, or made text for a key. */
export type Value = string | number | ExactNumber | boolean;

/** Undefined: blank. Null: not readable; the problem has been reported. */
export type Read<T> = (view: RowView) => T | undefined | null;

/** As `Read`, for text before its conversion: "" is blank. Leaves its kind in `view.kind`. */
export type ReadText = (view: RowView) => string | null;

export function newRowView(header: readonly string[]): RowView {
  return { cells: [], kinds: null, members: null, conflicts: null, header, problems: [], kind: "text" };
}
