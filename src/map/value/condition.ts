/** Conditions: `filled`, `blank`, `equals`, `expr`; of several all must hold. */
import type { ConditionSpec } from "../schema/field-schema.js";
import type { Path } from "../source/mapping-source.js";
import type { BoundColumns, ColumnUse } from "./columns.js";
import type { CompileContext } from "./compile-context.js";
import { reportConflict } from "./conflict.js";
import { plainNumber } from "./plain-number.js";
import type { RowView } from "./row-view.js";

export interface Condition {
  uses: ColumnUse[];
  /** In words, for the rows that it skips. */
  description: string;
  /** Null: it could not be told; the problem has been reported. */
  bind(columns: BoundColumns): (view: RowView) => boolean | null;
}

type Test = (view: RowView) => boolean | null;

/** Null: it cannot be used, and why has been reported. */
export function compileCondition(spec: ConditionSpec, path: Path, context: CompileContext): Condition | null {
  const { normalise } = context;
  const uses: ColumnUse[] = [];
  const words: string[] = [];
  const binds: ((columns: BoundColumns) => Test)[] = [];

  for (const filled of [true, false]) {
    const columns = [filled ? spec.filled : spec.blank].flat().filter((column) => column !== undefined);
    for (const column of columns) {
      uses.push([column]);
      words.push(`"${column}" is ${filled ? "filled" : "blank"}`);
      binds.push((bound) => {
        const index = bound.index([column]);
        return (view) => (normalise(view.cells[index] ?? "") !== "") === filled;
      });
    }
  }
  for (const [column, wanted] of Object.entries(spec.equals ?? {})) {
    const texts = [wanted].flat().map((value) => (typeof value === "number" ? plainNumber(value) : String(value)));
    const set = new Set(texts.map(normalise));
    uses.push([column]);
    words.push(`"${column}" is ${texts.map((text) => JSON.stringify(text)).join(" or ")}`);
    binds.push((bound) => {
      const index = bound.index([column]);
      return (view) => {
        if (view.conflicts !== null && reportConflict(view, index)) return null;
        return set.has(normalise(view.cells[index] ?? ""));
      };
    });
  }
  if (spec.expr !== undefined) {
    const expression = context.expressions.compile(spec.expr, [...path, "expr"]);
    if (expression === null) return null;
    if (expression.type !== "boolean" && expression.type !== "any") {
      context.source.report(
        "mapping-expression",
        [...path, "expr"],
        `A condition must give true or false; this expression gives ${expression.type}.`,
      );
      return null;
    }
    uses.push(...expression.uses);
    words.push(`${spec.expr} holds`);
    binds.push((bound) => {
      const read = expression.bind(bound);
      return (view) => {
        const value = read(view);
        return value === null ? null : value === true;
      };
    });
  }
  if (binds.length === 0) {
    context.source.report("mapping-value", path, "A condition needs one of filled, blank, equals and expr.");
    return null;
  }
  return {
    uses,
    description: words.join(" and "),
    bind: (columns) => {
      const tests = binds.map((bind) => bind(columns));
      const [only] = tests;
      if (tests.length === 1 && only !== undefined) return only;
      return (view) => {
        let result: boolean | null = true;
        for (const test of tests) {
          const holds = test(view);
          if (holds === false) return false;
          if (holds === null) result = null;
        }
        return result;
      };
    },
  };
}
