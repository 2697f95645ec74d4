/**
 * Keys and content hashes: deterministic, from natural data alone. Frozen by a golden test; a change gives landed
 * events new keys and must come with a new algorithm version (HARD-CASES H25).
 */
import { hash } from "node:crypto";
import { canonicalJson, type JsonObject, jsonText, type JsonValue } from "./json.js";
import type { AddressRef, DocumentRef, EventRecord, NaturalKey, ParticipantRef } from "./records.js";

export const KEY_ALGORITHM = 1;

/** `["ab","c"]` → `2:ab1:c`; lengths in UTF-16 units. No two lists of parts give one text (HARD-CASES H21). */
export function lengthPrefixed(parts: readonly string[]): string {
  let text = "";
  for (const part of parts) text += `${part.length}:${part}`;
  return text;
}

const escaped = (part: string): string => part.replaceAll(/[\\,]/g, "\\$&");

/** A record's key as one text that people read: `["C-0148", "2025/311"]` → `C-0148, 2025/311`. No two lists of several parts give one text. */
export function joinKey(parts: readonly string[]): string {
  return parts.length === 1 ? (parts[0] ?? "") : parts.map(escaped).join(", ");
}

/** What stands in `, ${key}, ` where this is one of its parts. */
export const partOfKey = (part: string): string => `, ${escaped(part)}, `;

/** service.md, Participant: the natural key is countryCode + taxIdType + taxId. */
export function naturalKey(participant: { countryCode: string; taxIdType: string; taxId: string }): NaturalKey {
  return lengthPrefixed([participant.countryCode, participant.taxIdType, participant.taxId]);
}

/** In hex: asking for a Buffer takes twice as long, and most of what is asked for is thrown away. */
function sha256(text: string): string {
  return hash("sha256", text, "hex");
}

/** 160 bits in hex with the algorithm's version in front: `rf1-` + 40 characters. */
function deduplicationId(parts: string[]): string {
  return `rf${KEY_ALGORITHM}-${sha256(lengthPrefixed(parts)).slice(0, 40)}`;
}

export interface DocumentKey {
  namespace: string;
  kind: string;
  key: string;
  /** 1 for the first; enters the key from the second on (HARD-CASES H26). */
  generation: number;
}

function documentParts(document: DocumentKey): string[] {
  const generation = document.generation > 1 ? [`#${document.generation}`] : [];
  return [document.namespace, document.kind, document.key, ...generation];
}

/** The deduplicationId of a document's create. */
export function documentDeduplicationId(document: DocumentKey): string {
  return deduplicationId(["document", ...documentParts(document)]);
}

/** The deduplicationId of an event. `keyParts`: [] for `once`, else the parts of its key. */
export function eventDeduplicationId(document: DocumentKey, event: string, keyParts: readonly string[]): string {
  return deduplicationId(["event", lengthPrefixed(documentParts(document)), event, ...keyParts]);
}

/** The key parts of an event with `key: content`: the hash, and which of its twins it is, counting from 1 (HARD-CASES H22). */
export function contentKeyParts(content: Buffer, ordinal: number): string[] {
  return ["content", content.toString("hex"), String(ordinal)];
}

/**
 * The event's own content with natural references, never returned ids or neighbours. 128 bits. Members stand in a fixed
 * order, so only what a mapping writes freely (target fields, value, extra) needs a canonical form.
 */
export function contentHash(event: EventRecord): Buffer {
  let text = `[${jsonText(event.name)},${event.at},${event.isPublic},${participantText(event.participant)},${addressText(event.address)}`;
  for (const { name, value, isPublic } of event.attributes) {
    text += `,${jsonText(name)},${jsonText(value)},${isPublic}`;
  }
  for (const part of rareParts(event)) text += `,${JSON.stringify(part)}`;
  return Buffer.from(sha256(`${text}]`).slice(0, 32), "hex");
}

function rareParts(event: EventRecord): unknown[] {
  const parts: unknown[] = [];
  const { related, target } = event;
  if (related !== null) {
    const { options } = related;
    parts.push({ related: documentName(related.document), options: canonicalJson(options as JsonObject) });
  }
  if (target !== null) {
    parts.push({
      target: [target.document.kind, target.document.key],
      fields: canonicalJson(target.fields),
      participant: target.participant && participantName(target.participant),
      address: target.address && addressName(target.address),
      externalId: target.externalId,
    });
  }
  if (event.propagate !== null) parts.push({ propagate: event.propagate });
  if (event.value !== undefined) parts.push({ value: canonicalJson(event.value) });
  for (const _ in event.extra) {
    parts.push({ extra: canonicalJson(event.extra) });
    break;
  }
  return parts;
}

const participantText = (ref: ParticipantRef): string =>
  ref.by === "natural" ? jsonText(ref.key) : JSON.stringify(participantName(ref));

const addressText = (ref: AddressRef): string =>
  ref.by === "identity"
    ? `[${participantText(ref.participant)},${jsonText(ref.identity)}]`
    : JSON.stringify(addressName(ref));

function participantName(ref: ParticipantRef): JsonValue {
  if (ref.by === "natural") return ref.key;
  return ref.by === "alias" ? [ref.kind, ref.key] : { id: ref.id };
}

function addressName(ref: AddressRef): JsonValue {
  if (ref.by === "identity") return [participantName(ref.participant), ref.identity];
  return ref.by === "alias" ? [ref.kind, ref.key] : { id: ref.id };
}

function documentName(ref: DocumentRef): JsonValue {
  return ref.by === "key" ? [ref.kind, ref.key] : { id: ref.documentId };
}
