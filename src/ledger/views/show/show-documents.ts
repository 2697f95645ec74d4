import type { Database } from "better-sqlite3";
import { documentDeduplicationId } from "../../../model/keys.js";
import { decisionsOf } from "../../decide/decisions.js";
import { describeRow } from "../describe-row.js";
import type { EventView } from "./show-events.js";
import { isoOrNull, type RequestView } from "./show-requests.js";
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
  service_id: string | null;
  last_at: number | null;
}

/** Documents over all their generations, found by any name that a person may have for them. */
export function createDocumentView(database: Database, views: { events: EventView; requests: RequestView }) {
  const rows = (where: string) =>
    database.prepare<unknown[], DocumentRow>(
      `SELECT d.id, d.namespace, d.kind, d.key, d.generation, d.row_id, d.declared, d.state, d.reason, d.service_id, d.last_at,
         (SELECT max(generation) FROM documents g WHERE g.namespace = d.namespace AND g.kind = d.kind AND g.key = d.key) AS newest
       FROM documents_now d
       WHERE ${where} ORDER BY d.namespace, d.kind, d.key, d.generation`,
    );
  const sameKey = "(d.namespace, d.kind, d.key) IN (SELECT namespace, kind, key FROM documents o WHERE";
  const byKey = rows("d.key = ? OR d.kind || '/' || d.key = ? OR d.kind || ' ' || d.key = ?");
  const byServiceId = rows(`${sameKey} o.id IN (SELECT document_id FROM document_states WHERE service_id = ?))`);
  const byId = rows(`${sameKey} o.id = ?)`);
  const names = database.prepare<[], { id: number; namespace: string; kind: string; key: string; generation: number }>(
    "SELECT id, namespace, kind, key, generation FROM documents",
  );
  const messages = database
    .prepare<[number], string>("SELECT message FROM problems WHERE subject = 'document' AND subject_id = ? ORDER BY id")
    .pluck();
  const holds = database
    .prepare<[number], number>(
      `SELECT DISTINCT p.row_id FROM placements p JOIN rows r ON r.id = p.row_id
       WHERE p.document_id = ? AND r.settled IS NULL ORDER BY 1`,
    )
    .pluck();

  const decisions = decisionsOf(database);

  const shown = (row: DocumentRow): ShownDocument => ({
    kind: row.kind,
    key: row.key,
    namespace: row.namespace,
    generation: row.generation,
    replaced: row.generation < row.newest,
    state: row.state === "planned" && row.declared === 0 ? "undeclared" : row.state,
    reason: row.reason,
    documentId: row.service_id,
    deduplicationId: documentDeduplicationId(row),
    lastAt: isoOrNull(row.last_at),
    declaredBy: row.declared === 1 && row.row_id !== null ? describeRow(database, row.row_id) : null,
    messages: messages.all(row.id),
    decisions: decisions(row.id, null),
    events: views.events.ofDocument(row.id),
    holds: holds.all(row.id).map((id) => describeRow(database, id)),
    requests: views.requests.of("document", row.id),
  });

  return {
    /** By key, `kind/key`, documentId, or the deduplicationId of its create. */
    find(text: string): ShownDocument[] {
      const found = byKey.all(text, text, text);
      if (found.length > 0) return found.map(shown);
      const byService = byServiceId.all(text);
      if (byService.length > 0) return byService.map(shown);
      if (!/^rf\d+-[0-9a-f]{40}$/.test(text)) return [];
      for (const document of names.iterate()) {
        if (documentDeduplicationId(document) === text) return this.withId(document.id);
      }
      return [];
    },
    /** All generations of the document that this one is a generation of. */
    withId: (id: number): ShownDocument[] => byId.all(id).map(shown),
  };
}

export type DocumentView = ReturnType<typeof createDocumentView>;
