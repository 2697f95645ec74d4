/** Free JSON with fields in it: `fields`, `target.fields`, `value` and `extra`. */
import { isExactNumber, type JsonObject, type JsonValue } from "../../model/json.js";
import { fieldObjectSchema } from "../schema/field-schema.js";
import type { Path } from "../source/mapping-source.js";
import { parseWithSchema } from "../source/schema-problems.js";
import type { BoundColumns, ColumnUse } from "./columns.js";
import type { CompileContext } from "./compile-context.js";
import { compileField } from "./field.js";
import type { Read } from "./row-view.js";
import { jsonSlot } from "./slot.js";

export interface JsonField {
  uses: ColumnUse[];
  /** The value that every row has; undefined when it depends on the row. */
  constant: JsonValue | undefined;
  bind(columns: BoundColumns): Read<JsonValue>;
}

const FIELD_MEMBERS = ["column", "template", "expr", "value"] as const;

/** Null: it cannot be used, and why has been reported. */
export function compileJson(spec: unknown, label: string, path: Path, context: CompileContext): JsonField | null {
  if (Array.isArray(spec)) return compileList(spec, label, path, context);
  if (spec === null || typeof spec !== "object" || isExactNumber(spec)) return constantJson(spec as JsonValue);
  if (!FIELD_MEMBERS.some((member) => Object.hasOwn(spec, member))) {
    return compileJsonObject(spec as { [name: string]: unknown }, label, path, context);
  }
  const literal = (spec as { value?: unknown }).value;
  if (typeof literal === "object" && Object.keys(spec).length === 1) return constantJson(literal as JsonValue);
  const stranger = Object.keys(spec).find((member) => !Object.hasOwn(fieldObjectSchema.shape, member));
  if (stranger !== undefined && Object.hasOwn(spec, "value")) {
    const message = `${label}: an object with \`value\` in it is a field, which has no member "${stranger}".`;
    const hint = "A literal object is wrapped: { value: { … } }; or give its member another name.";
    context.source.report("mapping-unknown-key", [...path, stranger], message, { at: "key", hint });
    return null;
  }
  const field = parseWithSchema(fieldObjectSchema, spec, context.source, path);
  return field === undefined ? null : compileField(field, jsonSlot(label), path, context);
}

/** An object whose blank members are left out. */
export function compileJsonObject(
  spec: { [name: string]: unknown },
  label: string,
  path: Path,
  context: CompileContext,
): JsonField | null {
  const members: [string, JsonField][] = [];
  let failed = false;
  for (const [name, value] of Object.entries(spec)) {
    const member = compileJson(value, `${label}.${name}`, [...path, name], context);
    if (member === null) failed = true;
    else members.push([name, member]);
  }
  if (failed) return null;
  if (members.every(([, member]) => member.constant !== undefined)) {
    return constantJson(Object.fromEntries(members.map(([name, member]) => [name, member.constant as JsonValue])));
  }
  return {
    uses: members.flatMap(([, member]) => member.uses),
    constant: undefined,
    bind: (columns) => {
      const reads = members.map(([name, member]) => [name, member.bind(columns)] as const);
      return (view) => {
        const object: JsonObject = {};
        let whole = true;
        for (const [name, read] of reads) {
          const value = read(view);
          if (value === null && !isNull(members, name)) whole = false;
          else if (value !== undefined) object[name] = value;
        }
        return whole ? object : null;
      };
    },
  };
}

/** JSON's own null, as a mapping may write it for a member, is not a failure. */
function isNull(members: readonly [string, JsonField][], name: string): boolean {
  return members.some(([known, member]) => known === name && member.constant === null);
}

function compileList(spec: readonly unknown[], label: string, path: Path, context: CompileContext): JsonField | null {
  const entries = spec.map((entry, position) =>
    compileJson(entry, `${label}[${position}]`, [...path, position], context),
  );
  const usable = entries.filter((entry) => entry !== null);
  if (usable.length < entries.length) return null;
  if (usable.every((entry) => entry.constant !== undefined))
    return constantJson(usable.map((entry) => entry.constant as JsonValue));
  return {
    uses: usable.flatMap((entry) => entry.uses),
    constant: undefined,
    bind: (columns) => {
      const reads = usable.map((entry) => entry.bind(columns));
      return (view) => {
        const list: JsonValue[] = [];
        let whole = true;
        for (const [position, read] of reads.entries()) {
          const value = read(view);
          if (value === null && usable[position]?.constant !== null) whole = false;
          else if (value !== undefined) list.push(value);
        }
        return whole ? list : null;
      };
    },
  };
}

function constantJson(value: JsonValue): JsonField {
  return { uses: [], constant: value, bind: () => () => value };
}
