/** `fill: down`: a blank cell takes the value above, as in lists that name a customer once for all of its rows. */
import { listed } from "../../model/fold.js";
import { columnName, ownPosition } from "../../model/own-columns.js";
import type { CellKind, CellLook, Row } from "../../model/row.js";
import type { View } from "../column/view.js";
import type { Column } from "../piece.js";
import { isShapeless } from "./row-mapper.js";

/** Null: it is unknown, because the cells of its row may be under the wrong headers. */
type Above = { cell: string; kind: CellKind; look: CellLook | null } | null;

/**
 * Fills a row in place before `use` takes it, so that rejected files show the values. Rows go in the order of the file;
 * one that `use` leaves out, such as a sum, gives no value. A corrected file is complete: its rows are not neighbours.
 */
export function fillDown<T>(
  columns: readonly Column[],
  { header, index }: View,
  use: (row: Row) => T,
): (row: Row) => T {
  const isCorrected = ownPosition(header, "rowferry_row") !== -1;
  const filling = isCorrected ? [] : columns.filter((column) => column.use?.fillsDown === true);
  const indexes = filling
    .flatMap(({ slot }) => index[slot] ?? [])
    .filter((at) => at >= 0)
    .toSorted((one, other) => one - other);
  if (indexes.length === 0) return use;
  const above = new Map<number, Above>();
  const isBlank = (row: Row, at: number) => (row.cells[at] ?? "").trim() === "";

  const fill = (row: Row): void => {
    const { cells, kinds } = row;
    const blank = indexes.filter((at) => isBlank(row, at));
    for (const at of blank) {
      const from = above.get(at);
      if (from == null) continue;
      cells[at] = from.cell;
      if (kinds !== null) kinds[at] = from.kind;
      if (from.look !== null) (row.looks ??= [])[at] = from.look;
    }
    const unknown = blank.filter((at) => above.get(at) === null).map((at) => columnName(header, at));
    const [column] = unknown;
    if (column === undefined) return;
    const message = `blank, and a row above has another number of cells, so that its value of ${listed(unknown, 5)} is not certain`;
    row.problems = [...(row.problems ?? []), { code: "value-above", message, hint: null, column }];
  };

  const learn = (row: Row): void => {
    const { cells, kinds, looks } = row;
    const isUnclear = isShapeless(row.problems ?? []);
    for (const at of indexes)
      if (isUnclear) above.set(at, null);
      else if (!isBlank(row, at))
        above.set(at, { cell: cells[at] ?? "", kind: kinds?.[at] ?? "text", look: looks?.[at] ?? null });
  };

  return (row) => {
    if (row.leftOut === undefined) fill(row);
    const used = use(row);
    if (row.leftOut === undefined) learn(row);
    return used;
  };
}
