/** Tables beside a mapping: their columns are read as those of inputs are, once, when the mapping loads. */
import type { Row } from "../../model/row.js";
import { foldName, shorten, squeeze } from "../../model/fold.js";
import { didYouMean } from "../nearest.js";
import type { ColumnObject, TableSpec } from "../language/column-schema.js";
import { Site } from "../language/site.js";
import type { MappingSource } from "../language/source.js";
import type { Cells } from "./cells.js";
import { compileReader, type Conversions, type Reader } from "./column.js";
import { refuseName } from "./names.js";
import { asText, type Type, type Value, View } from "./view.js";

export interface Table {
  /** How many keys it is asked by. */
  keys: number;
  columns: ReadonlyMap<string, { type: Type }>;
  missing: "refuse" | "blank";
  /** The row of these keys; undefined: it has none. */
  row(keys: readonly string[]): ReadonlyMap<string, Value> | undefined;
  /** What one of its columns is, for fingerprints. */
  tree(column: string): string;
  /** What a column says by folded key, as texts that tell two answers apart. */
  entries(column: string): ReadonlyMap<string, string>;
}

/** A table's file as it was read. */
export interface TableFile {
  header: readonly string[];
  rows: readonly Row[];
}

/** Null: it cannot be used, and why has been reported. */
export function compileTable(
  name: string,
  spec: TableSpec,
  file: TableFile,
  source: MappingSource,
  shared: { cells: Cells; conversions: Conversions },
): Table | null {
  const site = new Site(source, ["tables", name], `table "${name}"`);
  const view = new View(file.header, { file: spec.file, sheet: null });
  const headers = file.header.map(squeeze);
  const before = source.problems.length;
  const find = (header: string, place: Site): number => {
    const exact = headers.flatMap((text, index) => (text === squeeze(header) ? [index] : []));
    const found =
      exact.length > 0 ? exact : headers.flatMap((text, index) => (foldName(text) === foldName(header) ? [index] : []));
    if (found.length === 1) return found[0] ?? -1;
    const what = found.length > 1 ? `has ${found.length} columns` : "has no column";
    place.report("mapping-lookup", `: ${spec.file} ${what} "${header}".${didYouMean(header, headers)}`);
    return -1;
  };
  const keys = [spec.key].flat().map((header) => find(header, site.at("key", site.label)));
  const columns = new Map<string, Reader & { index: number; spec: ColumnObject }>();
  for (const [called, written] of Object.entries(spec.columns)) {
    const place = site.at("columns").at(called, `${site.label}: column "${called}"`);
    refuseName(called, source, place.path);
    const column: ColumnObject = typeof written === "string" ? { header: written } : written;
    const [header] = [column.header ?? []].flat();
    if (header === undefined || header.startsWith("=") || column.headers !== undefined) {
      place.report("mapping-value", ": a table's column is a header, or `{ header: … }` with its type.");
      continue;
    }
    const reader = compileReader(column, place, shared);
    columns.set(called, { ...reader, index: find(header, place), spec: column });
  }
  const rows = new Map<string, Map<string, Value>>();
  const written = new Map<string, string>();
  for (const row of source.problems.length > before ? [] : file.rows) {
    view.look(row, null);
    const texts = keys.map((index) => shared.cells.text(row.cells[index] ?? "", "text"));
    if (texts.includes("")) continue;
    const values = new Map<string, Value>();
    for (const [called, { read, index, fallback }] of columns) {
      const text = shared.cells.raw(row.cells[index] ?? "", "text");
      const value = text === "" ? fallback : (read(text, "text", index, view) ?? undefined);
      if (value !== undefined) values.set(called, value);
    }
    const [problem] = view.problems;
    if (problem !== undefined) {
      site.at("file").report("mapping-lookup", `: ${spec.file}, row ${row.number}: ${problem.message}.`, problem.hint);
      return null;
    }
    const key = keyOf(texts);
    const other = rows.get(key);
    if (other === undefined) {
      rows.set(key, values);
      written.set(key, texts.join(", "));
    } else if (said(other) !== said(values)) {
      const [one, two] = [written.get(key) ?? "", texts.join(", ")].map((text) => JSON.stringify(shorten(text)));
      const same =
        one === two
          ? `gives ${one} two rows`
          : `gives two rows to ${one} and ${two}, which are one text: case, accents and white space do not count`;
      site.at("file").report("mapping-lookup", `: ${spec.file} ${same}.`);
      return null;
    }
  }
  if (source.problems.length > before) return null;
  return {
    keys: keys.length,
    columns,
    missing: spec.missing ?? "refuse",
    row: (texts) => rows.get(keyOf(texts)),
    tree: (column) =>
      JSON.stringify([spec.file, spec.key, columns.get(column)?.spec, spec.missing, shared.conversions.defaults]),
    entries: (column) =>
      new Map(
        [...rows].flatMap(([key, values]) => (values.has(column) ? [[key, asText(values.get(column) ?? "")]] : [])),
      ),
  };
}

function keyOf(texts: readonly string[]): string {
  return texts.map(foldName).join("\u0000");
}

function said(values: ReadonlyMap<string, Value>): string {
  return JSON.stringify([...values].map(([name, value]) => [name, asText(value)]));
}
