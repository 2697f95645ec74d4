/** Functions that look at more than values: at blanks, or at all rows of a group, in which each is computed once. */
import type { ASTNode } from "@marcbachmann/cel-js";
import { asText, type Type, type Value, type View } from "../column/view.js";
import { Exact } from "../convert/exact.js";
import { FormulaRefusal } from "./parse.js";
import { bounded, compare, type Compiling, type Part, typeName, wanted } from "./part.js";

export interface Form {
  /** How many arguments it may have. */
  takes: readonly number[];
  compile(args: ASTNode[], context: Compiling, node: ASTNode): Part;
}

/** A blank test is false. */
export function choice(args: ASTNode[], { compile, typed }: Compiling, rounded = false): Part {
  const [test, yes, no] = args as [ASTNode, ASTNode, ASTNode];
  const { run: decide } = typed(test, "boolean");
  const [one, two] = [compile(yes, rounded), compile(no, rounded)];
  const type = common(one, two, no);
  const [a, b] = [wanted(one, type, yes).run, wanted(two, type, no).run];
  const run: Part["run"] = (view) => {
    const holds = decide(view);
    return holds === null ? null : holds === true ? a(view) : b(view);
  };
  return { type, run };
}

/** The one type of two values. */
export function common(one: Part, two: Part, node: ASTNode): Type {
  const [a, b] = [one.type, two.type];
  if (a === b || b === "blank") return a;
  if (a === "blank") return b;
  const plain = [a, b].map((type) => (type === "taxId" ? "text" : type));
  const known = plain.filter((type) => type !== "any");
  if (new Set(known).size === 1) return known[0] ?? "any";
  const hint = plain.includes("text") ? "Columns are text unless they say `as: number` or another type." : null;
  throw new FormulaRefusal(node.start, `${typeName(a)} and ${typeName(b)} do not meet`, hint);
}

function presence(wantsFilled: boolean): Form {
  const compile: Form["compile"] = ([arg], context) => {
    const one = context.compile(arg as ASTNode);
    const isFilled = one.column?.filled ?? null;
    const run: Part["run"] = (view) => {
      if (isFilled !== null) return isFilled(view) === wantsFilled;
      const value = one.run(view);
      return value === null ? null : (value !== undefined && value !== "") === wantsFilled;
    };
    return { type: "boolean", run };
  };
  return { takes: [1], compile };
}

const fallback: Form = {
  takes: [2],
  compile: (args, { compile }) => {
    const [first, second] = args as [ASTNode, ASTNode];
    const [one, two] = [compile(first), compile(second)];
    const type = common(one, two, second);
    const [a, b] = [wanted(one, type, first).run, wanted(two, type, second).run];
    const run: Part["run"] = (view) => {
      const value = a(view);
      return value === undefined ? b(view) : value;
    };
    return { type, run };
  },
};

const required: Form = {
  takes: [1],
  compile: ([arg], { compile }) => {
    const { start, end, input } = arg as ASTNode;
    const one = compile(arg as ASTNode);
    const run: Part["run"] = (view) => {
      const value = one.run(view);
      if (value !== undefined) return value;
      return view.report("value-required", `${input.slice(start, end)} is blank`, null, one.column);
    };
    return { ...one, run };
  },
};

const asTextForm: Form = {
  takes: [1],
  compile: ([arg], { compile }) => {
    const { run, type } = compile(arg as ASTNode);
    const text: Part["run"] = (view) => {
      const value = run(view);
      return value == null ? value : asText(value, type);
    };
    return { type: "text", run: text };
  },
};

/** Over the rows of a group: blanks do not count, and they do not nest. */
function aggregate(name: string): Form {
  return {
    takes: name === "join" ? [1, 2] : [1],
    compile: (args, context, node) => compileAggregate(name, args, context, node),
  };
}

function compileAggregate(name: string, args: ASTNode[], { scope, reads, compile }: Compiling, node: ASTNode): Part {
  const [first, between] = args as [ASTNode, ASTNode | undefined];
  if (!scope.grouped) {
    const hint = "Say which rows belong together with `group:` in the input.";
    throw new FormulaRefusal(node.start, `${name}() is over the rows of a group, and there is none here`, hint);
  }
  reads.aggregate = false;
  const given = compile(first);
  if (reads.aggregate)
    throw new FormulaRefusal(first.start, `what is over the rows of a group already cannot stand in ${name}()`);
  reads.aggregate = true;
  const one = name === "sum" ? wanted(given, "number", first) : given;
  const ordered = name === "min" || name === "max";
  if (ordered && (one.type === "boolean" || one.type === "any"))
    throw new FormulaRefusal(first.start, `${typeName(one.type)} has no order`);
  if (between !== undefined && (between.op !== "value" || typeof between.args !== "string"))
    throw new FormulaRefusal(between.start, 'the text between must be written out: join(waste, " + ")');
  const separator = between === undefined ? "; " : String(between.args);
  const slot = scope.slot();
  const compute = (view: View): Value | undefined | null => {
    const values: (Value | undefined | null)[] = [];
    if (view.group === null) values.push(one.run(view));
    else view.eachMember(() => values.push(one.run(view)));
    if (values.includes(null)) return null;
    const filled = values.filter((value): value is Value => value != null && value !== "");
    return combine(name, filled, separator, one.type);
  };
  const type: Type = name === "count" ? "number" : name === "join" ? "text" : one.type;
  return { type, run: (view) => view.once(slot, true, compute) };
}

function combine(name: string, values: readonly Value[], separator: string, type: Type): Value | undefined {
  if (name === "count") return Exact.of(String(values.length));
  if (values.length === 0) return undefined;
  if (name === "first") return values[0];
  if (name === "last") return values.at(-1);
  if (name === "join") return bounded([...new Set(values.map((value) => asText(value, type)))].join(separator));
  if (name === "sum") return (values as Exact[]).reduce((a, b) => a.plus(b));
  const sign = name === "min" ? -1 : 1;
  return values.reduce((a, b) => (Math.sign(compare(b, a)) === sign ? b : a));
}

const aggregates = ["sum", "min", "max", "count", "first", "last", "join"];

export const forms: ReadonlyMap<string, Form> = new Map([
  ["iff", { takes: [3], compile: (args, context) => choice(args, context) } satisfies Form],
  ["filled", presence(true)],
  ["blank", presence(false)],
  ["default", fallback],
  ["required", required],
  ["text", asTextForm],
  ...aggregates.map((name): [string, Form] => [name, aggregate(name)]),
]);
