/**
 * Puts events on timelines, also on other documents: back-references, propagated copies and targets (service.md, Events
 * rules 6, 10 and 11). Open point 11 decides their time.
 */
import { addDocument } from "./documents.js";
import { type Instant, instantText, isEarlier } from "./instants.js";
import type { Json, JsonObject } from "./json.js";
import type { DocumentRecord, DocumentState, EventRecord } from "./records.js";
import type { ResolvedReferences } from "./references.js";
import { conflict, invalid } from "./refusal.js";
import type { Call, Context } from "./request.js";
import type { EventInput, RelatedDocument } from "./schemas.js";

export type NewEvent = Omit<EventRecord, "documentId" | "sequence" | "recordedAt">;

/** The checks have been made before. */
export function writeEvent(context: Context, document: DocumentRecord, event: NewEvent): EventRecord {
  const sequence = document.eventCount + 1;
  const record: EventRecord = { ...event, documentId: document.id, sequence, recordedAt: context.now() };
  const moves =
    event.origin === "sent" || (event.origin === "propagated" && context.settings.propagatedClose === "close");
  const state = moves ? stateAfter(document.state, event.name) : document.state;
  const { at, beyond } = event;
  context.store.append({ ...document, state, lastAt: at, lastBeyond: beyond, eventCount: sequence }, record);
  return record;
}

function stateAfter(state: DocumentState, name: string): DocumentState {
  if (name === "CANCEL") return "cancelled";
  return name === "CLOSE" ? "closed" : state;
}

export function lastOf({ lastAt, lastBeyond }: DocumentRecord): Instant | null {
  return lastAt === null ? null : { at: lastAt, beyond: lastBeyond };
}

/** The event's time or the service's, but never before the document's last event. */
function timeOfLink(call: Call, document: DocumentRecord, { at, beyond }: Instant): Instant {
  const wanted = call.settings.linkTime === "server" ? { at: call.now(), beyond: "" } : { at, beyond };
  const last = lastOf(document) ?? wanted;
  return isEarlier(wanted, last) ? last : wanted;
}

/** Events rule 6: the downstream document, whose timeline begins with that event. @returns its id */
export function createTarget(
  call: Call,
  source: DocumentRecord,
  { name, isPublic, target = {} }: EventInput,
  at: Instant,
  references: ResolvedReferences,
  path: string,
): string {
  const document = addDocument(call, target, path, references);
  if (call.settings.propagateToTargets) call.store.relate(source.id, document.id);
  writeEvent(call, document, {
    eventId: call.newId(),
    origin: "target",
    name,
    ...timeOfLink(call, document, at),
    isPublic,
    ...references,
    deduplicationId: null,
    targetDocumentId: null,
    body: {},
  });
  return document.id;
}

/**
 * Events rule 10: both documents must be in the dataset and able to accept their events.
 * @throws Refusal 400 for a document that is not there, for an early mirror and a relation to itself where their settings
 * refuse them (open points 32 and 34); 409 for a cancelled document, and for a closed one under closedMirrors (open point 30).
 */
export function writeRelation(call: Call, source: EventRecord, related: RelatedDocument, path: string): void {
  const { store, settings, caller } = call;
  const other = store.document(related.documentId);
  if (other?.dataset !== caller.dataset) {
    throw invalid(`${path}relatedDocument.documentId: no document of this dataset has the id ${related.documentId}`);
  }
  if (other.id === source.documentId && settings.selfRelation === "refuse") {
    throw invalid(`${path}relatedDocument.documentId: a document cannot be related to itself`);
  }
  store.relate(source.documentId, other.id);
  if (related.bidirectional === false) return;
  store.relate(other.id, source.documentId);
  if (other.state === "cancelled" || (other.state === "closed" && settings.closedMirrors === "refuse")) {
    throw conflict(`Document ${other.id} is ${other.state}: no back-reference can be added`);
  }
  const time = timeOfLink(call, other, source);
  if (settings.earlyMirrors === "refuse" && settings.linkTime === "event" && isEarlier(source, time)) {
    const last = `the last event of document ${other.id} (${instantText(time)})`;
    throw invalid(`${path}relatedDocument: ${last} is later than its back-reference`);
  }
  writeEvent(call, other, mirrorOf(call, source, related, time));
}

/** Private attributes go along only with preserveSensitiveData (its meaning is not shown). */
function mirrorOf(call: Call, source: EventRecord, related: RelatedDocument, time: Instant): NewEvent {
  const { eventName = "RELATED", eventLabel, isBackReference = true } = related;
  const back: JsonObject = { documentId: source.documentId, isBackReference };
  if (eventLabel !== undefined) back["eventLabel"] = eventLabel;
  const { attributes = [] } = (source.body["metadata"] ?? {}) as { attributes?: JsonObject[] };
  const kept = attributes.filter((one) => one["isPublic"] === true || related.preserveSensitiveData === true);
  return {
    eventId: call.newId(),
    origin: "mirror",
    name: eventName,
    ...time,
    isPublic: related.isPublic === true,
    participantId: source.participantId,
    addressId: source.addressId,
    deduplicationId: null,
    targetDocumentId: null,
    body: { relatedDocument: back, ...(kept.length === 0 ? {} : { metadata: { attributes: kept } }) },
  };
}

/**
 * Events rule 11: a copy on each related document, one level deep. Documents that are closed or cancelled take none (which
 * combinations are restricted is open point 29).
 */
export function copyToRelated(call: Call, event: EventRecord, related: readonly string[]): void {
  for (const id of related) {
    const document = id === event.documentId ? undefined : call.store.document(id);
    if (document?.state !== "open") continue;
    const { propagateEvent: _, ...body } = event.body as Record<string, Json>;
    writeEvent(call, document, {
      ...event,
      eventId: call.newId(),
      origin: "propagated",
      ...timeOfLink(call, document, event),
      deduplicationId: null,
      targetDocumentId: null,
      body,
    });
  }
}
