/** What makes the keys of one kind of document or event, as one hash (HARD-CASES H25). */
import { createHash } from "node:crypto";
import { canonicalJson, isExactNumber, type JsonValue } from "../model/json.js";
import { KEY_ALGORITHM } from "../model/keys.js";
import type { Reads } from "./formula/part.js";
import type { EventSpec, MappingSpec } from "./language/mapping-schema.js";
import type { Table } from "./column/table.js";
import type { InputParts } from "./input/row-mapper.js";
import { eventsOf, keyLabel, keyLabels, NEVER } from "./language/labels.js";

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
  spec: MappingSpec,
  inputs: ReadonlyMap<string, InputParts>,
  beside: { functionsText: string; tables: ReadonlyMap<string, Table | null> },
): KeyMakers {
  const parts = new Map<string, Set<string>>();
  const kin = new Map<string, string>();
  const declaredNew = new Set<string>();
  const tables: KeyTable[] = [];
  const labels = keyLabels(spec);
  const label = (name: string) => labels.get(name) ?? name;
  const blank = spec.defaults?.blank ?? [];
  const add = (name: string, tree: string, reads: Reads, looksLike: unknown, was?: string) => {
    const functions = reads.functions.size > 0 ? hash([beside.functionsText]) : "";
    // Blank words count only for what can tell blanks apart.
    const text = `${tree}${tree.includes("(") ? JSON.stringify(blank) : ""}${functions}`;
    parts.set(name, (parts.get(name) ?? new Set()).add(text));
    kin.set(name, canonicalJson(plain(looksLike)));
    if (was === NEVER) declaredNew.add(name);
    for (const read of reads.tables) {
      const [table = "", column = ""] = read.split(".");
      const found = beside.tables.get(table);
      if (found == null) continue;
      tables.push({ kind: name, table: read, entries: found.entries(column), fallback: found.missing === "blank" });
    }
  };
  for (const [input, { documents, events }] of [...inputs].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const written = spec.inputs[input];
    const documentSpecs = Object.values(written?.documents ?? {});
    for (const [position, { kind, keyTree, keyReads }] of documents.entries())
      add(kind, keyTree, keyReads, keyTree, documentSpecs[position]?.was);
    const eventSpecs: { [event: string]: EventSpec } = eventsOf(written ?? {});
    for (const { event, makers } of events) {
      const eventSpec = eventSpecs[event] ?? {};
      if (makers.target !== null)
        add(label(makers.target.kind), makers.target.tree, makers.target.reads, makers.target.tree);
      const tree = `${makers.keys} ${makers.content === null ? "" : `(${makers.content})`}`;
      add(`${label(makers.kind)}/${keyLabel(event, eventSpec)}`, tree, makers.reads, eventSpec.name, eventSpec.was);
    }
  }
  const common: JsonValue = [KEY_ALGORITHM, spec.namespace, spec.defaults?.trim ?? true];
  const fingerprints = new Map(
    [...parts].map(([name, texts]) => [name, hash([...common, name, [...texts].toSorted()])]),
  );
  return { fingerprints, kin, declaredNew, tables };
}

function plain(value: unknown): JsonValue {
  return isExactNumber(value) || typeof value !== "object"
    ? ((value ?? null) as JsonValue)
    : (JSON.parse(JSON.stringify(value)) as JsonValue);
}

function hash(value: JsonValue): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32);
}
