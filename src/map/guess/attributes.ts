/** Columns that describe an event become its attributes; those of a document its fields. */
import type { Column } from "./column.js";
import { field } from "./draft.js";
import { recordName } from "./header-words.js";
import type { Unsure } from "./unsure.js";
import type { FlowValue, Member } from "./yaml-text.js";

/** What one unit is in another; only units of mass, since anything else would be a guess about the goods. */
const kilograms: Record<string, number> = { kg: 1, t: 1000, ton: 1000, g: 0.001 };

/** The conversion that a column's cells need; undefined for text. */
export function conversionOf(column: Column, unsure: Unsure): FlowValue | undefined {
  if (column.date !== null) return "timestamp";
  // House numbers (`3a`) and postal codes are names, not amounts.
  if (column.role === "number" || column.role === "zipCode") return undefined;
  if (column.boolean) return "boolean";
  if (column.number === null || column.number.whole) return undefined;
  const units = [...new Set(column.number.units.map((unit) => unit.toLowerCase().replace(/\.$/, "")))];
  if (units.length === 0) return "decimal";
  if (units.length === 1 && units[0] === "kg") return { name: "decimal", units: ["kg"] };
  if (units.every((unit) => kilograms[unit] !== undefined)) {
    unsure.say(`"${column.header}" is written in ${units.join(" and ")}; all is turned into kilograms`);
    return { name: "decimal", units: Object.fromEntries(["kg", ...units].map((unit) => [unit, kilograms[unit] ?? 1])) };
  }
  unsure.say(`"${column.header}" carries the units ${units.join(", ")}, which are dropped`);
  return { name: "decimal", units };
}

export function writeAttributes(columns: readonly Column[], unsure: Unsure): Member[] {
  if (columns.length === 0) return [];
  const block = columns.map(
    (column): Member => ({
      name: column.header,
      value: { ...field(column, { as: conversionOf(column, unsure) }), isPublic: false },
    }),
  );
  return [{ name: "attributes", value: { block } }];
}

/** `created`: the column of the document's own time. */
export function writeFields(columns: readonly Column[], created: Column | undefined, unsure: Unsure): Member[] {
  const block: Member[] = columns.map((column) => {
    const as = conversionOf(column, unsure);
    return { name: recordName(column.header, `column${column.index + 1}`), value: field(column, { as }) };
  });
  if (created !== undefined) block.push({ name: "externalCreatedAt", value: field(created, { as: "timestamp" }) });
  if (block.length === 0) return [];
  unsure.say(
    "fields: the service's list of document fields is not shown; rename them to those that yours knows, or remove them",
  );
  return [{ name: "fields", value: { block } }];
}
