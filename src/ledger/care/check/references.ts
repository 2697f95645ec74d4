/** References and keys: what one record says of another leads there, and keys are what natural data make (P1). */
import type { Database } from "better-sqlite3";
import { eventDeduplicationId } from "../../../model/keys.js";
import { keyText } from "../../event-key.js";
import { IMPORT_AGAIN, type LedgerPromise, RESTORE } from "./promise.js";

/** A reference is a record's id, or minus the id of an alias. */
const dangling = (kind: "participant" | "address", of: string): string => {
  const table = kind === "participant" ? "participants" : "addresses";
  return `NOT iif(${of}.${kind}_ref > 0, EXISTS (SELECT 1 FROM ${table} WHERE id = ${of}.${kind}_ref),
    EXISTS (SELECT 1 FROM ${kind}_aliases WHERE id = -${of}.${kind}_ref))`;
};

interface Keyed {
  namespace: string;
  kind: string;
  key: string;
  generation: number;
  event: string;
  key_parts: string;
  deduplication_id: Buffer;
}

/** Under its document's name, or under another that rows know it by. */
function* wrongKeys(database: Database): Generator<string> {
  const names = database.prepare<[string, string, string], { namespace: string; kind: string; key: string }>(
    `SELECT a.namespace, a.kind, a.key FROM document_aliases a JOIN documents d ON d.id = a.document_id
     WHERE d.namespace = ? AND d.kind = ? AND d.key = ?`,
  );
  const events = database.prepare<[], Keyed>(
    `SELECT d.namespace, d.kind, d.key, d.generation, e.event, e.key_parts, e.deduplication_id FROM events e
     JOIN documents d ON d.id = e.document_id ORDER BY e.document_id`,
  );
  for (const { event, key_parts, deduplication_id, ...document } of events.iterate()) {
    // A CANCEL that `replace` planned has its parts in the generation that it makes room for.
    const parts = event === "#replaced" ? [String(document.generation + 1)] : (JSON.parse(key_parts) as string[]);
    const wanted = keyText(deduplication_id);
    if (eventDeduplicationId(document, event, parts) === wanted) continue;
    const others = names.all(document.namespace, document.kind, document.key);
    const isOther = others.some((name) => eventDeduplicationId({ ...document, ...name }, event, parts) === wanted);
    if (!isOther) yield `${document.kind} ${document.key}: ${[event, ...parts].join(" ")}`;
  }
}

export const referencePromises: readonly LedgerPromise[] = [
  {
    name: "every event names a participant and an address",
    remedy: RESTORE,
    broken: `SELECT 'event ' || e.id FROM events e WHERE ${dangling("participant", "e")} OR ${dangling("address", "e")}`,
  },
  {
    name: "every address names its participant, and every document what it was declared with",
    remedy: RESTORE,
    broken: `SELECT 'address ' || a.id FROM addresses a WHERE a.participant_ref <> 0 AND ${dangling("participant", "a")}
       UNION ALL SELECT d.kind || ' ' || d.key FROM documents d WHERE d.participant_ref IS NOT NULL AND ${dangling("participant", "d")}
         OR d.address_ref IS NOT NULL AND ${dangling("address", "d")}`,
  },
  {
    name: "what says in which row it stands names a file that was imported",
    remedy: IMPORT_AGAIN,
    broken: `SELECT t.what || ' ' || t.id FROM (SELECT 'participant' AS what, id, row_id FROM participants
         UNION ALL SELECT 'address', id, row_id FROM addresses UNION ALL SELECT 'document', id, row_id FROM documents
         UNION ALL SELECT 'problem', id, row_id FROM problems UNION ALL SELECT 'cells', row_id, row_id FROM row_cells) t
       WHERE t.row_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM inputs WHERE id = t.row_id >> 32)`,
  },
  {
    name: "what was dismissed is on a document that is there",
    remedy: RESTORE,
    broken: `SELECT 'dismissal ' || m.id FROM dismissals m
       WHERE m.document_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM documents WHERE id = m.document_id)`,
  },
  {
    name: "no two events have one key",
    remedy: RESTORE,
    broken: `SELECT 'rf1-' || lower(hex(deduplication_id)) FROM events GROUP BY deduplication_id HAVING count(*) > 1`,
  },
  { name: "every event has the key that its parts make", remedy: RESTORE, broken: wrongKeys },
];
