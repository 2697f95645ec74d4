/** Documents (service.md, Document; Endpoints: the other document endpoints; shapes by open points 7, 18, 25, 26 and 27). */
import { type Call, type Caller, type Context, freshId } from "./context.js";
import { checkIdentities } from "./identity.js";
import type { JsonObject } from "./json.js";
import type { DocumentRecord, EventRecord } from "./records.js";
import { limitReferences, resolveReferences, type ResolvedReferences } from "./references.js";
import { conflict, duplicateKey, notFound } from "./refusal.js";
import type { Reply } from "./request.js";
import { type DocumentInput, documentInput } from "./schemas.js";
import { checked } from "./validation.js";

/** POST /documents: an empty timeline. */
export function createDocument(context: Context, { caller, body }: Call): Reply {
  const input = checked(documentInput, body);
  limitReferences(input, "");
  checkIdentities(context, [input]);
  const record = context.store.transaction(() => addDocument(context, caller, input, ""));
  return { status: 201, body: { id: record.id, documentId: record.id } };
}

/** GET /documents/{id}: id, state, references and the timeline. */
export function readDocument(context: Context, { caller, params }: Call): Reply {
  const id = params["id"] ?? "";
  const record = context.store.document(id);
  if (record === undefined && !context.rule("documents.not-found")) return { status: 200, body: { id, events: [] } };
  const found = visible(context, caller, record);
  const { state, participantId, addressId, externalId, deduplicationId } = found;
  const view: JsonObject = { ...found.fields, id, documentId: id, state, participantId, addressId };
  if (externalId !== null) view["externalId"] = externalId;
  if (deduplicationId !== null) view["deduplicationId"] = deduplicationId;
  view["events"] = context.store.eventsOf(id).map(eventView);
  return { status: 200, body: view };
}

/** Records are scoped to the dataset (What the service does, 4). @throws Refusal 404 */
export function visible(context: Context, caller: Caller, record: DocumentRecord | undefined): DocumentRecord {
  if (record === undefined) throw notFound("Document");
  if (record.dataset !== caller.dataset && context.rule("dataset.documents-scoped")) throw notFound("Document");
  return record;
}

function eventView(event: EventRecord): JsonObject {
  const view: JsonObject = {
    ...event.body,
    eventId: event.eventId,
    name: event.name,
    externalCreatedAt: new Date(event.at).toISOString(),
    isPublic: event.isPublic,
    participantId: event.participantId,
    addressId: event.addressId,
  };
  if (event.deduplicationId !== null) view["deduplicationId"] = event.deduplicationId;
  if (event.targetDocumentId !== null) view["targetDocumentId"] = event.targetDocumentId;
  return view;
}

/**
 * Creates a document; must run in a transaction. `fallback`: whose participant and address a target takes over when it names none.
 * @throws Refusal 409 for a taken deduplicationId, or externalId under uniqueExternalId (open point 26); 400 and 403 for references.
 */
export function addDocument(
  context: Context,
  caller: Caller,
  input: DocumentInput,
  at: string,
  fallback: ResolvedReferences | null = null,
): DocumentRecord {
  const { participantId, participant, addressId, address, externalId, deduplicationId, ...fields } = input;
  if (deduplicationId !== undefined) claimDocumentKey(context, caller, deduplicationId);
  const { store } = context;
  if (
    externalId !== undefined &&
    context.settings.uniqueExternalId &&
    store.hasExternalId(caller.dataset, externalId)
  ) {
    throw conflict(`Document externalId: (${externalId}) already exists`);
  }
  const references = resolveReferences(context, caller, { participantId, participant, addressId, address }, at);
  const record: DocumentRecord = {
    id: freshId(context, (id) => store.document(id)),
    dataset: caller.dataset,
    origin: fallback === null ? "created" : "target",
    state: "open",
    lastAt: null,
    eventCount: 0,
    participantId: references.participantId ?? fallback?.participantId ?? null,
    addressId: references.addressId ?? fallback?.addressId ?? null,
    externalId: externalId ?? null,
    deduplicationId: deduplicationId ?? null,
    fields: fields as JsonObject,
    createdAt: context.now(),
  };
  store.addDocument(record);
  return record;
}

/** A document's own key is unique within the integrator whatever keyScope says: there is no document yet to scope it to. */
function claimDocumentKey(context: Context, caller: Caller, key: string): void {
  if (!context.store.claimKey(`document:${caller.integrator}`, key) && context.rule("documents.key-unique")) {
    throw duplicateKey(key);
  }
}
