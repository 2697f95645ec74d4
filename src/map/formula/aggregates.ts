/** Functions over the rows of a group: blanks do not count, they do not nest, and each is computed once for the group. */
import type { ASTNode } from "@marcbachmann/cel-js";
import { asText, type Type, type Value, type View } from "../column/view.js";
import { Exact } from "../convert/exact.js";
import { bounded, byValue, type Compiling, exactly, type Part, typeName } from "./part.js";
import { FormulaRefusal } from "./parse.js";

export const aggregates: ReadonlySet<string> = new Set(["sum", "min", "max", "count", "first", "last", "join"]);

export function compileAggregate(node: ASTNode, name: string, args: ASTNode[], context: Compiling): Part {
  const { scope, reads } = context;
  const [first, between] = args;
  if (first === undefined || args.length > (name === "join" ? 2 : 1))
    throw new FormulaRefusal(
      node.start,
      `${name}() takes ${name === "join" ? "a value and the text between" : "one argument"}`,
    );
  if (!scope.grouped)
    throw new FormulaRefusal(
      node.start,
      `${name}() is over the rows of a group, and there is none here`,
      "Say which rows belong together with `group:` in the input.",
    );
  const before = reads.aggregate;
  reads.aggregate = false;
  const one = context.compile(first);
  if (reads.aggregate)
    throw new FormulaRefusal(first.start, `what is over the rows of a group already cannot stand in ${name}()`);
  reads.aggregate = true;
  if (before) reads.aggregate = true;
  const separator = between === undefined ? "; " : separatorOf(between);
  const numbers = name === "sum" || ((name === "min" || name === "max") && one.type === "number");
  const read = numbers ? exactly(one, first) : one.run;
  const slot = scope.slot();
  const compute = (view: View): Value | undefined | null => {
    const values: (Value | Exact)[] = [];
    let unreadable = false;
    const visit = () => {
      const value = read(view);
      if (value === null) unreadable = true;
      else if (value !== undefined && value !== "") values.push(value);
    };
    if (view.group === null) visit();
    else view.eachMember(visit);
    return unreadable ? null : combine(name, values, separator, one.type);
  };
  const type: Type = name === "count" ? "number" : name === "join" ? "text" : one.type;
  if ((name === "min" || name === "max") && (one.type === "boolean" || one.type === "any"))
    throw new FormulaRefusal(first.start, `${typeName(one.type)} has no order`);
  return {
    type,
    tree: `(${name} ${one.tree} ${JSON.stringify(separator)})`,
    run: (view) => view.once(slot, true, compute),
  };
}

function separatorOf(node: ASTNode): string {
  if (node.op === "value" && typeof node.args === "string") return node.args;
  throw new FormulaRefusal(node.start, 'the text between must be written out: join(waste, " + ")');
}

function combine(name: string, values: (Value | Exact)[], separator: string, type: Type): Value | undefined {
  if (name === "count") return String(values.length);
  if (values.length === 0) return undefined;
  if (name === "first") return values[0];
  if (name === "last") return values.at(-1);
  if (name === "join") {
    const texts = [...new Set(values.map((value) => asText(value, type)))];
    return bounded(texts.join(separator));
  }
  const sign = name === "min" ? -1 : 1;
  const compare = (a: Value | Exact, b: Value | Exact) =>
    a instanceof Exact && b instanceof Exact ? a.compare(b) : byValue(a, b);
  const result = values.reduce((a, b) => {
    if (name === "sum") return (a as Exact).plus(b as Exact);
    return Math.sign(compare(b, a)) === sign ? b : a;
  });
  return result instanceof Exact ? result.text : result;
}
