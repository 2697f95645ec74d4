/**
 * Finds what can be changed in a source file, one token at a time: operators, constants, conditions and throws.
 * Works on the syntax tree of the text without its types; positions are those of the source.
 */
import { stripTypeScriptTypes } from "node:module";
import { parseAst } from "vitest/node";

/** One change of one file: `text[start, end)` becomes `to`. */
export interface Mutant {
  file: string;
  line: number;
  kind: "operator" | "constant" | "condition" | "throw";
  start: number;
  end: number;
  from: string;
  to: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [name: string]: unknown;
}

const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  "===": ["!=="],
  "!==": ["==="],
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "&&": ["||"],
  "||": ["&&"],
  "??": ["&&"],
  "+=": ["-="],
  "-=": ["+="],
};

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** The source without its types; every token stays where it was. */
export const withoutTypes = (source: string): string => stripTypeScriptTypes(source);

/** Every mutant of a file, in the order of its text. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const text = withoutTypes(source);
  const found: Mutant[] = [];
  const add = (kind: Mutant["kind"], start: number, end: number, ...replacements: string[]): void => {
    const line = text.slice(0, start).split("\n").length;
    for (const to of replacements) found.push({ file, line, kind, start, end, from: text.slice(start, end), to });
  };
  const condition = (test: unknown): void => {
    if (isNode(test)) add("condition", test.start, test.end, "true", "false");
  };
  const visit = (node: Node): void => {
    switch (node.type) {
      case "ImportDeclaration":
      case "ExportAllDeclaration":
        return;
      case "BinaryExpression":
      case "LogicalExpression":
      case "AssignmentExpression": {
        const operator = String(node["operator"]);
        const [left, right] = [node["left"] as Node, node["right"] as Node];
        const start = left.end + text.slice(left.end, right.start).indexOf(operator);
        add("operator", start, start + operator.length, ...(OPERATORS[operator] ?? []));
        break;
      }
      case "UnaryExpression":
        if (node["operator"] === "!") add("operator", node.start, node.start + 1, "");
        break;
      case "IfStatement":
      case "ConditionalExpression":
      case "WhileStatement":
        condition(node["test"]);
        break;
      case "ThrowStatement":
        add("throw", node.start, node.end, ";");
        break;
      case "Literal":
        literal(node);
        return;
      case "TemplateElement":
        if (node.end > node.start) add("constant", node.start, node.end, "mutated");
        return;
    }
    for (const [name, value] of Object.entries(node)) {
      // A name is no constant: neither of a member nor of an import.
      if (name === "key" && node["computed"] !== true) continue;
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child);
    }
  };
  const literal = (node: Node): void => {
    const { value, start, end } = node;
    if (typeof value === "boolean") add("constant", start, end, String(!value));
    else if (typeof value === "number") add("constant", start, end, String(value + 1), ...(value > 1 ? ["1"] : []));
    else if (typeof value === "string") add("constant", start, end, value === "" ? '"mutated"' : '""');
    else if (node["regex"] !== undefined) add("constant", start, end, "/(?:)/", "/(?!)/");
  };
  visit(parseAst(text) as unknown as Node);
  return found;
}
