/**
 * What an event causes on other documents: back-references, propagated copies, and the documents of targets
 * (service.md, Events rules 6, 10 and 11). When they take place is open point 11.
 */
import type { Caller, Context } from "./context.js";
import { addDocument } from "./documents.js";
import { isTwoWay } from "./event-check.js";
import type { Json, JsonObject } from "./json.js";
import type { DocumentRecord, EventRecord } from "./records.js";
import type { ResolvedReferences } from "./references.js";
import { conflict, invalid } from "./refusal.js";
import type { EventInput, RelatedDocument } from "./schemas.js";
import { type NewEvent, writeEvent } from "./write-event.js";

/** The event's own time or the service's, never before the last event of the document that it is written on. */
function timeOfLink(context: Context, document: DocumentRecord, at: number): number {
  const wanted = context.settings.linkTime === "server" ? context.now() : at;
  return Math.max(wanted, document.lastAt ?? wanted);
}

/** Events rule 6: the downstream document, whose timeline begins with the event that it came from. Gives its id. */
export function createTarget(
  context: Context,
  caller: Caller,
  event: EventInput,
  at: number,
  references: ResolvedReferences,
  path: string,
): string {
  const document = addDocument(context, caller, event.target ?? {}, `${path}target.`, references);
  writeEvent(context, document, {
    eventId: context.newId(),
    origin: "target",
    name: event.name,
    at: timeOfLink(context, document, at),
    isPublic: event.isPublic,
    ...references,
    deduplicationId: null,
    targetDocumentId: null,
    body: {},
  });
  return document.id;
}

/**
 * Events rule 10. @throws Refusal 400 when there is no such document in the dataset, or under the option earlyMirrors when its
 * last event is later (open point 32); 409 when it is cancelled.
 */
export function writeRelation(
  context: Context,
  caller: Caller,
  source: EventRecord,
  event: EventInput,
  path: string,
): void {
  const related = event.relatedDocument;
  if (related === undefined) return;
  const other = context.store.document(related.documentId);
  if (other === undefined || (other.dataset !== caller.dataset && context.rule("related.same-dataset"))) {
    throw invalid(`${path}relatedDocument.documentId: no document of this dataset has the id ${related.documentId}`);
  }
  context.store.relate(source.documentId, other.id);
  const twoWay = isTwoWay(context, related);
  if (!twoWay && context.rule("related.one-way-writes-once")) return;
  if (twoWay) context.store.relate(other.id, source.documentId);
  // Open point 30: a closed document takes the mirror, only a cancelled one refuses it.
  if (other.state === "cancelled" && context.rule("related.not-cancelled")) {
    throw conflict(`Document ${other.id} is cancelled: no back-reference can be added`);
  }
  if (twoWay && !context.rule("related.mirror")) return;
  refuseEarly(context, source, other, path);
  writeEvent(context, other, mirrorOf(context, source, related, timeOfLink(context, other, source.at)));
}

function refuseEarly(context: Context, source: EventRecord, other: DocumentRecord, path: string): void {
  const { earlyMirrors, linkTime } = context.settings;
  if (earlyMirrors === "move" || linkTime === "server" || other.lastAt === null || source.at >= other.lastAt) return;
  const last = new Date(other.lastAt).toISOString();
  throw invalid(
    `${path}relatedDocument: the last event of document ${other.id} (${last}) is later than its back-reference`,
  );
}

/** What of the attributes is not public goes along only with preserveSensitiveData (its meaning is not shown). */
function mirrorOf(context: Context, source: EventRecord, related: RelatedDocument, at: number): NewEvent {
  const back: JsonObject = {
    documentId: source.documentId,
    isBackReference: related.isBackReference ?? true,
    ...(related.eventLabel === undefined ? {} : { eventLabel: related.eventLabel }),
  };
  const kept = attributesOf(source).filter((one) => one["isPublic"] === true || related.preserveSensitiveData === true);
  return {
    eventId: context.newId(),
    origin: "mirror",
    name: context.rule("related.mirror-name") ? (related.eventName ?? "RELATED") : "BACK-REFERENCE",
    at,
    isPublic: related.isPublic ?? false,
    participantId: source.participantId,
    addressId: source.addressId,
    deduplicationId: null,
    targetDocumentId: null,
    body: { relatedDocument: back, ...(kept.length === 0 ? {} : { metadata: { attributes: kept } }) },
  };
}

function attributesOf(event: EventRecord): JsonObject[] {
  const metadata = event.body["metadata"] as { attributes?: JsonObject[] } | undefined;
  return metadata?.attributes ?? [];
}

/**
 * Events rule 11: a copy on each related document, one level deep. A copy moves no state; documents that are closed or
 * cancelled take none (which combinations are restricted is open point 29).
 */
export function copyToRelated(context: Context, event: EventRecord, related: readonly string[]): void {
  if (!context.rule("propagation.copies")) return;
  const seen = new Set([event.documentId]);
  const pending = [...related];
  for (let id = pending.shift(); id !== undefined; id = pending.shift()) {
    const document = seen.has(id) ? undefined : context.store.document(id);
    seen.add(id);
    if (document === undefined || document.state !== "open") continue;
    const { propagateEvent: _, ...body } = event.body as Record<string, Json>;
    writeEvent(context, document, {
      ...event,
      eventId: context.newId(),
      origin: "propagated",
      at: timeOfLink(context, document, event.at),
      deduplicationId: null,
      targetDocumentId: null,
      body,
    });
    if (!context.rule("propagation.one-level")) pending.push(...context.store.relatedTo(id));
  }
}
