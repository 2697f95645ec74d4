/** CEL expressions: parsed, bounded and type-checked when the mapping loads, evaluated over one row at a time. */
import {
  type ASTNode,
  Environment,
  EvaluationError,
  ParseError,
  type ParseResult,
  TypeError as CelTypeError,
} from "@marcbachmann/cel-js";
import { shorten } from "../fold.js";
import { didYouMean } from "../nearest.js";
import type { MappingSource, Path } from "../source/mapping-source.js";
import type { BoundColumns, ColumnUse } from "./columns.js";
import type { ConversionShelf } from "./conversion-shelf.js";
import { type CustomFunctions, registerCustomFunctions } from "./custom-functions.js";
import {
  ExpressionFailure,
  patternMethods,
  registerExpressionFunctions,
  renamedMethods,
} from "./expression-functions.js";
import { recall } from "./recall.js";
import { compileRegularExpression } from "./regular-expression.js";
import type { RowView } from "./row-view.js";

/** What an expression gives. */
export type ExpressionType = "text" | "number" | "boolean" | "time" | "any";
export type ExpressionValue = string | number | boolean | Date;

export interface Expression {
  uses: ColumnUse[];
  type: ExpressionType;
  /** Null: no value for this row; the problem has been reported. */
  bind(columns: BoundColumns): (view: RowView) => ExpressionValue | null;
}

const LIMITS = { maxAstNodes: 250, maxDepth: 32, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 16 };
const MAX_LENGTH = 4000;
const MAX_COMPREHENSIONS = 2;
/** Excel's own longest cell. */
const MAX_CELL = 32_767;
const COMPREHENSIONS = new Set(["all", "exists", "exists_one", "map", "filter"]);

const TYPES: { [name: string]: ExpressionType } = {
  string: "text",
  int: "number",
  double: "number",
  bool: "boolean",
  dyn: "any",
  "google.protobuf.Timestamp": "time",
};

export class ExpressionCompiler {
  readonly #environment: Environment;
  readonly #source: MappingSource;
  readonly #normalise: (cell: string) => string;
  /** What the custom functions' module exports and cannot be called; one sentence each. */
  readonly refused: string[];

  constructor(
    source: MappingSource,
    conversions: ConversionShelf,
    normalise: (cell: string) => string,
    functions: CustomFunctions,
  ) {
    this.#source = source;
    this.#normalise = normalise;
    this.#environment = new Environment({ limits: LIMITS }).registerVariable("row", "map<string, string>");
    registerExpressionFunctions(this.#environment, conversions);
    this.refused = registerCustomFunctions(this.#environment, functions);
  }

  /** Null: it cannot be used, and why has been reported at `path`. */
  compile(text: string, path: Path): Expression | null {
    if (text.length > MAX_LENGTH) {
      this.#source.report(
        "mapping-expression",
        path,
        `The expression has ${text.length} characters; at most ${MAX_LENGTH} are allowed.`,
      );
      return null;
    }
    let parsed: ParseResult;
    let columns: string[];
    try {
      parsed = this.#environment.parse(text);
      columns = this.#inspect(parsed.ast);
    } catch (error) {
      this.#report(text, path, error);
      return null;
    }
    const checked = parsed.check();
    if (!checked.valid) {
      this.#report(text, path, checked.error);
      return null;
    }
    const type = TYPES[checked.type ?? ""];
    if (type === undefined) {
      this.#source.report(
        "mapping-expression",
        path,
        `The expression gives ${checked.type ?? "nothing"}; text, a number, a boolean or a time is needed.`,
      );
      return null;
    }
    const normalise = this.#normalise;
    return {
      uses: columns.map((column) => [column]),
      type,
      bind: (bound) => bindExpression(parsed, columns, bound, normalise, text),
    };
  }

  /** Finds the columns, renames unbounded methods, and refuses what could run away. Before type checking, which rewrites the tree. */
  #inspect(root: ASTNode): string[] {
    const columns = new Set<string>();
    let comprehensions = 0;
    const visit = (node: ASTNode, inside: boolean): void => {
      let within = inside;
      if (node.op === "id" && node.args === "row")
        throw new Refusal(node, 'row is read one column at a time: row["Header"]');
      if ((node.op === "[]" || node.op === ".") && node.args[0].op === "id" && node.args[0].args === "row") {
        const name = node.op === "." ? node.args[1] : node.args[1].op === "value" ? node.args[1].args : null;
        if (typeof name !== "string") throw new Refusal(node, 'a column is named by a literal text: row["Header"]');
        columns.add(name);
        return;
      }
      if (node.op === "rcall") {
        const [method, receiver, values] = node.args;
        if (COMPREHENSIONS.has(method) && values.length > 1) {
          if (inside || ++comprehensions > MAX_COMPREHENSIONS) {
            throw new Refusal(
              node,
              `at most ${MAX_COMPREHENSIONS} of map, filter, all and exists may stand in an expression, none inside another`,
            );
          }
          within = true;
        }
        if (method === "bind" && receiver.op === "id" && receiver.args === "cel")
          throw new Refusal(node, "cel.bind() is not available");
        if (patternMethods.has(method)) checkPattern(node, values[0]);
        const renamed = renamedMethods.get(method);
        if (renamed !== undefined) node.args[0] = renamed;
      }
      if (node.op === "value" || node.op === "id") return;
      for (const child of children(node.args)) visit(child, within);
    };
    visit(root, false);
    return [...columns];
  }

  #report(text: string, path: Path, error: unknown): void {
    const raw = this.#source.textAt(path);
    const inside = raw.indexOf(text.split("\n")[0] ?? text);
    const range =
      error instanceof ParseError || error instanceof CelTypeError
        ? error.range
        : error instanceof Refusal
          ? (error.node.range ?? { start: error.node.start })
          : undefined;
    const offset = inside >= 0 && !text.includes("\n") ? inside + (range?.start ?? 0) : 0;
    const [summary = "it cannot be read"] = sayPlainly(error).split("\n");
    const hint = hintFor(summary);
    this.#source.report("mapping-expression", path, `Expression: ${summary.replace(/\bstring\b/gu, "text")}.`, {
      offset,
      ...(hint === null ? {} : { hint }),
    });
  }
}

function hintFor(summary: string): string | null {
  const unknown = /^Unknown variable: (\w+)/u.exec(summary);
  if (unknown !== null) return `Columns are read as row["${unknown[1]}"].${didYouMean(unknown[1] ?? "", ["row"])}`;
  if (/^no such overload: .*(?:string .*(?:int|double)|(?:int|double) .*string)/u.test(summary)) {
    return 'Cells are text: number(row["…"]) makes a number of one, string(…) text of a number.';
  }
  if (/^no such overload: .*(?:int .*double|double .*int)/u.test(summary))
    return "Numbers beside number() are written with a point: 10.0.";
  return null;
}

class Refusal extends Error {
  readonly node: ASTNode;

  constructor(node: ASTNode, message: string) {
    super(message);
    this.node = node;
  }
}

function checkPattern(node: ASTNode, argument: ASTNode | undefined): void {
  if (argument?.op !== "value" || typeof argument.args !== "string")
    throw new Refusal(node, "the pattern must be a literal text");
  try {
    compileRegularExpression(argument.args);
  } catch (error) {
    throw new Refusal(
      argument,
      `the pattern cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function children(args: unknown): ASTNode[] {
  if (Array.isArray(args)) return args.flatMap((entry) => children(entry));
  return typeof args === "object" && args !== null && "op" in args ? [args as ASTNode] : [];
}

/** The library's message with our names for what was renamed. */
function sayPlainly(error: unknown): string {
  let message =
    error instanceof ParseError || error instanceof CelTypeError || error instanceof EvaluationError
      ? error.summary
      : String(error instanceof Error ? error.message : error);
  for (const [name, renamed] of renamedMethods) message = message.replaceAll(renamed, name);
  return message.replaceAll("google.protobuf.Timestamp", "timestamp").replace(/\.$/u, "");
}

function bindExpression(
  parsed: ParseResult,
  names: readonly string[],
  bound: BoundColumns,
  normalise: (cell: string) => string,
  source: string,
): (view: RowView) => ExpressionValue | null {
  const indexes = names.map((name) => bound.index([name]));
  const row = new Map<string, string>();
  const context = { row };
  const last: (string | null)[] = names.map(() => null);
  let lastValue: ExpressionValue | null = null;
  const column = (view: RowView): string | null =>
    indexes.length === 1 ? (view.header[indexes[0] ?? -1] ?? null) : null;

  const compute = (): ExpressionValue => {
    const value: unknown = parsed(context);
    if (typeof value === "bigint") return Number(value);
    if (typeof value === "string" || typeof value === "boolean" || value instanceof Date) return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    const given =
      value === null
        ? "null"
        : typeof value === "number"
          ? String(value)
          : "something else than text, a number, a boolean or a time";
    throw new ExpressionFailure("expression-failed", `it gives ${given}`);
  };
  const recalled = indexes.length === 1 ? recall(compute) : compute;
  const evaluate = (view: RowView): ExpressionValue | null => {
    try {
      return recalled(last[0] ?? "");
    } catch (error) {
      const failure = error instanceof ExpressionFailure ? error : null;
      const cause = failure === null ? (sayPlainly(error).split("\n")[0] ?? "") : failure.message;
      const code = failure?.code === "function-failed" ? "function-failed" : "expression-failed";
      view.problems.push({
        code,
        message: `expression ${shorten(source)}: ${cause}`,
        hint: failure?.hint ?? null,
        column: column(view),
      });
      return null;
    }
  };

  return (view) => {
    let same = lastValue !== null;
    for (let position = 0; position < indexes.length; position++) {
      const index = indexes[position] ?? -1;
      if (view.conflicts !== null && reportConflict(view, index)) return null;
      const text = index < 0 ? "" : normalise(view.cells[index] ?? "");
      if (last[position] === text) continue;
      same = false;
      if (text.length > MAX_CELL) {
        view.problems.push({
          code: "expression-failed",
          message: `the cell has ${text.length} characters; expressions read at most ${MAX_CELL}`,
          hint: null,
          column: view.header[index] ?? null,
        });
        lastValue = null;
        return null;
      }
      last[position] = text;
      row.set(names[position] ?? "", text);
    }
    if (!same) lastValue = evaluate(view);
    return lastValue;
  };
}

/** Reports a column whose filled cells differ within a group. */
export function reportConflict(view: RowView, index: number): boolean {
  const conflict = view.conflicts?.get(index);
  if (conflict === undefined) return false;
  const [first, second] = conflict;
  view.problems.push({
    code: "group-differs",
    message: `rows of one group say ${JSON.stringify(shorten(first))} and ${JSON.stringify(shorten(second))}`,
    hint: null,
    column: view.header[index] ?? null,
  });
  return true;
}
