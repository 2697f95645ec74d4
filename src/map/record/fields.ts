/** Compiles a literal or a formula for the field that takes it. */
import type { Code } from "../../model/codes.js";
import { exactNumber, isExactNumber, type JsonValue } from "../../model/json.js";
import { idFault } from "../../model/service-id.js";
import { stripEnd } from "../../model/fold.js";
import { readLiteral } from "../column/column.js";
import { asText, literalText, type Type, type Value, View } from "../column/view.js";
import type { ConversionSpec } from "../convert/conversion.js";
import { quoteCell, Refused } from "../convert/conversion-kind.js";
import { Exact } from "../convert/exact.js";
import { cleanText } from "../convert/text.js";
import { compileFormula } from "../formula/formula.js";
import { isBareFormula } from "../formula/parse.js";
import { formOf, typeName } from "../formula/part.js";
import { type FieldInfo, fieldInfos, type KeySpec, type Scalar, type Takes } from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import {
  BROKEN,
  type Column,
  combine,
  type Condition,
  constantPiece,
  derive,
  type Formula,
  onlyColumn,
  type Piece,
  type Reads,
} from "../piece.js";

export interface Field extends Piece<JsonValue> {
  /** Undefined: a literal. */
  formula?: Formula;
}

export const isFormula = (value: unknown): value is string => typeof value === "string" && value.startsWith("=");

const YES_OR_NO = /^(?:yes|no|on|off)$/i;

const NEVER_TRUE = ": no row can reach this; it is never true.";

export function compileCondition(spec: string | boolean, site: Site): Condition {
  const text = typeof spec === "boolean" ? `=${spec}` : spec;
  const words = `${text.slice(1)} holds`;
  if (!isFormula(text)) {
    const message = `: ${quoteCell(text)} is not a formula.`;
    const hint = YES_OR_NO.test(text)
      ? 'Write a formula, such as =status == "void", or leave it out.'
      : `Write \`=${String(text)}\`, with the = in front.`;
    return { ...site.report("mapping-value", message, hint), words };
  }
  const formula = compileFormula(text.slice(1), site);
  const { type, column } = formula;
  if (type !== "boolean" && type !== "any") {
    const message = `: a formula that is true or false is needed, and this is ${typeName(type)}.`;
    const hint = column && `Give the column "${column.name}" \`as: boolean\`, or write =filled(${column.name}).`;
    site.report("mapping-expression", message, hint);
  }
  // A plain false switches off what is inherited.
  if (spec !== false && isNeverTrue(formula)) site.report("mapping-rule", NEVER_TRUE);
  return { ...derive(formula, (value) => value === true), words };
}

/** Whether it is false or blank whatever the row is. */
function isNeverTrue({ run, reads: { columns, tables, others }, tree }: Formula) {
  const isFixed = columns.size + tables.size + others.size === 0 && tree !== "";
  return isFixed && run(new View([], { file: "", sheet: null })) !== true;
}

/** The types that fields need, and their limit; the others take any value as text. */
const WANTED: { [takes in Takes]?: { type: "boolean" | "timestamp" | "number"; limit?: number } } = {
  boolean: { type: "boolean" },
  timestamp: { type: "timestamp" },
  latitude: { type: "number", limit: 90 },
  longitude: { type: "number", limit: 180 },
};

/** `clean`: the value comes from a cell unchanged. */
function fit(value: Value, type: Type, clean: boolean, takes: Takes, { scope }: Site): JsonValue | undefined | Refused {
  const { type: wanted, limit } = WANTED[takes] ?? {};
  const given = asText(value, type);
  if (wanted !== undefined && typeof value !== formOf(wanted))
    return new Refused(`${typeName(wanted)} is needed, and a function gave ${quoteCell(given)}`);
  if (limit !== undefined && Math.abs(Number(given)) > limit)
    return new Refused(`${quoteCell(given)} is not between -${limit} and ${limit}`, "number-range");
  if (wanted !== undefined || takes === "json") {
    if (value instanceof Exact) return exactNumber(withoutZeros(given));
    if (typeof value === "boolean" || (wanted !== undefined && typeof value === "number")) return value;
  }
  if (!given.isWellFormed()) return new Refused("it gives half a character");
  const text = clean ? given : cleanText(given);
  if (text === "") return undefined;
  const fault = takes === "id" ? idFault(text) : null;
  if (fault !== null) return new Refused(`${quoteCell(text)} ${fault}`, "identifier-unusable");
  return takes === "country" ? (scope.shared.conversions.get("country")(text, "text") as string | Refused) : text;
}

/** 1.50 and 1.5 are one number in a body, so `places` of its column changes nothing. */
const withoutZeros = (plain: string) => (plain.includes(".") ? stripEnd(stripEnd(plain, "0"), ".") : plain);

export function compileField(spec: Scalar, info: FieldInfo, site: Site): Field {
  return isFormula(spec) ? computedField(spec, info, site) : literalField(spec, info, site);
}

function computedField(spec: string, { takes, required, identity }: FieldInfo, site: Site): Field {
  const formula = compileFormula(spec.slice(1), site);
  const { type, reads, column, tree } = formula;
  const wanted = WANTED[takes]?.type;
  if (wanted !== undefined && type !== wanted && type !== "any" && type !== "blank") {
    const hint = column && `Give the column "${column.name}" \`as: ${wanted}\`.`;
    return site.report("mapping-expression", `: ${typeName(wanted)} is needed, and this is ${typeName(type)}.`, hint);
  }
  if (identity && reads.others.has("row")) return refuseRow(site);
  if (identity) for (const one of reads.columns) one.identity = true;
  return {
    reads,
    tree,
    formula,
    run: (view) => {
      const value = formula.run(view);
      const fitted = value == null ? value : fit(value, type, column !== undefined, takes, site);
      if (fitted instanceof Refused) return view.refuse(fitted, onlyColumn(reads), `${site.label}: `);
      if (fitted !== undefined || !required) return fitted;
      return view.reportBlank(site.label, blankColumn(reads, view));
    },
  };
}

/** Where to look for a missing value: at the only column that is read, or else at the only one that is blank. */
function blankColumn(reads: Reads, view: View): Column | undefined {
  const [first, ...others] = [...reads.columns].filter(({ filled }) => filled?.(view) === false);
  return onlyColumn(reads) ?? (others.length === 0 ? first : undefined);
}

export function refuseRow(site: Site) {
  const message = ": the row's number cannot enter a key; a row that moves would be sent again.";
  return site.report("mapping-expression", message);
}

function literalField(spec: Scalar, { takes, required, identity }: FieldInfo, site: Site): Field {
  if (forgotten(spec, site, identity)) return BROKEN;
  const text = literalText(spec);
  if (text === "")
    return takes === "text" && !required
      ? constantPiece("", '""')
      : site.report("mapping-value", ": empty text is not allowed here.");
  const conversion = WANTED[takes]?.type ?? "text";
  const value = readLiteral(site.scope.shared.conversions.get(conversion), spec);
  const fitted = value instanceof Refused ? value : fit(value, conversion, true, takes, site);
  return fitted instanceof Refused ? site.refuse(fitted) : constantPiece(fitted ?? "", JSON.stringify(fitted ?? ""));
}

/**
 * A literal equal to a column's name, or with one in braces, was meant as the column; in a key, where it would make one of
 * all rows, one equal to a header too. Nothing may precede the = of a formula.
 */
function forgotten(spec: unknown, site: Site, identity = false) {
  if (typeof spec !== "string") return false;
  if (/^[\s'"`]*[=＝]/u.test(spec)) {
    const message = `: ${quoteCell(spec)} does not begin with a plain =, so no formula is computed here.`;
    site.report("mapping-value", message, "Begin with =. To send a text that begins like this, write '=\" =x\"'.");
    return true;
  }
  if (isBareFormula(spec, site.scope.names())) {
    const message = `: ${quoteCell(spec)} is a formula over columns, but here it is plain text.`;
    site.report("mapping-value", message, `Write '=${spec}' for the formula; '=${JSON.stringify(spec)}' for the text.`);
    return true;
  }
  const names = [...site.scope.names()];
  const braced = [...spec.matchAll(/\{ *(\w+) *\}/g)].map(([, one = ""]) => one).find((one) => names.includes(one));
  const named = braced ?? names.find((one) => one === spec);
  const name = named ?? site.scope.headed(spec);
  if (name === undefined) return false;
  if (named === undefined && !identity) {
    const doubt = `${site.label}: "${spec}" is the header of the column "${name}", but every row sends this text.`;
    const hint = `Write =${name} for the column; '="${spec}"' for the text.`;
    if (mayBeHeader(site)) site.scope.shared.source.doubt(site.path, doubt, hint);
    return false;
  }
  const header = named === undefined ? `is the header of the column "${name}"` : "is the name of a column";
  const isPart = braced !== undefined && spec.replace(/[${} %]/g, "") !== braced;
  const what = isPart ? `names the column "${braced}"` : header;
  const join = isPart ? ", and join texts with +" : "";
  const hint = `Write =${name} for the column${join}; '="${spec}"' for the text.`;
  site.report("mapping-value", `: "${spec}" ${what}, but here it is plain text.`, hint);
  return true;
}

/** Event names and document fields often read like a header; these hardly ever do. */
const mayBeHeader = ({ path }: Site) =>
  path.includes("attributes") ||
  (/^(?:name|street|number|city)$/.test(String(path.at(-1))) && !path.includes("events"));

/** A name is written out. */
export function isPlainName(name: string, site: Site): boolean {
  if (!name.startsWith("=")) return true;
  site.reportName("mapping-value", ": a name; no formula is computed here.", "Write the name out.");
  return false;
}

type Read<Name extends string> = { [name in Name]?: JsonValue };

export interface Fields<Name extends string> extends Piece<Read<Name>> {
  each: { readonly [name in Name]?: Field };
}

/** `follow`: are blank only where another field, which reports it, is blank. */
export function compileFields<Name extends string>(
  specs: { [name in NoInfer<Name>]?: Scalar | undefined },
  described: { [name in Name]: Parameters<typeof fieldInfos.get>[0] },
  site: Site,
  follow: readonly NoInfer<Name>[] = [],
): Fields<Name> {
  const each: { [name in Name]?: Field } = {};
  for (const name of Object.keys(described) as Name[]) {
    const info = fieldInfos.get(described[name]);
    const spec = specs[name];
    const required = info?.required === true && !follow.includes(name);
    if (info !== undefined && spec !== undefined) each[name] = compileField(spec, { ...info, required }, site.at(name));
    else if (info?.required === true) each[name] = site.reportName("mapping-value", `: "${name}" is missing.`);
  }
  return { ...(combine(each as { [name: string]: Field }) as Piece<Read<Name>>), each };
}

/** Converts a field by others of its record. The text stays if its country or tax id type is not known. */
export function convertBy<Name extends string>(
  fields: Fields<Name>,
  name: NoInfer<Name>,
  spec: (values: Read<Name>) => ConversionSpec,
  site: Site,
): Piece<Read<Name>> {
  const place = site.at(name);
  const convert = (values: Read<Name>) => {
    const result = site.scope.shared.conversions.orText(spec(values))(String(values[name]), "text");
    return result instanceof Refused ? result : { ...values, [name]: String(result) };
  };
  if (fields.constant !== undefined) {
    const result = convert(fields.constant);
    return result instanceof Refused ? place.refuse(result) : constantPiece(result, fields.tree);
  }
  const own: Field | undefined = (fields.each as { [field: string]: Field })[name];
  const column = own && onlyColumn(own.reads);
  return derive(fields, (values, view) => {
    const result = convert(values);
    return result instanceof Refused ? view.refuse(result, column, `${place.label}: `) : result;
  });
}

const KEY_PART: FieldInfo = { takes: "text", required: true, identity: true };
export const compileKeyPart = (spec: Scalar, site: Site): Field => compileField(spec, KEY_PART, site);

export function compileKey(spec: KeySpec, site: Site): Piece<string[]> {
  const list = [spec].flat();
  const fields = list.map((part, position) => {
    const label = list.length > 1 ? `${site.label}, part ${position + 1}` : site.label;
    return compileKeyPart(part, Array.isArray(spec) ? site.at(position, label) : site);
  });
  const whole = combine(Object.fromEntries(fields.entries()));
  const texts = (values: object) => Object.values(values).map(String);
  return { ...derive(whole, texts), constant: whole.constant && texts(whole.constant) };
}

/** A key that distinguishes rows. */
export function compileVarying(spec: KeySpec, code: Code, hint: string, site: Site): Piece<string[]> {
  const key = compileKey(spec, site);
  if (key.constant !== undefined) site.report(code, ": a constant key would be the same for every row.", hint);
  return key;
}

const FREE: FieldInfo = { takes: "json" };

/** Texts may be formulas; a blank leaves out its entry, unless the next of a list would take its place. */
export function compileJson(spec: unknown, site: Site): Piece<JsonValue> {
  if (isFormula(spec)) return compileField(spec, FREE, site);
  if (forgotten(spec, site)) return BROKEN;
  if (typeof spec === "string" && YES_OR_NO.test(site.scope.shared.source.textAt(site.path))) {
    const hint = `Write ${/yes|on/i.test(spec)}, or put it in quotes if it is text.`;
    return site.report("mapping-value", `: "${spec}" is a text here, and neither true nor false.`, hint);
  }
  if (spec === null || typeof spec !== "object" || isExactNumber(spec))
    return constantPiece(spec as JsonValue, JSON.stringify(spec));
  const list = Array.isArray(spec);
  const members = Object.entries(spec).map(([name, value]): [string, Piece<JsonValue>] => {
    const place = list ? site.at(Number(name), `${site.label}[${name}]`) : site.at(name, `${site.label}.${name}`);
    return [name, isPlainName(name, place) ? compileJson(value, place) : BROKEN];
  });
  const object = combine(Object.fromEntries(members));
  const tree = JSON.stringify([list, object.tree]);
  if (!list) return { ...object, tree };
  return derive({ ...object, tree }, (values, view) => {
    const at = Object.keys(values).findIndex((name, position) => name !== String(position));
    if (at < 0) return Object.values(values);
    const hint = "Write default(x, …) for it, or put what may be blank last, where it can be left out.";
    return view.report("value-required", `${site.label}[${at}] is blank, and the next entry is not`, hint);
  });
}
