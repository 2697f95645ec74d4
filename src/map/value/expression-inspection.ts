/** What an expression may contain: columns named literally, and nothing whose work is unbounded. */
import type { ASTNode } from "@marcbachmann/cel-js";
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

/**
 * Finds the columns and renames unbounded methods, in place. To be called before type checking, which rewrites the
 * tree. `checkConversion` throws for names that are no conversions. @throws ExpressionRefusal
 */
export function inspectExpression(root: ASTNode, checkConversion: (name: string) => void): string[] {
  const columns = new Set<string>();
  let comprehensions = 0;
  const visit = (node: ASTNode, inside: boolean): void => {
    if (node.op === "id" && node.args === "row")
      throw new ExpressionRefusal(node, 'row is read one column at a time: row["Header"]');
    const column = columnOf(node);
    if (column !== null) {
      columns.add(column);
      return;
    }
    if (node.op === "value" || node.op === "id") return;
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
    for (const child of children(node.args)) visit(child, within);
  };
  visit(root, false);
  return [...columns];
}

/** The column of `row["…"]` or `row.…`; null for anything else. */
function columnOf(node: ASTNode): string | null {
  if (node.op !== "[]" && node.op !== ".") return null;
  const [receiver, member] = node.args;
  if (receiver.op !== "id" || receiver.args !== "row") return null;
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
