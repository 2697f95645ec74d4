/** The `as` of a field: one conversion or several, and what becomes of the last one's value. */
import {
  type Conversion,
  type ConversionName,
  conversions,
  type ConversionSpec,
  type ConvertResult,
} from "../convert/conversion.js";
import { RowferryError } from "../../model/error.js";
import type { AsSpec } from "../schema/field-schema.js";
import type { Path } from "../source/mapping-source.js";
import type { CompileContext } from "./compile-context.js";
import { exactNumber } from "../../model/json.js";
import { plainNumber } from "../convert/exact.js";
import type { Value } from "./row-view.js";
import type { Slot } from "./slot.js";

export interface Chain {
  convert: Conversion;
  /** Name of the last conversion; null where the text stays as it is. */
  last: ConversionName | null;
  /** Whether the first one reads typed cells by their kind; to the others every cell is text. */
  typed: boolean;
}

/** Conversions that read a typed cell by its kind. */
export const typedConversions: ReadonlySet<ConversionName> = new Set([
  "integer",
  "decimal",
  "boolean",
  "date",
  "timestamp",
]);

/** `path` is that of the field. Null: it cannot be used, and why has been reported. */
export function compileChain(as: AsSpec | undefined, slot: Slot, path: Path, context: CompileContext): Chain | null {
  if (as === undefined && slot.convert !== undefined) return { convert: slot.convert, last: null, typed: false };
  const given = as === undefined ? slot.as : as;
  if (given === null) return { convert: (text) => ({ value: text }), last: null, typed: false };
  const specs = (Array.isArray(given) ? given : [given]) as ConversionSpec[];
  const steps: { convert: Conversion; name: ConversionName }[] = [];
  for (const [position, spec] of specs.entries()) {
    const place = as === undefined ? path : Array.isArray(as) ? [...path, "as", position] : [...path, "as"];
    try {
      const name = (typeof spec === "string" ? spec : spec.name) as ConversionName;
      steps.push({ convert: context.conversions.get(spec), name });
    } catch (error) {
      if (!(error instanceof RowferryError)) throw error;
      context.source.report(error.code, place, `${slot.label}: ${error.message}.`, { hint: error.hint });
      return null;
    }
  }
  const last = steps.at(-1)?.name ?? null;
  const fault = misfit(last, slot);
  if (fault !== null) {
    context.source.report("mapping-value", [...path, "as"], `${slot.label} ${fault}.`);
    return null;
  }
  const [first] = steps;
  const typed = first !== undefined && typedConversions.has(first.name);
  if (first !== undefined && steps.length === 1) return { convert: first.convert, last, typed };
  return { convert: chained(steps), last, typed };
}

function misfit(last: ConversionName | null, slot: Slot): string | null {
  if (last === null) return null;
  if (slot.gives === "instant" && last !== "timestamp") return `is a time; \`as: ${last}\` gives none`;
  if (slot.gives === "boolean" && conversions[last].gives !== "boolean")
    return `is true or false; \`as: ${last}\` gives neither`;
  if (slot.gives === "number" && last !== "decimal" && last !== "integer")
    return `is a number; \`as: ${last}\` gives none`;
  return null;
}

function chained(steps: readonly { convert: Conversion; name: ConversionName }[]): Conversion {
  return (cell, cellKind) => {
    let text = cell;
    let kind = cellKind;
    let result: ConvertResult = { value: cell };
    for (const [position, { convert, name }] of steps.entries()) {
      result = convert(text, kind);
      if ("problem" in result || position === steps.length - 1) return result;
      const { value } = result;
      text = asText(value, name);
      kind = name === "timestamp" ? "text" : kindOf(value);
    }
    return result;
  };
}

/** The kind of a value that is a constant, or that a conversion gave. */
export function kindOf(value: Value): "text" | "number" | "boolean" {
  return typeof value === "string" ? "text" : typeof value === "boolean" ? "boolean" : "number";
}

/** A value as text: times in ISO 8601 with milliseconds and Z, numbers without exponent. */
export function asText(value: Value, conversion: ConversionName | null = null): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "true" : "false";
  return conversion === "timestamp" ? new Date(Number(value)).toISOString() : plainNumber(value);
}

/** The value in the form that its place takes. */
export function finish(value: Value, slot: Slot, conversion: ConversionName | null): Value {
  switch (slot.gives) {
    case "text":
      return asText(value, conversion);
    case "json":
      return conversion === "timestamp" ? asText(value, conversion) : value;
    case "number":
      return typeof value === "string" ? exactNumber(value) : value;
    case "instant":
    case "boolean":
      return value;
  }
}
