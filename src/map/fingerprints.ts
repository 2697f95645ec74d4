/** What makes the keys of one kind of document or event, as one hash (HARD-CASES H25). */
import { createHash } from "node:crypto";
import { canonicalJson, type JsonValue } from "../model/json.js";
import { KEY_ALGORITHM } from "../model/keys.js";
import { foldName } from "./fold.js";
import type { EventSpec } from "./schema/event-schema.js";
import type { InputSpec, MappingSpec } from "./schema/mapping-schema.js";

/**
 * By `manifest` (document) or `manifest/pickup` (event). Another fingerprint means that keys may differ, the same one
 * that they do not. Several inputs that yield the same kind count together. What changes no key does not count: other
 * headers under which a column may come, and the defaults where a key is taken as it stands in the file.
 */
export function fingerprint(spec: MappingSpec): Map<string, string> {
  const parts = new Map<string, string[]>();
  let columns: InputSpec["columns"];
  const add = (name: string, part: unknown) => {
    const known = parts.get(name) ?? [];
    const plainText = canonicalJson(plain(part));
    const text = plainText + nthIn(plainText, columns);
    parts.set(name, known.includes(text) ? known : [...known, text]);
  };
  for (const name of Object.keys(spec.inputs).toSorted()) {
    const input = spec.inputs[name];
    if (input === undefined) continue;
    columns = input.columns;
    for (const [kind, document] of Object.entries(input.documents ?? {})) add(kind, documentKey(document));
    for (const [event, eventSpec] of Object.entries(input.events ?? {})) {
      if (eventSpec.target !== undefined) add(eventSpec.target.document, eventSpec.target.key);
      const { kind, key } = ownerOf(eventSpec, input);
      add(`${kind}/${event}`, [key, eventSpec.key, eventSpec.key === "content" ? contentOf(eventSpec, input) : null]);
    }
  }
  const common: JsonValue = [KEY_ALGORITHM, spec.namespace];
  return new Map(
    [...parts].map(([name, texts]) => [
      name,
      hash([...common, name, texts.toSorted(), defaultsFor(texts.join(), spec)]),
    ]),
  );
}

/** Which of several columns of one header a key reads: another one gives other keys. */
function nthIn(part: string, columns: InputSpec["columns"]): string {
  const named = Object.entries(columns ?? {}).flatMap(([name, entry]) =>
    Array.isArray(entry) || entry.nth === undefined || !foldName(part).includes(foldName(name))
      ? []
      : [[name, entry.nth]],
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
function contentOf(event: EventSpec, input: InputSpec): unknown {
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
