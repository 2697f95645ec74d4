import { documentDeduplicationId } from "../../../model/keys.js";
import { decisionsOf } from "../../decide/decisions.js";
import { documentOfKey } from "../../decide/find-document.js";
import type { LedgerDatabase } from "../../ledger-database.js";
import { describeRow } from "../../rows.js";
import { eventsOfDocument, messagesOf } from "./show-events.js";
import { isoOrNull, requestsFor } from "./show-requests.js";
import type { ShownDocument } from "./shown.js";

interface DocumentRow {
  id: number;
  namespace: string;
  kind: string;
  key: string;
  generation: number;
  newest: number;
  row_id: number | null;
  declared: number;
  state: string;
  reason: string | null;
  documentId: string | null;
  lastAt: number | null;
}

function documents(database: LedgerDatabase, where: string, values: object): ShownDocument[] {
  return database
    .rows<DocumentRow>(
      `SELECT d.id, d.namespace, d.kind, d.key, d.generation, d.row_id, d.declared, d.state, d.reason,
         d.service_id AS documentId, d.last_at AS lastAt,
         (SELECT max(generation) FROM documents g WHERE g.namespace = d.namespace AND g.kind = d.kind AND g.key = d.key) AS newest
       FROM documents_now d WHERE ${where} ORDER BY d.namespace, d.kind, d.key, d.generation`,
      { ...values },
    )
    .map((row) => shown(database, row));
}

function shown(database: LedgerDatabase, row: DocumentRow): ShownDocument {
  const { id, newest, row_id, declared, ...document } = row;
  const holds = database.values<number>(
    `SELECT DISTINCT p.row_id FROM placements p JOIN rows r ON r.id = p.row_id
     WHERE p.document_id = @id AND r.settled IS NULL ORDER BY 1`,
    { id },
  );
  return {
    ...document,
    replaced: row.generation < newest,
    state: row.state === "planned" && declared === 0 ? "undeclared" : row.state,
    deduplicationId: documentDeduplicationId(row),
    lastAt: isoOrNull(row.lastAt),
    declaredBy: declared === 1 && row_id !== null ? describeRow(database, row_id) : null,
    messages: messagesOf(database, "document", id),
    decisions: decisionsOf(database, id, null),
    events: eventsOfDocument(database, id),
    holds: holds.map((one) => describeRow(database, one)),
    requests: requestsFor(database, "document", id),
  };
}

const sameKey = "(d.namespace, d.kind, d.key) IN (SELECT namespace, kind, key FROM documents_now o WHERE";

/** All generations of the document that this one is a generation of. */
export const documentWithId = (database: LedgerDatabase, id: number): ShownDocument[] =>
  documents(database, `${sameKey} o.id = @id)`, { id });

/** Over all their generations: by key, `kind/key`, externalId, documentId, or the deduplicationId of its create. */
export function findDocuments(database: LedgerDatabase, text: string): ShownDocument[] {
  for (const where of [
    "d.key = @text OR d.kind || '/' || d.key = @text OR d.kind || ' ' || d.key = @text",
    `${sameKey} o.external_id = @text)`,
    `${sameKey} o.service_id = @text)`,
  ]) {
    const found = documents(database, where, { text });
    if (found.length > 0) return found;
  }
  const byKey = documentOfKey(database, text);
  return byKey === undefined ? [] : documentWithId(database, byKey.id);
}
