/** Promises that hold in every ledger: rows (P7), states (P1, P3, P4), references and keys (P1). */
import { type DocumentKey, eventDeduplicationId } from "../../../model/keys.js";
import { namesOf } from "../../documents-named.js";
import type { LedgerDatabase } from "../../ledger-database.js";
import { keyText } from "../../event-key.js";
import { READABLE, rowsOn } from "../../pages.js";
import { isInInput, rowName } from "../../rows.js";

/** SQL that selects a text for each case, or a function that finds them. */
export type Broken = string | ((database: LedgerDatabase) => Iterable<string>);

/** Promises in words, grouped by their remedy. */
export type Promises = Map<string, { [name: string]: Broken }>;

/** Sent records may be wrong: only another copy of the ledger helps. */
export const RESTORE =
  "Send nothing. `rowferry ledger restore <backup>`, with `--journal <journal>` if there is one, keeps this file beside the restored ledger. Without a backup, move the file away and run `rowferry ledger rebuild <journal>`. Then import the files again.";
/** Only what a file brings again is wrong. */
export const IMPORT_AGAIN =
  "This does not affect what was sent. Edit the mapping (a comment will do, so that the file counts as new) and import the file again: its rows are staged again.";
/** Only output of `rejects` and `show` is missing. */
export const ONLY_CELLS =
  "This does not affect what was sent. `rejects` and `show` cannot print these rows: take them from the file itself.";

interface Keyed extends DocumentKey {
  event: string;
  key_parts: string;
  deduplication_id: Buffer;
}

/** Accepts the document's own name and any other that rows use for it. */
function* wrongKeys(database: LedgerDatabase): Generator<string> {
  const events = database.each<Keyed>(
    `SELECT d.namespace, d.kind, d.key, d.generation, e.event, e.key_parts, e.deduplication_id FROM events e
     JOIN documents d ON d.id = e.document_id ORDER BY e.document_id`,
  );
  for (const { event, key_parts, deduplication_id, ...document } of events) {
    // The CANCEL of `replace` has the parts of the generation that it makes room for.
    const parts = event === "#replaced" ? [String(document.generation + 1)] : (JSON.parse(key_parts) as string[]);
    const wanted = keyText(deduplication_id);
    const isMadeOf = (name: object) => eventDeduplicationId({ ...document, ...name }, event, parts) === wanted;
    if (isMadeOf(document) || namesOf(database, document).some(isMadeOf)) continue;
    yield `${document.kind} ${document.key}: ${[event, ...parts].join(" ")}`;
  }
}

const eventsWith = (fault: string) =>
  `SELECT d.name || ': ' || e.event FROM events_now e JOIN documents_now d ON d.id = e.document_id WHERE ${fault}`;

const rowsOfFate = (fate: string) => `(SELECT count(*) FROM rows r WHERE ${isInInput("r.id")}
  AND coalesce((SELECT fate FROM rows l WHERE l.id = r.lead), r.fate) = '${fate}')`;

export const promises: Promises = new Map<string, { [name: string]: Broken }>([
  [
    IMPORT_AGAIN,
    {
      "every row that was read is accounted for": `SELECT i.name || ': ' || i.read || ' rows were read, ' || counted || ' have a fate' FROM (
       SELECT i.*, (SELECT count(*) FROM (
         SELECT id FROM rows WHERE ${isInInput("id")}
         UNION SELECT row_id FROM row_events WHERE ${isInInput("row_id")}
         UNION SELECT row_id FROM (${rowsOn("known", READABLE)}) WHERE ${isInInput("first_id")}
         UNION SELECT row_id FROM row_records WHERE ${isInInput("row_id")})) AS counted
       FROM inputs i) i WHERE i.read <> counted`,
      "the numbers of skipped and invalid rows are right": `SELECT i.name || ': ' || i.skipped || ' skipped and ' || i.invalid || ' invalid are counted, there are ' || s || ' and ' || v FROM (
       SELECT i.*, ${rowsOfFate("skipped")} AS s, ${rowsOfFate("invalid")} AS v FROM inputs i) i WHERE i.skipped <> s OR i.invalid <> v`,
      "no skipped or invalid row yielded a record": `SELECT ${rowName("r.id")} FROM rows r WHERE r.fate IN ('skipped', 'invalid')
       AND (EXISTS (SELECT 1 FROM row_events WHERE row_id = r.id) OR EXISTS (SELECT 1 FROM row_records WHERE row_id = r.id AND record_id > 0))`,
      "a group's rows are of one file, after its first row": `SELECT ${rowName("r.id")} FROM rows r
     WHERE r.lead IS NOT NULL AND (r.lead >> 32 <> r.id >> 32 OR r.lead >= r.id)`,
      "every record of a row exists": `SELECT ${rowName("re.row_id")} FROM
       (SELECT row_id, event_id FROM row_events UNION ALL SELECT row_id, event_id FROM (${rowsOn("known", READABLE)})) re
     WHERE NOT EXISTS (SELECT 1 FROM events WHERE id = re.event_id)`,
      "a row that holds others is invalid": `SELECT ${rowName("h.row_id")} FROM (SELECT row_id FROM placements UNION SELECT row_id FROM input_holds) h
     WHERE NOT EXISTS (SELECT 1 FROM rows r WHERE r.id = h.row_id AND r.fate = 'invalid')`,
      "everything that waits to be sent has its payload": `SELECT e.document || ': ' || e.event FROM events_now e
     WHERE e.payload = '' AND e.state IN ('planned', 'held', 'deferred')
       -- What lacks its content holds its document back until its rows come.
       AND e.participant_ref NOT IN (SELECT -id FROM aliases WHERE name = '#journal')`,
      "every row is of a file that was imported": `SELECT t.what || ' ' || t.id FROM (SELECT 'row' AS what, id, id AS row_id FROM rows
         UNION ALL SELECT 'row', row_id, row_id FROM row_events UNION ALL SELECT 'a page of row', first_id, first_id FROM pages
         UNION ALL SELECT kind, id, row_id FROM registrations UNION ALL SELECT 'document', id, row_id FROM documents
         UNION ALL SELECT 'problem', id, row_id FROM problems) t
       WHERE t.row_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM inputs WHERE id = t.row_id >> 32)`,
    },
  ],
  [
    ONLY_CELLS,
    {
      "the cells of every row to correct are kept": `SELECT ${rowName("r.id")} FROM invalid_rows r WHERE r.lead IS NULL
       AND r.id NOT IN (SELECT row_id FROM (${rowsOn("cells", READABLE)}))`,
    },
  ],
  [
    RESTORE,
    {
      "nothing has landed on a document without an id": eventsWith("e.landed AND d.service_id IS NULL"),
      "no two documents have one id":
        "SELECT service_id FROM document_states WHERE service_id IS NOT NULL GROUP BY service_id HAVING count(*) > 1",
      "no two events have one eventId": `SELECT service_event_id FROM event_states WHERE service_event_id IS NOT NULL
     GROUP BY service_event_id HAVING count(*) > 1`,
      "a document is closed or cancelled by an event that landed": `SELECT d.name || ' is ' || d.state FROM documents_now d
     WHERE d.state IN ('closed', 'cancelled') AND NOT EXISTS (
       SELECT 1 FROM events_now e WHERE e.document_id = d.id AND e.landed AND e.name = iif(d.state = 'closed', 'CLOSE', 'CANCEL'))`,
      "nothing follows a CANCEL that landed": `SELECT d.name || ' is ' || d.state FROM events_now e
     JOIN documents_now d ON d.id = e.document_id
     WHERE e.name = 'CANCEL' AND e.known AND d.state <> 'cancelled'`,
      "every document has the time of its newest event": eventsWith(
        "e.known AND (d.last_at IS NULL OR d.last_at < e.at)",
      ),
      "every state belongs to an existing event": `SELECT 'event ' || s.event_id FROM event_states s
     WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.id = s.event_id AND e.document_id = s.document_id)`,
      "an event that is being sent belongs to a request": `SELECT 'event ' || s.event_id FROM event_states s WHERE s.state = 'sending'
       AND NOT EXISTS (SELECT 1 FROM requests r JOIN request_events c ON c.request_id = r.id
         WHERE r.subject = 'document' AND r.subject_id = s.document_id AND c.event_id = s.event_id)`,
      "the list of open documents is complete": `SELECT DISTINCT e.document FROM events_now e
     WHERE e.state IN ('planned', 'sending', 'held', 'deferred', 'stalled') AND NOT e.dismissed
       AND e.document_id NOT IN (SELECT document_id FROM open_documents)`,
      "every participant and address that is named exists": `SELECT t.what FROM (
         SELECT 'event ' || id AS what, participant_ref AS ref FROM events UNION ALL SELECT 'event ' || id, address_ref FROM events
         UNION ALL SELECT name, participant_ref FROM documents UNION ALL SELECT name, address_ref FROM documents
         UNION ALL SELECT 'address ' || id, nullif(owner, 0) FROM registrations) t WHERE t.ref IS NOT NULL AND NOT iif(
           t.ref > 0, EXISTS (SELECT 1 FROM registrations WHERE id = t.ref), EXISTS (SELECT 1 FROM aliases WHERE id = -t.ref))`,
      "no two events have one key":
        "SELECT key_text(deduplication_id) FROM events GROUP BY deduplication_id HAVING count(*) > 1",
      "every event has the key that its parts make": wrongKeys,
    },
  ],
]);
