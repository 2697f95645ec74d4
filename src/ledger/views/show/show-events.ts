import { decisionsOf } from "../../decide/decisions.js";
import { keyText } from "../../event-key.js";
import type { LedgerDatabase } from "../../ledger-database.js";
import { describeRow } from "../../rows.js";
import { createKnownRows } from "../../stage/known-rows.js";
import { describeWait } from "../describe-wait.js";
import { isoOrNull, isoTime } from "./show-requests.js";
import type { ShownEvent } from "./shown.js";

interface EventRow {
  id: number;
  document_id: number;
  kind: string;
  documentKey: string;
  generation: number;
  documentId: string | null;
  event: string;
  keyParts: string;
  name: string;
  at: number;
  state: string;
  reason: string | null;
  waitsFor: string | null;
  dismissed: number;
  key: Buffer;
  eventId: string | null;
  targetDocumentId: string | null;
  decidedAt: number | null;
  sentAt: number | null;
  hasPayload: number;
}

const select = `SELECT e.id, e.document_id, d.kind, d.key AS documentKey, d.generation, d.service_id AS documentId, e.event,
    e.key_parts AS keyParts, e.name, e.at, e.state, e.reason, e.waits_for AS waitsFor, e.dismissed, e.deduplication_id AS "key",
    e.service_event_id AS eventId, e.target_document_id AS targetDocumentId, e.changed_at AS decidedAt,
    e.payload <> '' AS hasPayload,
    (SELECT max(r.intended_at) FROM requests r CROSS JOIN request_events c ON c.request_id = r.id
      WHERE r.subject = 'document' AND r.subject_id = e.document_id AND c.event_id = e.id) AS sentAt
  FROM events_now e JOIN documents_now d ON d.id = e.document_id`;

function shown(database: LedgerDatabase, row: EventRow): ShownEvent {
  const { id, document_id, kind, documentKey, generation, documentId, key, dismissed, ...event } = row;
  const rows = [
    ...database.values<number>("SELECT row_id FROM row_events WHERE event_id = @id", { id }),
    ...createKnownRows(database).rowsOf(id),
  ];
  return {
    ...event,
    document: { kind, key: documentKey, generation, documentId },
    keyParts: JSON.parse(event.keyParts) as string[],
    at: isoTime(event.at),
    waitsFor: event.waitsFor === null ? null : describeWait(database, event.waitsFor),
    dismissed: dismissed === 1,
    deduplicationId: keyText(key),
    rows: rows.toSorted((one, other) => one - other).map((one) => describeRow(database, one)),
    messages: messagesOf(database, "event", id),
    decisions: decisionsOf(database, document_id, key),
    sentAt: isoOrNull(event.sentAt),
    decidedAt: isoOrNull(event.decidedAt),
    hasPayload: event.hasPayload === 1,
  };
}

/** What the service or the plan said of a record, oldest first. */
export function messagesOf(database: LedgerDatabase, subject: string, id: number): string[] {
  return database.values<string>(
    "SELECT message FROM problems WHERE subject = @subject AND subject_id = @id ORDER BY id",
    { subject, id },
  );
}

/** In the order of the timeline. */
export function eventsOfDocument(database: LedgerDatabase, id: number): ShownEvent[] {
  return database
    .rows<EventRow>(`${select} WHERE e.document_id = @id ORDER BY e.at, e.rank, e.id`, { id })
    .map((row) => shown(database, row));
}

/** The same events in every generation of their documents (HARD-CASES H26). */
export function eventsOfRow(database: LedgerDatabase, row: number): ShownEvent[] {
  return database
    .rows<EventRow>(
      `${select} WHERE e.id IN (
         SELECT x.id FROM (SELECT event_id FROM row_events WHERE row_id = @row UNION SELECT value FROM json_each(@known)) l
         JOIN events o ON o.id = l.event_id JOIN documents od ON od.id = o.document_id
         JOIN documents g ON g.namespace = od.namespace AND g.kind = od.kind AND g.key = od.key
         JOIN events x ON x.document_id = g.id AND x.event = o.event AND x.key_parts = o.key_parts)
       ORDER BY e.document_id, e.at, e.id`,
      { row, known: JSON.stringify(createKnownRows(database).eventsOf(row)) },
    )
    .map((found) => shown(database, found));
}

/** By deduplicationId or by the service's eventId; null: neither. */
export function findEvent(database: LedgerDatabase, text: string): { event: ShownEvent; document: number } | null {
  const id = /^rf\d+-[0-9a-f]{40}$/.test(text)
    ? database.value<number>("SELECT id FROM events WHERE deduplication_id = unhex(@key)", { key: text.split("-")[1] })
    : database.value<number>("SELECT event_id FROM event_states WHERE service_event_id = @text", { text });
  const row = database.row<EventRow>(`${select} WHERE e.id = @id`, { id: id ?? null });
  return row === undefined ? null : { event: shown(database, row), document: row.document_id };
}
