import { documentDeduplicationId } from "../../../model/keys.js";
import type { LedgerDatabase } from "../../ledger-database.js";
import { rowName } from "../../rows.js";
import { decisionsOf, eventsWith, messagesOf } from "./events.js";
import { requestsFor } from "./requests.js";
import { parsed, type ShownDocument } from "./shown.js";

const select = `SELECT d.id, d.namespace, d.kind, d.key, d.generation, d.reason, d.service_id AS documentId, iso(d.last_at) AS lastAt,
    iif(EXISTS (SELECT 1 FROM documents g WHERE g.key = d.key AND g.kind = d.kind AND g.namespace = d.namespace
      AND g.generation > d.generation), 'true', 'false') AS replaced,
    iif(d.state = 'planned' AND NOT d.declared, 'undeclared', d.state) AS state,
    iif(d.declared AND d.row_id IS NOT NULL, ${rowName("d.row_id")}, NULL) AS declaredBy,
    ${messagesOf("'document'", "d.id")} AS messages, ${decisionsOf("d.id", "NULL")} AS decisions,
    (SELECT json_group_object(state, count) FROM (SELECT state, count(*) AS count FROM events_now e
       WHERE e.document_id = d.id GROUP BY state ORDER BY count DESC)) AS eventCounts,
    (SELECT json_group_array(name) FROM (SELECT DISTINCT ${rowName("p.row_id")} AS name FROM holds p
       WHERE p.document_id = d.id ORDER BY p.row_id)) AS holds
  FROM documents_now d WHERE d.id IN (SELECT value FROM json_each(@ids)) ORDER BY d.namespace, d.kind, d.key, d.generation`;

/** `events`: the newest so many; -1: all. */
export function documentsWith(database: LedgerDatabase, ids: readonly number[], events: number): ShownDocument[] {
  type Found = Omit<ShownDocument, "events" | "requests" | "deduplicationId"> & { id: number };
  return database.rows<object>(select, { ids: JSON.stringify(ids) }).map((row) => {
    const { id, ...document } = parsed<Found>(row, "replaced", "messages", "decisions", "eventCounts", "holds");
    const newest = database.values<number>(
      "SELECT id FROM events WHERE document_id = @id ORDER BY at DESC, rank DESC, id DESC LIMIT @events",
      { id, events },
    );
    return {
      ...document,
      deduplicationId: documentDeduplicationId(document),
      events: eventsWith(database, newest),
      requests: requestsFor(database, "document", id),
    };
  });
}
