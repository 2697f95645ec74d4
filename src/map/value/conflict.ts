/** Rows of one group that say different things where one value is needed. */
import { shorten } from "../fold.js";
import type { RowView } from "./row-view.js";

/** Reports it, and gives true, when the filled cells of a column differ within the group. */
export function reportConflict(view: RowView, index: number): boolean {
  const conflict = view.conflicts?.get(index);
  if (conflict === undefined) return false;
  const [first, second] = conflict.map((text) => JSON.stringify(shorten(text)));
  view.problems.push({
    code: "group-differs",
    message: `rows of one group say ${first} and ${second}`,
    hint: null,
    column: view.header[index] ?? null,
  });
  return true;
}
