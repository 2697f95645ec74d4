/**
 * Compiles a formula into closures over typed columns. A library parses it; types are checked when the mapping loads.
 * Blank in, blank out; numbers are exact; only the functions in `functions.ts` exist.
 */
import type { ASTNode } from "@marcbachmann/cel-js";
import { shorten } from "../../model/fold.js";
import type { Scope } from "../column/scope.js";
import { asText, type Eval, type Value, type View } from "../column/view.js";
import { Exact, TooLong } from "../convert/exact.js";
import type { Site } from "../language/site.js";
import { didYouMean } from "../nearest.js";
import { BROKEN, type Formula, newReads, onlyColumn, type Reads, take } from "../piece.js";
import { choice } from "./forms.js";
import { FormulaRefusal, functionHabit, parseFormula } from "./parse.js";
import { common, compare, type Compiling, FormulaFailure, lift, type Part, typeName, wanted } from "./part.js";

/** `text`: without its `=`. Reports mistakes at `site`. */
export function compileFormula(text: string, { source, path }: Site, scope: Scope): Formula {
  const reads = newReads();
  const context: Compiling = {
    scope,
    reads,
    compile: (node, rounded = false) => compileNode(node, context, rounded),
    typed: (node, type, rounded = false) => wanted(compileNode(node, context, rounded), type, node),
  };
  try {
    const node = parseFormula(text);
    const { type, run, column = null } = context.compile(node);
    // Failures caused by the row become its problems.
    const guarded: Eval = (view) => {
      try {
        return run(view);
      } catch (error) {
        if (!(error instanceof FormulaFailure || error instanceof TooLong)) throw error;
        const { code, hint } = error instanceof FormulaFailure ? error : new FormulaFailure("");
        const message = `formula =${shorten(text)}: ${error.message}${severalColumns(view, reads)}`;
        return view.report(code, message, hint, onlyColumn(reads));
      }
    };
    return { type, run: guarded, reads, tree: treeOf(node, scope), column };
  } catch (error) {
    if (!(error instanceof FormulaRefusal)) throw error;
    const written = text.includes("\n") ? -1 : source.textAt(path).indexOf(text);
    const offset = written < 0 ? 0 : written + error.offset;
    source.report("mapping-expression", path, `Formula: ${error.message}.`, { offset, hint: error.hint });
    return BROKEN;
  }
}

/** The formula with headers instead of names. */
function treeOf(node: ASTNode, scope: Scope): string {
  if (node.op === "value")
    return typeof node.args === "string" ? JSON.stringify(node.args) : node.input.slice(node.start, node.end);
  if (node.op === "id") return scope.column(node.args)?.tree ?? node.args;
  const isNode = (arg: unknown): arg is ASTNode => typeof arg === "object" && arg !== null && "op" in arg;
  const parts = [node.args].flat(2).map((arg) => (isNode(arg) ? treeOf(arg, scope) : arg));
  return `(${[node.op, ...(node.op === "list" ? parts.toSorted() : parts)].join(" ")})`;
}

const READ_TABLE = "Write tables.plants[code].region.";

const ORDERS: { [op: string]: (order: number) => boolean } = {
  "==": (order) => order === 0,
  "!=": (order) => order !== 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

const RECKONINGS: { [op: string]: (a: Exact, b: Exact) => Exact } = {
  "+": (a, b) => a.plus(b),
  "-": (a, b) => a.minus(b),
  "*": (a, b) => a.times(b),
  "/": (a, b) => {
    if (b.isZero()) throw new FormulaFailure("it divides by zero");
    return a.over(b);
  },
};

function compileNode(node: ASTNode, context: Compiling, rounded: boolean): Part {
  const { typed } = context;
  switch (node.op) {
    case "value":
      return literalOf(node);
    case "id":
      return nameOf(node, node.args, context);
    case "!_":
      return lift("boolean", [typed(node.args, "boolean")], (value: boolean) => !value);
    case "-_":
      return lift("number", [typed(node.args, "number", rounded)], (value: Exact) => value.negated());
    case "&&":
    case "||":
      return logical(node.op, node.args, context);
    case "?:":
      return choice(node.args, context, rounded);
    case "in":
      return membership(node.args, context);
    case ".":
      return member(node, node.args, context);
    case "call":
      return call(node, node.args[0], node.args[1], context);
    case "rcall":
      throw new FormulaRefusal(node.start, `.${node.args[0]}() is not known here`, `Write ${node.args[0]}(x, …).`);
    case "[]":
      throw new FormulaRefusal(node.start, "only tables are read with [ ]", READ_TABLE);
    case "list":
      throw new FormulaRefusal(node.start, "a list can only follow `in`", 'Write x in ["a", "b"].');
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return comparison(node.op, node.args, context);
    case "+":
    case "-":
    case "*":
    case "/":
      return arithmetic(node, node.args, context, rounded);
    case "%":
    case ".?":
    case "[?]":
    case "map":
      throw new FormulaRefusal(node.start, node.op === "%" ? "% is not available" : "this is not allowed in a formula");
  }
}

function literalOf(node: ASTNode & { op: "value" }): Part {
  const { args, start, end, input } = node;
  if (args === null) return { type: "blank", run: () => undefined };
  if (typeof args === "boolean") return { type: "boolean", run: () => args };
  if (typeof args === "string") {
    if (!args.isWellFormed()) throw new FormulaRefusal(start, "it holds half a character");
    return { type: "text", run: () => args };
  }
  const written = input.slice(start, end);
  if (!/^\d+(?:\.\d+)?$/.test(written)) throw new FormulaRefusal(start, `${written} is not a plain number`);
  try {
    const exact = Exact.of(written);
    return { type: "number", run: () => exact };
  } catch (error) {
    throw new FormulaRefusal(start, (error as TooLong).message);
  }
}

function nameOf(node: ASTNode, name: string, { scope, reads }: Compiling): Part {
  if (name === "row") {
    reads.row = true;
    return { type: "number", run: (view) => Exact.of(view.row) };
  }
  if (name === "file" || name === "sheet") return { type: "text", run: (view) => view[name] || undefined };
  if (name === "tables") throw new FormulaRefusal(node.start, "a table is read by a key", READ_TABLE);
  const column = scope.column(name);
  if (column === undefined) {
    const hint = didYouMean(name, scope.names()).trim() || "Name it under `columns:`.";
    throw new FormulaRefusal(node.start, `there is no column "${name}"`, hint);
  }
  if (column.set !== null)
    throw new FormulaRefusal(node.start, `"${name}" is a set of columns`, `Spread it as attributes: "*": =${name}.`);
  reads.columns.add(column);
  take(reads, column.reads);
  return { type: column.type, run: column.run, column };
}

function arithmetic(
  { op, start }: ASTNode,
  [left, right]: [ASTNode, ASTNode],
  { compile }: Compiling,
  rounded: boolean,
): Part {
  if (op === "/" && !rounded)
    throw new FormulaRefusal(start, "a quotient may have no end", "Write round(a / b, 2), or as many places as count.");
  const [one, two] = [compile(left, rounded), compile(right, rounded)];
  const joins = op === "+" && [one.type, two.type].some((type) => type === "text" || type === "taxId");
  const type = joins ? "text" : "number";
  const join = (a: string, b: string) => asText(a) + asText(b);
  return lift(type, [wanted(one, type, left), wanted(two, type, right)], joins ? join : (RECKONINGS[op] ?? join));
}

function logical(op: "&&" | "||", [left, right]: [ASTNode, ASTNode], { typed }: Compiling): Part {
  const decides = op === "||";
  const [first, second] = [typed(left, "boolean").run, typed(right, "boolean").run];
  const run: Eval = (view) => {
    const before = view.problems.length;
    const a = first(view);
    if (a === decides) return decides;
    const b = second(view);
    if (b === decides) {
      // The side that did not decide need not be readable.
      if (a === null) view.takeBack(before);
      return decides;
    }
    return a === null || b === null ? null : a === undefined || b === undefined ? undefined : !decides;
  };
  return { type: "boolean", run };
}

/** A blank equals nothing, and comparing it gives a blank. */
function comparison(op: string, [left, right]: [ASTNode, ASTNode], { compile }: Compiling): Part {
  const [one, two] = [compile(left, true), compile(right, true)];
  const blank = two.type === "blank" ? right : one.type === "blank" ? left : null;
  if (blank !== null) throw new FormulaRefusal(blank.start, "nothing equals a blank", "Write blank(x) or filled(x).");
  const type = common(one, two, left);
  const equality = op === "==" || op === "!=";
  if (!equality && type === "boolean") throw new FormulaRefusal(left.start, "true and false have no order");
  const parts = [wanted(one, type, left), wanted(two, type, right)];
  const { run } = lift("boolean", parts, (a: Value, b: Value) => ORDERS[op]?.(compare(a, b)));
  if (!equality) return { type: "boolean", run };
  const orBlank: Eval = (view) => {
    const equal = run(view);
    return equal === undefined ? op === "!=" : equal;
  };
  return { type: "boolean", run: orBlank };
}

/** A blank is in no list. */
function membership([left, right]: [ASTNode, ASTNode], { compile }: Compiling): Part {
  if (right.op !== "list") throw new FormulaRefusal(right.start, "a list is needed here", 'Write x in ["a", "b"].');
  const one = compile(left);
  const items = right.args.map((item) => {
    const entry = compile(item);
    return wanted(entry, common(one, entry, item), item);
  });
  const run: Eval = (view) => {
    const value = one.run(view);
    if (value == null) return value === null ? null : false;
    const found = items.map((item) => item.run(view));
    if (found.some((item) => item != null && compare(item, value) === 0)) return true;
    return found.includes(null) ? null : false;
  };
  return { type: "boolean", run };
}

function member(node: ASTNode, [receiver, name]: [ASTNode, string], context: Compiling): Part {
  if (receiver.op === "[]") return tableMember(node, receiver, name, context);
  const table = tableOf(receiver);
  if (table !== null)
    throw new FormulaRefusal(node.start, "a table is read by a key", `Write tables.${table}[code].${name}.`);
  const inner = context.compile(receiver);
  if (inner.type === "taxId" && (name === "type" || name === "country"))
    return { type: "text", run: context.scope.taxIdPart(inner, name) };
  const why = `${typeName(inner.type)} has no .${name}`;
  throw new FormulaRefusal(node.start, why, "A tax id has .type and .country.");
}

/** The name of `tables.plants`. */
function tableOf(node: ASTNode): string | null {
  return node.op === "." && node.args[0].op === "id" && node.args[0].args === "tables" ? node.args[1] : null;
}

function tableMember(node: ASTNode, receiver: ASTNode, column: string, { scope, reads, compile }: Compiling): Part {
  const { tables } = scope.shared;
  const keys: ASTNode[] = [];
  let inner = receiver;
  while (inner.op === "[]") {
    keys.unshift(inner.args[1]);
    inner = inner.args[0];
  }
  const name = tableOf(inner);
  if (name === null) throw new FormulaRefusal(node.start, "only tables are read with [ ]", READ_TABLE);
  const table = tables.get(name);
  if (table === null) return BROKEN;
  if (table === undefined) {
    const hint = didYouMean(name, tables.keys()).trim() || "Name it under `tables:`.";
    throw new FormulaRefusal(inner.start, `there is no table "${name}"`, hint);
  }
  const found = table.columns.get(column);
  if (found === undefined) {
    const near = didYouMean(column, table.columns.keys()).trim();
    throw new FormulaRefusal(node.start, `table "${name}" has no column "${column}"`, near || null);
  }
  if (keys.length !== table.keys)
    throw new FormulaRefusal(node.start, `table "${name}" has ${table.keys === 1 ? "one key" : "two keys"}`);
  reads.tables.add(`${name}.${column}`);
  const parts = keys.map((key) => {
    const part = compile(key);
    return part.type === "boolean" || part.type === "timestamp" ? wanted(part, "text", key) : part;
  });
  const only = parts.length === 1 ? (parts[0]?.column ?? undefined) : undefined;
  const key = lift("any", parts, (...values: Value[]) => values.map((value) => asText(value)).join("\u0000"));
  const run: Eval = (view) => {
    const text = key.run(view);
    if (text == null) return text;
    const texts = asText(text).split("\u0000");
    const row = table.row(texts);
    if (row !== undefined) return row.get(column);
    if (table.missing === "blank") return undefined;
    const asked = texts.map((one) => JSON.stringify(shorten(one)));
    return view.report("value-unmapped", `table "${name}" does not list ${asked.join(", ")}`, null, only);
  };
  return { type: found.type, run };
}

function call(node: ASTNode, name: string, args: ASTNode[], context: Compiling): Part {
  const { callables } = context.scope.shared;
  const called = callables.get(name);
  if (called === undefined) {
    const hint = functionHabit(name) ?? didYouMean(name, callables.keys()).trim();
    throw new FormulaRefusal(node.start, `there is no function ${name}()`, hint || null);
  }
  const { takes } = called;
  if (takes.includes(args.length)) return called.compile(args, context, node);
  const counted = `${takes.join(" or ")} ${takes.at(-1) === 1 ? "argument" : "arguments"}`;
  throw new FormulaRefusal(node.start, `${name}() takes ${counted}, not ${args.length}`);
}

/**
 * A problem names at most one column; the message names several headers, unquoted, because quoted values are hidden in
 * collected output.
 */
function severalColumns(view: View, { columns }: Reads): string {
  const headers = [...columns].flatMap(({ slot }) => view.header[view.index[slot] ?? -1] ?? []);
  return headers.length < 2 ? "" : ` (columns ${headers.join(" · ")})`;
}
