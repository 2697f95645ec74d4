/** What an event's row holds beside its key: its place in the total order, its references, its body. */
import { type JsonObject, jsonText } from "../../model/json.js";
import type { Attribute, DocumentRef, EventRecord } from "../../model/records.js";
import type { References } from "./references.js";

/** In the order in which the statements of stage-events.ts bind them. */
export interface EventColumns {
  name: string;
  /** ms since 1970. */
  at: number;
  rank: number;
  participant: number;
  address: number;
  relatedDocument: number | null;
  relatedId: string | null;
  mirrored: 0 | 1;
  target: number | null;
  payload: string;
}

/** Total order of a document's events at one instant: ordinary, then CLOSE, then CANCEL (DESIGN section 5). */
function rankOf(name: string): number {
  if (name === "CANCEL") return 2;
  return name === "CLOSE" ? 1 : 0;
}

/** `target`: the document that the event makes; null: none. */
export function eventColumns(record: EventRecord, references: References, target: number | null): EventColumns {
  const { related } = record;
  const [relatedDocument, relatedId] = relatedOf(related?.document, references);
  const mirrored = record.propagate === true || (related !== null && related.options.bidirectional !== false);
  const address = references.address(record.address);
  if (address === null) throw new Error("an address is referred to before it is staged");
  return {
    name: record.name,
    at: record.at,
    rank: rankOf(record.name),
    participant: references.participant(record.participant),
    address,
    relatedDocument,
    relatedId,
    mirrored: mirrored ? 1 : 0,
    target,
    payload: payloadText(record),
  };
}

function relatedOf(ref: DocumentRef | undefined, references: References): [number | null, string | null] {
  if (ref === undefined) return [null, null];
  if (ref.by === "key") return [references.document(ref.kind, ref.key), null];
  const known = references.documentById(ref.documentId);
  return known === undefined ? [null, ref.documentId] : [known, null];
}

/** The body's members that need no returned id, as JSON text; `relatedDocument` without its documentId. */
export function payloadText(record: EventRecord): string {
  const { extra, name, isPublic, attributes, related, propagate, value } = record;
  if (related === null && propagate === null && value === undefined && isEmpty(extra)) {
    // Most events are of this kind: joined from texts it takes half the time of JSON.stringify.
    const metadata = attributes.length > 0 ? `,"metadata":{"attributes":[${attributesText(attributes)}]}` : "";
    return `{"name":${jsonText(name)},"isPublic":${isPublic}${metadata}}`;
  }
  const metadata = attributes.length > 0 ? { attributes } : undefined;
  const propagateEvent = propagate ?? undefined;
  return JSON.stringify({
    ...extra,
    name,
    isPublic,
    metadata,
    relatedDocument: related?.options,
    propagateEvent,
    value,
  });
}

function attributesText(attributes: readonly Attribute[]): string {
  let text = "";
  for (const { name, value, isPublic } of attributes) {
    if (text !== "") text += ",";
    text += `{"name":${jsonText(name)},"value":${jsonText(value)},"isPublic":${isPublic}}`;
  }
  return text;
}

function isEmpty(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}
