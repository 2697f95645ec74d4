/** Held events and stranded documents, for the report and for files. */
import { type DocumentKey, documentDeduplicationId, type DocumentName } from "../../model/keys.js";
import type { LedgerDatabase } from "../ledger-database.js";
import type { Attempt } from "../../model/attempt.js";
import { rowNameOrNull } from "../rows.js";
import { describeWait } from "./describe-wait.js";

export interface HeldRecord extends DocumentName {
  event: string;
  /** externalCreatedAt, in ms. */
  at: number;
  reason: string;
  waitsFor: string;
  place: string | null;
}

/** Up to `limit`. */
export const heldEvents = (database: LedgerDatabase, limit: number): HeldRecord[] =>
  database
    .rows<HeldRecord>(
      `SELECT d.kind, d.key, e.event, e.at, o.reason, o.waits_for AS waitsFor, ${rowNameOrNull("e.first_row")} AS place
       FROM open_events o JOIN events_now e ON e.id = o.id JOIN documents d ON d.id = e.document_id WHERE o.state = 'held'
       ORDER BY e.document_id, e.at, e.rank, e.id LIMIT @limit`,
      { limit },
    )
    .map((held) => ({ ...held, waitsFor: describeWait(database, held.waitsFor) }));

export interface StrandedRecord {
  id: number;
  document: DocumentName;
  deduplicationId: string;
  /** When its creation was first sent, ms; 0: no attempt is known. */
  sentAt: number;
  requestIds: string[];
  waiting: number;
}

/** `total` as in `tallyOpen`; returns the first `limit`. */
export function strandedDocuments(database: LedgerDatabase, limit: number): { total: number; items: StrandedRecord[] } {
  const total = database.number("SELECT count(*) FROM failed_documents WHERE state = 'stranded'");
  return { total, items: [...everyStranded(database, limit)] };
}

/** When its creation first left, and every request id that came back. A killed run recorded no attempt, only its intent. */
export function creationEvidence(database: LedgerDatabase, id: number): { sentAt: number; requestIds: string[] } {
  const requests = database.rows<{ id: number; at: number; result: string | null; attempts: string }>(
    `SELECT id, intended_at AS at, result, coalesce(attempts, '[]') AS attempts FROM requests
     WHERE (subject = 'document' AND subject_id = @id AND kind LIKE 'create-%')
       OR id IN (SELECT c.request_id FROM request_events c JOIN events e ON e.id = c.event_id WHERE e.target_document = @id)
     ORDER BY at`,
    { id },
  );
  const tries = requests.map((request) => ({ ...request, attempts: JSON.parse(request.attempts) as Attempt[] }));
  const first = tries.find(({ attempts, result }) => attempts.length > 0 || result !== "stopped");
  return {
    sentAt: first?.attempts[0]?.startedAt ?? first?.at ?? 0,
    requestIds: tries.flatMap(({ attempts }) => attempts.flatMap(({ requestIds }) => requestIds)),
  };
}

/** `limit` -1: all. */
export function* everyStranded(database: LedgerDatabase, limit = -1): Generator<StrandedRecord> {
  const documents = database.each<DocumentKey & { id: number; waiting: number }>(
    `SELECT d.id, d.namespace, d.kind, d.key, d.generation,
       (SELECT count(*) FROM events_now e WHERE e.document_id = d.id AND NOT e.known) AS waiting
     FROM failed_documents f JOIN documents d USING (id) WHERE f.state = 'stranded' ORDER BY d.id LIMIT @limit`,
    { limit },
  );
  for (const { waiting, id, ...document } of documents) {
    yield {
      id,
      document: { kind: document.kind, key: document.key },
      deduplicationId: documentDeduplicationId(document),
      ...creationEvidence(database, id),
      waiting,
    };
  }
}
