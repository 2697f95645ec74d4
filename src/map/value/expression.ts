/** CEL expressions: parsed, bounded and type-checked when the mapping loads. */
import { Environment, ParseError, type ParseResult, TypeError as CelTypeError } from "@marcbachmann/cel-js";
import { didYouMean } from "../nearest.js";
import type { MappingSource, Path } from "../source/mapping-source.js";
import type { BoundColumns, ColumnUse } from "./columns.js";
import type { ConversionShelf } from "./conversion-shelf.js";
import { type CustomFunctions, registerCustomFunctions } from "./custom-functions.js";
import {
  bindExpression,
  type CompiledExpression,
  explainExpressionError,
  type ExpressionValue,
} from "./expression-binding.js";
import type { Cells, Purpose } from "./cells.js";
import { expressionFunctionTable } from "./expression-functions.js";
import { Cell, NUMBER, registerNumbers } from "./expression-numbers.js";
import { ExpressionRefusal, inspectExpression } from "./expression-inspection.js";
import type { RowView } from "./row-view.js";

/** What an expression gives; `any` is told row by row. */
export type ExpressionType = "text" | "number" | "boolean" | "time" | "any";

export interface Expression {
  uses: ColumnUse[];
  type: ExpressionType;
  /** Null: no value for this row; the problem has been reported. */
  bind(columns: BoundColumns, purpose: Purpose): (view: RowView) => ExpressionValue | null;
}

const LIMITS = { maxAstNodes: 250, maxDepth: 32, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 16 };
const MAX_LENGTH = 4000;

const TYPES: { [name: string]: ExpressionType } = {
  string: "text",
  int: "number",
  [NUMBER]: "number",
  bool: "boolean",
  dyn: "any",
  "google.protobuf.Timestamp": "time",
};

export class ExpressionCompiler {
  readonly #environment: Environment;
  readonly #conversions: ConversionShelf;
  readonly #source: MappingSource;
  readonly #cells: Cells;
  /** What the custom functions' module exports and cannot be called; one sentence each. */
  readonly refused: string[];

  constructor(source: MappingSource, conversions: ConversionShelf, cells: Cells, functions: CustomFunctions) {
    this.#source = source;
    this.#conversions = conversions;
    this.#cells = cells;
    this.#environment = new Environment({ limits: LIMITS });
    registerNumbers(this.#environment);
    this.#environment.registerVariable("row", "map<string, string>").registerVariable("cells", "map<string, cell>");
    for (const [signature, handler] of expressionFunctionTable(conversions))
      this.#environment.registerFunction(signature, handler);
    this.refused = registerCustomFunctions(this.#environment, functions);
  }

  /** Null: it cannot be used, and why has been reported at `path`. */
  compile(text: string, path: Path): Expression | null {
    if (text.length > MAX_LENGTH) {
      const message = `The expression has ${text.length} characters; at most ${MAX_LENGTH} are allowed.`;
      this.#source.report("mapping-expression", path, message);
      return null;
    }
    let compiled: CompiledExpression;
    let type: string;
    try {
      const parsed = this.#environment.parse(text);
      const columns = inspectExpression(parsed.ast, (name) => this.#conversions.get(name));
      const checked = parsed.check();
      if (!checked.valid) throw checked.error ?? new Error("its types do not fit");
      type = checked.type ?? "";
      compiled = { text, columns, evaluate: evaluateByLibrary(parsed, columns) };
    } catch (error) {
      this.#report(text, path, error);
      return null;
    }
    const known = TYPES[type];
    if (known === undefined) {
      const message = `The expression gives ${type}; text, a number, a boolean or a time is needed.`;
      this.#source.report("mapping-expression", path, message);
      return null;
    }
    const cells = this.#cells;
    return {
      uses: compiled.columns.map((column) => [column]),
      type: known,
      bind: (bound, purpose) => bindExpression(compiled, bound, cells, purpose),
    };
  }

  /** With the caret under the part at fault, as far as the expression stands on one line as it is written. */
  #report(text: string, path: Path, error: unknown): void {
    const inside = text.includes("\n") ? -1 : this.#source.textAt(path).indexOf(text);
    const offset = inside < 0 ? 0 : inside + startOf(error);
    const summary = explainExpressionError(error);
    const hint = hintFor(summary);
    this.#source.report("mapping-expression", path, `Expression: ${summary.replace(/\bstring\b/gu, "text")}.`, {
      offset,
      ...(hint === null ? {} : { hint }),
    });
  }
}

function evaluateByLibrary(parsed: ParseResult, columns: readonly string[]): (cells: readonly Cell[]) => unknown {
  const row = new Map<string, string>();
  const cells = new Map<string, Cell>();
  const context = { row, cells };
  return (given) => {
    for (const [position, column] of columns.entries()) {
      const cell = given[position] ?? new Cell();
      row.set(column, cell.text);
      cells.set(column, cell);
    }
    return parsed(context);
  };
}

function startOf(error: unknown): number {
  if (error instanceof ParseError || error instanceof CelTypeError) return error.range?.start ?? 0;
  return error instanceof ExpressionRefusal ? error.node.start : 0;
}

function hintFor(summary: string): string | null {
  const unknown = /^Unknown variable: (\w+)/u.exec(summary);
  if (unknown !== null) return `Columns are read as row["${unknown[1]}"].${didYouMean(unknown[1] ?? "", ["row"])}`;
  const mixed = /\bstring\b/u.test(summary) && /\b(?:int|decimal)\b/u.test(summary);
  if (mixed && summary.startsWith("no such overload: ")) {
    return 'Cells are text: number(row["…"]) makes a number of one, string(…) text of a number.';
  }
  return null;
}
