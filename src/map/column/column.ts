/** A column: from a header to a typed value. Converted when something in the row reads it, and once for the row. */
import { RowferryError } from "../../model/error.js";
import { isExactNumber } from "../../model/json.js";
import type { CellKind, Row } from "../../model/row.js";
import {
  compileConversion,
  type Conversion,
  type ConversionName,
  type ConversionSpec,
  type ConvertDefaults,
} from "../convert/conversion.js";
import { quoteCell } from "../convert/conversion-kind.js";
import { cleanText } from "../convert/text.js";
import { foldName, shorten } from "../../model/fold.js";
import { compileRegularExpression, typeOf, valueOf } from "../formula/functions.js";
import { type ColumnObject, commonOptions } from "../language/column-schema.js";
import type { Scalar } from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import type { Cells } from "./cells.js";
import { asText, literalText, type Type, type Value, type View } from "./view.js";

/** How one text becomes a value; the same for cells of files and of tables. */
export interface Reader {
  type: Type;
  /** What stands for a blank. */
  fallback: Value | undefined;
  /** `text` is not blank. Null: it cannot be read, and why has been reported at `index`. */
  read(text: string, kind: CellKind, index: number, view: View): Value | undefined | null;
}

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
  identity?: (() => boolean) | undefined;
}

function conversionOf(spec: ColumnObject): ConversionSpec & { name: ConversionName } {
  const options = Object.entries(spec).filter(([name, value]) => !commonOptions.has(name) && value !== undefined);
  return { name: spec.as ?? "text", ...Object.fromEntries(options) };
}

/** Null: it cannot be used, and why has been reported. */
export function compileReader(spec: ColumnObject, site: Site, rules: CellRules): Reader | null {
  const { cells, conversions, words, identity = () => false } = rules;
  const name = spec.as ?? "text";
  let own: Conversion;
  try {
    own = conversions.get(rules.convert === undefined ? conversionOf(spec) : "text");
  } catch (error) {
    if (!(error instanceof RowferryError)) throw error;
    return site.reportAt(["as"], error.code, `: ${error.message}.`, error.hint);
  }
  const convert = rules.convert ?? (() => own);
  const map = spec.map === undefined ? null : compileMap(spec.map, site);
  if (spec.otherwise !== undefined && map === null)
    site.reportAt(["otherwise"], "mapping-value", ": `otherwise` needs a `map`.");
  const accept = compileRules(spec, site);
  const fallback = spec.default === undefined ? undefined : compileDefault(spec.default, name, own, site);
  if (accept === null || fallback === null) return null;
  const keep = typeof spec.otherwise === "object" && !isExactNumber(spec.otherwise);
  const otherwise = keep ? undefined : (spec.otherwise as Scalar | undefined);

  const read: Reader["read"] = (cell, cellKind, index, view) => {
    const purpose = identity() ? "identity" : "value";
    let kind: CellKind = TYPED.has(name) ? cellKind : "text";
    let text = kind === cellKind ? cell : cells.text(cell, cellKind);
    let fault = cells.fault(cell, cellKind, purpose === "value" && map !== null ? "map" : purpose);
    if (fault === null && map !== null) {
      const shown = cells.text(cell, cellKind);
      const mapped = map.get(shown) ?? map.get(foldName(shown)) ?? otherwise;
      if (mapped !== undefined) {
        text = literalText(mapped);
        kind = kindOf(mapped);
      } else if (keep) fault = cells.fault(cell, cellKind, purpose);
      else return view.report("value-unmapped", `${quoteCell(shown)} is not listed in its map`, null, index);
    }
    if (fault !== null) return view.report(fault.code, fault.message, fault.hint, index);
    const conversion = text === "" ? undefined : convert(view);
    if (conversion == null) return conversion;
    const result = conversion(text, kind);
    if ("problem" in result)
      return view.report(result.problem.code, result.problem.message, result.problem.hint, index);
    const value = valueOf(result.value, name);
    if (value === "") return undefined;
    return accept(typeof value === "string" ? (words?.get(foldName(value)) ?? value) : value, index, view);
  };
  return { type: typeOf(name), fallback, read };
}

/** `oneOf` and `pattern`. Null: they cannot be used. */
function compileRules({ oneOf, pattern }: ColumnObject, site: Site) {
  const allowed = oneOf === undefined ? null : new Map(oneOf.map((one) => [foldName(literalText(one)), one]));
  let matcher: ReturnType<typeof compileRegularExpression> | null = null;
  try {
    matcher = pattern === undefined ? null : compileRegularExpression(pattern);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return site.reportAt(["pattern"], "mapping-pattern", `: Pattern: ${why}.`);
  }
  return (value: Value, index: number, view: View): Value | null => {
    const own = allowed?.get(foldName(asText(value)));
    if (allowed !== null && own === undefined) {
      const some = [...allowed.values()].slice(0, 10).map(literalText).join(", ");
      return view.report("value-not-allowed", `${quoteCell(asText(value))} is none of ${some}`, null, index);
    }
    const spelt = typeof value === "string" && typeof own === "string" ? own : value;
    const text = asText(spelt);
    if (matcher === null || matcher.matchesWhole(text)) return spelt;
    return view.report("value-pattern", `${quoteCell(text)} does not match its pattern`, null, index);
  };
}

function compileDefault(literal: Scalar, name: ConversionName, convert: Conversion, site: Site): Value | null {
  const text = literalText(literal);
  if (text === "" && typeOf(name) === "text") return "";
  const result = convert(text, kindOf(literal));
  if ("value" in result) return valueOf(result.value, name);
  return site.reportAt(["default"], result.problem.code, `: ${result.problem.message}.`, result.problem.hint);
}

/** By text as written and by folded text. */
function compileMap(map: NonNullable<ColumnObject["map"]>, site: Site): ReadonlyMap<string, Scalar> {
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
      const message = `: "${other}" and "${text}" are one text, for case, accents and white space do not count, and have two values.`;
      site.reportAt(["map", text], "mapping-value", message);
    }
  }
  return known;
}

/** The kind of a value that is a constant. */
export function kindOf(value: Scalar): "text" | "number" | "boolean" {
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
  const valueAt = ({ cells: texts, kinds }: Row | View, index: number, view: View): Value | undefined | null => {
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
      const value = valueAt(member, index, view);
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
      return view.members === null ? valueAt(view, index, view) : agreed(view.members, index, view);
    },
    filled: (view, index) => index >= 0 && (view.members ?? [view]).some((member) => holds(textAt(member, index))),
  };
}

export class Conversions {
  readonly defaults: ConvertDefaults;
  readonly #known = new Map<string, Conversion>();

  constructor(defaults: ConvertDefaults) {
    this.defaults = defaults;
  }

  /** @throws RowferryError as `compileConversion` does. */
  get(spec: ConversionSpec): Conversion {
    const name = typeof spec === "string" ? spec : JSON.stringify(spec);
    let conversion = this.#known.get(name);
    if (conversion === undefined) {
      conversion = compileConversion(spec, this.defaults);
      if (this.#known.size > 1000) this.#known.clear();
      this.#known.set(name, conversion);
    }
    return conversion;
  }

  /** Where nothing is known of a country or of a type of tax ids, the text is taken as it stands. */
  orText(spec: ConversionSpec): Conversion {
    try {
      return this.get(spec);
    } catch (error) {
      if (error instanceof RowferryError) return this.get("text");
      throw error;
    }
  }
}
