/** One expression over one row at a time: fetches its columns, evaluates when one of them changed, and reports failures. */
import { EvaluationError, ParseError, TypeError as CelTypeError } from "@marcbachmann/cel-js";
import { shorten } from "../fold.js";
import type { BoundColumns } from "./columns.js";
import { reportConflict } from "./conflict.js";
import { ExpressionFailure, renamedMethods } from "./expression-functions.js";
import { recall } from "./recall.js";
import type { RowView } from "./row-view.js";

export type ExpressionValue = string | number | boolean | Date;

export interface CompiledExpression {
  /** As the mapping writes it. */
  text: string;
  /** Its columns, in the order of the texts that `evaluate` is given. */
  columns: readonly string[];
  /** May give what is no value, and may throw. */
  evaluate(texts: readonly string[]): unknown;
}

/** Excel's own longest cell. */
const MAX_CELL = 32_767;

export function bindExpression(
  expression: CompiledExpression,
  bound: BoundColumns,
  normalise: (cell: string) => string,
): (view: RowView) => ExpressionValue | null {
  const indexes = expression.columns.map((name) => bound.index([name]));
  const texts: string[] = expression.columns.map(() => "");
  /** Null: there is none for the texts as they stand. */
  let latest: ExpressionValue | null = null;
  const compute = () => valueOf(expression.evaluate(texts));
  // With one column the value hangs on one text, and texts repeat.
  const evaluate = indexes.length === 1 ? recall(compute) : compute;

  return (view) => {
    let same = latest !== null;
    for (let position = 0; position < indexes.length; position++) {
      const index = indexes[position] ?? -1;
      const text = index < 0 ? "" : normalise(view.cells[index] ?? "");
      if (
        (view.conflicts !== null && reportConflict(view, index)) ||
        (text.length > MAX_CELL && reportLongCell(view, index, text))
      ) {
        latest = null;
        return null;
      }
      if (texts[position] === text) continue;
      same = false;
      texts[position] = text;
    }
    if (same) return latest;
    try {
      latest = evaluate(texts[0] ?? "");
    } catch (error) {
      latest = null;
      reportFailure(error, expression.text, indexes.length === 1 ? (indexes[0] ?? -1) : -1, view);
    }
    return latest;
  };
}

function valueOf(value: unknown): ExpressionValue {
  if (typeof value === "string" || typeof value === "boolean" || value instanceof Date) return value;
  const number = typeof value === "bigint" ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number)) return number;
  const given =
    value === null || typeof value === "number"
      ? String(value)
      : "something else than text, a number, a boolean or a time";
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
