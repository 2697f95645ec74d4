/**
 * Every timeline as text that is equal for two runs over the same rows: documents by externalId, events in order,
 * natural data instead of generated ids.
 */
import { instantText } from "./instants.js";
import { isObject, type Json, type JsonObject } from "./json.js";
import type { DocumentRecord, EventRecord } from "./records.js";
import type { Store } from "./store.js";

export interface DumpOptions {
  /** Include generated ids and deduplicationIds; default false. */
  ids?: boolean;
}

export function dumpTimelines(store: Store, options: DumpOptions = {}): string {
  const blocks = store.documents().map((document) => {
    const events = store.eventsOf(document.id).map((event) => describeEvent(store, event, options));
    return [describeDocument(store, document, options), ...events].join("\n");
  });
  // By code units, so that the order is the same everywhere.
  return blocks
    .toSorted((a, b) => (a < b ? -1 : Number(a > b)))
    .map((block) => `${block}\n`)
    .join("\n");
}

function describeDocument(store: Store, document: DocumentRecord, { ids }: DumpOptions): string {
  const { state, origin, fields, dataset } = document;
  const parts = [`document ${nameOf(document)}`, state];
  if (origin === "target") parts.push("from-target");
  parts.push(...place(store, document), ...members(fields, JSON.stringify), `dataset=${dataset}`);
  if (ids === true) parts.push(`id=${document.id}`, `key=${document.deduplicationId ?? "-"}`);
  return parts.join(" ");
}

const nameOf = (document: DocumentRecord | undefined): string =>
  document?.externalId == null ? "-" : JSON.stringify(document.externalId);

function describeEvent(store: Store, event: EventRecord, { ids }: DumpOptions): string {
  const parts = [`  ${instantText(event)}`, JSON.stringify(event.name)];
  if (event.origin !== "sent") parts.push(event.origin);
  parts.push(event.isPublic ? "public" : "private", ...place(store, event));
  if (event.targetDocumentId !== null) parts.push(`target=${nameOf(store.document(event.targetDocumentId))}`);
  const { relatedDocument, ...rest } = event.body;
  if (isObject(relatedDocument)) {
    const { documentId, ...flags } = relatedDocument;
    parts.push(`related=${nameOf(store.document(typeof documentId === "string" ? documentId : ""))}`);
    if (Object.keys(flags).length > 0) parts.push(stable(flags));
  }
  parts.push(...members(rest, stable));
  if (ids === true) parts.push(`id=${event.eventId}`, `key=${event.deduplicationId ?? "-"}`);
  return parts.join(" ");
}

function place(store: Store, of: { participantId: string | null; addressId: string | null }): string[] {
  const participant = of.participantId === null ? undefined : store.participant(of.participantId);
  const address = of.addressId === null ? undefined : store.address(of.addressId);
  const parts: string[] = [];
  if (participant !== undefined) {
    const { countryCode, taxIdType, taxId } = participant;
    parts.push(`by=${JSON.stringify(`${countryCode} ${taxIdType} ${taxId}`)}`);
  }
  if (address !== undefined) {
    const { name, street, number, city, countryState, countryCode } = address;
    parts.push(`at=${JSON.stringify([name, street, number, city, countryState, countryCode].join(", "))}`);
  }
  return parts;
}

/** Sorted by name. */
const members = (of: JsonObject, textOf: (value: Json) => string): string[] =>
  Object.keys(of)
    .toSorted()
    .map((name) => `${name}=${textOf(of[name] ?? null)}`);

/** With sorted names. */
function stable(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(stable).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${stable(value[name] ?? null)}`).join(",")}}`;
}
