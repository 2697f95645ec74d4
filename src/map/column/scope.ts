/** The columns, tables and functions that one input's formulas see. Columns are compiled when a formula first names them. */
import { createHash } from "node:crypto";
import type { Conversion } from "../convert/conversion.js";
import { taxIdTypeOf } from "../convert/tax-id.js";
import { foldName, squeeze } from "../../model/fold.js";
import { compileFormula } from "../formula/formula.js";
import type { FunctionKind } from "../formula/functions.js";
import { type Column, type Formula, type FormulaNames, newReads, type Part, take } from "../formula/part.js";
import { compileGlob } from "../../model/glob.js";
import type { ColumnObject, ColumnSpec } from "../language/column-schema.js";
import { Site } from "../language/site.js";
import type { MappingSource, Path } from "../language/source.js";
import type { Cells } from "./cells.js";
import { cellReading, compileReader, type Conversions, type Reader } from "./column.js";
import type { HeaderUse } from "./headers.js";
import { refuseName } from "./names.js";
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
}

export class Scope implements FormulaNames {
  readonly source: MappingSource;
  readonly conversions: Conversions;
  readonly functionKinds: Shared["functionKinds"];
  readonly functions: Shared["functions"];
  readonly tables: Shared["tables"];
  /** Whether the rows of a group are looked at together. */
  grouped = false;
  /** Of each `by` column, all words of `is`: by their folded form as they are spelt. */
  readonly words = new Map<string, Map<string, string>>();
  readonly #cells: Cells;
  readonly #sites = new Map<string, { spec: ColumnSpec; site: Site }>();
  /** Undefined: it is being compiled. */
  readonly #columns = new Map<string, Column | null | undefined>();
  #slots = 0;

  constructor(shared: Shared, own: { [name: string]: ColumnSpec }, path: Path) {
    this.source = shared.source;
    this.conversions = shared.conversions;
    this.functionKinds = shared.functionKinds;
    this.functions = shared.functions;
    this.tables = shared.tables;
    this.#cells = shared.cells;
    const add = (specs: { [name: string]: ColumnSpec }, at: Path) => {
      for (const [name, spec] of Object.entries(specs))
        this.#sites.set(name, { spec, site: new Site(this.source, [...at, "columns", name], `column "${name}"`) });
    };
    add(shared.columns, []);
    add(own, path);
    for (const [name, { site }] of this.#sites) refuseName(name, this.source, site.path);
  }

  names(): IterableIterator<string> {
    return this.#sites.keys();
  }

  slot(): number {
    return this.#slots++;
  }

  /** Undefined: there is none. Null: it has a mistake, which has been reported. */
  column(name: string): Column | undefined | null {
    const written = this.#sites.get(name);
    if (written === undefined) return undefined;
    const { spec, site } = written;
    if (!this.#columns.has(name)) {
      this.#columns.set(name, undefined);
      const formula = typeof spec === "string" && spec.startsWith("=") ? spec.slice(1) : null;
      const column =
        formula === null
          ? this.#cellColumn(name, typeof spec === "string" ? { header: spec } : spec, site)
          : this.#formulaColumn(name, formula, site);
      this.#columns.set(name, column);
    }
    const column = this.#columns.get(name);
    return column === undefined ? site.report("mapping-expression", " is made of itself.") : column;
  }

  /** Every column that some formula has named so far. */
  compiled(): Column[] {
    return [...this.#columns.values()].filter((column) => column != null);
  }

  /** Compiles the input's own columns too that nothing reads, so that their mistakes are told. */
  compileRest(): void {
    for (const [name, { site }] of this.#sites) if (site.path.length > 2) this.column(name);
  }

  /** In a group: one value where it is over the group's rows, else that on which the rows agree. */
  #formulaColumn(name: string, text: string, site: Site): Column | null {
    const formula = compileFormula(text, site.path, this);
    if (formula === null) return null;
    const slot = this.slot();
    const { run, reads, type, column } = formula;
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
        return view.report("group-differs", `column "${name}": rows of one group give ${one} and ${two}`);
      return unreadable ? null : found.values().next().value;
    };
    const tree = `#${createHash("sha256").update(formula.tree).digest("hex").slice(0, 32)}(`;
    const read: Eval = (view) => view.once(slot, false, compute);
    const { as, taxId } = column ?? { as: null, taxId: null };
    return { name, slot, type, as, read, filled: null, use: null, set: null, reads, tree, identity: false, taxId };
  }

  /** A header, or a set of them. */
  #cellColumn(name: string, spec: ColumnObject, site: Site): Column | null {
    const { header, headers, required } = spec;
    if (header === undefined && headers === undefined)
      return site.reportName(
        "mapping-value",
        " names no header.",
        `Write \`${name}: Header\`, or \`${name}: { header: … }\`.`,
      );
    if (headers === undefined && spec.except !== undefined)
      site.at("except").reportName("mapping-value", " belongs to `headers`.");
    for (const other of ["header", "nth", "optional", "required"] as const)
      if (headers !== undefined && spec[other] !== undefined)
        site.at(other).reportName("mapping-value", " has no meaning beside `headers`.");
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
    const reader = this.#reader(column, spec, site);
    if (reader === null) return null;
    const { fallback } = reader;
    const cell = cellReading(reader, this.#cells);
    column.reads.columns.add(column);
    column.type = reader.type;
    const valueAt = (view: View, index: number) => {
      const value = cell.at(view, index);
      return value === undefined ? fallback : value;
    };
    if (headers !== undefined) {
      const [fits, ...excluded] = [headers, ...(spec.except ?? [])].map(compileGlob);
      const isIn = (text: string) => fits?.(text) === true && !excluded.some((test) => test(text));
      column.set = { pattern: headers, fits: isIn, at: valueAt };
      return column;
    }
    const indexOf = (view: View) => view.index[slot] ?? -1;
    const compute: Eval = (view) => {
      const value = valueAt(view, indexOf(view));
      if (value !== undefined || required !== true) return value;
      return view.report("value-required", `column "${name}" is blank`, null, column);
    };
    const nth = nthOf(spec.nth, site);
    column.use = { name, headers: [header ?? []].flat(), optional: spec.optional === true, nth };
    column.filled = (view) => fallback !== undefined || cell.filled(view, indexOf(view));
    column.read = (view) => view.once(slot, false, compute);
    return column;
  }

  #reader(column: Column, spec: ColumnObject, site: Site): Reader | null {
    const words = this.words.get(column.name);
    const { conversions } = this;
    const rules = { cells: this.#cells, conversions, words, identity: () => column.identity };
    if (spec.as !== "taxId") return compileReader(spec, site, rules);
    const { type, country } = spec as { type?: string; country?: string };
    const said = (option: "type" | "country", text?: string): string | Formula | null => {
      if (text === undefined || !text.startsWith("=")) return text ?? null;
      const formula = compileFormula(text.slice(1), [...site.path, option], this);
      if (formula === null) return null;
      take(column.reads, formula.reads);
      column.tree += formula.tree;
      return formula;
    };
    column.taxId = { type: said("type", type), country: said("country", country) };
    const parts = Object.entries(column.taxId);
    if (!parts.some(([, part]) => part !== null && typeof part === "object")) return compileReader(spec, site, rules);
    const convert = (view: View): Conversion | null => {
      const options: { [name: string]: string } = {};
      for (const [name, part] of parts) {
        const value = part !== null && typeof part === "object" ? part.run(view) : (part ?? undefined);
        if (value === null) return null;
        if (value !== undefined) options[name] = asText(value);
      }
      return conversions.orText({ name: "taxId", ...options });
    };
    return compileReader(spec, site, { ...rules, convert });
  }

  /** `.type` and `.country` of a tax id. */
  taxIdPart({ run, column }: Part, name: "type" | "country"): Eval {
    const said = column?.taxId?.[name] ?? null;
    const { country } = this.conversions.defaults;
    const own = column?.taxId?.country ?? country ?? "";
    return (view) => {
      const value = run(view);
      if (value == null) return value;
      if (typeof said === "string") return name === "type" ? said.toUpperCase() : said;
      if (said !== null) return said.run(view);
      if (name === "country") return country;
      const of = typeof own === "string" ? own : own.run(view);
      const type = of == null ? null : taxIdTypeOf(asText(value), asText(of));
      if (type !== null) return type;
      const message = `the type of the tax id ${JSON.stringify(asText(value))} cannot be told`;
      return view.report("tax-id-invalid", message, "Say its `type` in the column.", column);
    };
  }

  /** What makes its values, for fingerprints: of other headers only the first, and not how a blank or a file without it is taken. */
  #tree(name: string, spec: ColumnObject): string {
    const plain = spec.as === undefined || spec.as === "text";
    const [first] = [spec.header ?? []].flat();
    const counts = {
      ...spec,
      header: first === undefined ? undefined : foldName(squeeze(first)),
      as: plain ? undefined : spec.as,
      pattern: undefined,
      required: undefined,
      optional: undefined,
      words: [...(this.words.get(name)?.values() ?? [])].toSorted(),
      defaults: plain ? undefined : this.conversions.defaults,
    };
    return JSON.stringify(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function nthOf(text: string | undefined, site: Site): HeaderUse["nth"] {
  const [position, count] = (text ?? "").split(" of ").map(Number);
  if (position === undefined || count === undefined) return null;
  if (position > count) site.at("nth").report("mapping-value", `: "${text}" asks for more columns than there are.`);
  return { position, count };
}
