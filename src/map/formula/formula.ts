/**
 * A formula: from columns to a typed value. The library parses it; types are checked here, when the mapping loads, and what
 * runs is closures over typed columns. Blank in, blank out; numbers are exact; only the functions listed in `functions.ts`.
 */
import type { ASTNode } from "@marcbachmann/cel-js";
import { asText, type Eval, type Type, type View } from "../column/view.js";
import { Exact, TooLong } from "../convert/exact.js";
import { shorten } from "../../model/fold.js";
import type { Path } from "../language/source.js";
import { didYouMean } from "../nearest.js";
import { choice, common, forms } from "./forms.js";
import { callCustom, compileRegularExpression, FormulaFailure } from "./functions.js";
import { FormulaRefusal, functionHabit, MistakenColumn, parseFormula } from "./parse.js";
import {
  bounded,
  compare,
  type Compiling,
  type Formula,
  type FormulaNames,
  lift,
  newReads,
  onlyColumn,
  type Part,
  type Reads,
  take,
  typeName,
  wanted,
} from "./part.js";

/** `text` is without its `=`. Null: it cannot be used, and why has been reported at `path`. */
export function compileFormula(text: string, path: Path, scope: FormulaNames): Formula | null {
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
    return { type, run: guarded(run, text, reads), reads, tree: treeOf(node, scope), column };
  } catch (error) {
    if (error instanceof MistakenColumn) return null;
    if (!(error instanceof FormulaRefusal)) throw error;
    const written = text.includes("\n") ? -1 : scope.source.textAt(path).indexOf(text);
    const offset = written < 0 ? 0 : written + error.offset;
    scope.source.report("mapping-expression", path, `Formula: ${error.message}.`, { offset, hint: error.hint });
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
      const { code, hint } =
        error instanceof FormulaFailure ? error : { code: "expression-failed" as const, hint: null };
      const message = `formula =${shorten(text)}: ${error.message}${severalColumns(view, reads)}`;
      return view.report(code, message, hint, onlyColumn(reads));
    }
  };
}

/** A problem has one column at most; of several the message names the headers, unquoted: quoted values are concealed in collected output. */
function severalColumns(view: View, { columns }: Reads): string {
  const headers = [...columns].flatMap(({ slot }) => view.header[view.index[slot] ?? -1] ?? []);
  return headers.length < 2 ? "" : ` (columns ${headers.join(" · ")})`;
}

/** Headers instead of names. */
function treeOf(node: ASTNode, scope: FormulaNames): string {
  if (node.op === "value")
    return typeof node.args === "string" ? JSON.stringify(node.args) : node.input.slice(node.start, node.end);
  if (node.op === "id") return scope.column(node.args)?.tree ?? node.args;
  const parts = [node.args].flat(2).map((arg) => (isNode(arg) ? treeOf(arg, scope) : arg));
  return `(${[node.op, ...(node.op === "list" ? parts.toSorted() : parts)].join(" ")})`;
}

function isNode(arg: unknown): arg is ASTNode {
  return typeof arg === "object" && arg !== null && "op" in arg;
}

const READ_TABLE = "Write tables.plants[code].region.";

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
      return arithmetic(node, node.op, node.args, context, rounded);
    case ".":
      return member(node, node.args, context);
    case "call":
      return call(node, node.args[0], node.args[1], context);
    case "rcall":
      throw new FormulaRefusal(node.start, `.${node.args[0]}() is not known here`, `Write ${node.args[0]}(x, …).`);
    case "[]":
      throw new FormulaRefusal(node.start, "only tables are read with [ ]", READ_TABLE);
    case "list":
      throw new FormulaRefusal(node.start, "a list stands only behind `in`", 'Write x in ["a", "b"].');
    case "%":
    case ".?":
    case "[?]":
    case "map":
      throw new FormulaRefusal(node.start, node.op === "%" ? "% is not available" : "this cannot stand in a formula");
  }
}

function literalOf(node: ASTNode & { op: "value" }): Part {
  const { args } = node;
  if (args === null) return { type: "blank", run: () => undefined };
  if (typeof args === "boolean") return { type: "boolean", run: () => args };
  if (typeof args === "string") {
    if (!args.isWellFormed()) throw new FormulaRefusal(node.start, "it holds half a character");
    return { type: "text", run: () => args };
  }
  const written = node.input.slice(node.start, node.end);
  try {
    const exact = Exact.of(/^\d+(?:\.\d+)?$/.test(written) ? written : "?");
    return { type: "number", run: () => exact };
  } catch (error) {
    const why = error instanceof TooLong ? error.message : `${written} is not a plain number`;
    throw new FormulaRefusal(node.start, why);
  }
}

function nameOf(node: ASTNode, name: string, { scope, reads }: Compiling): Part {
  if (name === "row") {
    reads.row = true;
    return { type: "number", run: (view) => Exact.of(String(view.row)) };
  }
  if (name === "file" || name === "sheet") return { type: "text", run: (view) => view[name] || undefined };
  if (name === "tables") throw new FormulaRefusal(node.start, "a table is read by a key", READ_TABLE);
  const column = scope.column(name);
  if (column === null) throw new MistakenColumn();
  if (column === undefined) {
    const hint = didYouMean(name, scope.names()).trim() || "Name it under `columns:`.";
    throw new FormulaRefusal(node.start, `there is no column "${name}"`, hint);
  }
  if (column.set)
    throw new FormulaRefusal(node.start, `"${name}" is a set of columns`, `Spread it as attributes: "*": =${name}.`);
  reads.columns.add(column);
  take(reads, column.reads);
  return { type: column.type, run: column.read, column };
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

function arithmetic(
  node: ASTNode,
  op: "+" | "-" | "*" | "/",
  [left, right]: [ASTNode, ASTNode],
  { compile }: Compiling,
  rounded: boolean,
): Part {
  if (op === "/" && !rounded) {
    const hint = "Write round(a / b, 2), or as many places as count.";
    throw new FormulaRefusal(node.start, "a quotient may have no end", hint);
  }
  const [one, two] = [compile(left, rounded), compile(right, rounded)];
  const joins = op === "+" && [one.type, two.type].some((type) => type === "text" || type === "taxId");
  const type = joins ? "text" : "number";
  const parts = [wanted(one, type, left), wanted(two, type, right)];
  return joins
    ? lift("text", parts, (a: string, b: string) => bounded(asText(a) + asText(b)))
    : lift("number", parts, reckon[op] as (a: Exact, b: Exact) => Exact);
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
      // What decides nothing need not be readable.
      if (a === null) view.takeBack(before);
      return decides;
    }
    return a === null || b === null ? null : a === undefined || b === undefined ? undefined : !decides;
  };
  return { type: "boolean", run };
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
function comparison(op: string, [left, right]: [ASTNode, ASTNode], { compile }: Compiling): Part {
  const equality = op === "==" || op === "!=";
  const [one, two] = [compile(left, true), compile(right, true)];
  if (one.type === "blank" || two.type === "blank") {
    const { start } = two.type === "blank" ? right : left;
    throw new FormulaRefusal(start, "nothing equals a blank", "Write blank(x) or filled(x).");
  }
  const type = common(one, two, left);
  if (!equality && type === "boolean") throw new FormulaRefusal(left.start, "true and false have no order");
  const order = orders[op] as (order: number) => boolean;
  const parts = [wanted(one, type, left), wanted(two, type, right)];
  const { run } = lift("boolean", parts, (a, b) => order(compare(a, b)));
  return { type: "boolean", run: equality ? (view) => orBlank(run(view), op === "!=") : run };
}

function orBlank<T>(value: T | undefined | null, blank: T): T | null {
  return value === undefined ? blank : value;
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

/** `id.type`, `id.country`, `tables.plants[code].region`. */
function member(node: ASTNode, [receiver, name]: [ASTNode, string], context: Compiling): Part {
  if (receiver.op === "[]") return tableMember(node, receiver, name, context);
  const named = tableOf(receiver);
  if (named !== null)
    throw new FormulaRefusal(node.start, "a table is read by a key", `Write tables.${named}[code].${name}.`);
  const inner = context.compile(receiver);
  if (inner.type === "taxId" && (name === "type" || name === "country"))
    return { type: "text", run: context.scope.taxIdPart(inner, name) };
  const why = `${typeName(inner.type)} has no .${name}`;
  throw new FormulaRefusal(node.start, why, "A tax id has .type and .country.");
}

/** Of `tables.plants`: its name. */
function tableOf(node: ASTNode): string | null {
  return node.op === "." && node.args[0].op === "id" && node.args[0].args === "tables" ? node.args[1] : null;
}

function tableMember(node: ASTNode, receiver: ASTNode, column: string, { scope, reads, compile }: Compiling): Part {
  const keys: ASTNode[] = [];
  let inner = receiver;
  while (inner.op === "[]") {
    keys.unshift(inner.args[1]);
    inner = inner.args[0];
  }
  const name = tableOf(inner);
  if (name === null) throw new FormulaRefusal(node.start, "only tables are read with [ ]", READ_TABLE);
  const table = scope.tables.get(name);
  if (table === null) throw new MistakenColumn();
  if (table === undefined) {
    const hint = didYouMean(name, scope.tables.keys()).trim() || "Name it under `tables:`.";
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
  const only = parts.length === 1 ? parts[0]?.column : undefined;
  const { run } = lift("any", parts, (...values) => values.map((value) => asText(value)).join("\u0000"));
  return {
    type: found.type,
    run: (view) => {
      const key = run(view);
      if (key == null) return key;
      const keyTexts = asText(key).split("\u0000");
      const row = table.row(keyTexts);
      if (row !== undefined) return row.get(column);
      if (table.missing === "blank") return undefined;
      const asked = keyTexts.map((text) => JSON.stringify(shorten(text)));
      return view.report("value-unmapped", `table "${name}" does not list ${asked.join(", ")}`, null, only);
    },
  };
}

function call(node: ASTNode, name: string, args: ASTNode[], context: Compiling): Part {
  const { scope, reads, compile } = context;
  const form = forms.get(name);
  const custom = scope.functions.get(name);
  const kind = scope.functionKinds.get(name);
  const takes = form?.takes ?? [custom?.length ?? kind?.takes.length ?? args.length];
  if (!takes.includes(args.length)) {
    const counted = `${takes.join(" or ")} ${takes.at(-1) === 1 ? "argument" : "arguments"}`;
    throw new FormulaRefusal(node.start, `${name}() takes ${counted}, not ${args.length}`);
  }
  if (form !== undefined) return form.compile(args, context, node);
  if (custom !== undefined) {
    reads.functions.add(name);
    const parts = args.map((arg) => compile(arg));
    const types = parts.map(({ type }) => type);
    return lift("any", parts, (...values) => callCustom(name, custom, values, types));
  }
  if (kind === undefined) {
    const names = [...scope.functionKinds.keys(), ...scope.functions.keys(), ...forms.keys()];
    const hint = functionHabit(name) ?? didYouMean(name, names).trim();
    throw new FormulaRefusal(node.start, `there is no function ${name}()`, hint || null);
  }
  const patterns = new Map<number, ReturnType<typeof patternOf>>();
  const parts = args.map((arg, position) => {
    const type = kind.takes[position] ?? "text";
    if (type === "pattern") {
      patterns.set(position, patternOf(arg));
      return { type: "text" as const, run: () => "" };
    }
    return argument(arg, type, compile(arg, name === "round" && position === 0));
  });
  return lift(kind.gives, parts, (...values) => {
    const value = kind.run(...values.map((given, position) => patterns.get(position) ?? given));
    return value === "" ? undefined : value;
  });
}

/** Functions over text take whatever a key would have; what is a number stays one. */
function argument(node: ASTNode, type: Type, given: Part): Part {
  if (type !== "text") return wanted(given, type, node);
  const part = given.type === "number" ? given : wanted(given, "text", node);
  return lift("text", [part], (value) => asText(value, given.type));
}

function patternOf(node: ASTNode) {
  if (node.op !== "value" || typeof node.args !== "string")
    throw new FormulaRefusal(node.start, "the pattern must be written out as a text");
  try {
    return compileRegularExpression(node.args);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new FormulaRefusal(node.start, `the pattern cannot be used: ${why}`);
  }
}
