/**
 * A formula: from columns to a typed value. The library parses it; types are checked here, when the mapping loads, and what
 * runs is closures over typed columns. Blank in, blank out; numbers are exact; only the functions listed in `functions.ts`.
 */
import type { ASTNode } from "@marcbachmann/cel-js";
import { asText, type Eval, type Type, type Value, type View } from "../column/view.js";
import { Exact, TooLong } from "../convert/exact.js";
import { shorten } from "../fold.js";
import { didYouMean, nearestName } from "../nearest.js";
import type { Path } from "../language/source.js";
import { aggregates, compileAggregate } from "./aggregates.js";
import { callCustom, compileRegularExpression, FormulaFailure } from "./functions.js";
import {
  bounded,
  byValue,
  type Compiling,
  exactly,
  type Formula,
  type FormulaNames,
  newReads,
  type Part,
  type Reads,
  typeName,
  wanted,
} from "./part.js";
import { FormulaRefusal, functionHabit, MistakenColumn, parseFormula } from "./parse.js";

/** `text` is without its `=`. Null: it cannot be used, and why has been reported at `path`. */
export function compileFormula(text: string, path: Path, scope: FormulaNames): Formula | null {
  const reads = newReads();
  try {
    const { type, run, tree, column = null } = compileNode(parseFormula(text), { scope, reads, rounded: false });
    return { type, run: guarded(run, text, reads), reads, tree, column };
  } catch (error) {
    if (error instanceof MistakenColumn) return null;
    if (!(error instanceof FormulaRefusal)) throw error;
    const written = text.includes("\n") ? -1 : scope.source.textAt(path).indexOf(text);
    const offset = written < 0 ? 0 : written + error.offset;
    const hint = error.hint === null ? {} : { hint: error.hint };
    scope.source.report("mapping-expression", path, `Formula: ${error.message}.`, { offset, ...hint });
    return null;
  }
}

/** What a row can be blamed for becomes a problem of the row. */
function guarded(run: Eval, text: string, reads: Reads): Eval {
  return (view) => {
    try {
      return run(view);
    } catch (error) {
      if (!(error instanceof FormulaFailure || error instanceof TooLong)) throw error;
      const failure = error instanceof FormulaFailure ? error : null;
      const [only] = reads.columns;
      const index = reads.columns.size === 1 && only !== undefined ? (view.index[only.slot] ?? -1) : -1;
      const message = `formula =${shorten(text)}: ${error.message}`;
      return view.report(failure?.code ?? "expression-failed", message, failure?.hint ?? null, index);
    }
  };
}

function compileNode(node: ASTNode, given: Omit<Compiling, "compile">): Part {
  const context: Compiling = {
    ...given,
    compile: (child, rounded = false) => compileNode(child, { ...given, rounded }),
  };
  switch (node.op) {
    case "value":
      return literalOf(node);
    case "id":
      return nameOf(node, node.args, context);
    case "-_":
      return minus(node, context);
    case "!_": {
      const { run, tree } = wanted(context.compile(node.args), "boolean", node.args);
      return part("boolean", tree, "!", (view) => {
        const value = run(view);
        return typeof value === "boolean" ? !value : value;
      });
    }
    case "&&":
    case "||":
      return logical(node.op, node.args, context);
    case "?:":
      return choice(node.args, context);
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return comparison(node.op, node.args, context);
    case "in":
      return membership(node.args, context);
    case "+":
    case "-":
    case "*":
    case "/":
      return arithmetic(node, node.op, node.args, context);
    case ".":
      return member(node, node.args, context);
    case "call":
      return call(node, node.args[0], node.args[1], context);
    case "rcall":
      throw new FormulaRefusal(node.start, `.${node.args[0]}() is not known here`, `Write ${node.args[0]}(x, …).`);
    case "%":
      throw new FormulaRefusal(node.start, "% is not available");
    case "[]":
      throw new FormulaRefusal(node.start, "only tables are read with [ ]", "Write tables.plants[code].region.");
    case "list":
      throw new FormulaRefusal(node.start, "a list stands only behind `in`", 'Write x in ["a", "b"].');
    case ".?":
    case "[?]":
    case "map":
      throw new FormulaRefusal(node.start, "this cannot stand in a formula");
  }
}

function part(type: Type, tree: string | readonly string[], op: string, run: Eval): Part {
  return { type, run, tree: `(${[op, tree].flat().join(" ")})` };
}

function literalOf(node: ASTNode & { op: "value" }): Part {
  const { args } = node;
  if (args === null) return { type: "blank", run: () => undefined, tree: "null" };
  if (typeof args === "string" || typeof args === "boolean") {
    if (typeof args === "string" && !args.isWellFormed())
      throw new FormulaRefusal(node.start, "it holds half a character");
    return {
      type: typeof args === "string" ? "text" : "boolean",
      run: () => args,
      tree: JSON.stringify(args),
      literal: args,
    };
  }
  const written = node.input.slice(node.start, node.end);
  try {
    const exact = Exact.of(/^\d+(?:\.\d+)?$/.test(written) ? written : "?");
    return { type: "number", run: () => exact.text, exact: () => exact, tree: exact.text, literal: exact.text };
  } catch (error) {
    const why = error instanceof TooLong ? error.message : `${written} is not a plain number`;
    throw new FormulaRefusal(node.start, why);
  }
}

function nameOf(node: ASTNode, name: string, { scope, reads }: Compiling): Part {
  if (name === "row") {
    reads.row = true;
    return { type: "number", run: (view) => String(view.row), tree: "row" };
  }
  if (name === "file" || name === "sheet")
    return { type: "text", run: (view) => (view[name] === "" ? undefined : view[name]), tree: name };
  const column = scope.column(name);
  if (column === undefined) {
    if (name === "tables") throw new FormulaRefusal(node.start, "a table is read as tables.plants[code].region");
    const near = didYouMean(name, scope.names()).trim();
    throw new FormulaRefusal(
      node.start,
      `there is no column "${name}"`,
      near === "" ? "Name it under `columns:`." : near,
    );
  }
  if (column === null) throw new MistakenColumn();
  if (column.set)
    throw new FormulaRefusal(node.start, `"${name}" is a set of columns`, `Spread it as attributes: "*": =${name}.`);
  reads.columns.add(column);
  take(reads, column.reads);
  return { type: column.type, run: column.read, tree: column.tree, column };
}

/** What a column reads, its formula does too. */
function take(reads: Reads, from: Reads): void {
  for (const column of from.columns) reads.columns.add(column);
  for (const table of from.tables) reads.tables.add(table);
  for (const name of from.functions) reads.functions.add(name);
  reads.row ||= from.row;
  reads.aggregate ||= from.aggregate;
}

function minus(node: ASTNode & { op: "-_" }, context: Compiling): Part {
  const inner = context.compile(node.args, context.rounded);
  return reckoned("-", [inner.tree], [exactly(inner, node.args)], ([one]) => (one as Exact).negated());
}

function reckoned(op: string, trees: string[], runs: Eval<Exact>[], apply: (values: Exact[]) => Exact): Part {
  const exact: Eval<Exact> = (view) => {
    const values = all(runs, view);
    return values == null ? values : apply(values);
  };
  const run: Eval = (view) => {
    const value = exact(view);
    return value == null ? value : value.text;
  };
  return { ...part("number", trees, op, run), exact };
}

/** Every value; undefined where one is blank, null where one is unreadable. All are read, so that all problems are told. */
function all<T>(runs: readonly Eval<T>[], view: View): T[] | undefined | null {
  const values: T[] = [];
  let blank = false;
  let unreadable = false;
  for (const run of runs) {
    const value = run(view);
    if (value === null) unreadable = true;
    else if (value === undefined) blank = true;
    else values.push(value);
  }
  return unreadable ? null : blank ? undefined : values;
}

const reckon: { [op: string]: (a: Exact, b: Exact) => Exact } = {
  "+": (a, b) => a.plus(b),
  "-": (a, b) => a.minus(b),
  "*": (a, b) => a.times(b),
  "/": (a, b) => {
    if (b.isZero()) throw new FormulaFailure("it divides by zero");
    return a.over(b);
  },
};

function arithmetic(node: ASTNode, op: string, [left, right]: [ASTNode, ASTNode], context: Compiling): Part {
  if (op === "/" && !context.rounded)
    throw new FormulaRefusal(
      node.start,
      "a quotient may have no end",
      "Write round(a / b, 2), or as many places as count.",
    );
  const [one, two] = [context.compile(left, context.rounded), context.compile(right, context.rounded)];
  const texts = (type: Type) => type === "text" || type === "taxId";
  if (op === "+" && (texts(one.type) || texts(two.type))) {
    const runs = [wanted(one, "text", left).run, wanted(two, "text", right).run];
    return part("text", [one.tree, two.tree], "+", (view) => {
      const values = all(runs, view);
      return values == null ? values : bounded(asText(values[0] as Value) + asText(values[1] as Value));
    });
  }
  const apply = reckon[op] as (a: Exact, b: Exact) => Exact;
  return reckoned(op, [one.tree, two.tree], [exactly(one, left), exactly(two, right)], ([a, b]) =>
    apply(a as Exact, b as Exact),
  );
}

function logical(op: "&&" | "||", [left, right]: [ASTNode, ASTNode], context: Compiling): Part {
  const decides = op === "||";
  const [one, two] = [context.compile(left), context.compile(right)];
  const [first, second] = [wanted(one, "boolean", left).run, wanted(two, "boolean", right).run];
  return part("boolean", [one.tree, two.tree], op, (view) => {
    const before = view.problems.length;
    const a = first(view);
    if (a === decides) return decides;
    const b = second(view);
    if (b === decides) {
      // What decides nothing need not be readable.
      if (a === null) view.takeBack(before);
      return decides;
    }
    return a === null || b === null ? null : a === undefined || b === undefined ? undefined : !decides;
  });
}

/** A blank test is false. */
function choice([test, yes, no]: ASTNode[], context: Compiling): Part {
  if (test === undefined || yes === undefined || no === undefined)
    throw new FormulaRefusal(0, "iff() takes three arguments");
  const [condition, one, two] = [
    context.compile(test),
    context.compile(yes, context.rounded),
    context.compile(no, context.rounded),
  ];
  const decide = wanted(condition, "boolean", test).run;
  const type = common(one, two, no);
  const [a, b] = [wanted(one, type, yes).run, wanted(two, type, no).run];
  return part(type, [condition.tree, one.tree, two.tree], "?", (view) => {
    const holds = decide(view);
    return holds === null ? null : holds === true ? a(view) : b(view);
  });
}

/** The one type of two values. */
function common(one: Part, two: Part, node: ASTNode): Type {
  if (one.type === two.type || two.type === "blank") return one.type;
  if (one.type === "blank") return two.type;
  if (one.type === "any") return two.type === "taxId" ? "text" : two.type;
  if (two.type === "any" || (one.type === "text" && two.type === "taxId"))
    return one.type === "taxId" ? "text" : one.type;
  if (one.type === "taxId" && two.type === "text") return "text";
  const hint = [one, two].some(({ type }) => type === "text")
    ? "Columns are text unless they say `as: number` or another type."
    : null;
  throw new FormulaRefusal(node.start, `${typeName(one.type)} and ${typeName(two.type)} do not meet`, hint);
}

const orders: { [op: string]: (order: number) => boolean } = {
  "==": (order) => order === 0,
  "!=": (order) => order !== 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

/** A blank equals nothing, and its order is blank. */
function comparison(op: string, [left, right]: [ASTNode, ASTNode], context: Compiling): Part {
  const equality = op === "==" || op === "!=";
  const [one, two] = [context.compile(left, true), context.compile(right, true)];
  if (one.type === "blank" || two.type === "blank")
    throw new FormulaRefusal(node0(left, right, two), "nothing equals a blank", "Write blank(x) or filled(x).");
  const type = common(one, two, left);
  const order = orders[op] as (order: number) => boolean;
  if (!equality && type === "boolean") throw new FormulaRefusal(left.start, "true and false have no order");
  const trees = [one.tree, two.tree];
  const told = <T>(runs: Eval<T>[], compare: (a: T, b: T) => number): Part =>
    part("boolean", trees, op, (view) => {
      const values = all(runs, view);
      if (values === undefined) return equality ? op === "!=" : undefined;
      return values === null ? null : order(compare(values[0] as T, values[1] as T));
    });
  if (type === "number") return told([exactly(one, left), exactly(two, right)], (a, b) => a.compare(b));
  return told([wanted(one, type, left).run, wanted(two, type, right).run], byValue);
}

function node0(left: ASTNode, right: ASTNode, two: Part): number {
  return two.type === "blank" ? right.start : left.start;
}

function membership([left, right]: [ASTNode, ASTNode], context: Compiling): Part {
  if (right.op !== "list") throw new FormulaRefusal(right.start, "a list is needed here", 'Write x in ["a", "b"].');
  const one = context.compile(left);
  const items = right.args.map((item) => ({ item, part: context.compile(item) }));
  const trees = items.map(({ part: { tree } }) => tree).toSorted();
  const runs = items.map(({ item, part: entry }) => {
    const type = common(one, entry, item);
    return type === "number" ? exactly(entry, item) : wanted(entry, type, item).run;
  });
  const read: Eval = one.type === "number" ? exactly(one, left) : one.run;
  return part("boolean", [one.tree, ...trees], "in", (view) => {
    const value = read(view);
    if (value == null) return value === null ? null : false;
    let unreadable = false;
    for (const run of runs) {
      const item = run(view);
      if (item === null) unreadable = true;
      else if (value instanceof Exact ? item instanceof Exact && value.compare(item) === 0 : item === value)
        return true;
    }
    return unreadable ? null : false;
  });
}

/** `id.type`, `id.country`, `tables.plants[code].region`. */
function member(node: ASTNode, [receiver, name]: [ASTNode, string], context: Compiling): Part {
  const { scope, reads } = context;
  if (receiver.op !== "[]") {
    if (receiver.op === "." && receiver.args[0].op === "id" && receiver.args[0].args === "tables")
      throw new FormulaRefusal(
        node.start,
        "a table is read by a key",
        `Write tables.${receiver.args[1]}[code].${name}.`,
      );
    const inner = context.compile(receiver);
    if (inner.type !== "taxId" || (name !== "type" && name !== "country"))
      throw new FormulaRefusal(
        node.start,
        `${typeName(inner.type)} has no .${name}`,
        "A tax id has .type and .country.",
      );
    const run = scope.taxIdPart(inner, name);
    return part("text", [inner.tree, name], ".", run);
  }
  const keys: ASTNode[] = [];
  let inner: ASTNode = receiver;
  while (inner.op === "[]") {
    keys.unshift(inner.args[1]);
    inner = inner.args[0];
  }
  if (inner.op !== "." || inner.args[0].op !== "id" || inner.args[0].args !== "tables")
    throw new FormulaRefusal(node.start, "only tables are read with [ ]", "Write tables.plants[code].region.");
  const table = scope.table(inner.args[1]);
  if (table === null && [...scope.tableNames()].includes(inner.args[1])) throw new MistakenColumn();
  if (table === null) {
    const near = nearestName(inner.args[1], scope.tableNames());
    throw new FormulaRefusal(
      inner.start,
      `there is no table "${inner.args[1]}"`,
      near === null ? "Name it under `tables:`." : `Did you mean "${near}"?`,
    );
  }
  const column = table.columns.get(name);
  if (column === undefined)
    throw new FormulaRefusal(
      node.start,
      `table "${inner.args[1]}" has no column "${name}"`,
      didYouMean(name, table.columns.keys()).trim() || null,
    );
  reads.tables.add(`${inner.args[1]}.${name}`);
  if (keys.length !== table.keys)
    throw new FormulaRefusal(node.start, `table "${inner.args[1]}" has ${table.keys === 1 ? "one key" : "two keys"}`);
  const parts = keys.map((child) => context.compile(child));
  for (const [position, { type }] of parts.entries())
    if (type === "boolean" || type === "timestamp") wanted(parts[position] as Part, "text", keys[position] as ASTNode);
  const only = parts.length === 1 ? parts[0]?.column : undefined;
  const tree = [table.tree(name), ...parts.map((one) => one.tree)];
  return part(column.type, tree, "table", (view) => {
    const values = all(
      parts.map(({ run }) => run),
      view,
    );
    if (values == null) return values;
    const texts = values.map((value) => asText(value));
    const row = table.row(texts);
    if (row !== undefined) return row.get(name);
    if (table.missing === "blank") return undefined;
    const index = only === undefined ? -1 : (view.index[only.slot] ?? -1);
    const asked = texts.map((text) => JSON.stringify(shorten(text))).join(", ");
    return view.report("value-unmapped", `table "${inner.args[1]}" does not list ${asked}`, null, index);
  });
}

function call(node: ASTNode, name: string, args: ASTNode[], context: Compiling): Part {
  const { scope, reads } = context;
  if (aggregates.has(name)) return compileAggregate(node, name, args, context);
  const count = (...counts: number[]) => {
    if (counts.includes(args.length)) return;
    throw new FormulaRefusal(
      node.start,
      `${name}() takes ${counts.join(" or ")} ${counts.at(-1) === 1 ? "argument" : "arguments"}, not ${args.length}`,
    );
  };
  const [first, second] = args as [ASTNode, ASTNode];
  switch (name) {
    case "iff":
      count(3);
      return choice(args, context);
    case "filled":
    case "blank": {
      count(1);
      const one = context.compile(first);
      const isFilled = one.column?.filled ?? null;
      return part("boolean", one.tree, name, (view) => {
        if (isFilled !== null) return isFilled(view) === (name === "filled");
        const value = one.run(view);
        return value === null ? null : (value !== undefined && value !== "") === (name === "filled");
      });
    }
    case "default": {
      count(2);
      const [one, two] = [context.compile(first), context.compile(second)];
      const type = common(one, two, second);
      const [a, b] = [wanted(one, type, first).run, wanted(two, type, second).run];
      return part(type, [one.tree, two.tree], name, (view) => {
        const value = a(view);
        return value === undefined ? b(view) : value;
      });
    }
    case "required": {
      count(1);
      const one = context.compile(first);
      return {
        ...one,
        run: (view) => {
          const value = one.run(view);
          if (value !== undefined) return value;
          const { start, end } = first;
          const index = one.column === undefined ? -1 : (view.index[one.column.slot] ?? -1);
          return view.report("value-required", `${node.input.slice(start, end)} is blank`, null, index);
        },
      };
    }
    case "text": {
      count(1);
      const one = context.compile(first);
      return part("text", one.tree, name, (view) => {
        const value = one.run(view);
        return value == null ? value : asText(value, one.type);
      });
    }
  }
  const custom = scope.functions.get(name);
  if (custom !== undefined) {
    count(custom.length);
    reads.functions.add(name);
    const parts = args.map((child) => context.compile(child));
    return part(
      "any",
      parts.map(({ tree }) => tree),
      name,
      (view) => {
        const values = all(
          parts.map(({ run }) => run),
          view,
        );
        if (values == null) return values;
        const value = callCustom(
          name,
          custom,
          values.map((one, at) => [one, parts[at]?.type ?? "text"]),
        );
        return typeof value === "string" ? bounded(value) : value;
      },
    );
  }
  const known = scope.functionKinds.get(name);
  if (known === undefined) {
    const names = [
      ...scope.functionKinds.keys(),
      ...scope.functions.keys(),
      ...aggregates,
      "iff",
      "filled",
      "blank",
      "default",
      "required",
      "text",
    ];
    const hint = functionHabit(name) ?? didYouMean(name, names).trim();
    throw new FormulaRefusal(node.start, `there is no function ${name}()`, hint === "" ? null : hint);
  }
  count(known.takes.length);
  const trees: string[] = [];
  const runs = args.map((child, position): Eval<unknown> => {
    const takes = known.takes[position] ?? "text";
    if (takes === "pattern") {
      const pattern = patternOf(child);
      trees.push(JSON.stringify(child.args));
      return () => pattern;
    }
    const given = context.compile(child, name === "round" && position === 0);
    trees.push(given.tree);
    if (takes === "number") return exactly(given, child);
    // Functions over text take whatever a key would have; what is a number stays one.
    const { run, type } = given.type === "number" ? given : wanted(given, takes, child);
    return (view) => {
      const value = run(view);
      return value == null ? value : bounded(asText(value, type));
    };
  });
  return part(known.gives, trees, name, (view) => {
    const values = all(runs, view);
    if (values == null) return values;
    const value = known.run(...values);
    return typeof value === "string" ? bounded(value) || undefined : value;
  });
}

function patternOf(node: ASTNode) {
  if (node.op !== "value" || typeof node.args !== "string")
    throw new FormulaRefusal(node.start, "the pattern must be written out as a text");
  try {
    return compileRegularExpression(node.args);
  } catch (error) {
    throw new FormulaRefusal(
      node.start,
      `the pattern cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
