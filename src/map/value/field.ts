/** One field of a record, from its spec to a closure over a row: source → blank → map → as → oneOf, pattern. */
import { isExactNumber } from "../../model/json.js";
import type { FieldObject, FieldSpec } from "../schema/field-schema.js";
import type { Path } from "../source/mapping-source.js";
import type { BoundColumns, ColumnUse } from "./columns.js";
import type { CompileContext } from "./compile-context.js";
import { compileCondition } from "./condition.js";
import { asText, type Chain, compileChain, finish, kindOf } from "./conversion-chain.js";
import { bindRawField, bindTextField, bindWhen, type FieldSteps } from "./field-binding.js";
import { compileLookup, type Lookup, lookupName } from "./lookup.js";
import { compileRegularExpression, type RegularExpression } from "./regular-expression.js";
import type { Read, Value } from "./row-view.js";
import { type Slot, slotFault } from "./slot.js";
import { compileTextSource } from "./text-source.js";

export interface Field {
  uses: ColumnUse[];
  /** The value that every row has; undefined when it depends on the row. */
  constant: Value | undefined;
  bind(columns: BoundColumns): Read<Value>;
}

const SOURCES = ["column", "template", "expr", "value"] as const;

/** Null: it cannot be used, and why has been reported. */
export function compileField(spec: FieldSpec, slot: Slot, path: Path, context: CompileContext): Field | null {
  if (typeof spec !== "object" || isExactNumber(spec)) return compileConstant(spec, undefined, slot, path, context);
  const given = SOURCES.filter((source) => spec[source] !== undefined);
  const [source] = given;
  if (source === undefined || given.length > 1) {
    const message =
      given.length === 0
        ? "needs one of column, template, expr and value"
        : `has ${given.join(" and ")}; only one of them can stand`;
    context.source.report("mapping-value", path, `${slot.label}: a field ${message}.`);
    return null;
  }
  if (source === "value") return compileValue(spec, slot, path, context);
  return compileComputed(spec, slot, path, context);
}

function compileValue(spec: FieldObject, slot: Slot, path: Path, context: CompileContext): Field | null {
  const { value } = spec;
  if (value !== undefined && !isValue(value)) {
    context.source.report(
      "mapping-value",
      [...path, "value"],
      `${slot.label}: this constant must be text, a number, true or false.`,
    );
    return null;
  }
  const others = (["map", "otherwise", "default", "rows", "separator"] as const).filter(
    (name) => spec[name] !== undefined,
  );
  for (const name of others)
    context.source.report("mapping-value", [...path, name], `\`${name}\` has no meaning beside a constant.`, {
      at: "key",
    });
  if (value === undefined) return null;
  if (spec.when === undefined) return compileConstant(value, spec.as, slot, [...path, "value"], context);
  const constant = compileConstant(value, spec.as, slot, [...path, "value"], context);
  const condition = compileCondition(spec.when, [...path, "when"], context);
  if (constant === null || condition === null) return null;
  return {
    uses: condition.uses,
    constant: undefined,
    bind: (columns) => {
      const holds = condition.bind(columns);
      return (view) => {
        const answer = holds(view);
        return answer === null ? null : answer ? constant.constant : undefined;
      };
    },
  };
}

function isValue(value: unknown): value is Value {
  return ["string", "number", "boolean"].includes(typeof value) || isExactNumber(value);
}

function compileConstant(
  value: Value,
  as: FieldObject["as"],
  slot: Slot,
  path: Path,
  context: CompileContext,
): Field | null {
  if (slot.gives === "json" && as === undefined) return { uses: [], constant: value, bind: () => () => value };
  if (slot.convert !== undefined && as === undefined) return bindDependent(value, slot);
  const chain = compileChain(as, slot, as === undefined ? path : path.slice(0, -1), context);
  if (chain === null) return null;
  const converted = convertConstant(value, chain, slot, path, context);
  if (converted === undefined) return null;
  return { uses: [], constant: converted, bind: () => () => converted };
}

/** A constant whose conversion depends on the row. */
function bindDependent(value: Value, slot: Slot): Field {
  const steps: FieldSteps = {
    ...noSteps(slot),
    convert: slot.convert ?? ((text) => ({ value: text })),
  };
  return {
    uses: [],
    constant: undefined,
    bind: () =>
      bindTextField(
        (view) => {
          view.kind = kindOf(value);
          return asText(value);
        },
        -1,
        steps,
      ),
  };
}

function compileComputed(spec: FieldObject, slot: Slot, path: Path, context: CompileContext): Field | null {
  const source = compileTextSource(spec, path, context);
  const condition = spec.when === undefined ? undefined : compileCondition(spec.when, [...path, "when"], context);
  const type = source?.expression?.type;
  // A time that an expression gives is an instant already, and needs no format.
  const instant = type === "time" && (spec.as === undefined || spec.as === "timestamp");
  const raw = slot.gives === "json" && spec.as === undefined && spec.map === undefined;
  const chain: Chain | null =
    instant || (raw && type !== undefined)
      ? { convert: (text) => ({ value: text }), last: null, typed: false }
      : compileChain(spec.as, slot, path, context);
  if (instant && slot.gives !== "instant" && slot.gives !== "text" && slot.gives !== "json") {
    context.source.report(
      "mapping-expression",
      [...path, "expr"],
      `${slot.label}: the expression gives a time, which cannot stand here.`,
    );
    return null;
  }
  const lookup = spec.map === undefined ? null : compileMap(spec, path, context);
  const pattern = spec.pattern === undefined ? null : compilePattern(spec.pattern, [...path, "pattern"], context);
  if (spec.otherwise !== undefined && spec.map === undefined) {
    context.source.report("mapping-value", [...path, "otherwise"], "`otherwise` needs a `map`.", { at: "key" });
  }
  if (source === null || condition === null || chain === null || lookup === undefined || pattern === undefined)
    return null;
  const fallback =
    spec.default === undefined ? undefined : convertConstant(spec.default, chain, slot, [...path, "default"], context);
  const { otherwise } = spec;
  const purpose = slot.identity === true ? "identity" : lookup === null ? "value" : "map";
  const steps: FieldSteps = {
    slot,
    cells: source.cell ? context.cells : null,
    required: spec.required ?? slot.required,
    fallback,
    lookup,
    keepUnlisted: otherwise !== undefined && !isValue(otherwise),
    otherwise: isValue(otherwise) ? otherwise : undefined,
    convert: chain.convert,
    last: chain.last,
    typed: chain.typed,
    oneOf: spec.oneOf === undefined ? null : new Set(spec.oneOf.map((value) => asText(value))),
    pattern,
  };
  return {
    uses: [...source.uses, ...(condition?.uses ?? [])],
    constant: undefined,
    bind: (columns) => {
      const column = source.column === null ? -1 : columns.index(source.column);
      const holds = condition?.bind(columns) ?? null;
      const { expression } = source;
      const read =
        expression !== null && (instant || raw)
          ? bindRawField(expression.bind(columns, purpose), column, steps)
          : bindTextField(source.bind(columns, purpose, chain.typed || lookup !== null), column, steps);
      return bindWhen(read, holds);
    },
  };
}

function noSteps(slot: Slot): Omit<FieldSteps, "convert"> {
  return {
    slot,
    cells: null,
    required: slot.required,
    fallback: undefined,
    lookup: null,
    keepUnlisted: false,
    otherwise: undefined,
    last: null,
    typed: false,
    oneOf: null,
    pattern: null,
  };
}

/** Undefined: it does not convert, which has been reported. */
function convertConstant(
  value: Value,
  chain: Chain,
  slot: Slot,
  path: Path,
  context: CompileContext,
): Value | undefined {
  const text = asText(value);
  if (text === "") {
    if (slot.gives === "text" || slot.gives === "json") return "";
    context.source.report("mapping-value", path, `${slot.label}: empty text cannot stand here.`);
    return undefined;
  }
  const result = chain.convert(text, kindOf(value));
  if ("value" in result) {
    const finished = finish(result.value, slot, chain.last);
    const fault = slotFault(asText(finished), slot);
    if (fault === null) return finished;
    context.source.report("mapping-value", path, `${slot.label}${fault.message}.`);
    return undefined;
  }
  const { code, message, hint } = result.problem;
  context.source.report(code, path, `${slot.label}: ${message}.`, hint === null ? {} : { hint });
  return undefined;
}

function compileMap(spec: FieldObject, path: Path, context: CompileContext): Lookup | undefined {
  const { map } = spec;
  if (map === undefined) return undefined;
  if (typeof map["csv"] === "string" && typeof map["from"] === "string" && typeof map["to"] === "string") {
    return context.lookups.get(lookupName(map as { csv: string; from: string; to: string }));
  }
  const { lookup, conflicts } = compileLookup(Object.entries(map as { [text: string]: Value }));
  for (const [text, again] of conflicts) {
    const message = `"${text}" and "${again}" are one text, for case, accents and white space do not count, and have two values.`;
    context.source.report("mapping-value", [...path, "map", again], message, { at: "key" });
  }
  return lookup;
}

function compilePattern(pattern: string, path: Path, context: CompileContext): RegularExpression | undefined {
  try {
    return compileRegularExpression(pattern);
  } catch (error) {
    context.source.report(
      "mapping-pattern",
      path,
      `Pattern: ${error instanceof Error ? error.message : String(error)}.`,
    );
    return undefined;
  }
}
