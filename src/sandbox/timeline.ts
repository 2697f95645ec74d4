/**
 * Appends an event to a document: checks duplicate, lifecycle and time, then writes the event and its effects
 * elsewhere.
 */
import { eventScope, visible } from "./documents.js";
import { type Instant, instantOf, instantText, isEarlier } from "./instants.js";
import type { Json, JsonObject } from "./json.js";
import { copyToRelated, createTarget, lastOf, writeEvent, writeRelation } from "./links.js";
import type { DocumentRecord } from "./records.js";
import { resolveReferences } from "./references.js";
import { conflict, duplicateKey, invalid } from "./refusal.js";
import type { Call } from "./request.js";
import type { EventInput } from "./schemas.js";

export interface AppendedEvent {
  eventId: string;
  targetDocumentId: string | null;
}

/**
 * Call in a transaction. `at`: the event's name in messages. @throws Refusal 409 for a repeated key, a closed or
 * cancelled document; 400 for its time or an unknown reference.
 */
export function appendEvent(call: Call, documentId: string, event: EventInput, at: string): AppendedEvent {
  const document = visible(call, documentId);
  const instant = instantOf(event.externalCreatedAt);
  const { name, isPublic, deduplicationId = null } = event;
  const checks = [() => claimKey(call, document, deduplicationId), () => checkOrder(call, document, name, instant, at)];
  for (const check of call.settings.checks === "order-first" ? checks.toReversed() : checks) check();

  const references = resolveReferences(call, event, at);
  // Before this event's own relation is recorded: a copy goes only to documents related before.
  const related = event.propagateEvent === true ? call.store.relatedTo(documentId) : [];
  const targetDocumentId =
    event.target === undefined ? null : createTarget(call, document, event, instant, references, `${at}target.`);
  const record = writeEvent(call, document, {
    eventId: call.newId(),
    origin: "sent",
    name,
    ...instant,
    isPublic,
    ...references,
    deduplicationId,
    targetDocumentId,
    body: bodyOf(event),
  });
  if (name === "RELATED" && event.relatedDocument !== undefined) {
    writeRelation(call, record, event.relatedDocument, at);
  }
  copyToRelated(call, record, related);
  return { eventId: record.eventId, targetDocumentId };
}

/** Events rule 8. @throws Refusal 409 */
function claimKey(call: Call, { id }: DocumentRecord, key: string | null): void {
  if (key !== null && !call.store.claimKey(eventScope(call, id), key)) throw duplicateKey(key);
}

/**
 * After CANCEL nothing; after CLOSE only RELATED, and CANCEL (States and transitions). Before the current time, and not before
 * the last event (Events rule 7). @throws Refusal 409 or 400
 */
function checkOrder(call: Call, document: DocumentRecord, name: string, instant: Instant, at: string): void {
  if (document.state === "cancelled") throw conflict(`Document ${document.id} is cancelled: no event can be added`);
  if (document.state === "closed" && name !== "RELATED" && name !== "CANCEL") {
    throw conflict(`Document ${document.id} is closed`);
  }
  if (instant.at >= call.now()) throw invalid(`${at}externalCreatedAt: must be before the current time`);
  const last = lastOf(document);
  if (last !== null && isEarlier(instant, last)) {
    const time = instantText(last);
    throw invalid(`${at}externalCreatedAt: must not be earlier than the last event of the document (${time})`);
  }
}

function bodyOf(event: EventInput): JsonObject {
  const body: JsonObject = {};
  for (const name of ["metadata", "relatedDocument", "propagateEvent", "value"] as const) {
    if (event[name] !== undefined) body[name] = event[name] as Json;
  }
  return body;
}
