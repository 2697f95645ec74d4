/** Puts an event on a timeline. Whether it may be there has been decided before. */
import type { Context } from "./context.js";
import type { DocumentRecord, DocumentState, EventRecord } from "./records.js";

/** An event before its place on a timeline is known. */
export type NewEvent = Omit<EventRecord, "documentId" | "sequence" | "recordedAt">;

/** Adds the event and moves the document on. */
export function writeEvent(context: Context, document: DocumentRecord, event: NewEvent): EventRecord {
  const sequence = document.eventCount + 1;
  const record: EventRecord = { ...event, documentId: document.id, sequence, recordedAt: context.now() };
  const state = event.origin === "sent" ? stateAfter(document.state, event.name) : document.state;
  context.store.append({ ...document, state, lastAt: event.at, eventCount: sequence }, record);
  return record;
}

/** States and transitions. */
function stateAfter(state: DocumentState, name: string): DocumentState {
  if (name === "CANCEL") return "cancelled";
  return name === "CLOSE" ? "closed" : state;
}
