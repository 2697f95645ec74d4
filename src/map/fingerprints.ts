/** Hashes everything that determines the keys of one kind of document or event (H25). */
import { createHash } from "node:crypto";
import { canonicalJson, type JsonValue } from "../model/json.js";
import { foldName } from "../model/fold.js";
import { KEY_ALGORITHM } from "../model/keys.js";
import type { Table } from "./column/table.js";
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
  /** Whether a key was made by this entry so far. */
  isUsed(entry: string): boolean;
}

/** The settings by which typed cells are read as text. */
const SPELLING = ["dates", "decimal", "booleans", "language", "twoDigitYears"] as const;

export function fingerprint(
  { namespace, defaults = {} }: MappingSpec,
  makers: readonly KeyMaker[],
  beside: { functionsText: string; tables: ReadonlyMap<string, Table | null> },
): Omit<KeyMakers, "lean"> {
  const texts = new Map<string, Set<string>>();
  const tables: KeyTable[] = [];
  for (const { name, tree, reads } of makers) {
    const parts: JsonValue[] = [tree];
    const add = (table: string, entries: KeyTable["entries"], more: Partial<KeyTable> = {}) =>
      tables.push({ kind: name, table, entries, fallback: false, keeps: false, isUsed: () => true, ...more });
    if (reads.others.has("function")) parts.push(beside.functionsText);
    for (const read of [...reads.tables].toSorted()) {
      const [called = "", column = ""] = read.split(".");
      const table = beside.tables.get(called);
      if (table == null) continue;
      parts.push(table.tree(column));
      add(read, table.entries(column), { fallback: table.missing === "blank" });
    }
    for (const { use, set, lists } of reads.columns)
      for (const { name: list, entries, ...rest } of lists) {
        let table = `${list} of ${foldName(use?.headers[0] ?? set?.pattern ?? "")}`;
        // Another input, or column, may read the same header by other lists.
        while (tables.some((one) => one.kind === name && one.table === table)) table += "'";
        add(table, entries, rest);
      }
    if (reads.others.has("dates")) add("dates", new Map(defaults.dates?.map((one) => [one, ""])), { keeps: true });
    const spelling = SPELLING.map((one): [string, string] => [one, JSON.stringify(defaults[one] ?? null)]);
    const isUsed = (setting: string) => [...reads.columns].some((one) => one.spelling.has(setting));
    add("typed cells", new Map(spelling), { isUsed });
    texts.set(name, (texts.get(name) ?? new Set()).add(canonicalJson(parts)));
  }
  const print = (name: string, of: ReadonlySet<string>) => {
    // `true` was a setting, and stays in the hashes of ledgers that have it.
    const text = canonicalJson([KEY_ALGORITHM, namespace, true, name, [...of].toSorted()]);
    return createHash("sha256").update(text).digest("hex").slice(0, 32);
  };
  return {
    fingerprints: new Map([...texts].map(([name, of]) => [name, print(name, of)])),
    kin: new Map(makers.map(({ name, kin }) => [name, kin])),
    declaredNew: new Set(makers.filter(({ declaredNew }) => declaredNew).map(({ name }) => name)),
    tables,
  };
}
