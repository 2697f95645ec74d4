/** `show <anything>`: finds what a person names by whatever they have at hand. Reads only; works beside a running import. */
import type { LedgerDatabase } from "../../ledger-database.js";
import { documentWithId, findDocuments } from "./show-documents.js";
import { findEvent } from "./show-events.js";
import { findRegistrations } from "./show-registrations.js";
import { requestsBetween, requestsWithId } from "./show-requests.js";
import { findRows } from "./show-rows.js";
import { findRuns } from "./show-runs.js";
import type { Shown } from "./shown.js";

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
export function show(database: LedgerDatabase, text: string): Shown {
  const rows = findRows(database, text);
  if (rows.length > 0) return { ...nothing, rows };
  const runs = findRuns(database, text);
  if (runs.length > 0) return { ...nothing, runs };
  const found = findEvent(database, text);
  if (found !== null) return { ...nothing, event: found.event, documents: documentWithId(database, found.document) };
  const documents = findDocuments(database, text);
  const registrations = findRegistrations(database, text);
  if (documents.length + registrations.length > 0) return { ...nothing, documents, registrations };
  return { ...nothing, requests: requestsWithId(database, text) };
}

/** Requests under way from `since` to `until` (ms, both included), oldest first. */
export function showRequests(database: LedgerDatabase, since: number, until: number, limit: number): Shown {
  return { ...nothing, requests: requestsBetween(database, since, until, limit) };
}

export { listRuns } from "./show-runs.js";

export const isEmpty = (shown: Shown): boolean =>
  shown.documents.length +
    shown.rows.length +
    shown.registrations.length +
    shown.runs.length +
    shown.requests.length ===
  0;
