/** `show <anything>`: finds what a person names by whatever they have at hand. Reads only; works beside a running import. */
import type { Database } from "better-sqlite3";
import { createDocumentView } from "./show-documents.js";
import { createEventView } from "./show-events.js";
import { createRegistrationView } from "./show-registrations.js";
import { createRequestView } from "./show-requests.js";
import { createRowView } from "./show-rows.js";
import { createRunView } from "./show-runs.js";
import type { Shown, ShownRun } from "./shown.js";

const nothing: Shown = {
  documents: [],
  rows: [],
  registrations: [],
  runs: [],
  requests: [],
  event: null,
  archived: [],
};

/** `file:row`, a run, an eventId or deduplicationId, a document's key or id, a tax id, an address, a request id. Empty: unknown. */
export function show(database: Database, text: string): Shown {
  const requests = createRequestView(database);
  const events = createEventView(database);
  const registrations = createRegistrationView(database, requests);
  const documents = createDocumentView(database, { events, requests });
  const rows = createRowView(database, { events, registrations }).find(text);
  if (rows.length > 0) return { ...nothing, rows };
  const runs = createRunView(database).find(text);
  if (runs.length > 0) return { ...nothing, runs };
  const event = events.find(text);
  if (event !== null) return { ...nothing, event: event.event, documents: documents.withId(event.document) };
  const found = { documents: documents.find(text), registrations: registrations.find(text) };
  if (found.documents.length + found.registrations.length > 0) return { ...nothing, ...found };
  return { ...nothing, requests: requests.byRequestId(text) };
}

/** Requests under way from `since` to `until` (ms, both included), oldest first. */
export function showRequests(database: Database, since: number, until: number, limit: number): Shown {
  return { ...nothing, requests: createRequestView(database).between(since, until, limit) };
}

/** Newest first. */
export function listRuns(database: Database, limit: number): ShownRun[] {
  return createRunView(database).newest(limit);
}

export const isEmpty = (shown: Shown): boolean =>
  shown.documents.length +
    shown.rows.length +
    shown.registrations.length +
    shown.runs.length +
    shown.requests.length ===
  0;
