/** Hashes everything that determines the keys of one kind of document or event (H25). */
import { createHash } from "node:crypto";
import { canonicalJson, type JsonValue } from "../model/json.js";
import { foldName } from "../model/fold.js";
import { KEY_ALGORITHM } from "../model/keys.js";
import type { Table } from "./column/table.js";
import type { ConvertDefaults } from "./convert/conversion.js";
import type { MappingSpec } from "./language/mapping-schema.js";
import type { KeyList, KeyMaker } from "./piece.js";

export interface KeyMakers {
  /**
   * By `manifest` (document) or `manifest/pickup` (event), over all inputs that yield it. Equal hashes mean equal keys.
   */
  fingerprints: Map<string, string>;
  /** The same without the label, to recognise a renamed document or event. */
  kin: Map<string, string>;
  declaredNew: ReadonlySet<string>;
  tables: readonly KeyTable[];
  /** Fingerprints without the lists among `tables`, which may grow. */
  lean(): ReadonlyMap<string, string>;
}

export interface KeyTable extends Omit<KeyList, "name"> {
  /** The document or event whose key reads the table. */
  kind: string;
  table: string;
  /** The format of the only files whose keys it makes; null: all formats. */
  format: "xlsx" | null;
}

/** How typed cells are read as text. */
function spellingOf(defaults: ConvertDefaults): Omit<KeyTable, "kind"> {
  const names = ["dates", "decimal", "booleans", "language", "twoDigitYears"] as const;
  const entries = new Map(names.map((name) => [name, JSON.stringify(defaults[name] ?? null)]));
  return { table: "typed cells", entries, fallback: false, keeps: false, format: "xlsx" };
}

export function fingerprint(
  { namespace, defaults: { trim = true, ...defaults } = {} }: MappingSpec,
  makers: readonly KeyMaker[],
  beside: { functionsText: string; tables: ReadonlyMap<string, Table | null> },
): Omit<KeyMakers, "lean"> {
  const texts = new Map<string, Set<string>>();
  const tables: KeyTable[] = [];
  for (const { name, tree, reads } of makers) {
    const parts: JsonValue[] = [tree];
    if (reads.others.has("function")) parts.push(beside.functionsText);
    for (const read of [...reads.tables].toSorted()) {
      const [called = "", column = ""] = read.split(".");
      const table = beside.tables.get(called);
      if (table == null) continue;
      parts.push(table.tree(column));
      const fallback = table.missing === "blank";
      tables.push({ kind: name, table: read, entries: table.entries(column), fallback, keeps: false, format: null });
    }
    const known = new Set<string>();
    for (const { use, set, lists } of reads.columns)
      for (const { name: list, ...rest } of lists) {
        let table = `${list} of ${foldName(use?.headers[0] ?? set?.pattern ?? "")}`;
        while (known.has(table)) table += "'";
        known.add(table);
        tables.push({ kind: name, table, format: null, ...rest });
      }
    if (reads.others.has("dates")) {
      const entries = new Map(defaults.dates?.map((format) => [format, ""]));
      tables.push({ kind: name, table: "dates", entries, fallback: false, keeps: true, format: null });
    }
    if (reads.others.has("spelling")) tables.push({ kind: name, ...spellingOf(defaults) });
    texts.set(name, (texts.get(name) ?? new Set()).add(canonicalJson(parts)));
  }
  const print = (name: string, of: ReadonlySet<string>) => {
    const text = canonicalJson([KEY_ALGORITHM, namespace, trim, name, [...of].toSorted()]);
    return createHash("sha256").update(text).digest("hex").slice(0, 32);
  };
  return {
    fingerprints: new Map([...texts].map(([name, of]) => [name, print(name, of)])),
    kin: new Map(makers.map(({ name, kin }) => [name, kin])),
    declaredNew: new Set(makers.filter(({ declaredNew }) => declaredNew).map(({ name }) => name)),
    tables,
  };
}
