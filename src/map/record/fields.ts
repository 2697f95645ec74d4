/** Compiles a literal or a formula for the field that takes it. */
import { shorten } from "../../model/fold.js";
import { exactNumber, isExactNumber, type JsonValue } from "../../model/json.js";
import { idFault } from "../../model/service-id.js";
import { kindOf } from "../column/column.js";
import type { Scope } from "../column/scope.js";
import { asText, literalText, type Type, type Value } from "../column/view.js";
import type { ConversionSpec, Refusal } from "../convert/conversion.js";
import { Exact } from "../convert/exact.js";
import { cleanText } from "../convert/text.js";
import { compileFormula } from "../formula/formula.js";
import { valueOf } from "../formula/functions.js";
import { formOf, typeName } from "../formula/part.js";
import { type FieldInfo, fieldInfos, type KeySpec, type Scalar, type Takes } from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import {
  BROKEN,
  combine,
  type Condition,
  constantPiece,
  derive,
  type Formula,
  newReads,
  onlyColumn,
  type Piece,
} from "../piece.js";

export interface Field extends Piece<JsonValue> {
  /** Undefined: a literal. */
  formula?: Formula;
}

const isFormula = (value: unknown): value is string => typeof value === "string" && value.startsWith("=");

export function compileCondition(spec: string | boolean, site: Site, scope: Scope): Condition {
  const never = () => site.report("mapping-rule", ": no row can reach this; it is never true.");
  if (spec === false || (isFormula(spec) && spec.slice(1).trim() === "false")) never();
  if (typeof spec === "boolean") return { ...constantPiece(spec, ""), words: String(spec) };
  const words = `${spec.slice(1)} holds`;
  if (!isFormula(spec)) {
    const message = `: ${JSON.stringify(shorten(spec))} is not a formula.`;
    return { ...site.report("mapping-value", message, `Write \`=${String(spec)}\`, with the = in front.`), words };
  }
  const formula = compileFormula(spec.slice(1), site, scope);
  const { type, column } = formula;
  if (type !== "boolean" && type !== "any") {
    const message = `: a formula that is true or false is needed, and this is ${typeName(type)}.`;
    const hint = column && `Give the column "${column.name}" \`as: boolean\`, or write =filled(${column.name}).`;
    site.report("mapping-expression", message, hint);
  }
  return { ...derive(formula, (value) => value === true), words };
}

/** The types that fields need; the others take any value as text. */
const WANTED: { [takes in Takes]?: "boolean" | "timestamp" | "number" } = {
  boolean: "boolean",
  timestamp: "timestamp",
  latitude: "number",
  longitude: "number",
};
const LIMITS: { [takes in Takes]?: number } = { latitude: 90, longitude: 180 };

type Fitted = { value: JsonValue | undefined } | { problem: Refusal };

/** `clean`: the value comes from a cell unchanged. */
function fit(value: Value, type: Type, clean: boolean, takes: Takes, scope: Scope): Fitted {
  const refuse = (code: Refusal["code"], message: string): Fitted => ({ problem: { code, message, hint: null } });
  const wanted = WANTED[takes];
  if (wanted !== undefined && typeof value !== formOf(wanted)) {
    const found = shorten(asText(value));
    return refuse("expression-failed", `${typeName(type)} is needed, and a function gave ${found}`);
  }
  if (typeof value === "boolean" && (takes === "boolean" || takes === "json")) return { value };
  if (typeof value === "number" && takes === "timestamp") return { value };
  const given = asText(value, type);
  const limit = LIMITS[takes] ?? Infinity;
  if (value instanceof Exact && (takes === "json" || limit < Infinity))
    return Math.abs(Number(given)) > limit
      ? refuse("number-range", `${shorten(given)} is not between -${limit} and ${limit}`)
      : { value: exactNumber(given) };
  if (!given.isWellFormed()) return refuse("expression-failed", "it gives half a character");
  const text = clean ? given : cleanText(given);
  if (text === "") return { value: undefined };
  const fault = takes === "id" ? idFault(text) : null;
  if (fault !== null) return refuse("identifier-unusable", `${JSON.stringify(shorten(text))} ${fault}`);
  return takes === "country" ? scope.shared.conversions.get("country")(text, "text") : { value: text };
}

export function compileField(spec: Scalar, info: FieldInfo, site: Site, scope: Scope): Field {
  return isFormula(spec) ? computedField(spec, info, site, scope) : literalField(spec, info, site, scope);
}

function computedField(spec: string, { takes, required, identity }: FieldInfo, site: Site, scope: Scope): Field {
  const formula = compileFormula(spec.slice(1), site, scope);
  const { type, reads, column, tree } = formula;
  const wanted = WANTED[takes];
  if (wanted !== undefined && type !== wanted && type !== "any" && type !== "blank") {
    const hint = column === null ? null : `Give the column "${column.name}" \`as: ${wanted}\`.`;
    return site.report("mapping-expression", `: ${typeName(wanted)} is needed, and this is ${typeName(type)}.`, hint);
  }
  if (identity && reads.row)
    return site.report(
      "mapping-expression",
      ": the row's number cannot enter a key; a row that moves would be sent again.",
    );
  if (identity) for (const one of reads.columns) one.identity = true;
  const place = takes === "country" && column?.as === "country" ? "text" : takes;
  return {
    reads,
    tree,
    formula,
    run: (view) => {
      const value = formula.run(view);
      const fitted: Fitted = value == null ? { value } : fit(value, type, column !== null, place, scope);
      if ("problem" in fitted) {
        const { code, message, hint } = fitted.problem;
        return view.report(code, `${site.label}: ${message}`, hint, onlyColumn(reads));
      }
      if (fitted.value !== undefined || !required) return fitted.value;
      return view.report("value-required", `${site.label} is blank`, null, onlyColumn(reads));
    },
  };
}

function literalField(spec: Scalar, { takes, required }: FieldInfo, site: Site, scope: Scope): Field {
  if (forgotten(spec, site, scope)) return BROKEN;
  const text = literalText(spec);
  if (text === "")
    return takes === "text" && !required
      ? constantPiece("", '""')
      : site.report("mapping-value", ": empty text is not allowed here.");
  const conversion = WANTED[takes] ?? "text";
  const result = scope.shared.conversions.get(conversion)(text, kindOf(spec));
  const fitted = "problem" in result ? result : fit(valueOf(result.value, conversion), conversion, true, takes, scope);
  if ("value" in fitted) return constantPiece(fitted.value ?? "", JSON.stringify(text));
  return site.report(fitted.problem.code, `: ${fitted.problem.message}.`, fitted.problem.hint);
}

/** A literal equal to a column's name was meant as the column. */
function forgotten(spec: unknown, site: Site, scope: Scope): boolean {
  if (typeof spec !== "string" || ![...scope.names()].includes(spec)) return false;
  const hint = `Write =${spec} for the column; '="${spec}"' for the text.`;
  site.report("mapping-value", `: "${spec}" is the name of a column, but here it is plain text.`, hint);
  return true;
}

export interface Fields<Name extends string> extends Piece<{ [name in Name]?: JsonValue }> {
  each: { readonly [name in Name]?: Field };
}

export function compileFields<Name extends string>(
  specs: { [name in NoInfer<Name>]?: Scalar | undefined },
  described: { [name in Name]: Parameters<typeof fieldInfos.get>[0] },
  site: Site,
  scope: Scope,
): Fields<Name> {
  const each: { [name in Name]?: Field } = {};
  for (const name of Object.keys(described) as Name[]) {
    const info = fieldInfos.get(described[name]);
    const spec = specs[name];
    if (info !== undefined && spec !== undefined) each[name] = compileField(spec, info, site.at(name), scope);
    else if (info?.required === true) each[name] = site.reportName("mapping-value", `: "${name}" is missing.`);
  }
  return { ...(combine(each as { [name: string]: Field }) as Piece<{ [name in Name]?: JsonValue }>), each };
}

/** Converts a field by others of its record. The text stays if its country or tax id type is not known. */
export function convertBy<Name extends string>(
  fields: Fields<Name>,
  name: NoInfer<Name>,
  spec: (values: { [name in Name]?: JsonValue }) => ConversionSpec,
  site: Site,
  scope: Scope,
): Piece<{ [name in Name]?: JsonValue }> {
  const convert = (values: { [name in Name]?: JsonValue }) =>
    scope.shared.conversions.orText(spec(values))(String(values[name]), "text");
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

export function compileKey(spec: KeySpec, site: Site, scope: Scope): Piece<string[]> {
  const list = [spec].flat();
  const fields = list.map((part, position) => {
    const label = list.length > 1 ? `${site.label}, part ${position + 1}` : site.label;
    return compileField(part, KEY_PART, Array.isArray(spec) ? site.at(position, label) : site, scope);
  });
  return derive(combine(Object.fromEntries(fields.entries())), (values) => Object.values(values).map(String));
}

const FREE: FieldInfo = { takes: "json", required: false, identity: false };

/** Texts may be formulas; a blank leaves out its entry. */
export function compileJson(spec: unknown, site: Site, scope: Scope): Piece<JsonValue> {
  if (isFormula(spec)) return compileField(spec, FREE, site, scope);
  if (forgotten(spec, site, scope)) return BROKEN;
  if (spec === null || typeof spec !== "object" || isExactNumber(spec))
    return constantPiece(spec as JsonValue, JSON.stringify(spec));
  const list = Array.isArray(spec);
  const members = Object.entries(spec).map(([name, value]): [string, Piece<JsonValue>] => {
    const place = list ? site.at(Number(name), `${site.label}[${name}]`) : site.at(name, `${site.label}.${name}`);
    return [name, compileJson(value, place, scope)];
  });
  const object = combine(Object.fromEntries(members));
  return list ? derive(object, (values) => Object.values(values)) : object;
}
