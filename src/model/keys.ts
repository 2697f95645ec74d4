/**
 * Deterministic keys and content hashes, from natural data alone. A golden test freezes them: a change gives landed
 * events new keys and needs a new algorithm version (H25).
 */
import { hash } from "node:crypto";
import { canonicalJson, type JsonObject, type JsonValue } from "./json.js";
import type { AddressRef, DocumentRef, EventRecord, NaturalKey, ParticipantRef } from "./records.js";

export const KEY_ALGORITHM = 1;

/** `["ab","c"]` → `2:ab1:c`, lengths in UTF-16 units; unique for each list (H21). */
export function lengthPrefixed(parts: readonly string[]): string {
  let text = "";
  for (const part of parts) text += `${part.length}:${part}`;
  return text;
}

/** The parts of a text that `lengthPrefixed` made. */
export function unprefixed(text: string): string[] {
  const colon = text.indexOf(":");
  if (colon < 0) return [];
  const end = colon + 1 + Number(text.slice(0, colon));
  return [text.slice(colon + 1, end), ...unprefixed(text.slice(end))];
}

const escaped = (part: string): string => part.replaceAll(/[\\,]/g, "\\$&");

/** A key for people: `["C-0148", "2025/311"]` → `C-0148, 2025/311`. Unique for lists of several parts. */
export function joinKey(parts: readonly string[]): string {
  return parts.length === 1 ? (parts[0] ?? "") : parts.map(escaped).join(", ");
}

/** Found in `, ${key}, ` if this is a part of the key. */
export const partOfKey = (part: string): string => `, ${escaped(part)}, `;

/** service.md, Participant: the natural key is countryCode + taxIdType + taxId. */
export function naturalKey(participant: { countryCode: string; taxIdType: string; taxId: string }): NaturalKey {
  return lengthPrefixed([participant.countryCode, participant.taxIdType, participant.taxId]);
}

/** In hex, because a Buffer takes twice as long. */
function sha256(text: string): string {
  return hash("sha256", text, "hex");
}

/** `rf1-` and 160 bits in hex; `rf1` is the algorithm's version. */
function deduplicationId(parts: string[]): string {
  return `rf${KEY_ALGORITHM}-${sha256(lengthPrefixed(parts)).slice(0, 40)}`;
}

export interface DocumentName {
  kind: string;
  key: string;
}

export interface DocumentKey extends DocumentName {
  namespace: string;
  /** From 1; part of the key from the second on (H26). */
  generation: number;
}

function documentParts(document: DocumentKey): string[] {
  const generation = document.generation > 1 ? [`#${document.generation}`] : [];
  return [document.namespace, document.kind, document.key, ...generation];
}

/** For its create. */
export function documentDeduplicationId(document: DocumentKey): string {
  return deduplicationId(["document", ...documentParts(document)]);
}

/** `keyParts`: [] for `once`. */
export function eventDeduplicationId(document: DocumentKey, event: string, keyParts: readonly string[]): string {
  return deduplicationId(["event", lengthPrefixed(documentParts(document)), event, ...keyParts]);
}

/** With `key: content`: the hash, and the number among equal rows, from 1 (H22). */
export function contentKeyParts(content: Buffer, ordinal: number): string[] {
  return ["content", content.toString("hex"), String(ordinal)];
}

/** What an event says, without its document and key. */
export type EventOwn = Omit<EventRecord, "document" | "event" | "key">;

/**
 * The event's own content with natural references, without returned ids or neighbours; 128 bits. The order is fixed, so
 * only free content (target fields, value, extra) needs a canonical form.
 */
export function contentHash(event: EventOwn): Buffer {
  const { name, at, isPublic, participant, address, attributes } = event;
  const own = [name, at, isPublic, partyName(participant), partyName(address)];
  const texts = attributes.flatMap((one) => [one.name, one.value, one.isPublic]);
  return Buffer.from(sha256(JSON.stringify([...own, ...texts, ...rareParts(event)])).slice(0, 32), "hex");
}

function rareParts(event: EventOwn): unknown[] {
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
      participant: target.participant && partyName(target.participant),
      address: target.address && partyName(target.address),
      externalId: target.externalId,
    });
  }
  if (event.propagate !== null) parts.push({ propagate: event.propagate });
  if (event.value !== undefined) parts.push({ value: canonicalJson(event.value) });
  if (Object.keys(event.extra).length > 0) parts.push({ extra: canonicalJson(event.extra) });
  return parts;
}

function partyName(ref: ParticipantRef | AddressRef): JsonValue {
  if (ref.by === "natural") return ref.key;
  if (ref.by === "identity") return [partyName(ref.participant), ref.identity];
  return ref.by === "alias" ? [ref.kind, ref.key] : { id: ref.id };
}

function documentName(ref: DocumentRef): JsonValue {
  return ref.by === "key" ? [ref.kind, ref.key] : { id: ref.documentId };
}
