/**
 * Builds calls for documents and events from the staged JSON and the ids returned since. The same work gives the same
 * text, so a retry after a restart is identical.
 */
import type { RegistrationStore } from "../ledger/registrations.js";
import type { WorkDocument, WorkEvent, WorkStore } from "../ledger/work.js";
import type { MappingSettings } from "../map/mapping.js";
import { type JsonObject, parseJson } from "../model/json.js";
import { documentDeduplicationId } from "../model/keys.js";
import type { Call } from "../submit/call.js";
import { appendEvents, createDocument, createWithEvents } from "../submit/calls.js";

/** The externalId of this generation (open point 26); null: none. */
export function sentExternalId(
  { externalId, generation }: Pick<WorkDocument, "externalId" | "generation">,
  { replacementExternalId }: Pick<MappingSettings, "replacementExternalId">,
): string | null {
  if (externalId === null || generation === 1 || replacementExternalId == null) return externalId;
  return replacementExternalId.replace(/\{(externalId|generation)\}/g, (_, name) =>
    name === "generation" ? String(generation) : externalId,
  );
}

type SentSettings = Pick<MappingSettings, "references" | "replacementExternalId" | "addresses">;

export function createBodies(
  registrations: RegistrationStore,
  work: WorkStore,
  settingsOf: (document: WorkDocument) => SentSettings,
) {
  /** Null: parties are referred to by their ids. */
  const inlineBy = (document: WorkDocument | null): SentSettings | null => {
    const settings = document && settingsOf(document);
    return settings?.references === "inline" ? settings : null;
  };

  const reference = (kind: "participant" | "address", ref: number | null, inline: SentSettings | null): JsonObject => {
    if (ref === null) return {};
    const found = registrations.party(ref);
    if (found?.serviceId == null) throw new Error(`a request was planned before its ${kind} was registered`);
    // A party given only by its id or tax id has no data to send inline. An address must be as it was registered: the service may
    // take one without its further fields for another.
    const data = parseJson(found.payload) as JsonObject;
    if (inline !== null && (kind === "address" ? found.payload !== "{}" : "name" in data)) {
      const extended = inline.addresses.extendedFields ? found.extended : "{}";
      return { [kind]: { ...data, ...(parseJson(extended) as JsonObject) } };
    }
    return { [`${kind}Id`]: found.serviceId };
  };

  /** As created (service.md, Document; open points 7, 27). */
  const documentBody = (document: WorkDocument): JsonObject => {
    const externalId = sentExternalId(document, settingsOf(document));
    return {
      ...(parseJson(document.fields) as JsonObject),
      ...(externalId === null ? {} : { externalId }),
      deduplicationId: documentDeduplicationId(document),
      ...reference("participant", document.participant, inlineBy(document)),
      ...reference("address", document.address, inlineBy(document)),
    };
  };

  const linked = ({ payload, relatedDocument, relatedId, target }: WorkEvent): JsonObject => {
    const body = parseJson(payload) as JsonObject;
    const related = body["relatedDocument"];
    if (related !== undefined) {
      const documentId = relatedDocument === null ? relatedId : (work.document(relatedDocument)?.serviceId ?? null);
      if (documentId === null) throw new Error("a relation was planned before its document was created");
      body["relatedDocument"] = { documentId, ...(related as JsonObject) };
    }
    const made = target === null ? null : work.document(target);
    return made === null ? body : { ...body, target: documentBody(made) };
  };

  /** As in `events` (service.md, Event). */
  const eventText = (event: WorkEvent, inline: SentSettings | null): string => {
    const added = {
      externalCreatedAt: new Date(event.at).toISOString(),
      deduplicationId: event.deduplicationId,
      ...reference("participant", event.participant, inline),
      ...reference("address", event.address, inline),
    };
    return JSON.stringify({ ...linked(event), ...added });
  };

  const list = (events: readonly WorkEvent[]): string => {
    const inline = inlineBy(events[0] === undefined ? null : work.document(events[0].document));
    return `[${events.map((event) => eventText(event, inline)).join(",")}]`;
  };

  return {
    append: (documentId: string, events: readonly WorkEvent[]): Call =>
      appendEvents(`{"documentId":${JSON.stringify(documentId)},"events":${list(events)}}`),
    /** Without events: the document alone under POST /documents, unless `together` (open point 25). */
    create(document: WorkDocument, events: readonly WorkEvent[], together = false): Call {
      const body = JSON.stringify(documentBody(document));
      if (events.length === 0 && !together) return createDocument(body);
      return createWithEvents(`{"document":${body},"events":${list(events)}}`);
    },
  };
}
