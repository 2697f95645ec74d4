/** Columns whose blank cells seem to mean the value above, as in printed lists and pivot tables. */
import { fillDown } from "../map/input/fill-down.js";
import type { Row } from "../model/row.js";
import { isFilled } from "../read/header.js";
import { foldHeader } from "./words.js";

/** In a list, a group has a few rows; fewer blanks are hardly groups. */
const BLANK = 0.3;
/** Cells that a row of details always has. */
const DETAILS = 0.9;
/** Headers of remarks, which belong to their own row. */
const REMARK =
  /^(obs|observ\p{L}*|remarks?|notes?|comments?|coment\p{L}*|(be|an)merkung(en)?|remarques?|commentaires?)\b/u;

const at = (row: Row | undefined, column: number): string => row?.cells[column]?.trim() ?? "";

/**
 * The first columns: each begins filled, is often blank below, and hardly ever repeats the value above; a row that
 * names an outer group also names an inner one. Columns of details follow.
 */
export function hangingColumns(rows: readonly Row[], header: readonly string[]): number[] {
  const hanging: number[] = [];
  for (let column = 0; column < header.length - 1 && !REMARK.test(foldHeader(header[column] ?? "")); column++) {
    const filled = rows.filter((row) => isFilled(at(row, column)));
    const repeats = filled.filter((row, index) => at(row, column) === at(filled[index - 1], column));
    const hangs =
      filled.length > 1 &&
      filled[0] === rows[0] &&
      rows.length - filled.length >= rows.length * BLANK &&
      repeats.length <= filled.length * (1 - DETAILS) &&
      hanging.every((outer) => rows.every((row) => !isFilled(at(row, outer)) || isFilled(at(row, column))));
    if (!hangs) break;
    hanging.push(column);
  }
  const inner = hanging.at(-1);
  if (inner === undefined) return [];
  const details = rows.filter((row) => !isFilled(at(row, inner)));
  const hasDetails = (column: number) =>
    details.filter((row) => isFilled(at(row, column))).length >= details.length * DETAILS;
  return header.some((_, column) => column > inner && hasDetails(column)) ? hanging : [];
}

/** As the mapping reads them under `fill: down`. */
export function filledDown(rows: readonly Row[], hanging: readonly number[], header: readonly string[]): Row[] {
  const filled = fillDown(hanging, header, (row) => row);
  return hanging.length === 0 ? [...rows] : rows.map((row) => filled(structuredClone(row)));
}
