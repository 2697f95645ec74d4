/** Hashes everything that determines the keys of one kind of document or event (H25). */
import { createHash } from "node:crypto";
import { canonicalJson, type JsonValue } from "../model/json.js";
import { KEY_ALGORITHM } from "../model/keys.js";
import type { Table } from "./column/table.js";
import type { MappingSpec } from "./language/mapping-schema.js";
import type { KeyMaker } from "./piece.js";

export interface KeyMakers {
  /**
   * By `manifest` (document) or `manifest/pickup` (event), over all inputs that yield it. Equal hashes mean equal keys.
   */
  fingerprints: Map<string, string>;
  /** The same without the label, to recognise a renamed document or event. */
  kin: Map<string, string>;
  declaredNew: ReadonlySet<string>;
  tables: readonly KeyTable[];
}

export interface KeyTable {
  /** The document or event whose key reads the table. */
  kind: string;
  table: string;
  entries: ReadonlyMap<string, string>;
  /** Whether a row that the table lacks still gets a key. */
  fallback: boolean;
}

export function fingerprint(
  { namespace, defaults = {} }: MappingSpec,
  makers: readonly KeyMaker[],
  beside: { functionsText: string; tables: ReadonlyMap<string, Table | null> },
): KeyMakers {
  const texts = new Map<string, Set<string>>();
  const tables: KeyTable[] = [];
  for (const { name, tree, reads } of makers) {
    // Blank words matter only to functions that can see blanks.
    const parts: JsonValue[] = [tree, tree.includes("(") ? (defaults.blank ?? []) : []];
    if (reads.others.has("function")) parts.push(beside.functionsText);
    for (const read of [...reads.tables].toSorted()) {
      const [called = "", column = ""] = read.split(".");
      const table = beside.tables.get(called);
      if (table == null) continue;
      parts.push(table.tree(column));
      tables.push({ kind: name, table: read, entries: table.entries(column), fallback: table.missing === "blank" });
    }
    texts.set(name, (texts.get(name) ?? new Set()).add(canonicalJson(parts)));
  }
  const print = (name: string, of: ReadonlySet<string>) => {
    const text = canonicalJson([KEY_ALGORITHM, namespace, defaults.trim ?? true, name, [...of].toSorted()]);
    return createHash("sha256").update(text).digest("hex").slice(0, 32);
  };
  return {
    fingerprints: new Map([...texts].map(([name, of]) => [name, print(name, of)])),
    kin: new Map(makers.map(({ name, kin }) => [name, kin])),
    declaredNew: new Set(makers.filter(({ declaredNew }) => declaredNew).map(({ name }) => name)),
    tables,
  };
}
