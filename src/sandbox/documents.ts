/** Documents (service.md, Document; Endpoints: the other document endpoints; shapes by open points 7, 18, 25, 26 and 27). */
import { instantText } from "./instants.js";
import { type Answer, jsonAnswer } from "./answer.js";
import type { JsonObject } from "./json.js";
import type { DocumentRecord, EventRecord } from "./records.js";
import { checkIdentities, checkReferences, resolveReferences, type ResolvedReferences } from "./references.js";
import { conflict, duplicateKey, notFound } from "./refusal.js";
import type { Call } from "./request.js";
import { checked, type DocumentInput, documentInput } from "./schemas.js";

/** POST /documents: an empty timeline. */
export function createDocument(call: Call): Answer {
  const input = checked(documentInput, call.body);
  checkReferences(input, "", false);
  checkIdentities(call, [input]);
  const { id } = call.store.transaction(() => addDocument(call, input, ""));
  return jsonAnswer(201, { id, documentId: id });
}

/** GET /documents/{id}: id, state, references and the timeline. */
export function readDocument(call: Call): Answer {
  const { id, state, participantId, addressId, fields, externalId, deduplicationId } = visible(call, call.params["id"]);
  const view: JsonObject = { ...fields, id, documentId: id, state, participantId, addressId };
  if (externalId !== null) view["externalId"] = externalId;
  if (deduplicationId !== null) view["deduplicationId"] = deduplicationId;
  view["events"] = call.store.eventsOf(id).map(eventView);
  return jsonAnswer(200, view);
}

/** Records are scoped to the dataset (What the service does, 4). @throws Refusal 404 */
export function visible({ store, caller }: Call, id = ""): DocumentRecord {
  const record = store.document(id);
  if (record?.dataset !== caller.dataset) throw notFound("Document");
  return record;
}

function eventView(event: EventRecord): JsonObject {
  const { body, eventId, name, isPublic, participantId, addressId, deduplicationId, targetDocumentId } = event;
  const view = { ...body, eventId, name, externalCreatedAt: instantText(event), isPublic, participantId, addressId };
  return {
    ...view,
    ...(deduplicationId === null ? {} : { deduplicationId }),
    ...(targetDocumentId === null ? {} : { targetDocumentId }),
  };
}

/**
 * Call in a transaction. `fallback`: the document whose parties a target without its own takes. @throws Refusal 409 for
 * a taken deduplicationId, or externalId under uniqueExternalId (open point 26); 400 and 403 for references.
 */
export function addDocument(
  call: Call,
  input: DocumentInput,
  at: string,
  fallback: ResolvedReferences | null = null,
): DocumentRecord {
  const { participantId, participant, addressId, address, externalId, deduplicationId, ...fields } = input;
  const { store, caller, settings } = call;
  const id = call.newId();
  if (deduplicationId !== undefined) claimKeys(call, id, deduplicationId);
  if (settings.uniqueExternalId && externalId !== undefined && store.hasExternalId(caller.dataset, externalId)) {
    throw conflict(`Document externalId: (${externalId}) already exists`);
  }
  const references = resolveReferences(call, { participantId, participant, addressId, address }, at);
  const record: DocumentRecord = {
    id,
    dataset: caller.dataset,
    origin: fallback === null ? "created" : "target",
    state: "open",
    lastAt: null,
    lastBeyond: "",
    eventCount: 0,
    participantId: references.participantId ?? fallback?.participantId ?? null,
    addressId: references.addressId ?? fallback?.addressId ?? null,
    externalId: externalId ?? null,
    deduplicationId: deduplicationId ?? null,
    fields: fields as JsonObject,
    createdAt: call.now(),
  };
  store.addDocument(record);
  return record;
}

/**
 * A document's key is unique within the integrator, because it has no document to belong to; under sharedKeys its
 * events cannot have it either. @throws Refusal 409
 */
function claimKeys(call: Call, documentId: string, key: string): void {
  const scopes = [`document:${call.caller.integrator}`];
  if (call.settings.sharedKeys) scopes.push(eventScope(call, documentId));
  for (const scope of scopes) if (!call.store.claimKey(scope, key)) throw duplicateKey(key);
}

/** The scope in which an event's key is unique: the integrator, or the document (open point 22). */
export function eventScope({ caller, settings }: Call, documentId: string): string {
  return settings.keyScope === "document" ? `on:${documentId}` : `event:${caller.integrator}`;
}
