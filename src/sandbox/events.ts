/** The two event endpoints, and the checks that need no document (service.md, Endpoints: Events). */
import { addDocument, visible } from "./documents.js";
import { type Answer, jsonAnswer } from "./answer.js";
import { isObject, type JsonObject } from "./json.js";
import { checkIdentities, checkReferences, type References } from "./references.js";
import { invalid, Refusal } from "./refusal.js";
import type { Call } from "./request.js";
import {
  checked,
  type DocumentInput,
  documentInput,
  type EventInput,
  eventSchemaFor,
  isReserved,
  type RelatedDocument,
} from "./schemas.js";
import { type AppendedEvent, appendEvent } from "./timeline.js";

/** A faulty event is kept as its refusal until its turn. */
interface Batch {
  /** Its id, or the document to create. */
  document: string | DocumentInput;
  events: (EventInput | Refusal)[];
}

/** POST /documents/{documentId}/events: runs the identity check itself, then delegates to the batch (Events rule 2). */
export function postEvent(call: Call): Answer {
  const batch = { document: call.params["documentId"] ?? "", events: [checkEvent(call, call.body, "")] };
  const { documentId, entries } = submit(call, batch, () => "");
  return jsonAnswer(201, { documentId, ...entryView(entries[0]) });
}

/** POST /documents/events (Events rules 3, 4 and 5). */
export function postBatch(call: Call): Answer {
  const { documentId, entries } = submit(call, readBatch(call), (index) => `events[${index}].`);
  return jsonAnswer(201, { documentId, events: entries.map(entryView) });
}

function entryView(entry: AppendedEvent | undefined): JsonObject {
  const { eventId = "", targetDocumentId = null } = entry ?? {};
  return targetDocumentId === null ? { eventId } : { eventId, targetDocumentId };
}

/** @throws Refusal 400, 413 or 422 */
function readBatch(call: Call): Batch {
  const { body, settings } = call;
  if (!isObject(body)) throw new Refusal(422, "The body must be an object");
  const { documentId, document, events } = body;
  if ((documentId === undefined) === (document === undefined)) {
    throw invalid("Exactly one of documentId or document must be provided");
  }
  if (documentId !== undefined && typeof documentId !== "string")
    throw new Refusal(422, "documentId: must be a string");
  if (events === undefined) throw invalid("events: required");
  if (!Array.isArray(events)) throw new Refusal(422, "events: must be an array");
  const { maxEvents, emptyBatch } = settings;
  if (events.length === 0 && emptyBatch === "refuse") throw invalid("events: at least one is needed");
  // Open point 10.
  if (maxEvents !== null && events.length > maxEvents) {
    throw new Refusal(413, `events: at most ${maxEvents} of them, not ${events.length}`);
  }
  const input = documentId ?? checked(documentInput, document, "document");
  if (typeof input !== "string") checkReferences(input, "document.", false);
  return { document: input, events: events.map((event, index) => readEvent(call, event, `events[${index}]`)) };
}

/** Under partialBatches a faulty event refuses the batch only at its turn (open point 9). */
function readEvent(call: Call, event: unknown, at: string): EventInput | Refusal {
  try {
    return checkEvent(call, event, at);
  } catch (error) {
    if (error instanceof Refusal && call.settings.partialBatches) return error;
    throw error;
  }
}

/**
 * All or nothing; under partialBatches the document and each event separately, up to the first refusal (open point 9).
 */
function submit(
  call: Call,
  { document, events }: Batch,
  at: (index: number) => string,
): { documentId: string; entries: AppendedEvent[] } {
  const { store, settings } = call;
  const carriers: References[] = typeof document === "string" ? [] : [document];
  for (const event of events) {
    if (!(event instanceof Refusal)) carriers.push(event, event.target ?? {});
  }
  checkIdentities(call, carriers);
  const step = <T>(work: () => T): T => (settings.partialBatches ? store.transaction(work) : work());
  const all = () => {
    const known = typeof document === "string";
    const { id } = known ? visible(call, document) : step(() => addDocument(call, document, "document."));
    const entries = events.map((event, index) => {
      if (event instanceof Refusal) throw event;
      return step(() => appendEvent(call, id, event, at(index)));
    });
    return { documentId: id, entries };
  };
  return settings.partialBatches ? all() : store.transaction(all);
}

/** Refused on one-way references (Events rule 10). */
const TWO_WAY_FIELDS = ["eventName", "eventLabel", "preserveSensitiveData", "isBackReference", "isPublic"] as const;

/** `at`: the event's name in messages, `events[2]`; "" for the single-event endpoint. @throws Refusal 400 or 422 */
function checkEvent({ settings }: Call, input: unknown, at: string): EventInput {
  const schema = eventSchemaFor(isObject(input) ? input["name"] : undefined);
  const event = checked(schema, input, at) as EventInput;
  const { name, target, relatedDocument, value } = event;
  const prefix = at === "" ? "" : `${at}.`;
  checkReferences(event, prefix, true);
  if (target !== undefined) checkReferences(target, `${prefix}target.`, false);
  if (name === "CANCEL" && !hasReason(event, settings.blankReason === "take")) {
    throw invalid("The reason metadata is required for CANCEL events");
  }
  if (name === "RELATED" && relatedDocument !== undefined) {
    checkRelation(relatedDocument, `${prefix}relatedDocument.`);
  }
  if (event.propagateEvent !== true) return event;
  if (value !== undefined) throw invalid(`${prefix}value: cannot be sent on a propagated event`);
  // Which combinations are restricted is open point 29.
  if ((name === "CLOSE" || name === "CANCEL") && settings.propagatedClose === "refuse") {
    throw invalid(`${prefix}propagateEvent: cannot be sent on ${name}`);
  }
  return event;
}

/** Events rule 9: an attribute named exactly `reason`, not empty. */
function hasReason({ metadata }: EventInput, mayBeBlank: boolean): boolean {
  const reasons = (metadata?.attributes ?? []).filter(({ name }) => name === "reason");
  return reasons.some(({ value }) => (mayBeBlank ? value : value.trim()) !== "");
}

function checkRelation(related: RelatedDocument, at: string): void {
  if (related.bidirectional === false) {
    const refused = TWO_WAY_FIELDS.filter((name) => related[name] !== undefined);
    if (refused.length > 0) throw invalid(`${at}${refused.join(", ")}: cannot be sent when bidirectional is false`);
    return;
  }
  if (related.isPublic === undefined) throw invalid(`${at}isPublic: required when bidirectional is true`);
  const { eventName } = related;
  if (eventName !== "RELATED" && isReserved(eventName)) {
    throw invalid(`${at}eventName: ${eventName} cannot be written as a back-reference`);
  }
}
