/** Conditions: `filled`, `blank`, `equals`, `expr`; of several all must hold. */
import { RowferryError } from "../../model/error.js";
import type { CellKind } from "../../model/row.js";
import type { ConditionSpec } from "../schema/field-schema.js";
import type { Path } from "../source/mapping-source.js";
import type { BoundColumns, ColumnUse } from "./columns.js";
import type { CompileContext } from "./compile-context.js";
import { reportConflict } from "./conflict.js";
import { reportFault } from "./column.js";
import { asText, kindOf } from "./conversion-chain.js";
import type { RowView, Value } from "./row-view.js";

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
  const { cells } = context;
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
        return (view) => (cells.text(view.cells[index] ?? "", view.kinds?.[index] ?? "text") !== "") === filled;
      });
    }
  }
  for (const [column, wanted] of Object.entries(spec.equals ?? {})) {
    const values = [wanted].flat();
    const texts = values.map((value) => asText(value));
    const equals = compileEquals(values, context);
    uses.push([column]);
    words.push(`"${column}" is ${texts.map((text) => JSON.stringify(text)).join(" or ")}`);
    binds.push((bound) => {
      const index = bound.index([column]);
      return (view) => {
        if (view.conflicts !== null && reportConflict(view, index)) return null;
        const kind = view.kinds?.[index] ?? "text";
        const cell = cells.raw(view.cells[index] ?? "", kind);
        if (equals(cell, kind)) return true;
        // What nobody listed, and a spreadsheet spoilt, decides nothing.
        return cell !== "" && reportFault(cell, kind, index, cells, "value", view) ? null : false;
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
      const read = expression.bind(bound, "value");
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

const CONVERSIONS = { number: "decimal", boolean: "boolean", date: "timestamp" } as const;

/**
 * Whether a cell is one of the values: as text; or, where the cell or the value has a kind of its own, as that (a cell
 * TRUE equals `Sim`, a text `1,50` equals 1.5).
 */
function compileEquals(wanted: readonly Value[], { cells, conversions }: CompileContext) {
  const texts = new Set(wanted.map((value) => cells.normalise(asText(value))));
  const valueOf = (text: string, kind: CellKind, as: CellKind): Value | null => {
    if (as !== "number" && as !== "boolean" && as !== "date") return null;
    try {
      const result = conversions.get(CONVERSIONS[as])(text, kind);
      return "value" in result ? result.value : null;
    } catch (error) {
      // The mapping names no zone or no formats, so that nothing but the text can be compared.
      if (error instanceof RowferryError) return null;
      throw error;
    }
  };
  return (cell: string, kind: CellKind): boolean => {
    if (texts.has(cells.text(cell, kind))) return true;
    if (cell === "") return false;
    return wanted.some((value) => {
      const as = typeof value === "string" ? kind : kindOf(value);
      const own = valueOf(cell, kind, as);
      return own !== null && own === valueOf(asText(value), kindOf(value), as);
    });
  };
}
