/** What a person decides: give up rows, try refused work again, name a stranded document's id (HARD-CASES H5, H23). */
import type { Database } from "better-sqlite3";
import { RowferryError } from "../../model/error.js";
import { type DocumentKey, documentDeduplicationId } from "../../model/keys.js";
import { absorbDocument } from "./one-document.js";
import type { Selection } from "./selection.js";
import { OF_EVENT } from "../event-key.js";

export interface Dismissed {
  rows: number;
  events: number;
  documents: number;
  participants: number;
  addresses: number;
  /** In doubt, or held behind something else: left as they are. */
  left: number;
}

/**
 * Gives up rows and events, and releases what waits for them. A dismissal names the content, so it stays in force when
 * the same row comes back (HARD-CASES H23). What is in doubt cannot be dismissed: it may have landed. What is only held
 * is released, not given up, unless `held` says otherwise. Safe beside a running import.
 */
export function dismiss(database: Database, selection: Selection, held: "release" | "give up", now: number): Dismissed {
  const remember = database.prepare<[number, number]>(
    "INSERT INTO dismissals (cell_hash, at) SELECT cell_hash, ? FROM rows WHERE id = ?",
  );
  const settleRow = database.prepare<[number, number]>(
    "UPDATE rows SET settled = 'dismissed' WHERE (id = ? OR lead = ?) AND settled IS NULL",
  );
  const rememberEvent = database.prepare<[number, number]>(
    `INSERT INTO dismissals (document_id, deduplication_id, content_hash, at)
     SELECT e.document_id, e.deduplication_id, coalesce(e.changed_hash, e.content_hash), ?
     FROM events_now e WHERE e.id = ?`,
  );
  const states = held === "give up" ? "'held', 'rejected', 'foreign', 'changed'" : "'rejected', 'foreign', 'changed'";
  const settleEvent = database.prepare<[number, number]>(
    `UPDATE event_states SET dismissed = 1, changed_at = ?,
       reason = CASE WHEN state = 'held' THEN 'dismissed' ELSE reason END,
       state = CASE WHEN state = 'held' THEN 'rejected' ELSE state END
     WHERE ${OF_EVENT} AND state IN (${states})`,
  );
  const ofDocument = database
    .prepare<[number], number>(
      `SELECT e.id FROM events_now e
       WHERE e.document_id = ? AND e.state = 'held' AND e.dismissed = 0`,
    )
    .pluck();
  const settleHeld = database.prepare<[number, number]>(
    `UPDATE event_states SET dismissed = 1, state = 'rejected', reason = 'dismissed', changed_at = ?
     WHERE ${OF_EVENT} AND state = 'held'`,
  );
  const record = (table: string, id: string) =>
    database.prepare<[number, number]>(
      `UPDATE ${table} SET reason = 'dismissed', changed_at = ? WHERE ${id} = ? AND state = 'rejected'`,
    );
  const records = {
    documents: record("document_states", "document_id"),
    participants: record("participants", "id"),
    addresses: record("addresses", "id"),
  };
  const open = database.prepare<[number]>(
    "INSERT OR IGNORE INTO open_documents (document_id) SELECT document_id FROM events WHERE id = ?",
  );
  const openOfRow = database.prepare<[number]>(
    "INSERT OR IGNORE INTO open_documents (document_id) SELECT document_id FROM placements WHERE row_id = ?",
  );
  return database
    .transaction((): Dismissed => {
      const done: Dismissed = { rows: 0, events: 0, documents: 0, participants: 0, addresses: 0, left: 0 };
      for (const row of selection.rows) {
        remember.run(now, row);
        done.rows += settleRow.run(row, row).changes > 0 ? 1 : 0;
        openOfRow.run(row);
      }
      const giveUp = (event: number, settle: typeof settleEvent): void => {
        if (settle.run(now, event).changes === 0) {
          done.left += 1;
          return;
        }
        rememberEvent.run(now, event);
        open.run(event);
        done.events += 1;
      };
      for (const kind of ["documents", "participants", "addresses"] as const) {
        for (const id of selection[kind]) {
          const changes = records[kind].run(now, id).changes;
          done[kind] += changes;
          // Nothing of a document that is given up can ever be sent.
          if (kind === "documents" && changes > 0) for (const event of ofDocument.all(id)) giveUp(event, settleHeld);
        }
      }
      for (const event of selection.events) giveUp(event, settleEvent);
      return done;
    })
    .immediate();
}

/**
 * Rejected work back to planned; what the plan itself refused for good stays, and what is stalled is tried again by
 * any run. `gone`: also what its file no longer has. @returns how many records
 */
export function retry(database: Database, selection: Selection, now: number, gone = false): number {
  const record = (table: string, id: string) =>
    database.prepare<[number, number]>(
      `UPDATE ${table} SET state = 'planned', reason = NULL, changed_at = ? WHERE ${id} = ? AND state = 'rejected'`,
    );
  const statements = {
    // What is planned again was never sent as far as evidence goes: a duplicate answer is no receipt (HARD-CASES H3).
    events: database.prepare<[number, number]>(
      `UPDATE event_states SET state = 'planned', reason = NULL, waits_for = NULL, attempted_hash = NULL, changed_at = ?
       WHERE ${OF_EVENT} AND (state = 'foreign'
         OR state = 'rejected' AND reason NOT IN ('late', 'after-close', 'after-cancel', 'dismissed'${gone ? "" : ", 'row-gone'"}))`,
    ),
    documents: record("document_states", "document_id"),
    participants: record("participants", "id"),
    addresses: record("addresses", "id"),
  };
  // What only a person could settle is asked about once more.
  const ask = (table: string, which: string) =>
    database.prepare<[number, number]>(
      `UPDATE ${table} SET reason = 'refused-in-doubt', changed_at = ? WHERE ${which} AND state = 'stalled' AND reason = 'doubt-unsettled'`,
    );
  const askAgain = { events: ask("event_states", OF_EVENT), documents: ask("document_states", "document_id = ?") };
  const open = database.prepare<[number]>(
    "INSERT OR IGNORE INTO open_documents (document_id) SELECT document_id FROM events WHERE id = ?",
  );
  return database
    .transaction(() => {
      let count = 0;
      for (const kind of ["events", "documents"] as const) {
        for (const id of selection[kind]) count += askAgain[kind].run(now, id).changes;
      }
      for (const kind of ["events", "documents", "participants", "addresses"] as const) {
        for (const id of selection[kind]) count += statements[kind].run(now, id).changes;
      }
      for (const event of selection.events) open.run(event);
      return count;
    })
    .immediate();
}

export interface KnownDocument {
  id: number;
  namespace: string;
  kind: string;
  key: string;
  generation: number;
  state: string;
  serviceId: string | null;
  externalId: string | null;
  /** Id of the settings it was staged with; null: it was only referred to. */
  settings: number | null;
}

/** `kind/key` of the document that is created under this deduplicationId; null: none is. */
function nameByKey(database: Database, deduplicationId: string): string | null {
  const documents = database.prepare<[], DocumentKey>("SELECT namespace, kind, key, generation FROM documents");
  for (const document of documents.iterate()) {
    if (documentDeduplicationId(document) === deduplicationId) return `${document.kind}/${document.key}`;
  }
  return null;
}

/**
 * The newest generation of the document that a person names: `key`, `kind/key` or the deduplicationId of its create.
 * @throws RowferryError `document-unknown` when there is none, or when several kinds share the key
 */
export function findDocument(database: Database, name: string): KnownDocument {
  // Wherever the kind ends, the key is what comes after a slash: by key an index finds it.
  const keys = [name, ...Array.from(name.matchAll(/\//g), ({ index }) => name.slice(index + 1))];
  const found = database
    .prepare<[string, string, string], KnownDocument>(
      `SELECT d.id, d.namespace, d.external_id AS externalId, d.settings_id AS settings, d.kind, d.key, max(d.generation) AS generation, d.state, d.service_id AS serviceId
       FROM documents_now d
       WHERE d.key IN (SELECT value FROM json_each(?)) AND (d.key = ? OR d.kind || '/' || d.key = ?)
       GROUP BY d.namespace, d.kind, d.key`,
    )
    .all(JSON.stringify(keys), name, name);
  const [only] = found;
  const byKey = only === undefined && /^rf\d+-[0-9a-f]{40}$/.test(name) ? nameByKey(database, name) : null;
  if (byKey !== null) return findDocument(database, byKey);
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
 * `now` null: only says whether it could be done.
 * @throws RowferryError `document-not-stranded`
 */
export function resolveDocument(
  database: Database,
  document: KnownDocument,
  serviceId: string,
  now: number | null,
): void {
  if (document.state !== "stranded" && document.state !== "stalled") {
    throw new RowferryError(
      "document-not-stranded",
      `${document.kind} ${document.key} is ${document.state}; only a stranded document, or one whose creation is in doubt, takes an id.`,
    );
  }
  const taken = database
    .prepare<[string], { id: number; name: string; reason: string | null }>(
      `SELECT d.id, d.kind || ' ' || d.key AS name, s.reason FROM document_states s JOIN documents d ON d.id = s.document_id
       WHERE s.service_id = ?`,
    )
    .get(serviceId);
  // Rows named it by this id before: it is the same document.
  const isSame = taken?.reason === "given";
  if (taken !== undefined && !isSame) {
    throw new RowferryError("document-not-stranded", `The id ${serviceId} belongs to ${taken.name} already.`);
  }
  if (now === null) return;
  const write = database.transaction(() => {
    database
      .prepare<[string, number, number]>(
        "UPDATE document_states SET state = 'open', reason = 'resolved', service_id = ?, changed_at = ? WHERE document_id = ?",
      )
      .run(serviceId, now, document.id);
    if (taken !== undefined) absorbDocument(database, taken.id, document.id);
    database.prepare<[number]>("INSERT OR IGNORE INTO open_documents (document_id) VALUES (?)").run(document.id);
  });
  write.immediate();
}
