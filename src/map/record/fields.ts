/** Fields of records: a literal or a formula, made fit for the place that takes it. */
import type { Code } from "../../model/codes.js";
import { exactNumber, isExactNumber, type JsonValue } from "../../model/json.js";
import { lengthPrefixed } from "../../model/keys.js";
import { idFault } from "../../model/service-id.js";
import { kindOf } from "../column/column.js";
import type { Scope } from "../column/scope.js";
import { asText, literalText, type Type, type Value, type View } from "../column/view.js";
import type { ConversionSpec } from "../convert/conversion.js";
import { Exact } from "../convert/exact.js";
import { cleanText } from "../convert/text.js";
import { shorten } from "../../model/fold.js";
import { compileFormula } from "../formula/formula.js";
import { type Formula, newReads, onlyColumn, typeName } from "../formula/part.js";
import { type FieldInfo, fieldInfos, type KeySpec, type Scalar, type Takes } from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import { combine, type Condition, constantPiece, derive, type Maybe, type Piece } from "./piece.js";

/** A value of a record. */
export interface Field extends Piece<JsonValue> {
  /** Null: a literal. */
  formula: Formula | null;
}

const isFormula = (value: unknown): value is string => typeof value === "string" && value.startsWith("=");

/** A condition. Null: it has a mistake. */
export function compileCondition(spec: string | boolean, site: Site, scope: Scope): Condition | null {
  const never = () => site.report("mapping-rule", ": no row can reach this; it is never true.");
  if (typeof spec === "boolean") {
    if (!spec) never();
    return { holds: () => spec, reads: newReads(), words: String(spec) };
  }
  if (!isFormula(spec)) {
    const message = `: ${JSON.stringify(shorten(spec))} is no formula.`;
    return site.report("mapping-value", message, `Write \`=${String(spec)}\`, with the = in front.`);
  }
  const formula = compileFormula(spec.slice(1), site.path, scope);
  if (formula === null) return null;
  const { run, reads, type, column } = formula;
  if (type !== "boolean" && type !== "any") {
    const message = `: a formula that is true or false is needed, and this is ${typeName(type)}.`;
    const { name } = column ?? { name: null };
    const hint = name && `Give the column "${name}" \`as: boolean\`, or write =filled(${name}).`;
    return site.report("mapping-expression", message, hint);
  }
  if (spec.slice(1).trim() === "false") never();
  const holds = (view: View): boolean | null => {
    const value = run(view);
    return value === null ? null : value === true;
  };
  return { holds, reads, words: `${spec.slice(1)} holds` };
}

/** What a formula must give for a place; the others take anything, as text. */
const WANTED: { [takes in Takes]?: Type } = {
  boolean: "boolean",
  timestamp: "timestamp",
  latitude: "number",
  longitude: "number",
};
const LIMITS: { [takes in Takes]?: number } = { latitude: 90, longitude: 180 };

/** Null: it cannot be used, and why has been reported. */
export function compileField(spec: Scalar, info: FieldInfo, site: Site, scope: Scope): Field | null {
  return isFormula(spec) ? computedField(spec, info, site, scope) : literalField(spec, info, site, scope);
}

function computedField(spec: string, info: FieldInfo, site: Site, scope: Scope): Field | null {
  const formula = compileFormula(spec.slice(1), site.path, scope);
  if (formula === null) return null;
  const { type, run, reads, column, tree } = formula;
  const { takes, required, identity } = info;
  const wanted = WANTED[takes];
  if (wanted !== undefined && type !== wanted && type !== "any" && type !== "blank") {
    const hint = column === null ? null : `Give the column "${column.name}" \`as: ${wanted}\`.`;
    return site.report("mapping-expression", `: ${typeName(wanted)} is needed, and this is ${typeName(type)}.`, hint);
  }
  if (identity && reads.row) {
    const message = ": the row's number cannot enter a key; a row that moves would be sent again.";
    return site.report("mapping-expression", message);
  }
  if (identity) for (const one of reads.columns) one.identity = true;
  const country = takes === "country" && column?.as !== "country" ? scope.conversions.get("country") : null;
  const form = { boolean: "boolean", timestamp: "number", number: "object" }[wanted as string];

  const refuse = (view: View, code: Code, message: string) =>
    view.report(code, `${site.label}${message}`, null, onlyColumn(reads));
  const finish = (value: Value, view: View): Maybe<JsonValue> => {
    if (form !== undefined && typeof value !== form) {
      const found = shorten(asText(value));
      return refuse(view, "expression-failed", `: ${typeName(type)} is needed, and a function gave ${found}`);
    }
    if (typeof value === form && form !== "object") return value as boolean | number;
    const given = asText(value, type);
    if (!given.isWellFormed()) return refuse(view, "expression-failed", " gives half a character");
    const text = column === null ? cleanText(given) : given;
    if (wanted === "number") {
      const fault = rangeFault(text, takes);
      return fault === null ? exactNumber(text) : refuse(view, "number-range", `: ${fault}`);
    }
    if (text === "") return undefined;
    const fault = takes === "id" ? idFault(text) : null;
    if (fault !== null) return refuse(view, "identifier-unusable", `: ${JSON.stringify(shorten(text))} ${fault}`);
    const result = country?.(text, "text") ?? { value: text };
    if ("value" in result) return result.value;
    const { code, message, hint } = result.problem;
    return view.report(code, `${site.label}: ${message}`, hint, onlyColumn(reads));
  };
  const runField = (view: View) => {
    const value = run(view);
    const finished = value == null ? value : finish(value, view);
    if (finished !== undefined || !required) return finished;
    return view.report("value-required", `${site.label} is blank`, null, onlyColumn(reads));
  };
  return { reads, tree, formula, run: runField };
}

function rangeFault(text: string, takes: Takes): string | null {
  const limit = LIMITS[takes] ?? Infinity;
  return Math.abs(Number(text)) > limit ? `${shorten(text)} is not between -${limit} and ${limit}` : null;
}

function literalField(spec: Scalar, { takes, required }: FieldInfo, site: Site, scope: Scope): Field | null {
  if (forgotten(spec, site, scope)) return null;
  const text = literalText(spec);
  const fixed = (value: JsonValue): Field => ({ ...constantPiece(value, JSON.stringify(text)), formula: null });
  if (text === "")
    return takes === "text" && !required ? fixed("") : site.report("mapping-value", ": empty text cannot stand here.");
  const conversion = WANTED[takes] ?? (takes === "country" ? "country" : "text");
  const result = scope.conversions.get(conversion)(text, kindOf(spec));
  if ("problem" in result) return site.report(result.problem.code, `: ${result.problem.message}.`, result.problem.hint);
  const idProblem = takes === "id" ? idFault(text) : null;
  const fault = rangeFault(text, takes) ?? (idProblem && `${JSON.stringify(shorten(text))} ${idProblem}`);
  if (fault !== null) return site.report("mapping-value", `: ${fault}.`);
  return fixed(takes in LIMITS ? exactNumber(String(result.value)) : result.value);
}

/** A literal that equals a column's name was meant as the column. */
function forgotten(spec: unknown, site: Site, scope: Scope): boolean {
  if (typeof spec !== "string" || ![...scope.names()].includes(spec)) return false;
  const hint = `Write =${spec} for the column; '="${spec}"' for the text.`;
  site.report("mapping-value", `: "${spec}" is the name of a column, and stands here as a text.`, hint);
  return true;
}

export interface Fields<Name extends string> extends Piece<{ [name in Name]?: JsonValue }> {
  each: { readonly [name in Name]?: Field };
}

/** The fields of a record, from its description. Null: one of them cannot be used, and why has been reported. */
export function compileFields<Name extends string>(
  specs: { [name in NoInfer<Name>]?: Scalar | undefined },
  described: { [name in Name]: unknown },
  site: Site,
  scope: Scope,
): Fields<Name> | null {
  const each: { [name in Name]?: Field | null } = {};
  for (const name of Object.keys(described) as Name[]) {
    const info = fieldInfos.get(described[name] as Parameters<typeof fieldInfos.get>[0]);
    const spec = specs[name];
    if (info !== undefined && spec !== undefined) each[name] = compileField(spec, info, site.at(name), scope);
    else if (info?.required === true) each[name] = site.reportName("mapping-value", `: "${name}" is missing.`);
  }
  const whole = combine(each as { [name: string]: Field | null });
  return whole === null
    ? null
    : { ...(whole as Piece<{ [name in Name]?: JsonValue }>), each: each as Fields<Name>["each"] };
}

/** Converts one field by others of its record. Where nothing is known of a country or a type of tax ids, the text stays. */
export function convertBy<Name extends string>(
  fields: Fields<Name> | null,
  name: NoInfer<Name>,
  spec: (values: { [name in Name]?: JsonValue }) => ConversionSpec,
  site: Site,
  scope: Scope,
): Piece<{ [name in Name]?: JsonValue }> | null {
  if (fields === null) return null;
  const convert = (values: { [name in Name]?: JsonValue }) =>
    scope.conversions.orText(spec(values))(String(values[name]), "text");
  const place = site.at(name);
  if (fields.constant !== undefined) {
    const result = convert(fields.constant);
    if ("value" in result) return constantPiece({ ...fields.constant, [name]: String(result.value) }, fields.tree);
    return place.report(result.problem.code, `: ${result.problem.message}.`, result.problem.hint);
  }
  const column = onlyColumn((fields.each as { [field: string]: Field })[name]?.reads ?? newReads());
  return derive(fields, (values, view) => {
    const result = convert(values);
    if ("value" in result) return { ...values, [name]: String(result.value) };
    const { code, message, hint } = result.problem;
    return view.report(code, `${place.label}: ${message}`, hint, column);
  });
}

const KEY_PART: FieldInfo = { takes: "text", required: true, identity: true };

/** Keys: one value, or several that together distinguish a record. Null: it cannot be used, and why has been reported. */
export function compileKey(spec: KeySpec, site: Site, scope: Scope): Piece<string[]> | null {
  const list = [spec].flat();
  const fields = list.map((part, position) => {
    const label = list.length > 1 ? `${site.label}, part ${position + 1}` : site.label;
    return compileField(part, KEY_PART, Array.isArray(spec) ? site.at(position, label) : site, scope);
  });
  const all = combine(Object.fromEntries(fields.entries()));
  return derive(all, (values) => Object.values(values).map(String));
}

/** A record's key as one text: that of its only part, or all of them length-prefixed (HARD-CASES H21). */
export function joinKey(parts: readonly string[]): string {
  return parts.length === 1 ? (parts[0] ?? "") : lengthPrefixed(parts);
}

/** Free JSON whose texts may be formulas: a blank leaves its member out. Null: it cannot be used. */
export function compileJson(spec: unknown, site: Site, scope: Scope): Piece<JsonValue> | null {
  if (isFormula(spec)) return compileJsonFormula(spec, site, scope);
  if (forgotten(spec, site, scope)) return null;
  if (spec === null || typeof spec !== "object" || isExactNumber(spec))
    return constantPiece(spec as JsonValue, JSON.stringify(spec));
  const list = Array.isArray(spec);
  const members = Object.entries(spec).map(([name, value]) => {
    const place = list ? site.at(Number(name), `${site.label}[${name}]`) : site.at(name, `${site.label}.${name}`);
    return [name, compileJson(value, place, scope)] as const;
  });
  const object = combine<{ [name: string]: Piece<JsonValue> | null }>(Object.fromEntries(members));
  return list ? derive(object, (values) => Object.values(values)) : object;
}

function compileJsonFormula(spec: string, site: Site, scope: Scope): Piece<JsonValue> | null {
  const formula = compileFormula(spec.slice(1), site.path, scope);
  if (formula === null) return null;
  const { run, reads, type, tree, column } = formula;
  const runJson = (view: View): Maybe<JsonValue> => {
    const value = run(view);
    if (value == null || typeof value === "boolean") return value;
    if (value instanceof Exact) return exactNumber(value.text);
    const text = asText(value, type);
    if (!text.isWellFormed())
      return view.report("expression-failed", `${site.label} gives half a character`, null, onlyColumn(reads));
    return (column === null ? cleanText(text) : text) || undefined;
  };
  return { reads, tree, run: runJson };
}
