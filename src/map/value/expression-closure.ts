/**
 * Closures for the expressions that mappings mostly consist of: texts and numbers compared, joined and chosen between.
 * They give what the library's own evaluation gives, several times faster; whatever else an expression uses is left
 * to the library. A test compares the two on generated expressions.
 */
import type { ASTNode } from "@marcbachmann/cel-js";
import type { FunctionTable } from "./expression-functions.js";

type Type = "string" | "double" | "int" | "bool";
type Evaluate = (texts: readonly string[]) => string | number | bigint | boolean;

interface Closure {
  type: Type;
  evaluate: Evaluate;
}

/** Built-in functions whose meaning is one line. */
const BUILT_IN: ReadonlyMap<string, { type: Type; call: (...values: never[]) => string | number | bigint | boolean }> =
  new Map([
    ["string.startsWith(string)", { type: "bool", call: (text: string, part: string) => text.startsWith(part) }],
    ["string.endsWith(string)", { type: "bool", call: (text: string, part: string) => text.endsWith(part) }],
    ["string.contains(string)", { type: "bool", call: (text: string, part: string) => text.includes(part) }],
    ["string.trim()", { type: "string", call: (text: string) => text.trim() }],
    ["size(string)", { type: "int", call: (text: string) => BigInt(codePoints(text)) }],
    ["string.size()", { type: "int", call: (text: string) => BigInt(codePoints(text)) }],
  ]);

/** Null: the expression uses something else. `columns`: names in the order of the texts that the closure is given. */
export function compileClosure(ast: ASTNode, columns: readonly string[], functions: FunctionTable): Evaluate | null {
  return new Translation(columns, functions).node(ast)?.evaluate ?? null;
}

class Translation {
  readonly #columns: readonly string[];
  readonly #functions: FunctionTable;

  constructor(columns: readonly string[], functions: FunctionTable) {
    this.#columns = columns;
    this.#functions = functions;
  }

  node(ast: ASTNode): Closure | null {
    switch (ast.op) {
      case "value":
        return literal(ast.args);
      case "[]":
      case ".":
        return this.#column(ast);
      case "!_": {
        const inner = this.node(ast.args);
        return inner?.type === "bool" ? { type: "bool", evaluate: (texts) => !inner.evaluate(texts) } : null;
      }
      case "&&":
      case "||":
        return this.#logical(ast.op, ast.args[0], ast.args[1]);
      case "?:":
        return this.#choice(...ast.args);
      case "in":
        return this.#member(ast.args[0], ast.args[1]);
      case "==":
      case "!=":
      case "<":
      case "<=":
      case ">":
      case ">=":
      case "+":
      case "-":
      case "*":
      case "/":
        return this.#binary(ast.op, ast.args[0], ast.args[1]);
      case "call":
        return this.#call(`${ast.args[0]}(`, ast.args[1]);
      case "rcall":
        return this.#call(`string.${ast.args[0]}(`, [ast.args[1], ...ast.args[2]], true);
      case "id":
      case "%":
      case "-_":
      case ".?":
      case "[?]":
      case "list":
      case "map":
        return null;
      default:
        // Macros, once expanded.
        return null;
    }
  }

  #column(ast: ASTNode & { op: "[]" | "." }): Closure | null {
    const [receiver, member] = ast.args;
    if (receiver.op !== "id" || receiver.args !== "row") return null;
    const name = typeof member === "string" ? member : member.op === "value" ? member.args : null;
    const position = typeof name === "string" ? this.#columns.indexOf(name) : -1;
    return position < 0 ? null : { type: "string", evaluate: (texts) => texts[position] ?? "" };
  }

  /** CEL: an error on one side does not matter where the other side decides. */
  #logical(op: "&&" | "||", leftNode: ASTNode, rightNode: ASTNode): Closure | null {
    const left = this.node(leftNode);
    const right = this.node(rightNode);
    if (left?.type !== "bool" || right?.type !== "bool") return null;
    const decides = op === "||";
    return {
      type: "bool",
      evaluate: (texts) => {
        let first: ReturnType<Evaluate>;
        try {
          first = left.evaluate(texts);
        } catch (error) {
          if (right.evaluate(texts) === decides) return decides;
          throw error;
        }
        return first === decides ? decides : right.evaluate(texts);
      },
    };
  }

  #choice(conditionNode: ASTNode, yesNode: ASTNode, noNode: ASTNode): Closure | null {
    const condition = this.node(conditionNode);
    const yes = this.node(yesNode);
    const no = this.node(noNode);
    if (condition?.type !== "bool" || yes === null || no === null || yes.type !== no.type) return null;
    return { type: yes.type, evaluate: (texts) => (condition.evaluate(texts) === true ? yes : no).evaluate(texts) };
  }

  #member(valueNode: ASTNode, listNode: ASTNode): Closure | null {
    const value = this.node(valueNode);
    if (value?.type !== "string" || listNode.op !== "list") return null;
    const known = new Set<unknown>();
    for (const entry of listNode.args) {
      if (entry.op !== "value" || typeof entry.args !== "string") return null;
      known.add(entry.args);
    }
    return { type: "bool", evaluate: (texts) => known.has(value.evaluate(texts)) };
  }

  #binary(op: string, leftNode: ASTNode, rightNode: ASTNode): Closure | null {
    const left = this.node(leftNode);
    const right = this.node(rightNode);
    if (left === null || right === null || left.type !== right.type) return null;
    const a = left.evaluate;
    const b = right.evaluate;
    if (op === "==") return { type: "bool", evaluate: (texts) => a(texts) === b(texts) };
    if (op === "!=") return { type: "bool", evaluate: (texts) => a(texts) !== b(texts) };
    if (op === "+" && left.type === "string")
      return { type: "string", evaluate: (texts) => `${String(a(texts))}${String(b(texts))}` };
    if (
      left.type !== "double" &&
      !(left.type === "int" && op.startsWith("<")) &&
      !(left.type === "int" && op.startsWith(">"))
    )
      return null;
    return numeric(op, a, b);
  }

  #call(start: string, nodes: readonly ASTNode[], method = false): Closure | null {
    const values = nodes.map((node) => this.node(node));
    const known = values.filter((value) => value !== null);
    if (known.length < values.length || (method && known[0]?.type !== "string")) return null;
    const signature = `${start}${known
      .slice(method ? 1 : 0)
      .map((value) => value.type)
      .join(", ")})`;
    const found = BUILT_IN.get(signature) ?? this.#own(signature);
    if (found === undefined) return null;
    const call = found.call as (...values: unknown[]) => ReturnType<Evaluate>;
    const [first, second] = known.map((value) => value.evaluate);
    if (first !== undefined && known.length === 1) return { type: found.type, evaluate: (texts) => call(first(texts)) };
    if (first !== undefined && second !== undefined && known.length === 2) {
      return { type: found.type, evaluate: (texts) => call(first(texts), second(texts)) };
    }
    return { type: found.type, evaluate: (texts) => call(...known.map((value) => value.evaluate(texts))) };
  }

  #own(
    signature: string,
  ): { type: Type; call: (...values: never[]) => string | number | bigint | boolean } | undefined {
    for (const type of ["string", "double", "bool"] as const) {
      const call = this.#functions.get(`${signature}: ${type}`);
      if (call !== undefined) return { type, call: call as never };
    }
    return undefined;
  }
}

function literal(value: unknown): Closure | null {
  if (typeof value === "string") return { type: "string", evaluate: () => value };
  if (typeof value === "number") return { type: "double", evaluate: () => value };
  if (typeof value === "boolean") return { type: "bool", evaluate: () => value };
  return typeof value === "bigint" ? { type: "int", evaluate: () => value } : null;
}

function numeric(op: string, left: Evaluate, right: Evaluate): Closure | null {
  const a = left as (texts: readonly string[]) => number;
  const b = right as (texts: readonly string[]) => number;
  switch (op) {
    case "<":
      return { type: "bool", evaluate: (texts) => a(texts) < b(texts) };
    case "<=":
      return { type: "bool", evaluate: (texts) => a(texts) <= b(texts) };
    case ">":
      return { type: "bool", evaluate: (texts) => a(texts) > b(texts) };
    case ">=":
      return { type: "bool", evaluate: (texts) => a(texts) >= b(texts) };
    case "+":
      return { type: "double", evaluate: (texts) => a(texts) + b(texts) };
    case "-":
      return { type: "double", evaluate: (texts) => a(texts) - b(texts) };
    case "*":
      return { type: "double", evaluate: (texts) => a(texts) * b(texts) };
    case "/":
      return { type: "double", evaluate: (texts) => a(texts) / b(texts) };
    default:
      return null;
  }
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
