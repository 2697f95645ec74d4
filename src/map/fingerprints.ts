/** What makes the keys of one kind of document or event, as one hash (HARD-CASES H25). */
import { createHash } from "node:crypto";
import { canonicalJson, type JsonValue } from "../model/json.js";
import { KEY_ALGORITHM } from "../model/keys.js";
import type { Beside } from "./beside.js";
import { foldName } from "./fold.js";
import type { EventSpec } from "./schema/event-schema.js";
import type { InputSpec, MappingSpec } from "./schema/mapping-schema.js";
import { type LookupFile, lookupName } from "./value/lookup.js";

/**
 * By `manifest` (document) or `manifest/pickup` (event). Another fingerprint means that keys may differ, the same one
 * that they do not. Several inputs that yield the same kind count together. What changes no key does not count: other
 * headers under which a column may come, and the defaults where a key is taken as it stands in the file.
 */
export function fingerprint(
  spec: MappingSpec,
  beside: Pick<Beside, "functions" | "functionsText" | "tables">,
): KeyMakers {
  const parts = new Map<string, string[]>();
  const kin = new Map<string, string>();
  const declaredNew = new Set<string>();
  const tables: KeyTable[] = [];
  const labels = keyLabels(spec);
  const label = (name: string) => labels.get(name) ?? name;
  let columns: InputSpec["columns"];
  const add = (name: string, part: unknown, looksLike: unknown, was?: string) => {
    const known = parts.get(name) ?? [];
    const read = readBy(part);
    const functions = read.words.some((word) => beside.functions.has(word)) ? hash([beside.functionsText]) : "";
    const text = canonicalJson(plain(part)) + nthIn(read.columns, columns) + functions;
    parts.set(name, known.includes(text) ? known : [...known, text]);
    kin.set(name, canonicalJson(plain(looksLike)));
    if (was === NEVER) declaredNew.add(name);
    for (const { file, fallback } of read.tables) {
      const entries = beside.tables.get(lookupName(file));
      if (entries !== undefined) tables.push({ kind: name, table: lookupName(file), entries, fallback });
    }
  };
  for (const name of Object.keys(spec.inputs).toSorted()) {
    const input = spec.inputs[name];
    if (input === undefined) continue;
    columns = input.columns;
    for (const [kind, document] of Object.entries(input.documents ?? {})) {
      const key = documentKey(document);
      add(label(kind), key, key, document.was);
    }
    for (const [event, eventSpec] of Object.entries(input.events ?? {})) {
      const { target } = eventSpec;
      if (target !== undefined) add(label(target.document), target.key, target.key);
      const { kind, key } = ownerOf(eventSpec, input);
      const content = eventSpec.key === "content" ? contentOf(eventSpec, input) : null;
      add(`${label(kind)}/${keyLabel(event, eventSpec)}`, [key, eventSpec.key, content], eventSpec.name, eventSpec.was);
    }
  }
  const common: JsonValue = [KEY_ALGORITHM, spec.namespace];
  const fingerprints = new Map(
    [...parts].map(([name, texts]) => [
      name,
      hash([...common, name, texts.toSorted(), defaultsFor(texts.join(), spec)]),
    ]),
  );
  return { fingerprints, kin, declaredNew, tables };
}

/** Says that a document or an event is a new one, whatever it looks like. */
export const NEVER = "none";

/** The label that stands in keys: the one under which it was known before. */
export function keyLabel(label: string, { was }: { was?: string | undefined }): string {
  return was === undefined || was === NEVER ? label : was;
}

/** Of documents that are called otherwise than before: the label in the mapping, and the one in keys. */
export function keyLabels(spec: MappingSpec): ReadonlyMap<string, string> {
  const documents = Object.values(spec.inputs).flatMap((input) => Object.entries(input.documents ?? {}));
  return new Map(
    documents.flatMap(([kind, one]) => (keyLabel(kind, one) === kind ? [] : [[kind, keyLabel(kind, one)]])),
  );
}

/** What keys are made of beside the mapping's own words, for the comparison with what was sent (HARD-CASES H25). */
export interface KeyMakers {
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

interface ReadBy {
  /** Folded. */
  columns: ReadonlySet<string>;
  /** Words of expressions. */
  words: string[];
  tables: { file: LookupFile; fallback: boolean }[];
}

/** The columns, functions and tables that a part of a mapping reads. */
function readBy(part: unknown): ReadBy {
  const columns = new Set<string>();
  const found: ReadBy = { columns, words: [], tables: [] };
  const walk = (value: unknown): void => {
    if (value === null || typeof value !== "object") return;
    for (const [member, inner] of Object.entries(value)) {
      const texts = [inner].flat().filter((text): text is string => typeof text === "string");
      if (member === "column") for (const text of texts) columns.add(foldName(text));
      if (member === "template")
        for (const [, name = ""] of texts.join().matchAll(/\{([^{}]*)\}/g)) columns.add(foldName(name));
      if (member === "expr") {
        const quoted = /"((?:[^"\\]|\\.)*)(?:"|\\?$)|'((?:[^'\\]|\\.)*)(?:'|\\?$)/gs;
        for (const [, one, other] of texts.join().matchAll(quoted))
          columns.add(foldName((one ?? other ?? "").replaceAll(/\\(.)/g, "$1")));
        found.words.push(...texts.flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? []));
      }
      if (member === "map" && isLookupFile(inner)) found.tables.push({ file: inner, fallback: "otherwise" in value });
      walk(inner);
    }
  };
  walk(part);
  return found;
}

function isLookupFile(value: unknown): value is LookupFile {
  const file = value as Partial<LookupFile> | null;
  return typeof file?.csv === "string" && typeof file.from === "string" && typeof file.to === "string";
}

/** Which of several columns of one header a key reads: another one gives other keys. */
function nthIn(read: ReadonlySet<string>, columns: InputSpec["columns"]): string {
  const named = Object.entries(columns ?? {}).flatMap(([name, entry]) =>
    Array.isArray(entry) || entry.nth === undefined || !read.has(foldName(name)) ? [] : [[name, entry.nth]],
  );
  return named.length === 0 ? "" : JSON.stringify(named);
}

/** The defaults on which a key hangs: those of conversions, and of blank words only for what can tell blanks apart. */
function defaultsFor(part: string, spec: MappingSpec): JsonValue {
  const { blank, trim, ...conversions } = spec.defaults ?? {};
  const computed = part.includes('"expr":') || part.includes('"externalCreatedAt":');
  return plain([trim ?? true, computed ? (blank ?? []) : [], computed || part.includes('"as":') ? conversions : {}]);
}

function documentKey(document: NonNullable<InputSpec["documents"]>[string] | undefined): unknown {
  return document?.key ?? document?.documentId ?? null;
}

function ownerOf(event: EventSpec, input: InputSpec): { kind: string; key: unknown } {
  const reference = event.document ?? Object.keys(input.documents ?? {})[0] ?? "";
  if (typeof reference === "object") return { kind: reference.ref, key: reference.key };
  return { kind: reference, key: documentKey(input.documents?.[reference]) };
}

/** The content of an event enters its key: everything it is made of does, its participant and address included. */
function contentOf({ was: _, ...event }: EventSpec, input: InputSpec): unknown {
  return [
    event,
    input.participants ?? {},
    input.addresses ?? {},
    Object.values(input.documents ?? {}).map((document) => [document.participant, document.address]),
  ];
}

/** Plain JSON without undefined members; of a column's other headers only the first counts, folded. */
function plain(value: unknown, name = ""): JsonValue {
  if (name === "column") return foldName(String(Array.isArray(value) ? value[0] : value));
  if (Array.isArray(value)) return value.map((entry) => plain(entry));
  if (value === null || typeof value !== "object") return (value ?? null) as JsonValue;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([member, inner]) => [member, plain(inner, member)]));
}

function hash(value: JsonValue): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32);
}
