/** What a place in a record takes: text, a time, a truth value, a number, or any JSON. */
import type { Conversion, ConversionSpec } from "../convert/conversion.js";

export interface Slot {
  /** How problems name the place: `event "pickup": externalCreatedAt`. */
  label: string;
  gives: "text" | "instant" | "boolean" | "number" | "json";
  /** The conversion where the field names none; null: the text as it stands. */
  as: ConversionSpec | null;
  /** Used instead of `as` where the conversion depends on other values of the row. */
  convert?: Conversion;
  /** Whether a blank is an error unless the field says `required: false`. */
  required: boolean;
}

export function textSlot(label: string, required: boolean): Slot {
  return { label, gives: "text", as: "text", required };
}

export function booleanSlot(label: string, required: boolean): Slot {
  return { label, gives: "boolean", as: "boolean", required };
}

export function instantSlot(label: string): Slot {
  return { label, gives: "instant", as: "timestamp", required: true };
}

export function numberSlot(label: string): Slot {
  return { label, gives: "number", as: { name: "decimal", number: true }, required: false };
}

export function jsonSlot(label: string): Slot {
  return { label, gives: "json", as: null, required: false };
}
