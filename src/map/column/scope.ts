/** What formulas and records of one input, or of a table, can name. A column is compiled when a formula first names it. */
import { createHash } from "node:crypto";
import { foldName, squeeze } from "../../model/fold.js";
import { compileGlob } from "../../model/glob.js";
import { type Conversion, defaultsOf } from "../convert/conversion.js";
import { attempt, quoteCell, Refused, type ConvertDefaults } from "../convert/conversion-kind.js";
import { hasTaxIds, taxIdTypesOf, typeSpelling } from "../convert/tax-id.js";
import { compileFormula } from "../formula/formula.js";
import { isBareFormula } from "../formula/parse.js";
import type { Callable, Part } from "../formula/part.js";
import type { ColumnObject, ColumnSpec } from "../language/column-schema.js";
import { Site } from "../language/site.js";
import type { MappingSource, Path } from "../language/source.js";
import {
  BROKEN,
  type Column,
  constantPiece,
  type KeyList,
  newReads,
  type Piece,
  type RecordParts,
  take,
} from "../piece.js";
import { type Cells, compileSpelling } from "./cells.js";
import { agreed, compileReader, type Conversions, type Reader } from "./column.js";
import type { HeaderUse } from "./headers.js";
import { refuseName } from "./names.js";
import type { Table } from "./table.js";
import { asText, type Eval, literalText, type TaxId, type View } from "./view.js";

export interface Shared {
  source: MappingSource;
  conversions: Conversions;
  cells: Cells;
  callables: ReadonlyMap<string, Callable>;
  /** Null: it has a mistake, already reported. */
  tables: ReadonlyMap<string, Table | null>;
  columns: { [name: string]: ColumnSpec };
  /** Names that `ref` may use, over all inputs and `elsewhere`, and how many parts their keys have; none: any number. */
  known: { [kinds in keyof RecordParts]: ReadonlyMap<string, ReadonlySet<number>> };
  /** Documents with another name in keys, by their label. */
  labels: ReadonlyMap<string, string>;
  /** The texts that formulas compare something with, over all inputs. */
  compared: Set<string>;
  /** Trees without the entries of lists. */
  isLean: boolean;
  /** Where `settings.late` keeps the original time; null: nowhere. */
  lateAttribute: string | null;
}

export class Scope {
  readonly shared: Shared;
  readonly records: RecordParts = { participants: new Map(), addresses: new Map(), documents: new Map() };
  /** The key of its groups, whose rows are read together. */
  group: Piece<string[]> | undefined;
  /** The words of `is` for each `by` column, by their folded form. */
  readonly words = new Map<string, Map<string, string>>();
  /** Those `by` columns of which another word still gives a key. */
  readonly open = new Set<string>();
  readonly #sites = new Map<string, { spec: ColumnSpec; site: Site }>();
  /** Null: it is being compiled. */
  readonly #columns = new Map<string, Column | null>();
  #slots = 0;

  constructor(shared: Shared, own: { [name: string]: ColumnSpec }, path: Path) {
    this.shared = shared;
    const name = (specs: { [name: string]: ColumnSpec }, at: Path) => {
      for (const [called, spec] of Object.entries(specs))
        this.#sites.set(called, { spec, site: new Site(this, [...at, "columns", called], `column "${called}"`) });
    };
    name(shared.columns, []);
    name(own, path);
    for (const [called, one] of this.#sites) {
      const better = refuseName(called, shared.source, one.site.path);
      // A formula that has the better name already is no second mistake.
      if (!this.#sites.has(better)) this.#sites.set(better, one);
    }
  }

  /** Adds the party of this name, if the mapping has one. */
  share: (kinds: "participants" | "addresses", name: string) => void = () => {};

  /** What decides which values are blank, for fingerprints. */
  get blanks(): string {
    return JSON.stringify([[...this.shared.cells.blank].toSorted(), this.group?.tree ?? ""]);
  }

  names(): IterableIterator<string> {
    return this.#sites.keys();
  }

  /** The name of the column that has this header. */
  headed(text: string): string | undefined {
    const isHeader = (header: string) => foldName(header) === foldName(text);
    return [...this.#sites].findLast(([, { spec }]) => {
      const headers = typeof spec === "string" ? spec : spec.header;
      return [headers ?? []].flat().some(isHeader);
    })?.[0];
  }

  /** A place for a row's computed value. */
  slot(): number {
    return this.#slots++;
  }

  column(name: string): Column | undefined {
    const written = this.#sites.get(name);
    if (written === undefined) return undefined;
    const { spec, site } = written;
    const known = this.#columns.get(name);
    if (known === null) site.report("mapping-expression", " depends on itself.");
    if (known !== undefined) return known ?? this.#broken(name);
    this.#columns.set(name, null);
    const column =
      typeof spec === "string" && spec.startsWith("=")
        ? this.#formulaColumn(name, spec.slice(1), site)
        : this.#cellColumn(name, typeof spec === "string" ? { header: spec } : spec, site);
    this.#columns.set(name, column);
    return column;
  }

  compiled(): Column[] {
    return [...this.#columns.values()].filter((column) => column !== null);
  }

  /** Also compiles its own unused columns, so that their mistakes are reported. */
  compileRest(): void {
    for (const [name, { site }] of this.#sites) if (site.path.length > 2) this.column(name);
  }

  #broken(name: string): Column {
    const own = { reads: newReads(), name, slot: this.slot(), identity: false, lists: [], spelling: new Set<string>() };
    return { ...BROKEN, ...own };
  }

  /** In a group: a value over its rows, or the value on which they agree. */
  #formulaColumn(name: string, text: string, site: Site): Column {
    const { run, reads, type, never, column, tree } = compileFormula(text, site);
    const own = this.#broken(name);
    const compute: Eval = (view) =>
      view.members === null || reads.others.has("group")
        ? run(view)
        : agreed(view, -1, `column "${name}": `, (give) =>
            view.eachMember(() => {
              const value = run(view);
              give(value, value == null ? undefined : asText(value, type));
            }),
          );
    const hashed = `#${createHash("sha256").update(tree).digest("hex").slice(0, 32)}`;
    return {
      ...own,
      type,
      never,
      as: column?.as,
      reads,
      tree: hashed,
      run: (view) => view.once(own.slot, false, compute),
    };
  }

  #cellColumn(name: string, spec: ColumnObject, site: Site): Column {
    const { header, headers, required, except } = spec;
    const column = this.#broken(name);
    if (header === undefined && headers === undefined) {
      const hint = `Write \`${name}: Header\`, or \`${name}: { header: … }\`.`;
      site.reportName("mapping-value", " names no header.", hint);
      return column;
    }
    if (headers === undefined && except !== undefined)
      site.at("except").reportName("mapping-value", " belongs to `headers`.");
    for (const other of ["header", "nth", "required", "fill"] as const)
      if (headers !== undefined && spec[other] !== undefined)
        site.at(other).reportName("mapping-value", " cannot be combined with `headers`.");
    const own = spec as ColumnObject & ConvertDefaults & { formats?: string[] };
    const defaults = { ...this.shared.conversions.defaults, ...own };
    const { slot } = column;
    Object.assign(column, {
      as: spec.as ?? "text",
      zone: spec.as === "timestamp" ? defaults.timezone : undefined,
      spell: compileSpelling({ ...defaults, dates: own.formats ?? defaults.dates }),
      lists: this.#lists(name, spec),
    });
    column.tree = this.#tree(column, spec);
    const reader = this.#reader(column, spec, site);
    column.reads.columns.add(column);
    column.type = reader.type;
    column.never = reader.never;
    column.spelling = reader.spelling;
    if (headers !== undefined) {
      const [fits, ...excluded] = [headers, ...(except ?? [])].map(compileGlob);
      const isIn = (text: string) => fits?.(text) === true && !excluded.some((test) => test(text));
      column.set = { pattern: headers, fits: isIn, at: reader.at, optional: spec.optional === true };
      return column;
    }
    const indexOf = (view: View) => view.index[slot] ?? -1;
    const compute: Eval = (view) => {
      const value = reader.at(view, indexOf(view));
      if (value !== undefined || required !== true) return value;
      return view.reportBlank(`column "${name}"`, column, "required");
    };
    const nth = nthOf(spec.nth, site);
    const told = [header ?? []].flat();
    const others = [...this.names()].filter((one) => one !== name);
    const isFormula = told.some((one) => isBareFormula(one, others));
    column.use = {
      name,
      headers: told,
      optional: spec.optional === true,
      nth,
      isFormula,
      fillsDown: spec.fill === "down",
    };
    const blanks = [...Object.values(spec.map ?? {}), spec.otherwise].some((value) => value === "");
    // Where the map makes blanks, only the value shows it.
    if (!blanks) column.filled = (view) => reader.filled(view, indexOf(view));
    column.run = (view) => view.once(slot, false, compute);
    return column;
  }

  #reader(column: Column, spec: ColumnObject, site: Site): Reader {
    const { conversions } = this.shared;
    const rules = { words: this.words.get(column.name), identity: () => column.identity };
    if (spec.as !== "taxId") return compileReader(spec, site, rules);
    const compileSaid = (option: "type" | "country") => {
      const text = (spec as { [option: string]: string | undefined })[option];
      if (text === undefined) return undefined;
      if (!text.startsWith("=")) return constantPiece(option === "type" ? text.toUpperCase() : text, "");
      const formula = compileFormula(text.slice(1), site.at(option));
      take(column.reads, formula.reads);
      column.tree += formula.tree + this.blanks;
      return formula;
    };
    const parts = { type: compileSaid("type"), country: compileSaid("country") };
    const given = Object.values(parts).filter((part) => part !== undefined);
    if (given.length === 0) return compileReader(spec, site, rules);
    const slot = this.slot();
    const compute: Eval<Omit<TaxId, "text">> = (view) => {
      const options: Omit<TaxId, "text"> = {};
      for (const option of ["type", "country"] as const) {
        const value = parts[option]?.run(view);
        if (value === null) return null;
        if (value !== undefined) options[option] = asText(value);
      }
      return options;
    };
    const said = (view: View) => view.once(slot, false, compute);
    const convert = (view: View): Conversion | null => {
      const options = said(view);
      if (options == null) return null;
      const own = attempt(() => conversions.get({ name: "taxId", ...options }));
      if (!(own instanceof Refused)) return own;
      const { message, hint } = own;
      return hasTaxIds(options.country ?? conversions.defaults.country)
        ? () => new Refused(message, "tax-id-invalid", hint)
        : conversions.get("text");
    };
    const isFixed = given.every((part) => part.constant !== undefined);
    const reader = compileReader(spec, site, isFixed ? rules : { ...rules, convert });
    return {
      ...reader,
      at: (view, index) => {
        const value = reader.at(view, index);
        return value == null ? value : { ...said(view), text: asText(value) };
      },
    };
  }

  /** Where its column says nothing: the mapping's country, and the type that the number itself tells. */
  taxIdPart({ run, column }: Part, name: "type" | "country"): Eval {
    const usual = this.shared.conversions.defaults.country;
    return (view) => {
      const value = run(view);
      if (value == null) return value;
      const { text, type, country = usual } = (typeof value === "object" ? value : { text: value }) as TaxId;
      if (name === "country" && country !== undefined) return country;
      if (name === "type" && type !== undefined) return country === undefined ? type : typeSpelling(type, country);
      const types = country === undefined ? [] : taxIdTypesOf(text, country);
      if (types.length === 1) return types[0];
      const may = types.length === 0 ? "" : `: it may be ${types.join(" or ")}`;
      const message = `the ${name} of the tax id ${quoteCell(text)} is ${name === "type" ? "ambiguous" : "blank"}${may}`;
      const hint = `Give its \`${name}\` in the column${types.length === 0 ? "" : `, such as \`type: ${types[0]}\``}.`;
      return view.report("tax-id-invalid", message, hint, column);
    };
  }

  /** Another entry of one of them changes no value that was read before. */
  #lists(name: string, spec: ColumnObject): KeyList[] {
    const isDate = spec.as === "date" || spec.as === "timestamp";
    const dates = isDate ? this.shared.conversions.defaults.dates : undefined;
    const { map, oneOf, units, formats = dates } = spec as { [list: string]: object | undefined };
    const open = [this.open.has(name) && "words", spec.otherwise !== undefined && "map"];
    return Object.entries({ words: this.words.get(name), map, oneOf, units, formats }).flatMap(([list, all]) => {
      if (all === undefined) return [];
      const written = Object.entries(all).map(([text, value]): [string, string] => [
        foldName(Array.isArray(all) ? literalText(value as string) : text),
        JSON.stringify(value),
      ]);
      const entries = all instanceof Map ? all : new Map(written);
      return { name: list, entries, fallback: open.includes(list), keeps: list === "formats" };
    });
  }

  /** What determines its values, for fingerprints: only the first of its headers. */
  #tree({ name, lists }: Column, spec: ColumnObject): string {
    const { as = "text" } = spec;
    const [first] = [spec.header ?? []].flat();
    const counts = {
      ...spec,
      header: first === undefined ? undefined : foldName(squeeze(first)),
      as: as === "text" ? undefined : as,
      pattern: undefined,
      required: undefined,
      optional: undefined,
      words: [...(this.words.get(name)?.values() ?? [])].toSorted(),
      defaults: defaultsOf({ ...spec, as }, this.shared.conversions.defaults),
      blanks: spec.default === undefined ? undefined : this.blanks,
    };
    if (this.shared.isLean) {
      for (const { name: list, keeps } of lists) Object.assign(counts, { [list]: keeps ? undefined : true });
      delete counts.defaults.dates;
    }
    return JSON.stringify(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function nthOf(text: string | undefined, site: Site): HeaderUse["nth"] {
  const [position, count] = (text ?? "").split(" of ").map(Number);
  if (position === undefined || count === undefined) return null;
  if (position > count) site.at("nth").report("mapping-value", `: "${text}" asks for more columns than there are.`);
  return { position, count };
}
