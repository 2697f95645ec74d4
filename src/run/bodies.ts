/**
 * Bodies of document and event requests, joined from the JSON text that staging stored and the ids that have come
 * back since. The same work gives the same text, so a retry after a restart is identical too.
 */
import type { RegistrationStore } from "../ledger/registrations.js";
import type { WorkDocument, WorkEvent, WorkStore } from "../ledger/work.js";
import type { MappingSettings } from "../map/mapping.js";
import { type JsonObject, parseJson } from "../model/json.js";
import { documentDeduplicationId } from "../model/keys.js";
import { isOn } from "../model/safeguards.js";

export interface Bodies {
  /** One event, as it stands in `events` (service.md, Event). */
  event(event: WorkEvent): string;
  /** The document as created (service.md, Document; open-points 7, 27). */
  document(document: WorkDocument): string;
  documentKey(document: WorkDocument): string;
  append(documentId: string, events: readonly WorkEvent[]): string;
  create(document: WorkDocument, events: readonly WorkEvent[]): string;
}

/** The externalId under which this generation of a document is sent (open-points 26); null: none. */
export function sentExternalId(
  { externalId, generation }: Pick<WorkDocument, "externalId" | "generation">,
  { replacementExternalId }: Pick<MappingSettings, "replacementExternalId">,
): string | null {
  if (externalId === null || generation === 1 || replacementExternalId == null) return externalId;
  return replacementExternalId.replace(/\{(externalId|generation)\}/g, (_, name) =>
    name === "generation" ? String(generation) : externalId,
  );
}

export function createBodies(
  registrations: RegistrationStore,
  work: WorkStore,
  settingsOf: (document: WorkDocument) => Pick<MappingSettings, "references" | "replacementExternalId">,
): Bodies {
  const inlineReferences = (document: WorkDocument) => settingsOf(document).references === "inline";
  const references = (participant: number | null, address: number | null, inline: boolean): JsonObject => {
    const body: JsonObject = {};
    for (const [name, ref] of [
      ["participant", participant],
      ["address", address],
    ] as const) {
      if (ref === null) continue;
      const found = registrations[name](ref);
      if (found?.serviceId == null) throw new Error(`a request was planned before its ${name} was registered`);
      // A record that was only ever given by id has no data to send inline.
      if (inline && found.payload !== "{}") body[name] = parseJson(found.payload) as JsonObject;
      else body[`${name}Id`] = found.serviceId;
    }
    return body;
  };

  let others = 0;

  const documentKey = (document: WorkDocument): string => documentDeduplicationId(document);

  const documentBody = (document: WorkDocument): JsonObject => {
    const externalId = sentExternalId(document, settingsOf(document));
    return {
      ...(parseJson(document.fields) as JsonObject),
      ...(externalId === null ? {} : { externalId }),
      deduplicationId: documentKey(document),
      ...references(document.participant, document.address, inlineReferences(document)),
    };
  };

  const eventBody = (event: WorkEvent, inline: boolean): JsonObject => {
    const body = parseJson(event.payload) as JsonObject;
    const related = body["relatedDocument"];
    if (related !== undefined) {
      const documentId =
        event.relatedDocument === null ? event.relatedId : (work.document(event.relatedDocument)?.serviceId ?? null);
      if (documentId === null) throw new Error("a relation was planned before its document was created");
      body["relatedDocument"] = { documentId, ...(related as JsonObject) };
    }
    const target = event.target === null ? null : work.document(event.target);
    if (target !== null) body["target"] = documentBody(target);
    return { ...body, ...added(event, inline) };
  };

  const added = (event: WorkEvent, inline: boolean): JsonObject => ({
    externalCreatedAt: new Date(event.at).toISOString(),
    deduplicationId: isOn("same-key") ? event.deduplicationId : `${event.deduplicationId}-${(others += 1)}`,
    ...references(event.participant, event.address, inline),
  });

  const isInline = (id: number): boolean => {
    const owner = work.document(id);
    return owner !== null && inlineReferences(owner);
  };

  /** Nearly all payloads hold no id that has come back: their text goes out as it was stored. */
  const eventText = (event: WorkEvent, inline: boolean): string => {
    const { payload } = event;
    const isPlain = event.target === null && payload.length > 2 && !payload.includes('"relatedDocument"');
    if (!isPlain) return JSON.stringify(eventBody(event, inline));
    return `${payload.slice(0, -1)},${JSON.stringify(added(event, inline)).slice(1)}`;
  };

  const event = (item: WorkEvent): string => eventText(item, isInline(item.document));
  const list = (events: readonly WorkEvent[]): string => {
    const [first] = events;
    if (first === undefined) return "[]";
    const inline = isInline(first.document);
    return `[${events.map((item) => eventText(item, inline)).join(",")}]`;
  };
  return {
    event,
    document: (document) => JSON.stringify(documentBody(document)),
    documentKey,
    append: (documentId, events) => `{"documentId":${JSON.stringify(documentId)},"events":${list(events)}}`,
    create: (document, events) => `{"document":${JSON.stringify(documentBody(document))},"events":${list(events)}}`,
  };
}
