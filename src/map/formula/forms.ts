/** Functions that see blanks, or all rows of a group. */
import type { ASTNode } from "@marcbachmann/cel-js";
import { asText, type Eval, type Type, type Value, type View } from "../column/view.js";
import { Exact } from "../convert/exact.js";
import { refuseNode } from "./parse.js";
import {
  type Callable,
  common,
  type Compiling,
  lift,
  type Order,
  orderBy,
  type Part,
  typeName,
  wanted,
} from "./part.js";

/** A blank test is false. */
export const choice: Callable = {
  takes: [3],
  compile: ([test, yes, no], context) => {
    const decide = context.typed(test, "boolean").run;
    const { type, first, second } = pair(yes, no, context);
    const run: Eval = (view) => {
      const holds = decide(view);
      return holds === null ? null : (holds === true ? first : second).run(view);
    };
    return { type, run };
  },
};

function pair(one: ASTNode, two: ASTNode, { compile }: Compiling) {
  const [first, second] = [compile(one), compile(two)];
  const type = common(first, one, second, two);
  return { type, first: wanted(first, type, one), second: wanted(second, type, two) };
}

function single(build: (part: Part, node: ASTNode) => Part): Callable {
  return { takes: [1], compile: ([arg], { compile }) => build(compile(arg), arg) };
}

function presence(wantsFilled: boolean): Callable {
  return single(({ run, column }) => ({
    type: "boolean",
    run: (view) => {
      const filled = column?.filled?.(view);
      if (filled != null) return filled === wantsFilled;
      const value = run(view);
      return value === null ? null : (value !== undefined && value !== "") === wantsFilled;
    },
  }));
}

const required = single((part, { start, end, input }) => ({
  ...part,
  run: (view) => {
    const value = part.run(view);
    if (value !== undefined) return value;
    return view.reportBlank(input.slice(start, end), part.column, "required");
  },
}));

const fallback: Callable = {
  takes: [2],
  compile: ([one, two], context) => {
    const { type, first, second } = pair(one, two, context);
    const run: Eval = (view) => {
      const value = first.run(view);
      return value === undefined ? second.run(view) : value;
    };
    return { type, run };
  },
};

type Aggregate = (values: readonly Value[], type: Type, between: string, order: Order) => Value | undefined;

const AGGREGATES: { [name: string]: Aggregate } = {
  // From zero, so that the sum of one row has no places of its own.
  sum: (values) => (values as Exact[]).reduce((a, b) => a.plus(b), Exact.of(0)),
  min: (values, _type, _between, order) => values.reduce((a, b) => (order(b, a) < 0 ? b : a)),
  max: (values, _type, _between, order) => values.reduce((a, b) => (order(b, a) > 0 ? b : a)),
  count: (values) => Exact.of(values.length),
  first: (values) => values[0],
  last: (values) => values.at(-1),
  join: (values, type, between) => [...new Set(values.map((value) => asText(value, type)))].join(between),
};

/** Blanks do not count, and calls do not nest. */
function aggregate(
  name: string,
  [first, between]: readonly [ASTNode, ASTNode?, ASTNode?],
  { scope, reads, compile }: Compiling,
  node: ASTNode,
): Part {
  const separator = between === undefined ? "; " : between.op === "value" ? between.args : null;
  if (scope.group === undefined) {
    const hint =
      "Say which rows belong together with `group:` in the input. `skip` and `group` themselves are read row by row.";
    return refuseNode(node, `${name}() needs the rows of a group, but there is no group here`, hint);
  }
  reads.others.delete("group");
  const given = compile(first);
  if (reads.others.has("group"))
    refuseNode(first, `this already covers the rows of a group, so it cannot be inside ${name}()`);
  reads.others.add("group");
  const one = name === "sum" ? wanted(given, "number", first) : given;
  if ((name === "min" || name === "max") && (one.type === "boolean" || one.type === "any"))
    refuseNode(first, `${typeName(one.type)} cannot be ordered`);
  if (typeof separator !== "string")
    return refuseNode(between ?? node, 'the text between must be a literal: join(waste, " + ")');
  const order = orderBy(scope.shared.conversions.defaults);
  const slot = scope.slot();
  const compute: Eval = (view) => {
    const values: ReturnType<Eval>[] = [];
    if (view.group === null) values.push(one.run(view));
    else view.eachMember(() => values.push(one.run(view)));
    if (values.includes(null)) return null;
    const filled = values.filter((value): value is Value => value != null && value !== "");
    return filled.length === 0 && name !== "count" ? undefined : AGGREGATES[name]?.(filled, one.type, separator, order);
  };
  const type: Type = name === "count" ? "number" : name === "join" ? "text" : one.type;
  const part = { type, run: (view: View) => view.once(slot, true, compute) };
  return lift(type, [part], (value: Value) => value);
}

export const forms: ReadonlyMap<string, Callable> = new Map<string, Callable>([
  ["iff", choice],
  ["filled", presence(true)],
  ["blank", presence(false)],
  ["default", fallback],
  ["required", required],
  ["text", single((part) => lift("text", [part], (value: Value) => asText(value, part.type)))],
  ...Object.keys(AGGREGATES).map((name): [string, Callable] => [
    name,
    {
      takes: name === "join" ? [1, 2] : [1],
      compile: (args, context, node) => aggregate(name, args, context, node),
    },
  ]),
]);
