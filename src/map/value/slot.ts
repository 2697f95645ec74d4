/** What a place in a record takes: text, a time, a truth value, a number, or any JSON. */
import type { Code } from "../../model/codes.js";
import { idFault } from "../../model/service-id.js";
import type { Conversion, ConversionSpec } from "../convert/conversion.js";
import { shorten } from "../fold.js";

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
  /** A key or an id, which no spreadsheet may have spoilt (`Cells.fault`). */
  identity?: true;
  /** An id of the service, which is more than a key: it is joined into addresses. */
  id?: true;
  /** The greatest number allowed, and the least with a minus. */
  limit?: number;
}

/** What keeps a finished value from its place; null: nothing. */
export function slotFault(text: string, { id, limit }: Slot): { code: Code; message: string } | null {
  if (limit !== undefined && Math.abs(Number(text)) > limit)
    return { code: "number-range", message: `: ${shorten(text)} is not between -${limit} and ${limit}` };
  const fault = id === true ? idFault(text) : null;
  return fault === null
    ? null
    : { code: "identifier-unusable", message: `: ${JSON.stringify(shorten(text))} ${fault}` };
}

export function textSlot(label: string, required: boolean): Slot {
  return { label, gives: "text", as: "text", required };
}

/** A part of a key, or an id. */
export function identitySlot(label: string, required = true): Slot {
  return { ...textSlot(label, required), identity: true };
}

/** An id that the service gave. */
export function idSlot(label: string): Slot {
  return { ...identitySlot(label), id: true };
}

export function booleanSlot(label: string, required: boolean): Slot {
  return { label, gives: "boolean", as: "boolean", required };
}

export function instantSlot(label: string): Slot {
  return { label, gives: "instant", as: "timestamp", required: true };
}

/** A coordinate: at most `limit` degrees, either way. */
export function coordinateSlot(label: string, limit: number): Slot {
  return { label, gives: "number", as: { name: "decimal", number: true }, required: false, limit };
}

export function jsonSlot(label: string): Slot {
  return { label, gives: "json", as: null, required: false };
}
