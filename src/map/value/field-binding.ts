/** The steps of one field over one row, in the order in which a mapping's reader expects them. */
import type { Conversion, ConversionName } from "../convert/conversion.js";
import { shorten } from "../fold.js";
import type { Code } from "../../model/codes.js";
import type { CellKind } from "../../model/row.js";
import { asText, finish, kindOf } from "./conversion-chain.js";
import type { Cells } from "./cells.js";
import { reportFault } from "./column.js";
import type { Lookup } from "./lookup.js";
import type { RegularExpression } from "./regular-expression.js";
import type { Read, ReadText, RowView, Value } from "./row-view.js";
import { type Slot, slotFault } from "./slot.js";

export interface FieldSteps {
  slot: Slot;
  required: boolean;
  /** What a cell's own text, kept by a `map`, may not be; null: a computed text. */
  cells: Cells | null;
  /** Already converted; undefined: none. */
  fallback: Value | undefined;
  lookup: Lookup | null;
  keepUnlisted: boolean;
  otherwise: Value | undefined;
  convert: Conversion;
  last: ConversionName | null;
  typed: boolean;
  oneOf: ReadonlySet<string> | null;
  pattern: RegularExpression | null;
}

/** What an expression gives before it is made fit for its place; null: nothing, and why has been reported. */
export type ReadRaw = (view: RowView) => Value | Date | null;

/** The field under its own condition; null: it has none. */
export function bindWhen(read: Read<Value>, holds: ((view: RowView) => boolean | null) | null): Read<Value> {
  if (holds === null) return read;
  return (view) => {
    const answer = holds(view);
    return answer === null ? null : answer ? read(view) : undefined;
  };
}

/** A field over text. `column`: the position by whose header problems are reported; -1: none. */
export function bindTextField(source: ReadText, column: number, steps: FieldSteps): Read<Value> {
  const { slot, convert, last, lookup } = steps;
  const blank = blankResult(column, steps);
  const check =
    steps.oneOf === null && steps.pattern === null && slot.limit === undefined && slot.id === undefined
      ? null
      : (value: Value, view: RowView) => permitted(value, view, column, steps);
  const plain = last !== "timestamp" && (slot.gives === "text" || slot.gives === "json");
  return (view) => {
    let text = source(view);
    if (text === null) return null;
    if (text === "") return blank(view);
    if (lookup !== null) {
      text = lookUp(text, view, column, steps);
      if (text === null) return null;
      if (text === "") return blank(view);
    }
    const result = convert(text, view.kind);
    if ("problem" in result) {
      const { code, message, hint } = result.problem;
      report(view, code, `${slot.label}: ${message}`, hint, column);
      return null;
    }
    const { value } = result;
    if (value === "") return blank(view);
    const finished = plain && typeof value === "string" ? value : finish(value, slot, last);
    return check === null || check(finished, view) ? finished : null;
  };
}

/** A field over values that need no conversion. */
export function bindRawField(source: ReadRaw, column: number, steps: FieldSteps): Read<Value> {
  const { slot } = steps;
  const blank = blankResult(column, steps);
  return (view) => {
    const value = source(view);
    if (value === null) return null;
    if (value === "") return blank(view);
    let finished: Value;
    if (value instanceof Date) {
      if (Number.isNaN(value.getTime())) return blank(view);
      finished = slot.gives === "instant" ? value.getTime() : value.toISOString();
    } else {
      finished = value;
    }
    return permitted(finished, view, column, steps) ? finished : null;
  };
}

function blankResult(column: number, steps: FieldSteps): Read<Value> {
  const { fallback, required, slot } = steps;
  if (fallback !== undefined) return () => fallback;
  if (!required) return () => undefined;
  return (view) => {
    report(view, "value-required", `${slot.label} is blank`, null, column);
    return null;
  };
}

/** What the map gives as text, its kind in `view.kind`; null: not listed, reported. */
function lookUp(cell: string, view: RowView, column: number, steps: FieldSteps): string | null {
  const { cells, typed, slot } = steps;
  const kind: CellKind = view.kind;
  const text = cells === null || kind === "text" ? cell : cells.text(cell, kind);
  const mapped = steps.lookup?.get(text) ?? steps.otherwise;
  if (mapped === undefined) {
    if (steps.keepUnlisted) {
      const purpose = slot.identity === true ? "identity" : "value";
      if (cells !== null && reportFault(cell, kind, column, cells, purpose, view)) return null;
      if (!typed) view.kind = "text";
      return typed ? cell : text;
    }
    report(
      view,
      "value-unmapped",
      `${steps.slot.label}: ${JSON.stringify(shorten(text))} is not listed in its map`,
      null,
      column,
    );
    return null;
  }
  view.kind = kindOf(mapped);
  return asText(mapped);
}

function permitted(value: Value, view: RowView, column: number, steps: FieldSteps): boolean {
  const text = asText(value);
  const fault = slotFault(text, steps.slot);
  if (fault !== null) {
    report(view, fault.code, `${steps.slot.label}${fault.message}`, null, column);
    return false;
  }
  if (steps.oneOf !== null && !steps.oneOf.has(text)) {
    const some = [...steps.oneOf].slice(0, 10).join(", ");
    report(
      view,
      "value-not-allowed",
      `${steps.slot.label}: ${JSON.stringify(shorten(text))} is none of ${some}`,
      null,
      column,
    );
    return false;
  }
  if (steps.pattern !== null && !steps.pattern.matchesWhole(text)) {
    report(
      view,
      "value-pattern",
      `${steps.slot.label}: ${JSON.stringify(shorten(text))} does not match its pattern`,
      null,
      column,
    );
    return false;
  }
  return true;
}

function report(view: RowView, code: Code, message: string, hint: string | null, column: number): void {
  view.problems.push({ code, message, hint, column: view.header[column] ?? null });
}
