/** metadata.attributes of an event: each with its own isPublic, always text (service.md, Event). */
import type { Attribute } from "../../model/records.js";
import { compileGlob } from "../glob.js";
import type { AttributeSpec } from "../schema/event-schema.js";
import type { Path } from "../source/mapping-source.js";
import type { BoundColumns, ColumnUse } from "../value/columns.js";
import type { CompileContext } from "../value/compile-context.js";
import { compileField, type Field } from "../value/field.js";
import type { Read, RowView, Value } from "../value/row-view.js";
import { booleanSlot, textSlot } from "../value/slot.js";

export interface Attributes {
  uses: ColumnUse[];
  bind(columns: BoundColumns): (view: RowView) => Attribute[] | null;
}

interface Entry {
  name: string;
  read: Read<Value>;
  /** The constant, or how to read it. */
  isPublic: boolean | Read<Value>;
}

/** `taken`: names of attributes, with the columns that each is made of. */
type BindEntry = (columns: BoundColumns, taken: Map<string, readonly ColumnUse[]>) => Entry[];

/** `needsReason`: the event is a CANCEL. Null: they cannot be used, and why has been reported. */
export function compileAttributes(
  specs: { [name: string]: AttributeSpec },
  label: string,
  path: Path,
  context: CompileContext,
  needsReason: boolean,
): Attributes | null {
  const uses: ColumnUse[] = [];
  const binds: BindEntry[] = [];
  const fixed: [string, readonly ColumnUse[]][] = [];
  let failed = false;
  for (const [name, spec] of Object.entries(specs)) {
    const place = [...path, name];
    const entry = compileEntry(
      name,
      spec,
      `${label}: attribute "${name}"`,
      place,
      context,
      needsReason && name === "reason",
    );
    if (entry === null) failed = true;
    else {
      uses.push(...entry.uses);
      binds.push(entry.bind);
      if (spec.columns === undefined) fixed.push([name, entry.uses]);
    }
  }
  if (failed) return null;
  return {
    uses,
    bind: (columns) => {
      const taken = new Map(fixed);
      const entries = binds.flatMap((bind) => bind(columns, taken));
      return (view) => readEntries(entries, view);
    },
  };
}

function readEntries(entries: readonly Entry[], view: RowView): Attribute[] | null {
  const attributes: Attribute[] = [];
  let whole = true;
  for (const entry of entries) {
    const value = entry.read(view);
    if (value === undefined) continue;
    const isPublic = typeof entry.isPublic === "boolean" ? entry.isPublic : entry.isPublic(view);
    if (value === null || isPublic == null) whole = false;
    else attributes.push({ name: entry.name, value: String(value), isPublic: isPublic === true });
  }
  return whole ? attributes : null;
}

function compileEntry(
  name: string,
  spec: AttributeSpec,
  label: string,
  path: Path,
  context: CompileContext,
  required: boolean,
): { uses: ColumnUse[]; bind: BindEntry } | null {
  const { columns: pattern, except, isPublic: publicSpec, ...field } = spec;
  if (publicSpec === undefined) {
    context.source.report(
      "mapping-rule",
      path,
      `${label}: "isPublic" is missing; every attribute needs its own (service.md, Event).`,
      { at: "key" },
    );
    return null;
  }
  const isPublic = compileField(publicSpec, booleanSlot(`${label}: isPublic`, true), [...path, "isPublic"], context);
  if (except !== undefined && pattern === undefined) {
    context.source.report("mapping-value", [...path, "except"], "`except` belongs to `columns`.", { at: "key" });
  }
  if (name === context.lateAttribute && pattern === undefined) {
    const message = `${label}: \`settings.late\` writes the attribute of this name; rename one of them.`;
    context.source.report("mapping-rule", path, message, { at: "key" });
    return null;
  }
  if (pattern !== undefined) return compileMatching(pattern, except ?? [], field, isPublic, label, path, context);
  const value = compileField(field, textSlot(label, required), path, context);
  if (value === null || isPublic === null) return null;
  if (required && (value.constant === "" || spec.required === false)) {
    context.source.report(
      "mapping-rule",
      path,
      `${label}: the reason of a CANCEL must not be empty (service.md, Event endpoints, rule 9).`,
    );
    return null;
  }
  return {
    uses: [...value.uses, ...isPublic.uses],
    bind: (columns) => [{ name, read: value.bind(columns), isPublic: bindPublic(isPublic, columns) }],
  };
}

function bindPublic(isPublic: Field, columns: BoundColumns): boolean | Read<Value> {
  return typeof isPublic.constant === "boolean" ? isPublic.constant : isPublic.bind(columns);
}

/**
 * One attribute for every column whose header matches, named like the header. One that another attribute of that name
 * reads already is left out; a name that two columns would write is refused.
 */
function compileMatching(
  pattern: string,
  except: readonly string[],
  field: Omit<AttributeSpec, "columns" | "except" | "isPublic">,
  isPublic: Field | null,
  label: string,
  path: Path,
  context: CompileContext,
): { uses: ColumnUse[]; bind: BindEntry } | null {
  for (const name of ["column", "template", "expr", "value"] as const) {
    if (field[name] === undefined) continue;
    context.source.report("mapping-value", [...path, name], `${label}: \`${name}\` cannot stand beside \`columns\`.`, {
      at: "key",
    });
    return null;
  }
  const fits = compileGlob(pattern);
  const excluded = except.map(compileGlob);
  // A trial, so that mistakes in the conversion are found before any file is.
  const trial = compileField({ ...field, column: pattern }, textSlot(label, false), path, context);
  if (trial === null || isPublic === null) return null;
  return {
    uses: isPublic.uses,
    bind: (columns, taken) => {
      const headerAt = (index: number): string => columns.header[index] ?? "";
      const found = columns.matching((header) => fits(header) && !excluded.some((test) => test(header)));
      // By name, not as the file's columns stand: an export with its columns in another order says nothing new.
      const indexes = found.toSorted((a, b) => (headerAt(a) < headerAt(b) ? -1 : 1));
      const entries: Entry[] = [];
      for (const index of indexes) {
        const header = headerAt(index);
        const other = taken.get(header);
        if (other !== undefined) {
          if (!other.some((use) => columns.isAt(use, index)))
            columns.refuse(
              `the attribute "${header}" and the column "${header}" that \`columns: ${pattern}\` takes write one name; list the column under \`except\``,
            );
          continue;
        }
        taken.set(header, [[header]]);
        if (header === context.lateAttribute)
          columns.refuse(
            `\`columns: ${pattern}\` takes the column "${header}", and \`settings.late\` writes the attribute of that name; rename the latter, or list the column under \`except\``,
          );
        const one = compileField({ ...field, column: header }, textSlot(`attribute "${header}"`, false), path, context);
        if (one !== null)
          entries.push({ name: header, read: one.bind(columns), isPublic: bindPublic(isPublic, columns) });
      }
      return entries;
    },
  };
}
