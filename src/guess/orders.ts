/**
 * Tables whose rows are the lines of documents, and whose other columns are filled in the first line of each only, as
 * shops export their orders. Such a table is drafted with `group`.
 */
import { agree, CHANCE, type Column, filledWith, groupsOf, headersOf, isPlain, odds } from "./column.js";
import type { Candidate, Decisions } from "./decisions.js";

export interface Orders {
  key: Column;
  /** The key and the columns of lines, as each row has them. */
  lineKey: Column;
  lines: readonly Column[];
  /** The others, with one row for each document. */
  columns: readonly Column[];
}

/** Fewer documents with several lines prove nothing. */
const FEWEST = 2;
/** The share of documents in which a column of the first line is filled. */
const HEADED = 0.9;

interface Found {
  key: Column;
  /** The first row of each document. */
  heads: readonly number[];
  /** Filled in first lines only, and in nearly all of them. */
  headed: readonly Column[];
}

/** Null: it is not such a table, or a person said so. Otherwise reduces the documents' columns to one row for each. */
export function findOrders(columns: readonly Column[], input: string, decisions: Decisions): Orders | null {
  const all = columns.flatMap((column) => headsBy(column, columns) ?? []);
  // A customer has several orders, and exports that overlap have some orders twice.
  const most = Math.max(...all.map(({ key }) => key.distinct.size));
  const found = all.filter(({ key }) => key.distinct.size === most);
  if (found.length === 0) return null;
  const candidates = found.map((value): Candidate<Found | null> => {
    const { key, headed } = value;
    const score = [...key.distinct].every((text) => /\d/.test(text) && !/@/.test(text)) ? 2.5 : 0.8;
    return { value, label: `"${key.header}"`, why: `only the first row of each has ${headersOf(headed, 3)}`, score };
  });
  const none = { value: null, label: "none: each row is on its own", score: 0 };
  const chosen = decisions.choose(`${input}.group`, "which column groups the rows, as lines of one document?", [
    ...candidates,
    none,
  ]);
  if (chosen === null) return null;
  const { key, heads } = chosen;
  const groups = groupsOf(key);
  const first = new Set(heads);
  const isOfLine = (column: Column) =>
    column !== key &&
    !column.values.every((value, row) => value === "" || first.has(row)) &&
    !(agree(groups, column) === true && odds(groups, column) < CHANCE);
  const lines = columns.filter(isOfLine);
  const lineKey = { ...key };
  const others = columns.filter((column) => !lines.includes(column));
  for (const column of others) reduce(column, heads);
  return { key, lineKey, lines, columns: others };
}

function headsBy(key: Column, columns: readonly Column[]): Found | null {
  const { values } = key;
  if (key.filled < 1 || !isPlain(key)) return null;
  const heads = [...values.keys()].filter((row) => values[row] !== values[row - 1]);
  const several = heads.filter((row, at) => (heads[at + 1] ?? values.length) - row > 1);
  if (several.length < FEWEST || key.distinct.size * 2 < heads.length) return null;
  const first = new Set(heads);
  const headed = columns.filter((column) => {
    const filled = column.cells.filter(({ row }) => first.has(row)).length;
    return filled === column.cells.length && filled >= heads.length * HEADED;
  });
  return headed.length < FEWEST ? null : { key, heads, headed };
}

function reduce(column: Column, heads: readonly number[]) {
  const at = new Map(heads.map((row, position) => [row, position]));
  const cells = column.cells.flatMap((cell) => {
    const row = at.get(cell.row);
    return row === undefined ? [] : [{ ...cell, row }];
  });
  const values = heads.map((row) => column.values[row] ?? "");
  Object.assign(column, filledWith(values, cells));
}
