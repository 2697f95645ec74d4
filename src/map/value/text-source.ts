/** Where a field's text comes from: a column, a template, or an expression. */
import { RowferryError } from "../../model/error.js";
import type { FieldObject } from "../schema/field-schema.js";
import type { Path } from "../source/mapping-source.js";
import type { ConversionSpec } from "../convert/conversion.js";
import type { Purpose } from "./cells.js";
import { bindColumn, type ColumnReading } from "./column.js";
import type { BoundColumns, ColumnUse } from "./columns.js";
import type { CompileContext } from "./compile-context.js";
import { asText, kindOf } from "./conversion-chain.js";
import type { Expression } from "./expression.js";
import type { ReadText } from "./row-view.js";
import { bindTemplate, parseTemplate, type TemplatePart } from "./template.js";

export interface TextSource {
  uses: ColumnUse[];
  /** Set for expressions, whose values need not pass through text. */
  expression: Expression | null;
  /** Whether it is one cell, whose kind may differ from text. */
  cell: boolean;
  /** The column by whose header problems are reported; null when the text is made of several. */
  column: ColumnUse | null;
  /** `typed`: a typed cell keeps its own form, its kind beside it. */
  bind(columns: BoundColumns, purpose: Purpose, typed: boolean): ReadText;
}

/** Null: it cannot be used, and why has been reported. Exactly one of column, template and expr is set. */
export function compileTextSource(spec: FieldObject, path: Path, context: CompileContext): TextSource | null {
  const reading = compileReading(spec, path, context);
  if (spec.column !== undefined) {
    const use = [spec.column].flat();
    return {
      uses: [use],
      expression: null,
      cell: reading.decimal === null && reading.mode !== "join" && reading.mode !== "count",
      column: use,
      bind: (columns, purpose, typed) => bindColumn(use, { ...reading, purpose, typed }, columns),
    };
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
      cell: false,
      column: uses.length === 1 ? (uses[0] ?? null) : null,
      bind: (columns, purpose) =>
        bindTemplate(
          parts,
          uses.map((use) => bindColumn(use, { ...reading, purpose, typed: false }, columns)),
        ),
    };
  }
  const expression = context.expressions.compile(spec.expr ?? "", [...path, "expr"]);
  if (expression === null) return null;
  return {
    uses: expression.uses,
    expression,
    cell: false,
    column: expression.uses.length === 1 ? (expression.uses[0] ?? null) : null,
    bind: (columns, purpose) => {
      const read = expression.bind(columns, purpose);
      return (view) => {
        const value = read(view);
        if (value === null) return null;
        view.kind = value instanceof Date ? "text" : kindOf(value);
        return value instanceof Date ? value.toISOString() : asText(value);
      };
    },
  };
}

function compileReading(
  spec: FieldObject,
  path: Path,
  context: CompileContext,
): Omit<ColumnReading, "purpose" | "typed"> {
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
      decimal = context.conversions.get(numbersOf(spec));
    } catch (error) {
      if (!(error instanceof RowferryError)) throw error;
      context.source.report(error.code, [...path, "rows"], `\`rows: ${mode}\`: ${error.message}.`, {
        hint: error.hint,
      });
    }
  }
  return { cells: context.cells, mode, separator: spec.separator ?? "; ", decimal };
}

/** How the numbers that are added up are read: as the field's own `as` says, but for what it says of their sum. */
function numbersOf({ as }: FieldObject): ConversionSpec {
  const [first] = [as ?? "decimal"].flat();
  if (typeof first !== "object" || (first.name !== "decimal" && first.name !== "integer")) return "decimal";
  const { decimal, grouping, units } = first as { [option: string]: unknown };
  const given = Object.entries({ decimal, grouping, units }).filter(([, value]) => value !== undefined);
  return { name: "decimal", ...Object.fromEntries(given) };
}
