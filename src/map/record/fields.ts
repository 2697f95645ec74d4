/** The named fields of a record, read together so that every problem of a row is found. */
import type { FieldSpec } from "../schema/field-schema.js";
import type { Path } from "../source/mapping-source.js";
import type { BoundColumns, ColumnUse } from "../value/columns.js";
import type { CompileContext } from "../value/compile-context.js";
import { compileField, type Field } from "../value/field.js";
import type { Read, RowView, Value } from "../value/row-view.js";
import type { Slot } from "../value/slot.js";

export interface Fields<Name extends string> {
  uses: ColumnUse[];
  field(name: Name): Field | undefined;
  bind(columns: BoundColumns): (view: RowView) => { [name in Name]?: Value } | null;
}

/** Specs that are undefined are left out. Null: at least one cannot be used, and why has been reported. */
export function compileFields<Name extends string>(
  specs: { [name in NoInfer<Name>]?: FieldSpec | undefined },
  slots: { [name in Name]: Slot },
  path: Path,
  context: CompileContext,
): Fields<Name> | null {
  const fields = new Map<Name, Field>();
  let failed = false;
  for (const name of Object.keys(slots) as Name[]) {
    const spec = specs[name];
    if (spec === undefined) continue;
    const field = compileField(spec, slots[name], [...path, name], context);
    if (field === null) failed = true;
    else fields.set(name, field);
  }
  if (failed) return null;
  return {
    uses: [...fields.values()].flatMap((field) => field.uses),
    field: (name) => fields.get(name),
    bind: (columns) => {
      const reads: [Name, Read<Value>][] = [...fields].map(([name, field]) => [name, field.bind(columns)]);
      return (view) => {
        const values: { [name in Name]?: Value } = {};
        let whole = true;
        for (const [name, read] of reads) {
          const value = read(view);
          if (value === null) whole = false;
          else if (value !== undefined) values[name] = value;
        }
        return whole ? values : null;
      };
    },
  };
}
