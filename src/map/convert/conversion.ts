/** The closed list of `as` conversions. */
import { boolean } from "./boolean.js";
import {
  attempt,
  type ConversionKind,
  type ConvertDefaults,
  type Converted,
  errorCell,
  type Refused,
  refuseKind,
} from "./conversion-kind.js";
import type { CellKind } from "../../model/row.js";
import { integer, number } from "./number.js";
import { country, phone, state } from "./places.js";
import { taxId } from "./tax-id.js";
import { asSeen, digits, hash, lower, slug, text, upper } from "./text.js";
import { date, timestamp } from "./timestamp.js";

export const conversions = {
  text,
  integer,
  number,
  boolean,
  date,
  timestamp,
  taxId,
  phone,
  country,
  state,
  upper,
  lower,
  digits,
  slug,
  hash,
} as const;

/** They look at invisible characters themselves. */
const OF_TEXT: ReadonlySet<string> = new Set(["text", "upper", "lower", "digits", "slug", "hash"]);

export type ConversionName = keyof typeof conversions;
export const conversionNames = Object.keys(conversions) as ConversionName[];

/** Options that stand for defaults of another name. */
const STAND_FOR: { [option: string]: string } = { formats: "dates", true: "booleans", false: "booleans" };

/** The defaults on which a conversion depends: those that its options could replace, and do not. */
export function defaultsOf(
  { as, ...spec }: { as: ConversionName },
  defaults: ConvertDefaults,
): Partial<ConvertDefaults> {
  const open = Object.keys(conversions[as].options.shape).filter((option) => !(option in spec));
  const counting = new Set(open.map((option) => STAND_FOR[option] ?? option));
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => counting.has(name)));
}

/** `text` is not blank: the caller handles blank words. Never throws because of a cell. */
export type Conversion = (text: string, kind: CellKind) => Converted | Refused;

export type ConversionSpec = string | { name: string; [option: string]: unknown };

/**
 * The schema has checked name and options. @throws Refused `conversion-options` if they and the defaults do not
 * suffice, without a place, which the caller adds.
 */
export function compileConversion(spec: ConversionSpec, defaults: ConvertDefaults): Conversion {
  const { name, ...options } = typeof spec === "string" ? { name: spec } : spec;
  const kind = conversions[name as ConversionName] as unknown as ConversionKind;
  const convert = kind.compile(options, defaults);
  const isOfText = OF_TEXT.has(name);
  return (cell, cellKind) => {
    if (cellKind === "error") return errorCell(cell);
    return attempt(() => {
      if (kind.reads?.kinds.includes(cellKind) === false) return refuseKind(cell, cellKind, kind.reads.called);
      return convert(isOfText ? cell : asSeen(cell), cellKind);
    });
  };
}
