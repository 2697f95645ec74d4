/** The text of one column, of one row or of a group of rows. */
import type { Conversion } from "../convert/conversion.js";
import { Exact } from "../convert/exact.js";
import type { CellKind } from "../../model/row.js";
import type { Cells, Purpose } from "./cells.js";
import type { BoundColumns, ColumnUse } from "./columns.js";
import { reportConflict } from "./conflict.js";
import type { ReadText, RowView } from "./row-view.js";

export type RowsMode = "same" | "first" | "last" | "join" | "sum" | "min" | "max" | "count";

export interface ColumnReading {
  cells: Cells;
  mode: RowsMode;
  separator: string;
  /** Reads the numbers of `sum`, `min` and `max`; null for the other modes. */
  decimal: Conversion | null;
  purpose: Purpose;
  /** Whether typed cells keep their own form, their kind beside it; else they are text. */
  typed: boolean;
}

export function bindColumn(use: ColumnUse, reading: ColumnReading, columns: BoundColumns): ReadText {
  const index = columns.index(use);
  if (index < 0) {
    return (view) => {
      view.kind = "text";
      return "";
    };
  }
  const { cells, mode } = reading;
  const readGroup = mode === "same" ? null : bindGroupMode(index, reading);
  return (view) => {
    if (view.members !== null) {
      if (readGroup !== null) return readGroup(view);
      if (view.conflicts !== null && reportConflict(view, index)) return null;
    } else if (mode === "count") {
      view.kind = "number";
      return cells.text(view.cells[index] ?? "", view.kinds?.[index] ?? "text") === "" ? "0" : "1";
    }
    return readCell(view.cells[index] ?? "", view.kinds?.[index] ?? "text", index, reading, view);
  };
}

/** Null: no field may take the cell; reported. */
function readCell(
  cell: string,
  kind: CellKind,
  index: number,
  { cells, purpose, typed }: ColumnReading,
  view: RowView,
): string | null {
  const text = cells.raw(cell, kind);
  view.kind = typed ? kind : "text";
  if (text === "") return "";
  if (reportFault(text, kind, index, cells, purpose, view)) return null;
  return typed || kind === "text" ? text : cells.text(text, kind);
}

/** Whether the cell is one that no field may take, which is then reported. */
export function reportFault(
  text: string,
  kind: CellKind,
  index: number,
  cells: Cells,
  purpose: Purpose,
  view: RowView,
): boolean {
  const fault = cells.fault(text, kind, purpose);
  if (fault === null) return false;
  view.problems.push({ ...fault, column: view.header[index] ?? null });
  return true;
}

function bindGroupMode(index: number, reading: ColumnReading): ReadText {
  const { cells, mode, separator, decimal } = reading;
  return (view) => {
    const { problems } = view;
    const filled: { cell: string; kind: CellKind; row: number }[] = [];
    for (const member of view.members ?? []) {
      const kind = member.kinds?.[index] ?? "text";
      const cell = cells.raw(member.cells[index] ?? "", kind);
      if (cell !== "") filled.push({ cell, kind, row: member.number });
    }
    if (mode === "count") {
      view.kind = "number";
      return String(filled.length);
    }
    view.kind = "text";
    const [first, last] = [filled[0], filled.at(-1)];
    if (first === undefined || last === undefined) return "";
    const chosen = mode === "first" ? first : last;
    if (mode === "first" || mode === "last") return readCell(chosen.cell, chosen.kind, index, reading, view);
    const texts = new Set<string>();
    const numbers: Exact[] = [];
    for (const { cell, kind, row } of filled) {
      view.problems = [];
      const text = readCell(cell, kind, index, { ...reading, typed: decimal !== null }, view);
      const result = text === null || decimal === null ? null : decimal(text, kind);
      if (result !== null && "problem" in result)
        view.problems.push({ ...result.problem, column: view.header[index] ?? null });
      const found = view.problems.map((problem) => ({ ...problem, message: `row ${row}: ${problem.message}` }));
      view.problems = problems;
      problems.push(...found);
      if (found.length > 0) return null;
      if (result === null) texts.add(text ?? "");
      else if ("value" in result) numbers.push(Exact.of(String(result.value)));
    }
    view.kind = decimal === null ? "text" : "number";
    if (decimal === null) return [...texts].join(separator);
    return combine(numbers, mode, index, view);
  };
}

function combine(numbers: readonly Exact[], mode: RowsMode, index: number, view: RowView): string | null {
  const wanted = mode === "min" ? -1 : 1;
  try {
    return numbers.reduce((one, other) =>
      mode === "sum" ? one.plus(other) : other.compare(one) === wanted ? other : one,
    ).text;
  } catch (error) {
    const message = `rows: ${mode}: ${error instanceof Error ? error.message : String(error)}`;
    view.problems.push({ code: "number-unreadable", message, hint: null, column: view.header[index] ?? null });
    return null;
  }
}
