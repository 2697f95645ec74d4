/** Which row became which record, with every id that came back. Reads only. */
import type { Database } from "better-sqlite3";
import { inputOf, rowNumberOf } from "../row-id.js";
import { requestsOf } from "../request-id.js";
import { hasRequests } from "./run-figures.js";

export interface Receipt {
  input: string;
  sheet: string | null;
  row: number;
  record: "participant" | "address" | "document" | "event";
  /** Its name in the mapping. */
  name: string;
  /** A person's key for it: tax id, address identity, document key, document key and event key. */
  key: string;
  /** Its state in the ledger; `landed-without-id` where the id is lost. */
  state: string;
  /** Of the record itself: participant, address or document id, eventId; null where none came. */
  id: string | null;
  snapshotId: string | null;
  /** Of events: the document they are on. */
  documentId: string | null;
  targetDocumentId: string | null;
  deduplicationId: string | null;
  /** ISO 8601, UTC: when the answer came; null where none did. */
  answeredAt: string | null;
}

interface EventReceiptRow {
  row_id: number;
  document_id: number;
  event: string;
  state: string;
  service_event_id: string | null;
  target_document_id: string | null;
  deduplication_id: string;
  changed_at: number;
}

interface DocumentName {
  key: string;
  id: string | null;
}

interface RegistrationRow {
  row_id: number;
  state: string;
  key: string;
  service_id: string | null;
  snapshot_id: string | null;
  changed_at: number | null;
}

/** Everything that this run's requests brought to rest: participants, addresses, documents, then events. */
export function* receiptsOf(database: Database, runId: number): Generator<Receipt> {
  if (!hasRequests(database, runId)) return;
  const names = new Map<number, { name: string; sheet: string | null }>();
  const inputName = database.prepare<[number], { name: string; sheet: string | null }>(
    "SELECT name, sheet FROM inputs WHERE id = ?",
  );
  const place = (id: number) => {
    const input = inputOf(id);
    const found = names.get(input) ?? inputName.get(input) ?? { name: "", sheet: null };
    names.set(input, found);
    return { input: found.name, sheet: found.sheet, row: rowNumberOf(id) };
  };
  const range = requestsOf(runId);
  const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  const nothing = { snapshotId: null, documentId: null, targetDocumentId: null, deduplicationId: null };

  for (const [record, table, key] of [
    ["participant", "participants", "json_extract(t.payload, '$.taxId')"],
    ["address", "addresses", "t.identity"],
  ] as const) {
    const rows = database.prepare<[number, number, string], RegistrationRow>(
      `SELECT t.row_id, t.state, ${key} AS key, t.service_id, t.snapshot_id, t.changed_at FROM ${table} t
       WHERE t.row_id IS NOT NULL AND t.state = 'registered'
         AND t.id IN (SELECT subject_id FROM requests WHERE id BETWEEN ? AND ? AND subject = ?)`,
    );
    for (const row of rows.iterate(...range, record)) {
      const { state, snapshot_id: snapshotId } = row;
      yield {
        ...nothing,
        ...place(row.row_id),
        record,
        name: record,
        key: row.key,
        state,
        id: row.service_id,
        snapshotId,
        answeredAt: iso(row.changed_at),
      };
    }
  }
  const documents = database.prepare<[number, number], RegistrationRow & { kind: string }>(
    `SELECT d.row_id, d.state, d.kind, d.key, d.service_id, NULL AS snapshot_id, d.changed_at FROM documents_now d
     WHERE d.row_id IS NOT NULL AND d.service_id IS NOT NULL
       AND d.id IN (SELECT subject_id FROM requests WHERE id BETWEEN ? AND ? AND subject = 'document' AND kind LIKE 'create-%')`,
  );
  for (const row of documents.iterate(...range)) {
    const { kind: name, key, state, service_id: id } = row;
    yield {
      ...nothing,
      ...place(row.row_id),
      record: "document",
      name,
      key,
      state,
      id,
      documentId: id,
      answeredAt: iso(row.changed_at),
    };
  }
  const nameOf = database.prepare<[number], DocumentName>(
    `SELECT d.kind || ' ' || d.key AS key, d.service_id AS id FROM documents_now d WHERE d.id = ?`,
  );
  const events = database.prepare<[number, number], EventReceiptRow>(
    `SELECT re.row_id, e.document_id, e.event, e.state, e.service_event_id, e.target_document_id,
       'rf1-' || lower(hex(e.deduplication_id)) AS deduplication_id, e.changed_at
     FROM (SELECT DISTINCT event_id FROM request_events WHERE request_id BETWEEN ? AND ?) sent
     JOIN events_now e ON e.id = sent.event_id JOIN row_events re ON re.event_id = e.id
     WHERE e.known`,
  );
  // A document's events come one after another, and those of one request were answered at one time.
  let last = { document: -1, key: "", id: null as string | null, at: -1, answeredAt: "" };
  for (const row of events.iterate(...range)) {
    const { document_id: document, changed_at: at } = row;
    if (document !== last.document) last = { ...last, document, ...(nameOf.get(document) ?? { key: "", id: null }) };
    if (at !== last.at) last = { ...last, at, answeredAt: new Date(at).toISOString() };
    // Spread members would cost more than all the rest of it.
    const { input, sheet, row: number } = place(row.row_id);
    yield {
      input,
      sheet,
      row: number,
      record: "event",
      name: row.event,
      key: last.key,
      state: row.state,
      id: row.service_event_id,
      snapshotId: null,
      documentId: last.id,
      targetDocumentId: row.target_document_id,
      deduplicationId: row.deduplication_id,
      answeredAt: last.answeredAt,
    };
  }
}
