import type { Database } from "better-sqlite3";
import { describeRow } from "../describe-row.js";
import { describeWait } from "../describe-wait.js";
import { createKnownRows } from "../../stage/known-rows.js";
import { keyBytes, keyText } from "../../event-key.js";
import { decisionsOf } from "../../decide/decisions.js";
import { isoOrNull, isoTime } from "./show-requests.js";
import type { ShownEvent } from "./shown.js";

interface EventRow {
  id: number;
  document_id: number;
  kind: string;
  key: string;
  generation: number;
  service_id: string | null;
  event: string;
  key_parts: string;
  name: string;
  at: number;
  state: string;
  reason: string | null;
  waits_for: string | null;
  dismissed: number;
  deduplication_id: Buffer;
  service_event_id: string | null;
  target_document_id: string | null;
  changed_at: number | null;
  sent_at: number | null;
  has_payload: number;
}

const select = `SELECT e.id, e.document_id, d.kind, d.key, d.generation, d.service_id, e.event, e.key_parts, e.name, e.at, e.state, e.reason,
    e.waits_for, e.dismissed, e.deduplication_id, e.service_event_id, e.target_document_id, e.changed_at,
    e.payload <> '' AS has_payload,
    (SELECT max(r.intended_at) FROM requests r CROSS JOIN request_events c ON c.request_id = r.id
      WHERE r.subject = 'document' AND r.subject_id = e.document_id AND c.event_id = e.id) AS sent_at
  FROM events_now e JOIN documents_now d ON d.id = e.document_id`;

/** Events with everything that is known of them. */
export function createEventView(database: Database) {
  const ofDocument = database.prepare<[number], EventRow>(
    `${select} WHERE e.document_id = ? ORDER BY e.at, e.rank, e.id`,
  );
  const byId = database.prepare<[number], EventRow>(`${select} WHERE e.id = ?`);
  const byKey = database.prepare<[Buffer], { id: number; document_id: number }>(
    "SELECT id, document_id FROM events WHERE deduplication_id = ?",
  );
  const byServiceId = database.prepare<[string], { id: number; document_id: number }>(
    `SELECT e.id, e.document_id FROM event_states s JOIN events e ON e.id = s.event_id WHERE s.service_event_id = ?`,
  );
  // The same event in every generation of its document (HARD-CASES H26).
  const ofRow = database
    .prepare<[number, string], number>(
      `SELECT DISTINCT x.id FROM (SELECT event_id FROM row_events WHERE row_id = ? UNION SELECT value FROM json_each(?)) l
       JOIN events e ON e.id = l.event_id JOIN documents d ON d.id = e.document_id
       JOIN documents g ON g.namespace = d.namespace AND g.kind = d.kind AND g.key = d.key
       JOIN events x ON x.document_id = g.id AND x.event = e.event AND x.key_parts = e.key_parts
       ORDER BY x.document_id, x.at, x.id`,
    )
    .pluck();
  const rows = database.prepare<[number], number>("SELECT row_id FROM row_events WHERE event_id = ?").pluck();
  const knownRows = createKnownRows(database);
  const messages = database
    .prepare<[number], string>("SELECT message FROM problems WHERE subject = 'event' AND subject_id = ? ORDER BY id")
    .pluck();

  const decisions = decisionsOf(database);

  const shown = (row: EventRow): ShownEvent => ({
    document: { kind: row.kind, key: row.key, generation: row.generation, documentId: row.service_id },
    event: row.event,
    keyParts: JSON.parse(row.key_parts) as string[],
    name: row.name,
    at: isoTime(row.at),
    state: row.state,
    reason: row.reason,
    waitsFor: row.waits_for === null ? null : describeWait(database, row.waits_for),
    dismissed: row.dismissed === 1,
    deduplicationId: keyText(row.deduplication_id),
    eventId: row.service_event_id,
    targetDocumentId: row.target_document_id,
    rows: [...rows.all(row.id), ...knownRows.rowsOf(row.id)]
      .toSorted((one, other) => one - other)
      .map((id) => describeRow(database, id)),
    messages: messages.all(row.id),
    decisions: decisions(row.document_id, row.deduplication_id),
    sentAt: isoOrNull(row.sent_at),
    decidedAt: isoOrNull(row.changed_at),
    hasPayload: row.has_payload === 1,
  });
  const one = (id: number): ShownEvent[] => {
    const row = byId.get(id);
    return row === undefined ? [] : [shown(row)];
  };

  return {
    ofDocument: (id: number): ShownEvent[] => ofDocument.all(id).map(shown),
    ofRow: (rowId: number): ShownEvent[] => ofRow.all(rowId, JSON.stringify(knownRows.eventsOf(rowId))).flatMap(one),
    /** By deduplicationId or by the service's eventId; null: neither. */
    find(text: string): { event: ShownEvent; document: number } | null {
      const isKey = /^rf\d+-[0-9a-f]{40}$/.test(text);
      const found = isKey ? byKey.get(keyBytes(text)) : byServiceId.get(text);
      const [event] = found === undefined ? [] : one(found.id);
      return found === undefined || event === undefined ? null : { event, document: found.document_id };
    },
  };
}

export type EventView = ReturnType<typeof createEventView>;
