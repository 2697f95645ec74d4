/** What a person decides: give up rows, try refused work again, name a stranded document's id (HARD-CASES H5, H23). */
import type { Database } from "better-sqlite3";
import { RowferryError } from "../model/error.js";
import type { Selection } from "./selection.js";

/**
 * Gives up rows and events, and releases what waits for them. A dismissal names the content, so it stays in force when
 * the same row comes back. What is in doubt cannot be dismissed: it may have landed.
 * @returns how many rows and events were dismissed
 */
export function dismiss(database: Database, selection: Selection, now: number): { rows: number; events: number } {
  const remember = database.prepare<[number, number]>(
    "INSERT INTO dismissals (cell_hash, at) SELECT cell_hash, ? FROM rows WHERE id = ?",
  );
  const settleRow = database.prepare<[number]>("UPDATE rows SET settled = 'dismissed' WHERE id = ?");
  const rememberEvent = database.prepare<[number, number]>(
    `INSERT INTO dismissals (document_id, deduplication_id, content_hash, at)
     SELECT e.document_id, e.deduplication_id, coalesce(s.changed_hash, e.content_hash), ?
     FROM events e JOIN event_states s ON s.event_id = e.id WHERE e.id = ?`,
  );
  const settleEvent = database.prepare<[number, number]>(
    `UPDATE event_states SET dismissed = 1, changed_at = ?,
       reason = CASE WHEN state = 'held' THEN 'dismissed' ELSE reason END,
       state = CASE WHEN state = 'held' THEN 'rejected' ELSE state END
     WHERE event_id = ? AND state IN ('held', 'rejected', 'foreign', 'changed')`,
  );
  const open = database.prepare<[number]>(
    "INSERT OR IGNORE INTO open_documents (document_id) SELECT document_id FROM events WHERE id = ?",
  );
  const openOfRow = database.prepare<[number]>(
    "INSERT OR IGNORE INTO open_documents (document_id) SELECT document_id FROM placements WHERE row_id = ?",
  );
  return database.transaction(() => {
    for (const row of selection.rows) {
      remember.run(now, row);
      settleRow.run(row);
      openOfRow.run(row);
    }
    let events = 0;
    for (const event of selection.events) {
      rememberEvent.run(now, event);
      events += settleEvent.run(now, event).changes;
      open.run(event);
    }
    return { rows: selection.rows.length, events };
  })();
}

/** Rejected work back to planned; what the plan itself refused for good stays. @returns how many records */
export function retry(database: Database, selection: Selection, now: number): number {
  const statements = {
    events: database.prepare<[number, number]>(
      `UPDATE event_states SET state = 'planned', reason = NULL, waits_for = NULL, changed_at = ? WHERE event_id = ?
         AND (state = 'foreign' OR state = 'rejected' AND reason NOT IN ('late', 'after-close', 'after-cancel', 'dismissed'))`,
    ),
    documents: database.prepare<[number, number]>(
      "UPDATE document_states SET state = 'planned', reason = NULL, changed_at = ? WHERE document_id = ? AND state = 'rejected'",
    ),
    participants: database.prepare<[number, number]>(
      "UPDATE participants SET state = 'planned', reason = NULL, changed_at = ? WHERE id = ? AND state = 'rejected'",
    ),
    addresses: database.prepare<[number, number]>(
      "UPDATE addresses SET state = 'planned', reason = NULL, changed_at = ? WHERE id = ? AND state = 'rejected'",
    ),
  };
  return database.transaction(() => {
    let count = 0;
    for (const kind of ["events", "documents", "participants", "addresses"] as const) {
      for (const id of selection[kind]) count += statements[kind].run(now, id).changes;
    }
    return count;
  })();
}

export interface KnownDocument {
  id: number;
  kind: string;
  key: string;
  generation: number;
  state: string;
  serviceId: string | null;
}

/**
 * The newest generation of the document that a person names: `key` or `kind/key`.
 * @throws RowferryError `document-unknown` when there is none, or when several kinds share the key
 */
export function findDocument(database: Database, name: string): KnownDocument {
  const found = database
    .prepare<[string, string], KnownDocument>(
      `SELECT d.id, d.kind, d.key, max(d.generation) AS generation, coalesce(s.state, 'planned') AS state, s.service_id AS serviceId
       FROM documents d LEFT JOIN document_states s ON s.document_id = d.id
       WHERE d.key = ? OR d.kind || '/' || d.key = ? GROUP BY d.namespace, d.kind, d.key`,
    )
    .all(name, name);
  const [only] = found;
  if (only === undefined) throw new RowferryError("document-unknown", `The ledger has no document ${name}.`);
  if (found.length > 1) {
    const names = found.map(({ kind, key }) => `${kind}/${key}`).join(", ");
    throw new RowferryError("document-unknown", `Several documents have the key ${name}: ${names}.`, {
      hint: "Say which one, with its kind in front.",
    });
  }
  return only;
}

/**
 * Gives a stranded document (or one whose creation is in doubt) the id that a person found at the service. Never
 * verified by a write (HARD-CASES H5): the caller has looked as far as a read can, and a person has confirmed.
 */
export function resolveDocument(database: Database, document: KnownDocument, serviceId: string, now: number): void {
  if (document.state !== "stranded" && document.state !== "stalled") {
    throw new RowferryError(
      "document-not-stranded",
      `${document.kind} ${document.key} is ${document.state}; only a stranded document, or one whose creation is in doubt, takes an id.`,
    );
  }
  const taken = database
    .prepare<[string], string>(
      `SELECT d.kind || ' ' || d.key FROM document_states s JOIN documents d ON d.id = s.document_id WHERE s.service_id = ?`,
    )
    .pluck()
    .get(serviceId);
  if (taken !== undefined) {
    throw new RowferryError("document-not-stranded", `The id ${serviceId} belongs to ${taken} already.`);
  }
  database.transaction(() => {
    database
      .prepare<[string, number, number]>(
        "UPDATE document_states SET state = 'open', reason = 'resolved', service_id = ?, changed_at = ? WHERE document_id = ?",
      )
      .run(serviceId, now, document.id);
    database.prepare<[number]>("INSERT OR IGNORE INTO open_documents (document_id) VALUES (?)").run(document.id);
  })();
}
