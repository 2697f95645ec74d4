/** Keys: one field, or several that together distinguish a record. */
import { lengthPrefixed } from "../../model/keys.js";
import type { KeySpec } from "../schema/field-schema.js";
import type { Path } from "../source/mapping-source.js";
import type { BoundColumns, ColumnUse } from "../value/columns.js";
import type { CompileContext } from "../value/compile-context.js";
import { compileField, type Field } from "../value/field.js";
import type { RowView } from "../value/row-view.js";
import { identitySlot } from "../value/slot.js";

export interface Key {
  uses: ColumnUse[];
  /** Whether it consists of one field, so that its text is the key. */
  single: boolean;
  /** Null: a part is blank or unreadable, which has been reported. */
  bind(columns: BoundColumns): (view: RowView) => string[] | null;
}

/** Null: it cannot be used, and why has been reported. */
export function compileKey(spec: KeySpec, label: string, path: Path, context: CompileContext): Key | null {
  const specs = Array.isArray(spec) ? spec : [spec];
  const fields: Field[] = [];
  for (const [position, part] of specs.entries()) {
    const place = Array.isArray(spec) ? [...path, position] : path;
    const field = compileField(
      part,
      identitySlot(specs.length > 1 ? `${label}, part ${position + 1}` : label),
      place,
      context,
    );
    if (field !== null) fields.push(field);
  }
  if (fields.length < specs.length) return null;
  return {
    uses: fields.flatMap((field) => field.uses),
    single: specs.length === 1,
    bind: (columns) => {
      const reads = fields.map((field) => field.bind(columns));
      return (view) => {
        const parts: string[] = [];
        for (const read of reads) {
          const value = read(view);
          if (value === undefined) {
            view.problems.push({ code: "value-required", message: `${label} is blank`, hint: null, column: null });
          }
          if (value != null) parts.push(String(value));
        }
        return parts.length === reads.length ? parts : null;
      };
    },
  };
}

/** A record's key as one text: that of its only part, or all of them length-prefixed (HARD-CASES H21). */
export function joinKey(parts: readonly string[]): string {
  return parts.length === 1 ? (parts[0] ?? "") : lengthPrefixed(parts);
}
