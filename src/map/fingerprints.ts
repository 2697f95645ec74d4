/** What makes the keys of one kind of document or event, as one hash (HARD-CASES H25). */
import { createHash } from "node:crypto";
import { canonicalJson, type JsonValue } from "../model/json.js";
import { KEY_ALGORITHM } from "../model/keys.js";
import type { Table } from "./column/table.js";
import type { MappingSpec } from "./language/mapping-schema.js";
import type { KeyMaker } from "./record/context.js";

/** What keys are made of, for the comparison with what was sent. */
export interface KeyMakers {
  /**
   * By `manifest` (document) or `manifest/pickup` (event). Another one means that keys may differ, the same one that they
   * do not. Several inputs that yield the same kind count together.
   */
  fingerprints: Map<string, string>;
  /** By the same names: what is left of a document or an event when its label is another one. */
  kin: Map<string, string>;
  declaredNew: ReadonlySet<string>;
  tables: readonly KeyTable[];
}

export interface KeyTable {
  /** The document or event whose key reads it. */
  kind: string;
  table: string;
  /** What it says, as texts that tell two answers apart. */
  entries: ReadonlyMap<string, string>;
  /** Whether what the table does not list gives a key too. */
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
    // Blank words count only for what can tell blanks apart.
    const parts: JsonValue[] = [tree, tree.includes("(") ? (defaults.blank ?? []) : []];
    if (reads.functions.size > 0) parts.push(beside.functionsText);
    for (const read of [...reads.tables].toSorted()) {
      const [called = "", column = ""] = read.split(".");
      const table = beside.tables.get(called);
      if (table == null) continue;
      parts.push(table.tree(column));
      tables.push({ kind: name, table: read, entries: table.entries(column), fallback: table.missing === "blank" });
    }
    texts.set(name, (texts.get(name) ?? new Set()).add(canonicalJson(parts)));
  }
  const common: JsonValue[] = [KEY_ALGORITHM, namespace, defaults.trim ?? true];
  const print = (name: string, of: ReadonlySet<string>) =>
    createHash("sha256")
      .update(canonicalJson([...common, name, [...of].toSorted()]))
      .digest("hex")
      .slice(0, 32);
  return {
    fingerprints: new Map([...texts].map(([name, of]) => [name, print(name, of)])),
    kin: new Map(makers.map(({ name, kin }) => [name, kin])),
    declaredNew: new Set(makers.filter(({ declaredNew }) => declaredNew).map(({ name }) => name)),
    tables,
  };
}
