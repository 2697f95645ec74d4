/** Documents of which something failed, as timelines; held events; stranded documents. For the report; reads only. */
import type { Database } from "better-sqlite3";
import { type DocumentKey, documentDeduplicationId } from "../../model/keys.js";
import { describeRow } from "./describe-row.js";
import { describeWait } from "./describe-wait.js";

export interface DocumentName {
  kind: string;
  key: string;
}

export interface HeldRecord {
  document: DocumentName;
  event: string;
  /** externalCreatedAt, ms since 1970. */
  at: number;
  /** The code beside the state. */
  reason: string;
  waitsFor: string;
  place: string | null;
}

/** `total` of all held events, with the first `limit` in the ledger's order. */
export function heldEvents(database: Database, limit: number): { total: number; items: HeldRecord[] } {
  const total = count(database, "SELECT count(*) FROM open_events WHERE state = 'held'");
  const items = database
    .prepare<
      [number],
      {
        kind: string;
        key: string;
        event: string;
        at: number;
        reason: string;
        waits_for: string | null;
        row_id: number | null;
      }
    >(
      `SELECT d.kind, d.key, e.event, e.at, o.reason, o.waits_for,
         (SELECT min(row_id) FROM row_events WHERE event_id = e.id) AS row_id
       FROM open_events o JOIN events e ON e.id = o.id JOIN documents d ON d.id = e.document_id
       WHERE o.state = 'held' ORDER BY e.document_id, e.at, e.rank, e.id LIMIT ?`,
    )
    .all(limit)
    .map(({ kind, key, event, at, reason, waits_for, row_id }) => ({
      document: { kind, key },
      event,
      at,
      reason,
      waitsFor: describeWait(database, waits_for),
      place: row_id === null ? null : describeRow(database, row_id),
    }));
  return { total, items };
}

export interface StrandedRecord {
  /** In the ledger. */
  id: number;
  document: DocumentName;
  deduplicationId: string;
  /** When what made it went out, ms; 0 where no attempt is known. */
  sentAt: number;
  requestIds: string[];
  waiting: number;
}

/** `total` of them, as `tallyOpen` counts them, with the first `limit`. */
export function strandedDocuments(database: Database, limit: number): { total: number; items: StrandedRecord[] } {
  const total = count(database, "SELECT count(*) FROM failed_documents WHERE state = 'stranded'");
  return { total, items: [...everyStranded(database, limit)] };
}

/** One by one, in the ledger's order; `limit` -1: all. */
export function* everyStranded(database: Database, limit = -1): Generator<StrandedRecord> {
  const attempts = database.prepare<[number, number], { started_at: number; request_ids: string | null }>(
    `SELECT a.started_at, a.request_ids FROM attempts a JOIN requests r ON r.id = a.request_id
     WHERE (r.subject = 'document' AND r.subject_id = ? AND r.kind LIKE 'create-%')
        OR r.id IN (SELECT c.request_id FROM request_events c JOIN events e ON e.id = c.event_id WHERE e.target_document = ?)
     ORDER BY a.started_at`,
  );
  const waiting = database
    .prepare<[number], number>(
      `SELECT count(*) FROM events_now e
       WHERE e.document_id = ? AND NOT e.known`,
    )
    .pluck();
  const documents = database.prepare<[number], DocumentKey & { id: number }>(
    `SELECT d.id, d.namespace, d.kind, d.key, d.generation FROM failed_documents f JOIN documents d USING (id)
     WHERE f.state = 'stranded' ORDER BY d.id LIMIT ?`,
  );
  for (const document of documents.iterate(limit)) {
    const tries = attempts.all(document.id, document.id);
    yield {
      id: document.id,
      document: { kind: document.kind, key: document.key },
      deduplicationId: documentDeduplicationId(document),
      sentAt: tries[0]?.started_at ?? 0,
      requestIds: tries.flatMap(({ request_ids: ids }) => ids?.split("\n") ?? []),
      waiting: waiting.get(document.id) ?? 0,
    };
  }
}

export interface TimelineRecord {
  document: DocumentName;
  documentId: string | null;
  state: string;
  events: { name: string; at: number; state: string; reason: string | null; place: string | null }[];
  more: number;
}

const failedDocuments = `SELECT document_id AS id FROM open_events WHERE state IN ('rejected', 'stalled', 'foreign', 'changed')
  UNION SELECT id FROM failed_documents
  UNION SELECT p.document_id FROM placements p JOIN rows r ON r.id = p.row_id WHERE r.fate = 'invalid' AND r.settled IS NULL`;

/** Whole timelines, invalid rows among them, at most `events` entries each. */
export function failedTimelines(
  database: Database,
  limits: { documents: number; events: number },
): { total: number; items: TimelineRecord[] } {
  const total = count(database, `SELECT count(*) FROM (${failedDocuments})`);
  const entries = database.prepare<
    [number, number],
    {
      name: string;
      at: number;
      state: string;
      reason: string | null;
      waits_for: string | null;
      message: string | null;
      row_id: number | null;
    }
  >(
    `SELECT e.name, e.at, e.rank, e.state, e.reason, e.waits_for,
       (SELECT message FROM problems p WHERE p.subject = 'event' AND p.subject_id = e.id ORDER BY p.id DESC LIMIT 1) AS message,
       (SELECT min(row_id) FROM row_events WHERE event_id = e.id) AS row_id
     FROM events_now e WHERE e.document_id = ?
     UNION ALL
     SELECT coalesce(p.event, 'row'), coalesce(p.at, 0), 0, 'invalid', NULL, NULL,
       (SELECT message FROM problems x WHERE x.row_id = p.row_id AND x.severity = 'error' ORDER BY x.id LIMIT 1), p.row_id
     FROM placements p JOIN rows r ON r.id = p.row_id
     WHERE p.document_id = ? AND r.fate = 'invalid' AND r.settled IS NULL
     ORDER BY 2, 3`,
  );
  const items = database
    .prepare<[number], { id: number; kind: string; key: string; state: string; service_id: string | null }>(
      `SELECT d.id, d.kind, d.key, d.state, d.service_id FROM (${failedDocuments}) failed
       JOIN documents_now d ON d.id = failed.id ORDER BY d.id LIMIT ?`,
    )
    .all(limits.documents)
    .map(({ id, kind, key, state, service_id }) => {
      const all = entries.all(id, id);
      return {
        document: { kind, key },
        documentId: service_id,
        state,
        events: all.slice(0, limits.events).map((entry) => ({
          name: entry.name,
          at: entry.state === "invalid" && entry.at === 0 ? Number.NaN : entry.at,
          state: entry.state,
          reason: reasonOf(database, entry),
          place: entry.row_id === null ? null : describeRow(database, entry.row_id),
        })),
        more: Math.max(0, all.length - limits.events),
      };
    });
  return { total, items };
}

function reasonOf(
  database: Database,
  entry: { state: string; reason: string | null; waits_for: string | null; message: string | null },
): string | null {
  if (entry.state === "held") return `waits for ${describeWait(database, entry.waits_for)}`;
  if (entry.state === "landed" || entry.state === "planned") return null;
  return entry.message ?? entry.reason;
}

function count(database: Database, sql: string): number {
  return database.prepare<[], number>(sql).pluck().get() ?? 0;
}
