/** `show <anything>`: finds a thing by any of its names. Works beside a running import. */
import { documentsNamed } from "../../documents-named.js";
import type { LedgerDatabase } from "../../ledger-database.js";
import { documentsWith } from "./documents.js";
import { findEvent } from "./events.js";
import { findRegistrations } from "./registrations.js";
import { requestsBetween, requestsWithId } from "./requests.js";
import { findRows } from "./rows.js";
import { findRuns } from "./runs.js";
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

export interface ShowWhat {
  /** Every event of a document. */
  all?: boolean | undefined;
  /** The mapping's text as it was used for a row. */
  mapping?: boolean | undefined;
}

/** Of a long timeline, unless all are asked for. */
const NEWEST = 50;

/**
 * `file:row`, a run, an eventId or deduplicationId, a document's key or id, a tax id, an address, a request id. Empty:
 * unknown.
 */
export function show(database: LedgerDatabase, text: string, { all = false, mapping = false }: ShowWhat = {}): Shown {
  const events = all ? -1 : NEWEST;
  const rows = findRows(database, text, mapping ? 1 : 0);
  if (rows.length > 0) return { ...nothing, rows };
  const runs = findRuns(database, text);
  if (runs.length > 0) return { ...nothing, runs };
  const found = findEvent(database, text);
  if (found !== null) {
    const same = database.values<number>(
      `SELECT g.id FROM documents d JOIN documents g ON g.key = d.key AND g.kind = d.kind AND g.namespace = d.namespace
       WHERE d.id = @document`,
      found,
    );
    return { ...nothing, event: found.event, documents: documentsWith(database, same, events) };
  }
  const documents = documentsWith(database, documentsNamed(database, text), events);
  const registrations = findRegistrations(database, text);
  if (documents.length + registrations.length > 0) return { ...nothing, documents, registrations };
  return { ...nothing, requests: requestsWithId(database, text) };
}

/** `since` and `until`: ms, inclusive; oldest first. */
export function showRequests(database: LedgerDatabase, since: number, until: number, limit: number): Shown {
  return { ...nothing, requests: requestsBetween(database, since, until, limit) };
}

export { listRuns } from "./runs.js";
