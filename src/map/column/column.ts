/** A column: from a header to a typed value. Converted when something in the row reads it, and once for the row. */
import { RowferryError } from "../../model/error.js";
import type { CellKind, Row } from "../../model/row.js";
import type { Conversion, ConversionName, ConversionSpec } from "../convert/conversion.js";
import { quoteCell } from "../convert/refuse.js";
import { cleanText } from "../convert/text.js";
import { foldName, shorten } from "../fold.js";
import { compileRegularExpression, typeOf } from "../formula/functions.js";
import { type ColumnObject, commonOptions } from "../language/column-schema.js";
import type { Scalar } from "../language/record-schema.js";
import type { Path } from "../language/source.js";
import { isExactNumber } from "../../model/json.js";
import type { Cells } from "./cells.js";
import type { Conversions } from "./conversions.js";
import { asText, literalText, type Type, type Value, type View } from "./view.js";

/** How one text becomes a value; the same for cells of files and of tables. */
export interface Reader {
  type: Type;
  /** What stands for a blank. */
  fallback: Value | undefined;
  required: boolean;
  /** `text` is not blank. Null: it cannot be read, and why has been reported at `index`. */
  read(text: string, kind: CellKind, index: number, view: View): Value | undefined | null;
}

/** Takes a mistake of the mapping at a place below the column's own. */
export type Report = (path: Path, code: RowferryError["code"], message: string, hint?: string | null) => void;

/** Conversions that read a typed cell by its kind; to the others every cell is text. */
const TYPED: ReadonlySet<string> = new Set(["integer", "number", "boolean", "date", "timestamp"]);

export interface CellRules {
  cells: Cells;
  conversions: Conversions;
  /** Words that come out as they are spelt here; any other stays as it is. */
  words?: ReadonlyMap<string, string> | undefined;
  /** Instead of the column's own, for what depends on other columns. */
  convert?: ((view: View) => Conversion | null) | undefined;
  /** Whether something that it becomes is a key or an id. */
  identity(): boolean;
}

export function conversionOf(spec: ColumnObject): ConversionSpec & { name: ConversionName } {
  const options = Object.entries(spec).filter(([name, value]) => !commonOptions.has(name) && value !== undefined);
  return { name: spec.as ?? "text", ...Object.fromEntries(options) };
}

/** Null: it cannot be used, and why has been reported. */
export function compileReader(spec: ColumnObject, report: Report, rules: CellRules): Reader | null {
  const conversion = conversionOf(spec);
  const name = conversion.name;
  let convert: Conversion;
  try {
    convert = rules.convert === undefined ? rules.conversions.get(conversion) : rules.conversions.get("text");
  } catch (error) {
    if (!(error instanceof RowferryError)) throw error;
    report(["as"], error.code, `${error.message}.`, error.hint);
    return null;
  }
  const { cells } = rules;
  const typed = TYPED.has(name);
  const lookup = spec.map === undefined ? null : compileMap(spec.map, report);
  const allowed = spec.oneOf === undefined ? null : new Map(spec.oneOf.map((one) => [foldName(literalText(one)), one]));
  const pattern = spec.pattern === undefined ? null : compilePattern(spec.pattern, report);
  if (spec.otherwise !== undefined && lookup === null)
    report(["otherwise"], "mapping-value", "`otherwise` needs a `map`.");
  if (pattern === undefined) return null;
  const otherwise = typeof spec.otherwise === "object" && !isExactNumber(spec.otherwise) ? undefined : spec.otherwise;
  const keep = spec.otherwise !== undefined && otherwise === undefined;

  const finish = (value: Value, index: number, view: View): Value | null => {
    const text = asText(value);
    if (pattern !== null && !pattern.matchesWhole(text))
      return view.report("value-pattern", `${quoteCell(text)} does not match its pattern`, null, index);
    return value;
  };
  const permitted = (value: Value, index: number, view: View): Value | null => {
    if (allowed === null) return value;
    const own = allowed.get(foldName(asText(value)));
    if (own !== undefined) return typeof value === "string" && typeof own === "string" ? own : value;
    const some = [...allowed.values()].slice(0, 10).map(literalText).join(", ");
    return view.report("value-not-allowed", `${quoteCell(asText(value))} is none of ${some}`, null, index);
  };
  const read: Reader["read"] = (cell, cellKind, index, view) => {
    const purpose = rules.identity() ? "identity" : lookup === null ? "value" : "map";
    let fault = cells.fault(cell, cellKind, purpose);
    let kind: CellKind = typed ? cellKind : "text";
    let text = kind === cellKind ? cell : cells.text(cell, cellKind);
    if (fault === null && lookup !== null) {
      const shown = cells.text(cell, cellKind);
      const mapped = lookup.get(shown) ?? lookup.get(foldName(shown)) ?? otherwise;
      if (mapped !== undefined) {
        text = literalText(mapped);
        kind = kindOf(mapped);
      } else if (keep) fault = cells.fault(cell, cellKind, rules.identity() ? "identity" : "value");
      else return view.report("value-unmapped", `${quoteCell(shown)} is not listed in its map`, null, index);
    }
    if (fault !== null) return view.report(fault.code, fault.message, fault.hint, index);
    if (text === "") return undefined;
    const given = rules.convert === undefined ? convert : rules.convert(view);
    if (given === null) return null;
    const result = given(text, kind);
    if ("problem" in result)
      return view.report(result.problem.code, result.problem.message, result.problem.hint, index);
    const value = typeof result.value === "object" ? result.value.rawJSON : result.value;
    if (value === "") return undefined;
    const own = typeof value === "number" && typeOf(name) === "number" ? String(value) : value;
    const spelt = permitted(typeof own === "string" ? (rules.words?.get(foldName(own)) ?? own) : own, index, view);
    return spelt === null ? null : finish(spelt, index, view);
  };
  const reader: Reader = { type: typeOf(name), fallback: undefined, required: spec.required === true, read };
  if (spec.default !== undefined) {
    const fallback = compileDefault(spec.default, name, convert, report);
    if (fallback === undefined) return null;
    reader.fallback = fallback;
  }
  return reader;
}

function compileDefault(literal: Scalar, name: ConversionName, convert: Conversion, report: Report): Value | undefined {
  const text = literalText(literal);
  if (text === "" && typeOf(name) === "text") return "";
  const result = convert(text, kindOf(literal));
  if ("value" in result) {
    const { value } = result;
    if (typeof value === "object") return value.rawJSON;
    return typeOf(name) === "number" ? String(value) : value;
  }
  report(["default"], result.problem.code, `${result.problem.message}.`, result.problem.hint);
  return undefined;
}

/** By text as written and by folded text. */
function compileMap(map: NonNullable<ColumnObject["map"]>, report: Report): ReadonlyMap<string, Scalar> {
  const known = new Map<string, Scalar>();
  const first = new Map<string, string>();
  for (const [text, value] of Object.entries(map)) {
    known.set(text, value);
    const folded = foldName(text);
    const other = first.get(folded);
    if (other === undefined) {
      first.set(folded, text);
      if (!Object.hasOwn(map, folded)) known.set(folded, value);
    } else if (literalText(map[other] ?? "") !== literalText(value)) {
      const message = `"${other}" and "${text}" are one text, for case, accents and white space do not count, and have two values.`;
      report(["map", text], "mapping-value", message);
    }
  }
  return known;
}

/** Undefined: it cannot be used. */
function compilePattern(pattern: string, report: Report) {
  try {
    return compileRegularExpression(pattern);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    report(["pattern"], "mapping-pattern", `Pattern: ${why}.`);
    return undefined;
  }
}

/** The kind of a value that is a constant. */
export function kindOf(value: Scalar | Value): "text" | "number" | "boolean" {
  return typeof value === "string" ? "text" : typeof value === "boolean" ? "boolean" : "number";
}

/** Cells of one column, of the row or of the group that is looked at. */
export interface CellReading {
  /** The value at a position of the header, before its default: the row's, or that on which the group's rows agree. */
  at: (view: View, index: number) => Value | undefined | null;
  /** Whether the cell holds something, readable or not; of a group: a cell of one of its rows. */
  filled: (view: View, index: number) => boolean;
}

export function cellReading(reader: Reader, cells: Cells): CellReading {
  const textAt = ({ cells: texts, kinds }: Row | View, index: number): string =>
    cells.text(texts[index] ?? "", kinds?.[index] ?? "text");
  const holds = (text: string) => text !== "" && cleanText(text) !== "";
  const valueOf = ({ cells: texts, kinds }: Row | View, index: number, view: View): Value | undefined | null => {
    const kind = kinds?.[index] ?? "text";
    const text = cells.raw(texts[index] ?? "", kind);
    return text === "" ? undefined : reader.read(text, kind, index, view);
  };
  /** Two spellings of one value agree; each cell that cannot be read is reported. */
  const agreed = (members: readonly Row[], index: number, view: View): Value | undefined | null => {
    const read = new Set<string>();
    let found: { value: Value; text: string } | undefined;
    let unreadable = false;
    for (const member of members) {
      const text = textAt(member, index);
      const cell = `${member.kinds?.[index] ?? "text"} ${text}`;
      if (read.has(cell)) continue;
      read.add(cell);
      const value = valueOf(member, index, view);
      if (value === null) unreadable = true;
      else if (value !== undefined && found !== undefined && asText(value) !== asText(found.value)) {
        const [one, two] = [found.text, text].map((each) => JSON.stringify(shorten(each)));
        return view.report("group-differs", `rows of one group say ${one} and ${two}`, null, index);
      } else if (value !== undefined) found ??= { value, text };
    }
    return unreadable ? null : found?.value;
  };
  return {
    at: (view, index) => {
      if (index < 0) return undefined;
      return view.members === null ? valueOf(view, index, view) : agreed(view.members, index, view);
    },
    filled: (view, index) => {
      if (index < 0) return false;
      if (view.members === null) return holds(textAt(view, index));
      return view.members.some((member) => holds(textAt(member, index)));
    },
  };
}
