/** Values of records: a literal or a formula, made fit for the place that takes it. */
import { exactNumber, isExactNumber, type JsonValue } from "../../model/json.js";
import { lengthPrefixed } from "../../model/keys.js";
import { idFault } from "../../model/service-id.js";
import { kindOf } from "../column/column.js";
import type { Scope } from "../column/scope.js";
import { merged } from "../formula/part.js";
import { asText, type Eval, literalText, type Type, type Value, type View } from "../column/view.js";
import { Exact } from "../convert/exact.js";
import { cleanText } from "../convert/text.js";
import { shorten } from "../fold.js";
import { compileFormula } from "../formula/formula.js";
import { type Formula, newReads, type Reads, typeName } from "../formula/part.js";
import { type FieldInfo, fieldInfos, type KeySpec, type Scalar, type Takes } from "../language/record-schema.js";
import type { Site } from "../language/site.js";

/** A value of a record. */
export interface Field {
  run: Eval<JsonValue>;
  reads: Reads;
  tree: string;
  /** What every row has; undefined: it depends on the row. */
  constant: JsonValue | undefined;
}

const isFormula = (value: unknown): value is string => typeof value === "string" && value.startsWith("=");

/** The position by whose header a problem is reported; -1: it is not one column's. */
export function indexOf({ columns }: Reads, view: View): number {
  const [only] = columns;
  return columns.size === 1 && only !== undefined ? (view.index[only.slot] ?? -1) : -1;
}

/** The formula of a value. Null: it has a mistake, which has been reported. */
export function formulaOf(text: string, site: Site, scope: Scope): Formula | null {
  return compileFormula(text.slice(1), site.path, scope);
}

/** A condition; a blank one is false. Null: it has a mistake. */
export function compileCondition(
  spec: string | boolean,
  site: Site,
  scope: Scope,
): { holds: (view: View) => boolean | null; reads: Reads; words: string } | null {
  if (typeof spec === "boolean") {
    if (!spec) site.report("mapping-rule", ": no row can reach this; it is never true.");
    return { holds: () => spec, reads: newReads(), words: String(spec) };
  }
  if (!isFormula(spec))
    return site.report(
      "mapping-value",
      `: ${JSON.stringify(shorten(spec))} is no formula.`,
      `Write \`=${String(spec)}\`, with the = in front.`,
    );
  const formula = formulaOf(spec, site, scope);
  if (formula === null) return null;
  if (formula.type !== "boolean" && formula.type !== "any")
    return site.report(
      "mapping-expression",
      `: a formula that is true or false is needed, and this is ${typeName(formula.type)}.`,
      toBoolean(formula),
    );
  if (formula.reads.columns.size === 0 && formula.tree === "false")
    site.report("mapping-rule", ": no row can reach this; it is never true.");
  const { run, reads } = formula;
  const holds = (view: View): boolean | null => {
    const value = run(view);
    return value === null ? null : value === true;
  };
  return { holds, reads, words: `${spec.slice(1)} holds` };
}

function toBoolean({ column }: Formula): string | null {
  return column === null ? null : `Give the column "${column.name}" \`as: boolean\`, or write =filled(${column.name}).`;
}

/** What a formula must give for a place; text takes anything. */
const WANTED: { [takes in Takes]?: Type } = {
  boolean: "boolean",
  timestamp: "timestamp",
  latitude: "number",
  longitude: "number",
};
const LIMITS: { [takes in Takes]?: number } = { latitude: 90, longitude: 180 };

/** Null: it cannot be used, and why has been reported. `convert`: instead of the place's own conversion, row by row. */
export function compileValue(
  spec: Scalar,
  info: FieldInfo,
  site: Site,
  scope: Scope,
  convert?: Converter,
): Field | null {
  return isFormula(spec)
    ? compileComputed(spec, info, site, scope, convert)
    : compileLiteral(spec, info, site, scope, convert);
}

/** A conversion that depends on other values of the record, which have been read before; null: the text as it stands. */
export interface Converter {
  /** Whether a value of this type is converted already. */
  done(formula: Formula | null): boolean;
  convert(
    text: string,
    kind: "text" | "number" | "boolean",
  ): { value: string } | { problem: { code: Parameters<View["report"]>[0]; message: string; hint: string | null } };
  /** Whether it is known already while the mapping loads. */
  known: boolean;
}

function compileComputed(spec: string, info: FieldInfo, site: Site, scope: Scope, converter?: Converter): Field | null {
  const formula = formulaOf(spec, site, scope);
  if (formula === null) return null;
  const { type, run, reads, column, tree } = formula;
  const { takes, required, identity } = info;
  const wanted = WANTED[takes];
  if (wanted !== undefined && type !== wanted && type !== "any" && type !== "blank") {
    const hint = column === null ? null : `Give the column "${column.name}" \`as: ${wanted}\`.`;
    return site.report("mapping-expression", `: ${typeName(wanted)} is needed, and this is ${typeName(type)}.`, hint);
  }
  if (identity || takes === "id") {
    if (reads.row)
      return site.report(
        "mapping-expression",
        ": the row's number cannot enter a key; a row that moves would be sent again.",
      );
    for (const one of reads.columns) one.identity = true;
  }
  const bare = column !== null;
  const limit = LIMITS[takes];
  const code = takes === "country" && column?.as !== "country" ? scope.conversions.get("country") : null;
  const finish = (value: Value, view: View): JsonValue | undefined | null => {
    if (takes === "boolean") return typeof value === "boolean" ? value : misfit(view, value, "boolean");
    if (takes === "timestamp") return typeof value === "number" ? value : misfit(view, value, "timestamp");
    let text = asText(value, type);
    if (!bare) {
      if (!text.isWellFormed())
        return view.report("expression-failed", `${site.label} gives half a character`, null, indexOf(reads, view));
      text = cleanText(text);
    }
    if (limit !== undefined) {
      if (Math.abs(Number(text)) > limit)
        return view.report(
          "number-range",
          `${site.label}: ${shorten(text)} is not between -${limit} and ${limit}`,
          null,
          indexOf(reads, view),
        );
      return exactNumber(text);
    }
    if (text === "") return undefined;
    if (takes === "id") {
      const fault = idFault(text);
      if (fault !== null)
        return view.report(
          "identifier-unusable",
          `${site.label}: ${JSON.stringify(shorten(text))} ${fault}`,
          null,
          indexOf(reads, view),
        );
    }
    const result =
      code !== null
        ? code(text, "text")
        : converter === undefined || converter.done(formula)
          ? null
          : converter.convert(text, "text");
    if (result === null) return text;
    if ("value" in result) return result.value;
    return view.report(
      result.problem.code,
      `${site.label}: ${result.problem.message}`,
      result.problem.hint,
      indexOf(reads, view),
    );
  };
  const misfit = (view: View, value: Value, needed: Type) =>
    view.report(
      "expression-failed",
      `${site.label}: ${typeName(needed)} is needed, and a function gave ${shorten(asText(value))}`,
      null,
      -1,
    );
  return {
    reads,
    tree,
    constant: undefined,
    run: (view) => {
      const value = run(view);
      if (value === null) return null;
      const finished = value === undefined ? undefined : finish(value, view);
      if (finished !== undefined || !required) return finished;
      return view.report("value-required", `${site.label} is blank`, null, indexOf(reads, view));
    },
  };
}

function compileLiteral(spec: Scalar, info: FieldInfo, site: Site, scope: Scope, converter?: Converter): Field | null {
  if (forgotten(spec, site, scope)) return null;
  const { takes, required } = info;
  const text = literalText(spec);
  const fixed = (value: JsonValue): Field => ({
    run: () => value,
    reads: newReads(),
    tree: JSON.stringify(text),
    constant: value,
  });
  if (text === "")
    return takes === "text" && !required ? fixed("") : site.report("mapping-value", ": empty text cannot stand here.");
  if (converter !== undefined && !converter.known)
    return {
      ...fixed(text),
      constant: undefined,
      run: (view) => {
        const result = converter.convert(text, kindOf(spec));
        return "value" in result
          ? result.value
          : view.report(result.problem.code, `${site.label}: ${result.problem.message}`, result.problem.hint, -1);
      },
    };
  const name =
    { boolean: "boolean", timestamp: "timestamp", country: "country", latitude: "number", longitude: "number" }[
      takes as string
    ] ?? "text";
  const result =
    converter === undefined ? scope.conversions.get(name)(text, kindOf(spec)) : converter.convert(text, kindOf(spec));
  if ("problem" in result) return site.report(result.problem.code, `: ${result.problem.message}.`, result.problem.hint);
  const { value } = result;
  const limit = LIMITS[takes];
  if (limit !== undefined) {
    if (Math.abs(Number(text)) > limit)
      return site.report("mapping-value", `: ${shorten(text)} is not between -${limit} and ${limit}.`);
    return fixed(exactNumber(String(value)));
  }
  const fault = takes === "id" ? idFault(text) : null;
  return fault === null ? fixed(value) : site.report("mapping-value", `: ${JSON.stringify(shorten(text))} ${fault}.`);
}

/** A literal that equals a column's name was meant as the column. */
export function forgotten(spec: unknown, site: Site, scope: Scope): boolean {
  if (typeof spec !== "string" || !scope.has(spec)) return false;
  const hint = `Write =${spec} for the column; '="${spec}"' for the text.`;
  site.report("mapping-value", `: "${spec}" is the name of a column, and stands here as a text.`, hint);
  return true;
}

export interface Fields<Name extends string> {
  reads: Reads;
  trees: string;
  constant(name: Name): JsonValue | undefined;
  /** One of them by itself. */
  only(name: Name): Eval<JsonValue>;
  /** All values; null: one is missing or unreadable. What is blank is left out. */
  run(view: View): { [name in Name]?: JsonValue } | null;
}

/** The fields of a record, from its description. Null: one of them cannot be used, and why has been reported. */
export function compileFields<Name extends string>(
  specs: { [name in NoInfer<Name>]?: Scalar | undefined },
  described: { [name in Name]: unknown },
  site: Site,
  scope: Scope,
  converters: { [name in NoInfer<Name>]?: Converter | undefined } = {},
): Fields<Name> | null {
  const fields = new Map<Name, Field>();
  let failed = false;
  for (const name of Object.keys(described) as Name[]) {
    const info = fieldInfos.get(described[name] as Parameters<typeof fieldInfos.get>[0]);
    const spec = specs[name];
    if (info === undefined || spec === undefined) {
      if (info?.required === true) {
        site.reportName("mapping-value", `: "${name}" is missing.`);
        failed = true;
      }
      continue;
    }
    const field = compileValue(spec, info, site.at(name), scope, converters[name]);
    if (field === null) failed = true;
    else fields.set(name, field);
  }
  if (failed) return null;
  return {
    reads: merged([...fields.values()].map(({ reads }) => reads)),
    trees: [...fields].map(([name, { tree }]) => `${name} ${tree}`).join(" "),
    constant: (name) => fields.get(name)?.constant,
    only: (name) => fields.get(name)?.run ?? (() => undefined),
    run: (view) => {
      const values: { [name in Name]?: JsonValue } = {};
      let whole = true;
      for (const [name, { run }] of fields) {
        const value = run(view);
        if (value === null) whole = false;
        else if (value !== undefined) values[name] = value;
      }
      return whole ? values : null;
    },
  };
}

export interface Key {
  reads: Reads;
  tree: string;
  /** Null: a part is blank or unreadable, which has been reported. */
  run(view: View): string[] | null;
}

const KEY_PART: FieldInfo = { takes: "text", required: true, identity: true };

/** Keys: one value, or several that together distinguish a record. Null: it cannot be used, and why has been reported. */
export function compileKey(spec: KeySpec, site: Site, scope: Scope): Key | null {
  const parts = Array.isArray(spec) ? spec : [spec];
  const fields = parts.map((part, position) => {
    const place = Array.isArray(spec)
      ? site.at(position, parts.length > 1 ? `${site.label}, part ${position + 1}` : site.label)
      : site;
    return compileValue(part, KEY_PART, place, scope);
  });
  const usable = fields.filter((field) => field !== null);
  if (usable.length < fields.length) return null;
  return {
    reads: merged(usable.map(({ reads }) => reads)),
    tree: `[${usable.map(({ tree }) => tree).join(", ")}]`,
    run: (view) => {
      const texts: string[] = [];
      for (const { run } of usable) {
        const value = run(view);
        if (value != null) texts.push(String(value));
      }
      return texts.length === usable.length ? texts : null;
    },
  };
}

/** A record's key as one text: that of its only part, or all of them length-prefixed (HARD-CASES H21). */
export function joinKey(parts: readonly string[]): string {
  return parts.length === 1 ? (parts[0] ?? "") : lengthPrefixed(parts);
}

/** Free JSON whose texts may be formulas: a blank leaves its member out. Null: it cannot be used. */
export function compileJson(spec: unknown, site: Site, scope: Scope): Field | null {
  if (isFormula(spec)) return compileJsonFormula(spec, site, scope);
  if (forgotten(spec, site, scope)) return null;
  if (spec === null || typeof spec !== "object" || isExactNumber(spec)) return constantJson(spec as JsonValue);
  const list = Array.isArray(spec);
  const members = Object.entries(spec).map(([name, value]) => {
    const place = list ? site.at(Number(name), `${site.label}[${name}]`) : site.at(name, `${site.label}.${name}`);
    return [name, compileJson(value, place, scope)] as const;
  });
  const usable = members.filter((member): member is [string, Field] => member[1] !== null);
  if (usable.length < members.length) return null;
  const build = (values: [string, JsonValue][]): JsonValue =>
    list ? values.map(([, value]) => value) : Object.fromEntries(values);
  if (usable.every(([, { constant }]) => constant !== undefined))
    return constantJson(build(usable.map(([name, { constant }]) => [name, constant as JsonValue])));
  return {
    reads: merged(usable.map(([, { reads }]) => reads)),
    tree: usable.map(([name, { tree }]) => `${name} ${tree}`).join(" "),
    constant: undefined,
    run: (view) => {
      const values: [string, JsonValue][] = [];
      let whole = true;
      for (const [name, { run, constant }] of usable) {
        const value = constant === undefined ? run(view) : constant;
        // JSON's own null, as a mapping may write it, is no failure.
        if (value === null && constant === undefined) whole = false;
        else if (value !== undefined) values.push([name, value]);
      }
      return whole ? build(values) : null;
    },
  };
}

function compileJsonFormula(spec: string, site: Site, scope: Scope): Field | null {
  const formula = formulaOf(spec, site, scope);
  if (formula === null) return null;
  const { run, reads, type, tree, column } = formula;
  return {
    reads,
    tree,
    constant: undefined,
    run: (view) => {
      const value = run(view);
      if (value == null || typeof value === "boolean") return value;
      if (type === "number" || value instanceof Exact) return exactNumber(asText(value));
      const text = asText(value, type);
      if (!text.isWellFormed())
        return view.report("expression-failed", `${site.label} gives half a character`, null, indexOf(reads, view));
      return (column === null ? cleanText(text) : text) || undefined;
    },
  };
}

function constantJson(value: JsonValue): Field {
  return { run: () => value, reads: newReads(), tree: JSON.stringify(value) ?? "", constant: value };
}
