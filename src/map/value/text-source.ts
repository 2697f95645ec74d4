/** Where a field's text comes from: a column, a template, or an expression. */
import { RowferryError } from "../../model/error.js";
import type { FieldObject } from "../schema/field-schema.js";
import type { Path } from "../source/mapping-source.js";
import { bindColumn, type ColumnReading } from "./column.js";
import type { BoundColumns, ColumnUse } from "./columns.js";
import type { CompileContext } from "./compile-context.js";
import type { Expression } from "./expression.js";
import { plainNumber } from "./plain-number.js";
import type { ReadText } from "./row-view.js";
import { bindTemplate, parseTemplate, type TemplatePart } from "./template.js";

export interface TextSource {
  uses: ColumnUse[];
  /** Set for expressions, whose values need not pass through text. */
  expression: Expression | null;
  /** The column by whose header problems are reported; null when the text is made of several. */
  column: ColumnUse | null;
  bind(columns: BoundColumns): ReadText;
}

/** Null: it cannot be used, and why has been reported. Exactly one of column, template and expr is set. */
export function compileTextSource(spec: FieldObject, path: Path, context: CompileContext): TextSource | null {
  const reading = compileReading(spec, path, context);
  if (spec.column !== undefined) {
    const use = [spec.column].flat();
    return { uses: [use], expression: null, column: use, bind: (columns) => bindColumn(use, reading, columns) };
  }
  if (spec.template !== undefined) {
    let parts: TemplatePart[];
    try {
      parts = parseTemplate(spec.template);
    } catch (error) {
      context.source.report(
        "mapping-value",
        [...path, "template"],
        `Template: ${error instanceof Error ? error.message : String(error)}.`,
      );
      return null;
    }
    const uses: ColumnUse[] = parts.flatMap((part) => ("column" in part ? [[part.column]] : []));
    return {
      uses,
      expression: null,
      column: uses.length === 1 ? (uses[0] ?? null) : null,
      bind: (columns) =>
        bindTemplate(
          parts,
          uses.map((use) => bindColumn(use, reading, columns)),
        ),
    };
  }
  const expression = context.expressions.compile(spec.expr ?? "", [...path, "expr"]);
  if (expression === null) return null;
  return {
    uses: expression.uses,
    expression,
    column: expression.uses.length === 1 ? (expression.uses[0] ?? null) : null,
    bind: (columns) => {
      const read = expression.bind(columns);
      return (view) => {
        const value = read(view);
        if (value === null) return null;
        if (typeof value === "string") {
          view.kind = "text";
          return value;
        }
        view.kind = typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "text";
        if (typeof value === "number") return plainNumber(value);
        return value instanceof Date ? value.toISOString() : String(value);
      };
    },
  };
}

function compileReading(spec: FieldObject, path: Path, context: CompileContext): ColumnReading {
  const mode = spec.rows ?? "same";
  if (spec.rows !== undefined && (!context.grouped || spec.expr !== undefined)) {
    const why = context.grouped
      ? "An expression reads what the rows of a group have in common"
      : "The input has no `group`";
    context.source.report("mapping-value", [...path, "rows"], `${why}; \`rows\` has no meaning here.`, { at: "key" });
  }
  let decimal = null;
  if (mode === "sum" || mode === "min" || mode === "max") {
    try {
      decimal = context.conversions.get("decimal");
    } catch (error) {
      if (!(error instanceof RowferryError)) throw error;
      context.source.report(error.code, [...path, "rows"], `\`rows: ${mode}\`: ${error.message}.`, {
        hint: error.hint,
      });
    }
  }
  return { normalise: context.normalise, mode, separator: spec.separator ?? "; ", decimal };
}
