/** What an expression may contain: columns named literally, and nothing whose work is unbounded. */
import type { ASTNode } from "@marcbachmann/cel-js";
import { Exact, TooLong } from "../convert/exact.js";
import { patternMethods, renamedMethods } from "./expression-functions.js";
import { compileRegularExpression } from "./regular-expression.js";

const MAX_COMPREHENSIONS = 2;
const COMPREHENSIONS: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "map", "filter"]);

/** Something that an expression may not contain. */
export class ExpressionRefusal extends Error {
  readonly node: ASTNode;

  constructor(node: ASTNode, message: string) {
    super(message);
    this.node = node;
  }
}

/** Functions that read a typed cell by its kind, where a column is what they are given. */
const CELL_FUNCTIONS: ReadonlySet<string> = new Set(["number", "date", "convert"]);
/** Functions of CEL's own that make binary floats, or cut numbers off. */
const INEXACT: ReadonlySet<string> = new Set(["double", "int", "uint"]);
const COMPARISONS: ReadonlySet<string> = new Set(["<", "<=", ">", ">=", "==", "!="]);
/** What CEL's whole numbers hold. */
const MAX_INT = 2n ** 63n - 1n;

/**
 * Finds the columns, renames unbounded methods, and makes numbers exact, in place. To be called before type checking,
 * which rewrites the tree. `checkConversion` throws for names that are no conversions. @throws ExpressionRefusal
 */
export function inspectExpression(root: ASTNode, checkConversion: (name: string) => void): string[] {
  const columns = new Set<string>();
  let comprehensions = 0;
  /** `inside`: a comprehension. `ended`: something that makes an end of a quotient. */
  const visit = (node: ASTNode, inside: boolean, ended: boolean): void => {
    if (node.op === "id" && (node.args === "row" || node.args === "cells"))
      throw new ExpressionRefusal(node, 'row is read one column at a time: row["Header"]');
    const column = columnOf(node);
    if (column !== null) {
      columns.add(column);
      return;
    }
    if (node.op === "value") return makeExact(node, false);
    if (node.op === "id") return;
    if (node.op === "/" && !ended)
      throw new ExpressionRefusal(
        node,
        "a quotient may have no end: write round(a / b, 2), or as many places as count",
      );
    if (node.op === "?:") for (const branch of [node.args[1], node.args[2]]) makeExact(branch, true);
    let within = inside;
    if (node.op === "rcall") {
      const [method, receiver, values] = node.args;
      if (COMPREHENSIONS.has(method) && values.length > 1) {
        if (inside || ++comprehensions > MAX_COMPREHENSIONS) {
          const limit = `at most ${MAX_COMPREHENSIONS} of map, filter, all and exists may stand in an expression, none inside another`;
          throw new ExpressionRefusal(node, limit);
        }
        within = true;
      }
      if (method === "bind" && receiver.op === "id" && receiver.args === "cel")
        throw new ExpressionRefusal(node, "cel.bind() is not available");
      if (patternMethods.has(method))
        literalArgument(node, values[0], "the pattern", (pattern) => compileRegularExpression(pattern));
      node.args[0] = renamedMethods.get(method) ?? method;
    }
    if (node.op === "call" && node.args[0] === "convert")
      literalArgument(node, node.args[1][1], "the conversion", checkConversion);
    if (node.op === "call" && INEXACT.has(node.args[0]))
      throw new ExpressionRefusal(node, `${node.args[0]}() is not available; number() gives exact numbers`);
    if (node.op === "call" && CELL_FUNCTIONS.has(node.args[0])) {
      const [argument] = node.args[1];
      const receiver = argument !== undefined && columnOf(argument) !== null ? (argument.args as [ASTNode])[0] : null;
      if (receiver !== null) Object.assign(receiver, { args: "cells" });
    }
    const call = node.op === "call" || node.op === "rcall";
    const ends = COMPARISONS.has(node.op) || (call && node.args[0] === "round") || (!call && ended);
    for (const child of children(node.args)) visit(child, within, ends);
  };
  visit(root, false, false);
  return [...columns];
}

/**
 * A literal with a fraction, or one too long for CEL, becomes an exact number of just the digits that are written; `all`:
 * any number, since both branches of a choice must be of one type.
 */
function makeExact(node: ASTNode, all: boolean): void {
  if (node.op !== "value") return;
  const { args } = node;
  if (typeof args !== "number" && (typeof args !== "bigint" || !(all || args > MAX_INT))) return;
  const text = node.input.slice(node.start, node.end);
  try {
    const written = /^0x/i.test(text) ? String(args) : text;
    Object.assign(node, { args: Exact.of(written) });
  } catch (error) {
    throw new ExpressionRefusal(node, error instanceof TooLong ? error.message : `${text} is not a number`);
  }
}

/** The column of `row["…"]` or `row.…`; null for anything else. */
function columnOf(node: ASTNode): string | null {
  if (node.op !== "[]" && node.op !== ".") return null;
  const [receiver, member] = node.args;
  if (receiver.op !== "id" || (receiver.args !== "row" && receiver.args !== "cells")) return null;
  const name = typeof member === "string" ? member : member.op === "value" ? member.args : null;
  if (typeof name !== "string") throw new ExpressionRefusal(node, 'a column is named by a literal text: row["Header"]');
  return name;
}

function literalArgument(
  node: ASTNode,
  argument: ASTNode | undefined,
  what: string,
  check: (text: string) => unknown,
): void {
  if (argument?.op !== "value" || typeof argument.args !== "string")
    throw new ExpressionRefusal(node, `${what} must be a literal text`);
  try {
    check(argument.args);
  } catch (error) {
    throw new ExpressionRefusal(
      argument,
      `${what} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function children(args: unknown): ASTNode[] {
  if (Array.isArray(args)) return args.flatMap((entry) => children(entry));
  return typeof args === "object" && args !== null && "op" in args ? [args as ASTNode] : [];
}
