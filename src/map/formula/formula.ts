/**
 * Compiles a formula into closures over typed columns. A library parses it; types are checked when the mapping loads.
 * Blank in, blank out; numbers are exact; only the functions in `functions.ts` exist.
 */
import type { ASTNode } from "@marcbachmann/cel-js";
import { foldName, shorten } from "../../model/fold.js";
import type { Scope } from "../column/scope.js";
import { asText, type Eval, type Value, type View } from "../column/view.js";
import { conversionNames, defaultsOf } from "../convert/conversion.js";
import { attempt, quoteCell, Refused } from "../convert/conversion-kind.js";
import { Exact } from "../convert/exact.js";
import { readNumber } from "../convert/number-text.js";
import type { Site } from "../language/site.js";
import { didYouMean } from "../nearest.js";
import { BROKEN, type Formula, newReads, onlyColumn, type Reads, take } from "../piece.js";
import { choice, forms } from "./forms.js";
import { formulaFunctions, ofValues } from "./functions.js";
import { ASK_BLANK, FormulaRefusal, functionHabit, nameHabit, parseFormula, refuseNode, TIME_OF_DAY } from "./parse.js";
import {
  type Args,
  type Callable,
  common,
  compare,
  type Compiling,
  lift,
  orderBy,
  type Part,
  sourceOf,
  typeName,
  valuesOf,
  wanted,
} from "./part.js";

/** `text`: without its `=`. Reports mistakes at `site`. */
export function compileFormula(text: string, { scope, path }: Site): Formula {
  const { source } = scope.shared;
  const reads = newReads();
  const context: Compiling = {
    scope,
    reads,
    rounded: false,
    compile: (node) => {
      const { rounded } = context;
      const does = node.op === "call" ? node.args[0] : node.op;
      context.rounded = ENDS.has(does) || (rounded && CONTINUES.has(does));
      const part = compileNode(node, context);
      context.rounded = rounded;
      return part;
    },
    typed: (node, type) => wanted(context.compile(node), type, node),
  };
  try {
    const node = parseFormula(text);
    const { type, run, column, never } = context.compile(node);
    // Failures caused by the row become its problems.
    const guarded: Eval = (view) => {
      try {
        return run(view);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        const message = `formula =${shorten(text)}: ${error.message}${severalColumns(view, reads)}`;
        return view.report(error.code, message, error.hint, onlyColumn(reads));
      }
    };
    return { type, run: guarded, reads, tree: treeOf(node, scope), column, never };
  } catch (error) {
    if (!(error instanceof FormulaRefusal)) throw error;
    const written = text.includes("\n") ? -1 : source.textAt(path).indexOf(text);
    const offset = written < 0 ? 0 : written + error.offset;
    const headed = scope.headed(text);
    const hint = headed === undefined ? error.hint : `"${text}" is the header of "${headed}": write =${headed}.`;
    source.report("mapping-expression", path, `Formula: ${error.message}.`, { offset, hint });
    return BROKEN;
  }
}

/** A quotient may have endless digits: some functions end it, others leave that to the formula around them. */
const ENDS: ReadonlySet<string> = new Set(["round", "==", "!=", "<", "<=", ">", ">="]);
const CONTINUES: ReadonlySet<string> = new Set(["+", "-", "*", "/", "-_", "?:", "iff"]);

/** The formula with headers instead of names, and with the settings that its functions depend on. */
function treeOf(node: ASTNode, scope: Scope): string {
  if (node.op === "value")
    return typeof node.args === "string" ? JSON.stringify(node.args) : node.input.slice(node.start, node.end);
  if (node.op === "id") return scope.column(node.args)?.tree ?? node.args;
  const isNode = (arg: unknown): arg is ASTNode => typeof arg === "object" && arg !== null && "op" in arg;
  const parts = [node.args].flat(2).map((arg) => (isNode(arg) ? treeOf(arg, scope) : arg));
  const settings = settingsOf(node.op === "call" ? node.args[0] : node.op, scope);
  return `(${[node.op, ...(node.op === "list" ? parts.toSorted() : parts), ...settings].join(" ")})`;
}

/** Operators that see blanks, as the functions in `forms.ts` do. */
const SEES_BLANKS: ReadonlySet<string> = new Set(["==", "!=", "in", "&&", "||", "?:"]);

function settingsOf(called: string, { blanks, shared }: Scope): string[] {
  const as = conversionNames.find((name) => name === called);
  if (as !== undefined) {
    const settings = defaultsOf({ as }, shared.conversions.defaults);
    if (shared.isLean) delete settings.dates;
    return [JSON.stringify(settings)];
  }
  return forms.has(called) || SEES_BLANKS.has(called) ? [blanks] : [];
}

const READ_TABLE = "Write tables.plants[code].region.";

function compileNode(node: ASTNode, context: Compiling): Part {
  if (node.op === "value") return literalOf(node);
  if (node.op === "id") return nameOf(node, node.args, context);
  if (node.op === ".") return member(node, node.args, context);
  if (node.op === "call") return call(node, node.args[0], node.args[1] as Args, context);
  if (node.op === "[]") return tableMember(node, node, null, context);
  if (node.op === "rcall")
    return refuseNode(node, `.${node.args[0]}() is not known here`, hintFor(node.args[0], context));
  const operator = OPERATORS[node.op];
  if (operator === undefined) return refuseNode(node, ...(REFUSED[node.op] ?? ["this is not allowed in a formula"]));
  return operator([node.args].flat() as Args, context, node);
}

const REFUSED: { [op: string]: [message: string, hint?: string] } = {
  list: ["a list can only follow `in`", 'Write x in ["a", "b"].'],
  "%": ["% is not available", "Write 0.1 for 10%."],
};

function literalOf(node: ASTNode & { op: "value" }): Part {
  const { args, start, end, input } = node;
  const written = input.slice(start, end);
  if (args === null) return { type: "blank", run: () => undefined };
  if (typeof args === "boolean") return { type: "boolean", run: () => args };
  if (typeof args === "string") return { type: "text", run: () => args, written };
  if (!/^\d+(?:\.\d+)?$/.test(written)) refuseNode(node, `${written} is not a plain number`);
  const exact = attempt(() => Exact.of(written));
  return exact instanceof Refused ? refuseNode(node, exact.message) : { type: "number", run: () => exact };
}

function nameOf(node: ASTNode, name: string, { scope, reads }: Compiling): Part {
  if (name === "row" || name === "file" || name === "sheet") {
    reads.others.add(name);
    if (name === "row") return { type: "number", run: ({ source }) => Exact.of(source.row) };
    return { type: "text", run: ({ source }) => source[name] || undefined };
  }
  if (name === "tables") return refuseNode(node, "a table is read by a key", READ_TABLE);
  const column = scope.column(name);
  if (column === undefined) {
    const headed = scope.headed(name);
    const called = scope.shared.callables.has(name) ? `Write ${name}(x).` : nameHabit(name);
    const near =
      headed === undefined
        ? didYouMean(name, scope.names()).trim()
        : `It is the header of "${headed}": write ${headed}.`;
    const unknown = `Name it under \`columns:\`, or put it in quotes if it is a text: "${name}".`;
    return refuseNode(node, `there is no column "${name}"`, called ?? (near || unknown));
  }
  if (column.set !== undefined)
    refuseNode(node, `"${name}" is a set of columns`, `Spread it as attributes: "*": =${name}.`);
  reads.columns.add(column);
  take(reads, column.reads);
  return { type: column.type, run: column.run, column, never: column.never };
}

/** An operator has as many arguments as it takes. */
type Operator = Callable["compile"];

/** Two amounts in columns of text, which + would write one after the other. */
function refuseAmounts(decimal: "," | "." | undefined) {
  const marks = decimal === undefined ? ([",", "."] as const) : [decimal];
  const isAmount = (text: string) =>
    marks.some((mark) => text.includes(mark) && typeof readNumber(text, mark, true) === "object");
  return (a: string, b: string) => {
    if (!isAmount(a) || !isAmount(b)) return;
    const hint = "Give both columns `as: number` to add them; text(a) + text(b) joins them.";
    throw new Refused(`${quoteCell(a)} and ${quoteCell(b)} are texts here, and + would join them`, undefined, hint);
  };
}

const plus: Operator = ([left, right], { compile, scope }) => {
  const [one, two] = [compile(left), compile(right)];
  const joins = /^(?:text|taxId)$/.test(common(one, left, two, right));
  const type = joins ? "text" : "number";
  const isRaw = one.column?.as === "text" && two.column?.as === "text";
  const check = isRaw ? refuseAmounts(scope.shared.conversions.defaults.decimal) : () => {};
  const join = (a: string, b: string) => {
    check(a, b);
    return asText(a) + asText(b);
  };
  const parts = [wanted(one, type, left), wanted(two, type, right)];
  return lift(type, parts, joins ? join : (a: Exact, b: Exact) => a.plus(b));
};

const numeric = (run: (a: Exact, b: Exact) => Exact): Operator => ofValues(["number", "number"], "number", run).compile;

const over = numeric((a, b) => {
  if (b.isZero()) throw new Refused("it divides by zero");
  return a.over(b);
});

function logical(decides: boolean): Operator {
  return ([one, two], { typed }) => {
    const [first, second] = [typed(one, "boolean").run, typed(two, "boolean").run];
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
  };
}

/**
 * Refuses a text that the part never is: the comparison would always have one answer. Returns what warns of a value that
 * only case or accents keep from being this text, unless another formula asks for that one.
 */
function meets({ never, type, run, column }: Part, node: ASTNode, text: ASTNode, { scope: { shared } }: Compiling) {
  const asked = text.op === "value" ? text.args : null;
  if (typeof asked !== "string" || !/^(?:text|taxId)$/.test(type)) return () => {};
  const instead = never?.(asked) ?? null;
  const what = node.op === "id" ? `the column "${node.args}"` : sourceOf(node);
  if (instead !== null) refuseNode(text, `${what} is never ${quoteCell(asked)}`, instead);
  shared.compared.add(asked);
  const folded = foldName(asked);
  const hint = `If they are the same, write fold(${sourceOf(node)}) and "${folded}" in the formula.`;
  return (view: View) => {
    const value = run(view);
    const given = value == null ? asked : asText(value);
    if (given === asked || given.length !== asked.length) return;
    if (foldName(given) !== folded || shared.compared.has(given)) return;
    const message = `${quoteCell(given)} differs from the ${quoteCell(asked)} of a formula only by case or accents`;
    view.doubt("text-nearly-equal", message, hint, column ?? -1);
  };
}

/** An empty text is a blank too: the comparison would always have one answer. */
function refuseBlank(part: Part, node: ASTNode) {
  if (part.type === "blank" || (node.op === "value" && node.args === ""))
    refuseNode(node, "nothing equals a blank", ASK_BLANK);
}

/** A blank equals nothing: `ofBlank` is then the answer. Its order is blank. */
function comparison(holds: (order: number) => boolean, ofBlank?: boolean): Operator {
  return ([left, right], context) => {
    const { compile, scope } = context;
    const [one, two] = [compile(left), compile(right)];
    refuseBlank(two, right);
    refuseBlank(one, left);
    const type = common(one, left, two, right);
    const warn = ofBlank === undefined ? [] : [meets(one, left, right, context), meets(two, right, left, context)];
    const order = ofBlank === undefined ? orderBy(scope.shared.conversions.defaults) : compare;
    const parts = [wanted(one, type, left), wanted(two, type, right)];
    const { run } = lift("boolean", parts, (a: Value, b: Value) => holds(order(a, b)));
    const orBlank: Eval = (view) => {
      const result = run(view);
      if (result === ofBlank) for (const look of warn) look(view);
      return result === undefined ? ofBlank : result;
    };
    return { type: "boolean", run: orBlank };
  };
}

const equals = comparison((order) => order === 0, false);

const OPERATORS: { [op: string]: Operator } = {
  "!_": ofValues(["boolean"], "boolean", (value: boolean) => !value).compile,
  "-_": numeric((number) => number.negated()),
  "+": plus,
  "-": numeric((a, b) => a.plus(b.negated())),
  "*": numeric((a, b) => a.times(b)),
  "/": (args, context, node) =>
    context.rounded
      ? over(args, context, node)
      : refuseNode(
          node,
          "a quotient may have endless digits",
          "Write round(a / b, 2), with as many places as you need.",
        ),
  "==": equals,
  "!=": comparison((order) => order !== 0, true),
  "<": comparison((order) => order < 0),
  "<=": comparison((order) => order <= 0),
  ">": comparison((order) => order > 0),
  ">=": comparison((order) => order >= 0),
  "&&": logical(false),
  "||": logical(true),
  "?:": choice.compile,
  in: (args, context, node) => {
    const [, list] = args;
    if (list.op !== "list") return refuseNode(list, "a list is needed here", 'Write x in ["a", "b"].');
    const items = list.args.map((item) => equals(args.with(1, item) as Args, context, node).run);
    const run: Eval = (view) => {
      const found = items.map((item) => item(view));
      return found.includes(true) || (found.includes(null) ? null : false);
    };
    return { type: "boolean", run };
  },
};

function member(node: ASTNode, [receiver, name]: [ASTNode, string], context: Compiling): Part {
  if (receiver.op === "[]") return tableMember(node, receiver, name, context);
  const table = tableOf(receiver);
  if (table !== null) return refuseNode(node, "a table is read by a key", `Write tables.${table}[code].${name}.`);
  const inner = context.compile(receiver);
  if (inner.type === "taxId" && (name === "type" || name === "country"))
    return { type: "text", run: context.scope.taxIdPart(inner, name) };
  return refuseNode(
    node,
    `${typeName(inner.type)} has no .${name}`,
    functionHabit(name) ?? "A tax id has .type and .country.",
  );
}

/** The name of `tables.plants`. */
function tableOf(node: ASTNode): string | null {
  return node.op === "." && node.args[0].op === "id" && node.args[0].args === "tables" ? node.args[1] : null;
}

/** `column`: null if it is left out. */
function tableMember(
  node: ASTNode,
  receiver: ASTNode,
  column: string | null,
  { scope, reads, compile }: Compiling,
): Part {
  const { tables } = scope.shared;
  const keys: ASTNode[] = [];
  let inner = receiver;
  while (inner.op === "[]") {
    keys.unshift(inner.args[1]);
    inner = inner.args[0];
  }
  const name = tableOf(inner);
  if (name === null) return refuseNode(node, "only tables are read with [ ]", READ_TABLE);
  const table = tables.get(name);
  if (table === null) return BROKEN;
  if (table === undefined) {
    const hint = didYouMean(name, tables.keys()).trim() || "Name it under `tables:`.";
    return refuseNode(inner, `there is no table "${name}"`, hint);
  }
  if (column === null) {
    const columns = [...table.columns.keys()];
    const hint = `Write ${sourceOf(node)}.${columns[0]}; its columns: ${columns.join(", ")}.`;
    return refuseNode(node, "a column of the table is missing", hint);
  }
  const found = table.columns.get(column);
  if (found === undefined) {
    const near = didYouMean(column, table.columns.keys()).trim();
    return refuseNode(node, `table "${name}" has no column "${column}"`, near || null);
  }
  if (keys.length !== table.keys) refuseNode(node, `table "${name}" has ${table.keys === 1 ? "one key" : "two keys"}`);
  reads.tables.add(`${name}.${column}`);
  const parts = keys.map((key) => {
    const text = key.op === "value" ? key.args : null;
    if (typeof text === "string" && scope.column(text) !== undefined && table.row([text]) === undefined)
      refuseNode(key, `table "${name}" does not list the text ${quoteCell(text)}`, `For the column, write [${text}].`);
    const part = compile(key);
    return part.type === "boolean" || part.type === "timestamp" ? wanted(part, "text", key) : part;
  });
  const asked = parts.length === 1 ? parts[0]?.column : undefined;
  const run: Eval = (view) => {
    const values = valuesOf(parts, view);
    if (values == null) return values;
    const texts = values.map((value) => asText(value));
    const row = table.row(texts);
    if (row !== undefined) return row.get(column);
    if (table.missing === "blank") return undefined;
    const message = `table "${name}" does not list ${texts.map(quoteCell).join(", ")}`;
    const only = asked?.use === undefined ? onlyColumn(asked?.reads ?? reads) : asked;
    return view.report("value-unmapped", message, UNLISTED, only);
  };
  return { type: found.type, run };
}

const UNLISTED =
  "Correct the cell, or add a row to the table's file; or change the mapping: write `missing: blank` in the table.";

function call(node: ASTNode, name: string, args: Args, context: Compiling): Part {
  const { callables } = context.scope.shared;
  const called = callables.get(name);
  if (called === undefined) return refuseNode(node, `there is no function ${name}()`, hintFor(name, context));
  const { takes } = called;
  const [first] = args;
  if (first?.op === "value" && VARYING_FIRST.has(name))
    refuseNode(first, `${name}() is given a value that is the same for every row`, signatureOf(name));
  refuseCase(name, args, context);
  if (name === "date" || name === "timestamp") {
    context.reads.others.add("dates");
    refuseDay(name, first, context);
  }
  if (takes.includes(args.length)) return called.compile(args, context, node);
  const counted = `${takes.join(" or ")} ${takes.at(-1) === 1 ? "argument" : "arguments"}`;
  return refuseNode(node, `${name}() takes ${counted}, not ${args.length}`, functionHabit(name) ?? signatureOf(name));
}

function hintFor(name: string, { scope }: Compiling): string | null {
  const { callables } = scope.shared;
  if (callables.has(name)) return signatureOf(name);
  return functionHabit(name) ?? (didYouMean(name, callables.keys()).trim() || null);
}

/** A day is a text, in a form that the mapping's formats need not read. */
function refuseDay(name: "date" | "timestamp", node: ASTNode | undefined, { scope, compile }: Compiling) {
  const column = node && compile(node).column;
  if (node === undefined || column?.as !== "date") return;
  const read = scope.shared.conversions.orText(name)("2026-12-31", "text");
  const hint = name === "date" ? `Write ${column.name}.` : TIME_OF_DAY;
  if (read instanceof Refused) refuseNode(node, `"${column.name}" is a day already, in the form yyyy-MM-dd`, hint);
}

/** In `startsWith(fold(x), "Total")`, the part is never there. */
function refuseCase(name: string, [whole, part]: ASTNode[], { compile }: Compiling) {
  if (!/^(?:contains|startsWith|endsWith)$/.test(name) || whole?.op !== "call") return;
  if (!/^(?:fold|lower|upper)$/.test(whole.args[0]) || part?.op !== "value" || typeof part.args !== "string") return;
  const better = compile(whole).never?.(part.args.trim());
  if (better != null) refuseNode(part, `${sourceOf(whole)} never has ${quoteCell(part.args)} in it`, better);
}

/** With a literal before the others, their arguments were swapped. */
const VARYING_FIRST: ReadonlySet<string> = new Set(["default", "padLeft"]);

/** As the reference writes it. */
function signatureOf(name: string): string | null {
  const form = new RegExp(`\\b${name}\\([^)]*\\)`).exec(Object.keys(formulaFunctions).join(", "));
  return form === null ? null : `Write ${form[0]}.`;
}

/**
 * A problem names at most one column; the message names several headers, unquoted, because quoted values are hidden in
 * collected output.
 */
function severalColumns(view: View, { columns }: Reads) {
  const headers = [...columns].flatMap(({ slot }) => view.header[view.index[slot] ?? -1] ?? []);
  return headers.length < 2 ? "" : ` (columns ${headers.join(" · ")})`;
}
