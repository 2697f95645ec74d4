/** `fill: down`: a blank cell takes the value above, as in lists that name a customer once for all of its rows. */
import { listed } from "../../model/fold.js";
import { columnName, ownPosition } from "../../model/own-columns.js";
import { type CellKind, type CellLook, HIDDEN, type Row } from "../../model/row.js";
import type { View } from "../column/view.js";
import type { Column } from "../piece.js";
import { isShapeless } from "./row-mapper.js";

/** A text: why it is unknown. */
type Above = { cell: string; kind: CellKind; look: CellLook | null } | string;

const SHAPELESS = "a row above has a different number of cells";
const SKIPPED = "a row above that fills it is skipped";
const UNREADABLE = "its cell in a row above cannot be read";

/** The positions of columns that fill down, from the left. */
export const fillingColumns = (columns: readonly Column[], { index }: View): number[] =>
  columns
    .flatMap(({ slot, use }) => (use?.fillsDown === true ? (index[slot] ?? []) : []))
    .filter((at) => at >= 0)
    .toSorted((one, other) => one - other);

/**
 * Fills a row in place before `use` takes it, so that rejected files show the values. Rows go in the order of the file.
 * What may be of another group is not taken: below a row that `use` leaves out, or that names another outer group alone. A
 * corrected file is complete: its rows are not neighbours.
 */
export function fillDown<T>(
  indexes: readonly number[],
  header: readonly string[],
  use: (row: Row) => T,
): (row: Row) => T {
  const isCorrected = ownPosition(header, "rowferry_row") !== -1;
  if (indexes.length === 0 || isCorrected) return use;
  const above = new Map<number, Above>();

  const fill = (row: Row, own: readonly number[]): void => {
    const { cells } = row;
    let outer: string | null = null;
    const unknown = new Map<string, string>();
    for (const at of indexes) {
      let from = above.get(at);
      const cell = typeof from === "object" ? from.cell : "";
      if (own.includes(at)) {
        if (cells[at] !== cell) outer = columnName(header, at);
        continue;
      }
      if (typeof from === "object" && outer !== null)
        above.set(at, (from = `a row names another "${outer}" and leaves it blank`));
      if (typeof from === "string") unknown.set(columnName(header, at), from);
      if (typeof from !== "object") continue;
      cells[at] = from.cell;
      if (row.kinds !== null || from.kind !== "text") (row.kinds ??= cells.map(() => "text"))[at] = from.kind;
      if (from.look !== null || row.looks?.[at] != null) (row.looks ??= [])[at] = from.look;
    }
    const [[column, why] = []] = unknown;
    if (column === undefined) return;
    const message = `blank, and the value above (${listed([...unknown.keys()], 5)}) is not certain: ${why}`;
    row.problems = [...(row.problems ?? []), { code: "value-above", message, hint: null, column }];
  };

  const learn = (row: Row, own: readonly number[], unread: readonly number[]): void => {
    const { cells, kinds, looks, leftOut } = row;
    for (const at of unread) above.set(at, UNREADABLE);
    const isUnclear = isShapeless(row.problems ?? []);
    for (const at of isUnclear && leftOut === undefined ? indexes : own) {
      const cell = cells[at] ?? "";
      const last = above.get(at);
      if (leftOut !== undefined) {
        if (typeof last !== "object" || last.cell !== cell) above.set(at, SKIPPED);
      } else if (isUnclear) above.set(at, SHAPELESS);
      else {
        // In a row below, its formula may give a different value.
        const { formula: _, ...look } = looks?.[at] ?? {};
        above.set(at, { cell, kind: kinds?.[at] ?? "text", look: Object.keys(look).length === 0 ? null : look });
      }
    }
  };

  return (row) => {
    // A repeated header or a ruled line is not a row of the table.
    if (row.leftOut !== undefined && row.leftOut !== HIDDEN) return use(row);
    const own = indexes.filter((at) => (row.cells[at] ?? "").trim() !== "");
    // A formula without a result looks blank.
    const unread = indexes.filter(
      (at) => !own.includes(at) && row.problems?.some(({ column }) => column === header[at]),
    );
    for (const at of unread) above.delete(at);
    if (row.leftOut === undefined) fill(row, own);
    const used = use(row);
    learn(row, own, unread);
    return used;
  };
}
