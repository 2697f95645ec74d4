/** Which column names the documents of a table: one that other columns follow from, or one that no two rows share. */
import type { Column } from "./column.js";
import { determines, groupsOf } from "./dependency.js";

export interface DocumentKey {
  column: Column;
  /** `long`: several rows belong to one document, each an event. `wide`: a row is a document. */
  shape: "long" | "wide";
  groups: Map<string, number[]>;
  /** Columns that follow from it; in a wide table all others. */
  follows: Set<Column>;
}

/** Null where no column can be one. */
export function findDocumentKey(columns: readonly Column[], rows: number): DocumentKey | null {
  const candidates = columns.filter(mayBeKey);
  const long = candidates
    .map((column) => {
      const groups = groupsOf(column);
      const follows = new Set(
        columns.filter((other) => other !== column && other.distinct.size > 0 && determines(groups, other)),
      );
      return { column, groups, follows, score: follows.size + wordBonus(column) };
    })
    // On average three rows to two documents, and a time that differs between rows of one document.
    .filter(({ column, groups, follows }) => {
      const several = groups.size * 1.5 <= column.cells.length && groups.size > 1;
      return (
        several &&
        follows.size >= (wordBonus(column) > 0 ? 1 : 2) &&
        columns.some((other) => other.date !== null && !follows.has(other))
      );
    })
    .toSorted((one, other) => other.score - one.score || one.column.index - other.column.index);
  const [best] = long;
  if (best !== undefined) return { ...best, shape: "long" };
  const unique = candidates
    .filter((column) => column.distinct.size === column.cells.length && column.cells.length >= rows * 0.95)
    .toSorted((one, other) => wordBonus(other) - wordBonus(one) || one.index - other.index);
  const [first] = unique;
  if (first === undefined) return null;
  return {
    column: first,
    shape: "wide",
    groups: groupsOf(first),
    follows: new Set(columns.filter((column) => column !== first)),
  };
}

function mayBeKey(column: Column): boolean {
  if (column.filled < 0.9 || column.date !== null || column.taxId !== null || column.boolean) return false;
  if (column.number !== null && !column.number.whole) return false;
  const isPlace =
    column.role !== null &&
    [
      "street",
      "number",
      "city",
      "state",
      "zipCode",
      "neighborhood",
      "latitude",
      "longitude",
      "name",
      "related",
    ].includes(column.role);
  return !isPlace && [...column.distinct].every((value) => value.length <= 60 && !value.includes("\n"));
}

/** The header's word; else values that look like numbers of something (`LS-1001`) go before words. */
function wordBonus({ role, distinct }: Column): number {
  if (role === "document") return 3;
  if (role === "code") return 1;
  return role === null && [...distinct].every((value) => /^[\p{Letter}._/-]*\d[\p{Letter}\d._/-]*$/u.test(value))
    ? 0.5
    : 0;
}
