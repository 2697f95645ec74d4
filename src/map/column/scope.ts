/** The columns, tables and functions that one input's formulas see. Columns are compiled when a formula first names them. */
import { createHash } from "node:crypto";
import type { FunctionKind } from "../formula/functions.js";
import { compileFormula } from "../formula/formula.js";
import { type Column, type Formula, type FormulaNames, merged, newReads, type Part } from "../formula/part.js";
import { taxIdTypeOf } from "../convert/tax-id.js";
import type { Conversion } from "../convert/conversion.js";
import { foldName, squeeze } from "../fold.js";
import { compileGlob } from "../glob.js";
import type { ColumnObject, ColumnSpec } from "../language/column-schema.js";
import { Site } from "../language/site.js";
import type { MappingSource, Path } from "../language/source.js";
import type { Cells } from "./cells.js";
import { cellReading, compileReader, conversionOf } from "./column.js";
import type { Conversions } from "./conversions.js";
import { refuseName } from "./names.js";
import type { HeaderUse } from "./headers.js";
import type { Table } from "./table.js";
import { asText, type Eval, type Value, type View } from "./view.js";

/** What all inputs of a mapping share. */
export interface Shared {
  source: MappingSource;
  conversions: Conversions;
  cells: Cells;
  functionKinds: ReadonlyMap<string, FunctionKind>;
  functions: ReadonlyMap<string, (...values: unknown[]) => unknown>;
  tables: ReadonlyMap<string, Table | null>;
  /** Top-level columns. */
  columns: { [name: string]: ColumnSpec };
  /** Tables and functions that some formula reads. */
  used: Set<string>;
}

export class Scope implements FormulaNames {
  readonly source: MappingSource;
  readonly conversions: Conversions;
  readonly cells: Cells;
  readonly functionKinds: Shared["functionKinds"];
  readonly functions: Shared["functions"];
  /** Whether the rows of a group are looked at together. */
  grouped: boolean;
  readonly #shared: Shared;
  readonly #specs = new Map<string, { spec: ColumnSpec; path: Path }>();
  readonly #columns = new Map<string, Column | null>();
  readonly #open = new Set<string>();
  /** Of each `by` column, all words of `is`: by their folded form as they are spelt. */
  readonly words = new Map<string, Map<string, string>>();
  #slots = 0;

  constructor(shared: Shared, own: { [name: string]: ColumnSpec }, path: Path, grouped: boolean) {
    this.#shared = shared;
    this.source = shared.source;
    this.conversions = shared.conversions;
    this.cells = shared.cells;
    this.functionKinds = shared.functionKinds;
    this.functions = shared.functions;
    this.grouped = grouped;
    for (const [name, spec] of Object.entries(shared.columns)) this.#specs.set(name, { spec, path: ["columns", name] });
    for (const [name, spec] of Object.entries(own)) this.#specs.set(name, { spec, path: [...path, "columns", name] });
    for (const [name, { path: place }] of this.#specs) refuseName(name, this.source, place);
  }

  names(): IterableIterator<string> {
    return this.#specs.keys();
  }

  has(name: string): boolean {
    return this.#specs.has(name);
  }

  slot(): number {
    return this.#slots++;
  }

  tableNames(): Iterable<string> {
    return this.#shared.tables.keys();
  }

  /** Null: there is none, or none that can be used. */
  table(name: string): Table | null {
    this.#shared.used.add(name);
    return this.#shared.tables.get(name) ?? null;
  }

  /** Undefined: there is none. Null: it has a mistake, which has been reported. */
  column(name: string): Column | undefined | null {
    const known = this.#columns.get(name);
    if (known !== undefined) return known;
    const written = this.#specs.get(name);
    if (written === undefined) return undefined;
    const site = new Site(this.source, written.path, `column "${name}"`);
    if (this.#open.has(name)) return site.report("mapping-expression", " is made of itself.");
    this.#open.add(name);
    const column = this.#compile(name, written.spec, site);
    this.#open.delete(name);
    this.#columns.set(name, column);
    return column;
  }

  /** Every column that some formula has named so far. */
  compiled(): Column[] {
    return [...this.#columns.values()].filter((column) => column !== null);
  }

  /** Compiles the input's own columns too that nothing reads, so that their mistakes are told. */
  compileRest(path: Path): void {
    for (const [name, { path: place }] of this.#specs) if (place[0] === path[0]) this.column(name);
  }

  #compile(name: string, spec: ColumnSpec, site: Site): Column | null {
    if (typeof spec === "string" && spec.startsWith("=")) return this.#formula(name, spec.slice(1), site);
    const written: ColumnObject = typeof spec === "string" ? { header: spec } : spec;
    return written.headers === undefined ? this.#header(name, written, site) : this.#set(name, written, site);
  }

  /** In a group: one value where it is over the group's rows, else that on which the rows agree. */
  #formula(name: string, text: string, site: Site): Column | null {
    const formula = compileFormula(text, site.path, this);
    if (formula === null) return null;
    const slot = this.slot();
    const { run, reads } = formula;
    const compute: Eval = (view) => {
      if (view.members === null || reads.aggregate) return run(view);
      const found = new Map<string, Value>();
      let unreadable = false;
      view.eachMember(() => {
        const value = run(view);
        if (value === null) unreadable = true;
        else if (value !== undefined) found.set(asText(value), value);
      });
      const [one, two] = [...found.keys()].map((each) => JSON.stringify(each));
      if (!unreadable && two !== undefined)
        return view.report("group-differs", `column "${name}": rows of one group give ${one} and ${two}`, null, -1);
      return unreadable ? null : found.values().next().value;
    };
    const tree = `#${createHash("sha256").update(formula.tree).digest("hex").slice(0, 32)}(`;
    const none = {
      as: formula.column?.as ?? null,
      filled: null,
      use: null,
      set: null,
      identity: false,
      taxId: formula.column?.taxId ?? null,
    };
    return { ...none, name, slot, type: formula.type, reads, tree, read: (view) => view.once(slot, false, compute) };
  }

  #header(name: string, spec: ColumnObject, site: Site): Column | null {
    if (spec.header === undefined)
      return site.reportName(
        "mapping-value",
        " names no header.",
        `Write \`${name}: Header\`, or \`${name}: { header: … }\`.`,
      );
    const nth = this.#nth(spec.nth, site);
    const slot = this.slot();
    const column: Column = {
      name,
      slot,
      type: "text",
      as: spec.as ?? "text",
      read: () => undefined,
      filled: null,
      use: { name, headers: [spec.header].flat(), optional: spec.optional === true, nth },
      set: null,
      reads: newReads(),
      tree: this.#tree(name, spec),
      identity: false,
      taxId: null,
    };
    const reader = this.#reader(column, spec, site);
    if (reader === null) return null;
    const { fallback, required } = reader;
    const cell = cellReading(reader, this.cells);
    const indexOf = (view: View) => view.index[slot] ?? -1;
    column.reads.columns.add(column);
    column.type = reader.type;
    column.filled = (view) => fallback !== undefined || cell.filled(view, indexOf(view));
    const compute: Eval = (view) => {
      const value = cell.at(view, indexOf(view));
      if (value !== undefined) return value;
      if (fallback !== undefined) return fallback;
      return required ? view.report("value-required", `column "${name}" is blank`, null, indexOf(view)) : undefined;
    };
    column.read = (view) => view.once(slot, false, compute);
    return column;
  }

  #set(name: string, spec: ColumnObject, site: Site): Column | null {
    const slot = this.slot();
    const column: Column = {
      name,
      slot,
      type: "text",
      as: spec.as ?? "text",
      read: () => undefined,
      filled: null,
      use: null,
      set: null,
      reads: newReads(),
      tree: this.#tree(name, spec),
      identity: false,
      taxId: null,
    };
    for (const other of ["header", "nth", "optional", "required"] as const)
      if (spec[other] !== undefined) site.at(other).reportName("mapping-value", " has no meaning beside `headers`.");
    const reader = this.#reader(column, spec, site);
    if (reader === null) return null;
    const pattern = spec.headers ?? "";
    const [fits, ...excluded] = [pattern, ...(spec.except ?? [])].map(compileGlob);
    const cell = cellReading(reader, this.cells);
    column.type = reader.type;
    column.reads.columns.add(column);
    column.set = {
      pattern,
      fits: (header) => fits?.(header) === true && !excluded.some((test) => test(header)),
      at: (view, index) => {
        const value = cell.at(view, index);
        return value === undefined ? reader.fallback : value;
      },
    };
    return column;
  }

  #reader(column: Column, spec: ColumnObject, site: Site) {
    if (spec.except !== undefined && spec.headers === undefined)
      site.at("except").reportName("mapping-value", " belongs to `headers`.");
    const words = this.words.get(column.name);
    const report = (path: Path, code: Parameters<Site["report"]>[0], message: string, hint?: string | null) =>
      this.source.report(code, [...site.path, ...path], `${site.label}: ${message}`, hint == null ? {} : { hint });
    const identity = () => column.identity;
    const rules = { cells: this.cells, conversions: this.conversions, words, identity };
    if (spec.as !== "taxId") return compileReader(spec, report, rules);
    const options = conversionOf(spec) as { type?: string; country?: string };
    const said = (option: "type" | "country"): string | Formula | null => {
      const text = options[option];
      if (text === undefined || !text.startsWith("=")) return text ?? null;
      const formula = compileFormula(text.slice(1), [...site.path, option], this);
      if (formula === null) return null;
      column.reads = merged([column.reads, formula.reads]);
      column.tree += formula.tree;
      return formula;
    };
    const taxId = { type: said("type"), country: said("country") };
    column.taxId = taxId;
    if (typeof taxId.type !== "object" && typeof taxId.country !== "object") return compileReader(spec, report, rules);
    const convert = (view: View): Conversion | null => {
      const [type, country] = [taxId.type, taxId.country].map((one) =>
        typeof one === "object" ? one?.run(view) : one,
      );
      if ((type === null && taxId.type !== null) || (country === null && taxId.country !== null)) return null;
      const named = {
        ...(type == null ? {} : { type: asText(type) }),
        ...(country == null ? {} : { country: asText(country) }),
      };
      return this.conversions.orText({ name: "taxId", ...named });
    };
    return compileReader(spec, report, { ...rules, convert });
  }

  /** `.type` and `.country` of a tax id. */
  taxIdPart(given: Part, name: "type" | "country"): Eval {
    const said = given.column?.taxId?.[name] ?? null;
    const { country } = this.conversions.defaults;
    const own = given.column?.taxId?.country ?? country ?? "";
    return (view) => {
      const value = given.run(view);
      if (value == null) return value;
      if (said !== null)
        return typeof said === "string" ? (name === "type" ? said.toUpperCase() : said) : said.run(view);
      if (name === "country") return country;
      const of = typeof own === "string" ? own : own.run(view);
      const type = of == null ? null : taxIdTypeOf(asText(value), asText(of));
      if (type !== null) return type;
      const message = `the type of the tax id ${JSON.stringify(asText(value))} cannot be told`;
      const index = given.column === undefined ? -1 : (view.index[given.column.slot] ?? -1);
      return view.report("tax-id-invalid", message, "Say its `type` in the column.", index);
    };
  }

  #nth(text: string | undefined, site: Site): HeaderUse["nth"] {
    const [position, count] = (text ?? "").split(" of ").map(Number);
    if (position === undefined || count === undefined) return null;
    if (position > count) site.at("nth").report("mapping-value", `: "${text}" asks for more columns than there are.`);
    return { position, count };
  }

  /** Of other headers only the first counts, and how a blank or a file without it is taken does not. */
  #tree(name: string, spec: ColumnObject): string {
    const {
      header,
      headers,
      except,
      as,
      default: fallback,
      map,
      otherwise,
      oneOf,
      pattern: _,
      required,
      optional,
      nth,
      ...options
    } = spec;
    const main = header === undefined ? [headers, except] : foldName(squeeze([header].flat()[0] ?? ""));
    const plain = as === undefined || as === "text";
    const words = this.words.get(name);
    const rules = [map, otherwise, oneOf, words === undefined ? undefined : [...words.values()].toSorted()];
    void [required, optional];
    return JSON.stringify([
      main,
      nth,
      plain ? undefined : as,
      options,
      fallback,
      rules,
      plain ? 0 : this.conversions.defaults,
    ]);
  }
}
