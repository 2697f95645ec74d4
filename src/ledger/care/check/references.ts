/** References and keys: what one record says of another leads there, and keys are what natural data make (P1). */
import { eventDeduplicationId } from "../../../model/keys.js";
import { keyText } from "../../event-key.js";
import type { LedgerDatabase } from "../../ledger-database.js";
import { IMPORT_AGAIN, type LedgerPromise, RESTORE } from "./promise.js";

/** A reference is a registration's id, or minus the id of an alias. */
const dangling = (ref: string): string =>
  `NOT iif(${ref} > 0, EXISTS (SELECT 1 FROM registrations WHERE id = ${ref}), EXISTS (SELECT 1 FROM aliases WHERE id = -${ref}))`;

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
function* wrongKeys(database: LedgerDatabase): Generator<string> {
  const events = database.each<Keyed>(
    `SELECT d.namespace, d.kind, d.key, d.generation, e.event, e.key_parts, e.deduplication_id FROM events e
     JOIN documents d ON d.id = e.document_id ORDER BY e.document_id`,
  );
  for (const { event, key_parts, deduplication_id, ...document } of events) {
    // A CANCEL that `replace` planned has its parts in the generation that it makes room for.
    const parts = event === "#replaced" ? [String(document.generation + 1)] : (JSON.parse(key_parts) as string[]);
    const wanted = keyText(deduplication_id);
    if (eventDeduplicationId(document, event, parts) === wanted) continue;
    const others = database.rows<{ namespace: string; kind: string; key: string }>(
      `SELECT a.namespace, a.kind, a.key FROM document_aliases a JOIN documents d ON d.id = a.document_id
       WHERE d.namespace = @namespace AND d.kind = @kind AND d.key = @key`,
      document,
    );
    const isOther = others.some((name) => eventDeduplicationId({ ...document, ...name }, event, parts) === wanted);
    if (!isOther) yield `${document.kind} ${document.key}: ${[event, ...parts].join(" ")}`;
  }
}

export const referencePromises: readonly LedgerPromise[] = [
  {
    name: "every event names a participant and an address",
    remedy: RESTORE,
    broken: `SELECT 'event ' || e.id FROM events e WHERE ${dangling("e.participant_ref")} OR ${dangling("e.address_ref")}`,
  },
  {
    name: "every address names its participant, and every document what it was declared with",
    remedy: RESTORE,
    broken: `SELECT 'address ' || a.id FROM registrations a WHERE a.owner <> 0 AND ${dangling("a.owner")}
       UNION ALL SELECT d.kind || ' ' || d.key FROM documents d WHERE d.participant_ref IS NOT NULL AND ${dangling("d.participant_ref")}
         OR d.address_ref IS NOT NULL AND ${dangling("d.address_ref")}`,
  },
  {
    name: "what says in which row it stands names a file that was imported",
    remedy: IMPORT_AGAIN,
    broken: `SELECT t.what || ' ' || t.id FROM (SELECT kind AS what, id, row_id FROM registrations UNION ALL SELECT 'document', id, row_id FROM documents
         UNION ALL SELECT 'problem', id, row_id FROM problems) t
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
