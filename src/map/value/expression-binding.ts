/** One expression over one row at a time: fetches its columns, evaluates when one of them changed, and reports failures. */
import { EvaluationError, ParseError, TypeError as CelTypeError } from "@marcbachmann/cel-js";
import { shorten } from "../fold.js";
import { Exact } from "../convert/exact.js";
import { exactNumber } from "../../model/json.js";
import type { Cells, Purpose } from "./cells.js";
import { reportFault } from "./column.js";
import type { BoundColumns } from "./columns.js";
import { reportConflict } from "./conflict.js";
import { renamedMethods } from "./expression-functions.js";
import { Cell, ExpressionFailure } from "./expression-numbers.js";
import type { RowView, Value } from "./row-view.js";

export type ExpressionValue = Value | Date;

export interface CompiledExpression {
  /** As the mapping writes it. */
  text: string;
  /** Its columns, in the order of the cells that `evaluate` is given. */
  columns: readonly string[];
  /** May give what is no value, and may throw. */
  evaluate(cells: readonly Cell[]): unknown;
}

/** Excel's own longest cell. */
const MAX_CELL = 32_767;

export function bindExpression(
  expression: CompiledExpression,
  bound: BoundColumns,
  cells: Cells,
  purpose: Purpose,
): (view: RowView) => ExpressionValue | null {
  const indexes = expression.columns.map((name) => bound.index([name]));
  const read: Cell[] = expression.columns.map(() => new Cell());
  /** Null: there is none for the cells as they stand. */
  let latest: ExpressionValue | null = null;

  return (view) => {
    let same = latest !== null;
    for (const [position, cell] of read.entries()) {
      const index = indexes[position] ?? -1;
      const kind = index < 0 ? "text" : (view.kinds?.[index] ?? "text");
      const raw = index < 0 ? "" : cells.raw(view.cells[index] ?? "", kind);
      if (
        (view.conflicts !== null && reportConflict(view, index)) ||
        (raw.length > MAX_CELL && reportLongCell(view, index, raw)) ||
        (raw !== "" && reportFault(raw, kind, index, cells, purpose, view))
      ) {
        latest = null;
        return null;
      }
      if (cell.raw === raw && cell.kind === kind) continue;
      same = false;
      Object.assign(cell, { raw, kind, text: cells.text(raw, kind) });
    }
    if (same) return latest;
    try {
      latest = valueOf(expression.evaluate(read));
    } catch (error) {
      latest = null;
      reportFailure(error, expression.text, indexes.length === 1 ? (indexes[0] ?? -1) : -1, view);
    }
    return latest;
  };
}

function valueOf(value: unknown): ExpressionValue {
  if (typeof value === "string" && !value.isWellFormed())
    throw new ExpressionFailure("expression-failed", "it gives half a character");
  if (typeof value === "string" || typeof value === "boolean" || value instanceof Date) return value;
  if (value instanceof Exact) return exactNumber(value.text);
  if (typeof value === "bigint") return exactNumber(String(value));
  const given = value === null ? "null" : "something else than text, a number, a boolean or a time";
  throw new ExpressionFailure("expression-failed", `it gives ${given}`);
}

function reportLongCell(view: RowView, index: number, text: string): true {
  const message = `the cell has ${text.length} characters; expressions read at most ${MAX_CELL}`;
  view.problems.push({ code: "expression-failed", message, hint: null, column: view.header[index] ?? null });
  return true;
}

function reportFailure(error: unknown, source: string, index: number, view: RowView): void {
  const failure = error instanceof ExpressionFailure ? error : null;
  view.problems.push({
    code: failure?.code === "function-failed" ? "function-failed" : "expression-failed",
    message: `expression ${shorten(source)}: ${failure === null ? explainExpressionError(error) : failure.message}`,
    hint: failure?.hint ?? null,
    column: view.header[index] ?? null,
  });
}

/** The first line of the library's message, with our names for what was renamed. */
export function explainExpressionError(error: unknown): string {
  const known = error instanceof ParseError || error instanceof CelTypeError || error instanceof EvaluationError;
  let message = known ? error.summary : String(error instanceof Error ? error.message : error);
  for (const [name, renamed] of renamedMethods) message = message.replaceAll(renamed, name);
  const [line = ""] = message.replaceAll("google.protobuf.Timestamp", "timestamp").split("\n");
  return line.replace(/\.$/u, "");
}
