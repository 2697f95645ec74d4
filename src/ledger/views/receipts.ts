/** Which row became which record, with every returned id. */
import type { LedgerDatabase } from "../ledger-database.js";
import { requestsOf, SENT } from "../runs.js";

export interface Receipt {
  input: string;
  sheet: string | null;
  row: number;
  record: "participant" | "address" | "document" | "event";
  name: string;
  /** In a person's terms: tax id, address identity, document key, document and event key. */
  key: string;
  /** `landed-without-id`: the id is lost. */
  state: string;
  /** Participant, address, document or event id; null: none came. */
  id: string | null;
  snapshotId: string | null;
  /** For events. */
  documentId: string | null;
  targetDocumentId: string | null;
  deduplicationId: string | null;
  /** ISO 8601, UTC; null: never. */
  answeredAt: string | null;
}

const asked = (which: string) => `(SELECT subject_id FROM requests WHERE id BETWEEN @first AND @last AND ${which})`;

const none = "NULL AS documentId, NULL AS targetDocumentId, NULL AS deduplicationId";

const registrations = `SELECT row_id, changed_at, kind AS record, kind AS name,
    registrations.name AS key, state, service_id AS id,
    snapshot_id AS snapshotId, ${none}
  FROM registrations WHERE row_id IS NOT NULL AND state = 'registered' AND id IN ${asked("subject <> 'document'")}
  ORDER BY kind DESC, id`;

const documents = `SELECT row_id, changed_at, 'document' AS record, kind AS name, key, state, service_id AS id, NULL AS snapshotId,
    service_id AS documentId, NULL AS targetDocumentId, NULL AS deduplicationId
  FROM documents_now WHERE row_id IS NOT NULL AND service_id IS NOT NULL AND id IN ${asked("subject = 'document' AND kind LIKE 'create-%'")}`;

const events = `SELECT re.row_id, e.changed_at, 'event' AS record, e.event AS name, d.name AS key, e.state,
    e.service_event_id AS id, NULL AS snapshotId, d.service_id AS documentId, e.target_document_id AS targetDocumentId,
    key_text(e.deduplication_id) AS deduplicationId
  FROM ${SENT} JOIN row_events re ON re.event_id = e.id
  JOIN documents_now d ON d.id = e.document_id
  WHERE e.known`;

/**
 * What this run's requests settled: participants, addresses, documents, events. And what those of the runs before it
 * settled that were killed, or failed, before they had written their receipts.
 */
export function* receiptsOf(database: LedgerDatabase, run: number): Generator<Receipt> {
  const written = database.number(
    `SELECT max(id) FROM runs
     WHERE id < @run AND summary ->> 'type' = 'summary' AND instr(summary, '"output-unwritable"') = 0`,
    { run },
  );
  for (const select of [registrations, documents, events])
    yield* database.each<Receipt>(
      `SELECT i.name AS input, i.sheet, r.row_id & 4294967295 AS "row", r.record, r.name, r.key, r.state, r.id, r.snapshotId,
         r.documentId, r.targetDocumentId, r.deduplicationId, iso(r.changed_at) AS answeredAt
       FROM (${select}) r JOIN inputs i ON i.id = r.row_id >> 32`,
      { first: requestsOf(written + 1).first, last: requestsOf(run).last },
    );
}
