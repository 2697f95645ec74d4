/** Tables next to a mapping: their columns are read as those of inputs are, once, when the mapping loads. */
import type { Row } from "../../model/row.js";
import { foldName } from "../../model/fold.js";
import { quoteCell } from "../convert/conversion-kind.js";
import type { TableSpec } from "../language/column-schema.js";
import { Site } from "../language/site.js";
import { fillDown, fillingColumns } from "../input/fill-down.js";
import type { Column } from "../piece.js";
import { openHeaders, type HeaderUse } from "./headers.js";
import { Scope, type Shared } from "./scope.js";
import { Exact } from "../convert/exact.js";
import { asText, type Value, View } from "./view.js";

export interface Table {
  /** How many keys it is asked by. */
  keys: number;
  columns: ReadonlyMap<string, Column>;
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
export function compileTable(name: string, spec: TableSpec, file: TableFile, shared: Shared): Table | null {
  const { source, cells } = shared;
  const before = source.problems.length;
  const scope = new Scope({ ...shared, columns: {} }, spec.columns, ["tables", name]);
  const site = new Site(scope, ["tables", name], `table "${name}"`);
  const refuse = (place: Site, message: string, hint?: string | null) =>
    place.report("mapping-lookup", `: ${spec.file}${message}.`, hint);
  const view = new View(file.header, { file: spec.file, sheet: null });
  const headers = openHeaders(file.header);
  const find = (use: HeaderUse, place: Site) => {
    const index = headers.index(use);
    for (const text of headers.missing.splice(0)) refuse(place, ` has no column ${text}`);
    for (const { message, hint } of headers.ambiguous.splice(0)) refuse(place, `: ${message}`, hint);
    return index;
  };
  const keys = [spec.key]
    .flat()
    .map((header) =>
      find(
        { name: header, headers: [header], optional: false, nth: null, isFormula: false, fillsDown: false },
        site.at("key", site.label),
      ),
    );
  const columns = new Map<string, Column>();
  for (const called of Object.keys(spec.columns)) {
    const place = site.at("columns").at(called, `${site.label}: column "${called}"`);
    const column = scope.column(called);
    if (column?.use === undefined) {
      place.report("mapping-value", ": a table's column is a header, or `{ header: … }` with its type.");
      continue;
    }
    columns.set(called, column);
    view.index[column.slot] = find(column.use, place);
  }
  const look = fillDown(fillingColumns([...columns.values()], view), file.header, (row) => view.look(row, null));
  const rows = new Map<string, { values: Map<string, Value>; shown: string; number: number }>();
  for (const row of source.problems.length > before ? [] : file.rows) {
    look(row);
    const texts = keys.map((index) => cells.text(row.cells[index] ?? "", "text"));
    if (texts.includes("")) continue;
    const values = new Map<string, Value>();
    for (const [called, { run }] of columns) {
      const value = run(view);
      if (value != null) values.set(called, value);
    }
    const [problem] = view.problems;
    if (problem !== undefined) {
      refuse(site.at("file"), `, row ${row.number}: ${problem.message}`, problem.hint);
      return null;
    }
    const shown = quoteCell(texts.join(", "));
    const other = rows.get(keyOf(texts));
    if (other === undefined) rows.set(keyOf(texts), { values, shown, number: row.number });
    else if (said(other.values) !== said(values)) {
      const same =
        other.shown === shown
          ? shown
          : `${other.shown} and ${shown}, which are the same text: case, accents and white space do not count`;
      refuse(site.at("file"), `: rows ${other.number} and ${row.number} differ, but both are for ${same}`);
      return null;
    }
  }
  if (source.problems.length > before) return null;
  return {
    keys: keys.length,
    columns,
    missing: spec.missing ?? "refuse",
    row: (texts) => rows.get(keyOf(texts))?.values,
    tree: (column) => JSON.stringify([spec.file, spec.key, columns.get(column)?.tree, spec.missing]),
    entries: (column) =>
      new Map(
        [...rows].flatMap(([key, { values }]) => {
          const value = values.get(column);
          return value === undefined ? [] : [[key, asText(value)]];
        }),
      ),
  };
}

const keyOf = (texts: readonly string[]): string => texts.map(foldName).join("\u0000");

function said(values: ReadonlyMap<string, Value>) {
  return JSON.stringify([...values].map(([name, value]) => [name, value instanceof Exact ? value.text : value]));
}
