/** Turns a column's text into a typed value, by its type, map and rules. */
import type { RE2JS } from "re2js";
import { foldName } from "../../model/fold.js";
import { isExactNumber } from "../../model/json.js";
import type { CellKind, Row } from "../../model/row.js";
import { compileConversion, type Conversion, type ConversionName, type ConversionSpec } from "../convert/conversion.js";
import { attempt, quoteCell, Refused, type ConvertDefaults } from "../convert/conversion-kind.js";
import { Exact } from "../convert/exact.js";
import { cleanText } from "../convert/text.js";
import { compileRegularExpression, typeOf, PATTERN_SIGNS } from "../formula/functions.js";
import type { ColumnObject } from "../language/column-schema.js";
import type { Scalar } from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import type { Never } from "../piece.js";
import { spellingOf } from "./cells.js";
import { asText, literalText, type Maybe, type Type, type Value, type View } from "./view.js";

export interface Reader {
  type: Type;
  never: Never | undefined;
  /** The row's value, the value on which a group's rows agree, or the default; `index` -1: the file has no such column. */
  at(view: View, index: number): Maybe<Value>;
  /** Whether there is content in any cell. */
  filled(view: View, index: number): boolean;
  /** The settings by which typed cells have been read as text so far. */
  spelling: ReadonlySet<string>;
}

export interface CellRules {
  /** Words returned in this spelling. */
  words: ReadonlyMap<string, string> | undefined;
  /** Replaces the column's conversion if that depends on other columns. */
  convert?: (view: View) => Conversion | null;
  /** Whether the value ends up in a key or an id. */
  identity: () => boolean;
}

/** These conversions use a typed cell's kind; the others take it as text. */
const TYPED: ReadonlySet<string> = new Set(["integer", "number", "boolean", "date", "timestamp"]);

export function compileReader(spec: ColumnObject, site: Site, { words, convert, identity }: CellRules): Reader {
  const { cells, conversions } = site.scope.shared;
  const name = spec.as ?? "text";
  const type = typeOf(name);
  const own = convert === undefined ? compileOwn(spec, name, site) : conversions.get("text");
  const spelt = (literal: Scalar) => {
    const value = readLiteral(own, literal);
    return value instanceof Refused ? null : asText(value, type);
  };
  const map = spec.map === undefined ? null : compileMap(spec.map, site);
  if (spec.otherwise !== undefined && map === null)
    site.report("mapping-value", ": `otherwise` needs a `map`.", null, "otherwise");
  const accept = compileRules(spec, type, spelt, site);
  const otherwise = otherwiseOf(spec);
  const accepted = (literal: Scalar, ...part: string[]): Value | undefined => {
    const value = literal === "" ? "" : accept(readLiteral(own, literal));
    if (value instanceof Refused) site.refuse(value, ...part);
    return value instanceof Refused || value === "" ? undefined : value;
  };
  const fallback = spec.default === undefined ? undefined : accepted(spec.default, "default");
  // Types that depend on the row read no literal.
  if (convert === undefined) {
    for (const [text, value] of Object.entries(spec.map ?? {})) accepted(value, "map", text);
    if (otherwise != null) accepted(otherwise, "otherwise");
  }

  const { units = [] } = spec as { units?: object };
  const allowed = Array.isArray(units) ? units : Object.keys(units);
  const isPercent = allowed.includes("%");

  const spelling = new Set<string>();
  const textOf = (cell: string, kind: CellKind): string => {
    for (const setting of spellingOf(cell, kind)) spelling.add(setting);
    return cells.text(cell, kind);
  };

  const read = (given: string, givenKind: CellKind, index: number, view: View): Maybe<Value> => {
    const cell = givenKind === "percent" && isPercent ? percentage(given) : given;
    const cellKind = givenKind === "percent" ? "number" : givenKind;
    const shown = map === null ? "" : textOf(cell, cellKind);
    const mapped = map?.get(foldName(shown))?.value ?? otherwise;
    // A map may list what a spreadsheet wrote in place of a value.
    const fault = mapped == null || identity() ? cells.fault(cell, cellKind, identity()) : null;
    if (fault !== null) return view.refuse(fault, index);
    if (map !== null && mapped === undefined)
      return view.report("value-unmapped", `${quoteCell(shown)} is not listed in its map`, null, index);
    const isTyped = TYPED.has(name) || cellKind === "text";
    const [text, kind] =
      mapped != null
        ? [literalText(mapped), kindOf(mapped)]
        : isTyped
          ? [cell, cellKind]
          : [textOf(cell, cellKind), "text" as const];
    const conversion = text === "" ? undefined : convert === undefined ? own : convert(view);
    if (conversion == null) return conversion;
    const value = conversion(text, kind);
    if (value === "") return undefined;
    const sent = accept(typeof value === "string" ? (words?.get(foldName(value)) ?? value) : value);
    return sent instanceof Refused ? view.refuse(sent, index) : sent;
  };

  /** `shown`: as text; "" if blank. */
  const cellAt = ({ cells: all, kinds, looks }: Row, index: number) => {
    const kind: CellKind = kinds?.[index] ?? "text";
    const look = allowed.length > 0 ? looks?.[index] : null;
    if (look?.shown !== undefined) look.unitRead = true;
    const cell = look?.shown ?? all[index] ?? "";
    return { kind, cell, shown: cells.text(cell, kind) };
  };
  const valueAt = (row: Row, index: number, view: View): Maybe<Value> => {
    const { cell, kind, shown } = cellAt(row, index);
    return shown === "" ? undefined : read(kind === "text" ? shown : cell, kind, index, view);
  };
  /** Two spellings of one value agree; every unreadable cell is reported. */
  const groupAt = (view: View, members: readonly Row[], index: number) =>
    agreed(view, index, "", (give) => {
      for (const member of members) give(valueAt(member, index, view), cellAt(member, index).shown);
    });
  return {
    type,
    spelling,
    never: neverOf(spec, name, spelt, words),
    at: (view, index) => {
      const { current, members } = view;
      if (index < 0) return fallback;
      const value = members === null ? valueAt(current, index, view) : groupAt(view, members, index);
      return value === undefined ? fallback : value;
    },
    filled: (view, index) => {
      if (fallback !== undefined) return true;
      const isFilled = (row: Row) => cleanText(cellAt(row, index).shown) !== "";
      return index >= 0 && (view.members ?? [view.current]).some(isFilled);
    },
  };
}

/** As a person types what a workbook stores: `12.5%` for 0.125. */
export const percentage = (number: string) => `${Exact.of(number).times(Exact.of(100)).text}%`;

/** What texts of these types look like, where reading one again does not tell. */
const FORMS: { [as: string]: RegExp } = {
  date: /^\d{4}-\d\d-\d\d$/,
  taxId: /^[\dA-Z]+$/i,
  boolean: /^(?:true|false)$/i,
  number: /^-?\d+(?:\.\d+)?$/,
  integer: /^-?\d+$/,
};
const MOST_NAMED = 10;

function neverOf(
  spec: ColumnObject,
  name: ConversionName,
  read: (literal: Scalar) => string | null,
  words: CellRules["words"],
): Never | undefined {
  const { oneOf, map, default: fallback } = spec;
  if (name === "hash" || name === "timestamp") return undefined;
  const spelt = (literal: Scalar) => {
    const text = read(literal);
    return words?.get(foldName(text ?? "")) ?? text;
  };
  const otherwise = otherwiseOf(spec);
  const mapped = map === undefined || otherwise === null ? undefined : [...Object.values(map), otherwise ?? ""];
  const listed = oneOf?.map(literalText) ?? mapped?.flatMap((value) => spelt(value) ?? []);
  const values = listed && [...new Set([...listed, spelt(fallback ?? "") ?? ""])].filter((value) => value !== "");
  return (text) => {
    const better = spelt(text);
    const form = FORMS[name];
    if (values === undefined) {
      if (form === undefined ? better === text : form.test(text)) return null;
      return better && better !== text ? `Write "${better}".` : `Its cells are read \`as: ${name}\`.`;
    }
    if (values.includes(text)) return null;
    const near = values.find((value) => foldName(value) === foldName(better ?? text));
    if (near !== undefined) return `Write "${near}".`;
    return `Its values are ${values.slice(0, MOST_NAMED).join(", ")}${values.length > MOST_NAMED ? " …" : ""}.`;
  };
}

/** Null: the cell's own text. */
const otherwiseOf = ({ otherwise }: ColumnObject): Scalar | null | undefined =>
  typeof otherwise === "object" && !isExactNumber(otherwise) ? null : otherwise;

function compileOwn(spec: ColumnObject, name: ConversionName, site: Site): Conversion {
  const own = attempt(() => site.scope.shared.conversions.get({ ...spec, name }));
  if (!(own instanceof Refused)) return own;
  site.refuse(own, "as");
  return () => "";
}

function compileRules(
  { oneOf, pattern }: ColumnObject,
  type: Type,
  spelt: (literal: Scalar) => string | null,
  site: Site,
) {
  const show = (value: Value) => asText(value, type);
  /** As the column would read it; types that depend on the row read no literal. */
  const readAs = (literal: Scalar) => spelt(literal) ?? literalText(literal);
  const allowed = oneOf && new Map(oneOf.map((one) => [foldName(readAs(one)), one]));
  for (const one of oneOf ?? []) {
    const [text, other] = [one, allowed?.get(foldName(readAs(one))) ?? one].map(literalText);
    const message = `: "${text}" and "${other}" are the same value (case, accents and white space do not count).`;
    if (text !== other) site.report("mapping-value", message, "Keep the spelling that is to be sent.", "oneOf");
  }
  let whole: RE2JS | undefined;
  try {
    if (pattern !== undefined) whole = compileRegularExpression(pattern);
  } catch (error) {
    site.report("mapping-pattern", `: ${(error as Error).message}.`, PATTERN_SIGNS, "pattern");
  }
  return (value: Value | Refused): Value | Refused => {
    if (value instanceof Refused) return value;
    const folded = foldName(show(value));
    const own = allowed?.get(folded);
    if (allowed !== undefined && own === undefined) {
      const some = [...allowed.values()].slice(0, 10).map(literalText).join(", ");
      return new Refused(`${quoteCell(show(value))} is none of ${some}`, "value-not-allowed");
    }
    // Only the spelling is the list's: of a date, the value stays.
    const listed = own === undefined ? "" : literalText(own);
    const sent = typeof value === "string" && foldName(listed) === folded ? listed : value;
    if (whole?.testExact(show(sent)) !== false) return sent;
    return new Refused(`${quoteCell(show(sent))} does not match its pattern`, "value-pattern");
  };
}

/** By folded text. */
function compileMap(map: NonNullable<ColumnObject["map"]>, site: Site) {
  const known = new Map<string, { text: string; value: Scalar }>();
  for (const [text, value] of Object.entries(map)) {
    const isBlank = site.scope.shared.cells.text(text, "text") === "";
    const none = ": a blank cell has no value that could be listed here.";
    if (isBlank) site.reportName("mapping-value", none, "Write `default: …` for blank cells.", "map", text);
    const other = known.get(foldName(text)) ?? { text, value };
    known.set(foldName(text), other);
    if (literalText(other.value) === literalText(value)) continue;
    const message = `: "${other.text}" and "${text}" are the same text (case, accents and white space do not count) but have two values.`;
    site.report("mapping-value", message, null, "map", text);
  }
  return known;
}

function kindOf(value: Scalar): "text" | "number" | "boolean" {
  return typeof value === "string" ? "text" : typeof value === "boolean" ? "boolean" : "number";
}

export const readLiteral = (convert: Conversion, literal: Scalar): Value | Refused =>
  convert(literalText(literal), kindOf(literal));

/** The one value that the rows of a group give. `each` hands over what each row gives, and how it is shown. */
export function agreed(
  view: View,
  index: number,
  label: string,
  each: (give: (value: Maybe<Value>, shown?: string) => void) => void,
): Maybe<Value> {
  const shown: string[] = [];
  let found: Maybe<Value>;
  let unreadable = false;
  each((value, text) => {
    if (value === null) unreadable = true;
    if (value == null) return;
    found ??= value;
    if (shown.length === 0 || asText(value) !== asText(found)) shown.push(quoteCell(text ?? asText(value)));
  });
  if (shown.length > 1)
    return view.report("group-differs", `${label}rows of one group give ${shown[0]} and ${shown[1]}`, null, index);
  return unreadable ? null : found;
}

export type Conversions = ReturnType<typeof conversionsBy>;

/** Each is compiled once. */
export function conversionsBy(defaults: ConvertDefaults) {
  const known = new Map<string, Conversion>();
  const get = (spec: ConversionSpec): Conversion => {
    const name = JSON.stringify(spec);
    const conversion = known.get(name) ?? compileConversion(spec, defaults);
    if (known.size > 1000) known.clear();
    known.set(name, conversion);
    return conversion;
  };
  /** Takes the text as it is if the country or tax id type is not known. */
  const orText = (spec: ConversionSpec): Conversion => {
    const own = attempt(() => get(spec));
    return own instanceof Refused ? get("text") : own;
  };
  return { defaults, get, orText };
}
