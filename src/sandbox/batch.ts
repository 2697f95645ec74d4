/** The two event endpoints (service.md, Endpoints: Events). */
import type { Call, Caller, Context } from "./context.js";
import { addDocument, visible } from "./documents.js";
import { checkEvent } from "./event-check.js";
import { checkIdentities } from "./identity.js";
import { isObject, type JsonObject } from "./json.js";
import { limitReferences, type References } from "./references.js";
import { invalid, Refusal } from "./refusal.js";
import type { Reply } from "./request.js";
import { type DocumentInput, documentInput, type EventInput } from "./schemas.js";
import { appendEvent, type AppendedEvent } from "./timeline.js";
import { checked } from "./validation.js";

const ONE_DOCUMENT_MESSAGE = "Exactly one of documentId or document must be provided";

/** A batch whose shape has been checked; an event at fault is kept as its refusal until its turn comes. */
interface Batch {
  documentId: string | null;
  document: DocumentInput | null;
  events: (EventInput | Refusal)[];
  /** `events[0].` and so on in messages; false for the single-event endpoint. */
  numbered: boolean;
}

/** POST /documents/{documentId}/events: runs the identity check itself, then delegates to the batch (Events rule 2). */
export function postEvent(context: Context, { caller, params, body }: Call): Reply {
  const event = checkEvent(context, body, "");
  checkIdentities(context, carriersOf(null, [event]), true);
  const documentId = params["documentId"] ?? "";
  const { entries } = submit(context, caller, { documentId, document: null, events: [event], numbered: false });
  return { status: 201, body: { documentId, ...entryView(context, entries[0]) } };
}

/** POST /documents/events (Events rules 3, 4 and 5). */
export function postBatch(context: Context, { caller, body }: Call): Reply {
  const batch = readBatch(context, body);
  checkIdentities(context, carriersOf(batch.document, batch.events));
  const { documentId, entries } = submit(context, caller, batch);
  const shown = context.rule("batch.entry-per-event") ? entries : entries.slice(0, -1);
  return { status: 201, body: { documentId, events: shown.map((entry) => entryView(context, entry)) } };
}

function entryView(context: Context, entry: AppendedEvent | undefined): JsonObject {
  const view: JsonObject = { eventId: entry?.eventId ?? null };
  const target = entry?.targetDocumentId ?? null;
  if (target !== null && context.rule("target.reported")) view["targetDocumentId"] = target;
  return view;
}

/** @throws Refusal 400, 413 or 422 */
function readBatch(context: Context, body: unknown): Batch {
  if (!isObject(body)) throw new Refusal(422, "The body must be an object");
  const { documentId, document, events } = body;
  const both = documentId !== undefined && document !== undefined;
  const neither = documentId === undefined && document === undefined;
  if ((both && context.rule("batch.not-both")) || (neither && context.rule("batch.not-neither"))) {
    throw invalid(context.rule("batch.message") ? ONE_DOCUMENT_MESSAGE : "One document is needed");
  }
  if (documentId !== undefined && typeof documentId !== "string")
    throw new Refusal(422, "documentId: must be a string");
  if (events === undefined) throw invalid("events: required");
  if (!Array.isArray(events)) throw new Refusal(422, "events: must be an array");
  const { maxEvents } = context.settings;
  // Open point 10.
  if (maxEvents !== null && events.length > maxEvents) {
    throw new Refusal(413, `events: at most ${maxEvents} of them, not ${events.length}`);
  }
  const input = documentId === undefined ? checked(documentInput, document ?? {}, "document") : null;
  if (input !== null) limitReferences(input, "document.");
  return {
    documentId: documentId ?? null,
    document: input,
    events: events.map((event, index) => readEvent(context, event, `events[${index}]`)),
    numbered: true,
  };
}

/** Under partialBatches an event at fault refuses the batch only when its turn comes (open point 9). */
function readEvent(context: Context, event: unknown, at: string): EventInput | Refusal {
  if (!context.rule("batch.same-schema") && isObject(event)) return event as EventInput;
  try {
    return checkEvent(context, event, at);
  } catch (error) {
    if (error instanceof Refusal && context.settings.partialBatches) return error;
    throw error;
  }
}

function carriersOf(document: DocumentInput | null, events: readonly (EventInput | Refusal)[]): References[] {
  const carriers: References[] = document === null ? [] : [document];
  for (const event of events) {
    if (event instanceof Refusal) continue;
    carriers.push(event);
    if (event.target !== undefined) carriers.push(event.target);
  }
  return carriers;
}

/** All or nothing; with partialBatches the document and each event on their own, up to the first refusal (open point 9). */
function submit(context: Context, caller: Caller, batch: Batch): { documentId: string; entries: AppendedEvent[] } {
  const { store } = context;
  const step = <T>(work: () => T): T => (context.settings.partialBatches ? store.transaction(work) : work());
  const all = () => {
    const { documentId: id, document } = batch;
    const documentId =
      id === null
        ? step(() => addDocument(context, caller, document ?? {}, "document.").id)
        : visible(context, caller, store.document(id)).id;
    const entries = batch.events.map((event, index) => {
      if (event instanceof Refusal) throw event;
      return step(() => appendEvent(context, caller, documentId, event, batch.numbered ? `events[${index}].` : ""));
    });
    return { documentId, entries };
  };
  return context.settings.partialBatches ? all() : store.transaction(all);
}
