/** States: what landed, what waits and what is in doubt agrees over all tables (P1, P3, P4). */
import { IMPORT_AGAIN, type LedgerPromise, RESTORE } from "./promise.js";

export const statePromises: readonly LedgerPromise[] = [
  {
    name: "nothing has landed on a document without an id",
    remedy: RESTORE,
    broken: `SELECT d.kind || ' ' || d.key || ': ' || e.event FROM events_now e JOIN documents_now d ON d.id = e.document_id
     WHERE e.landed AND d.service_id IS NULL`,
  },
  {
    name: "no two documents have one id",
    remedy: RESTORE,
    broken: `SELECT service_id FROM document_states WHERE service_id IS NOT NULL GROUP BY service_id HAVING count(*) > 1`,
  },
  {
    name: "no two events have one eventId",
    remedy: RESTORE,
    broken: `SELECT service_event_id FROM event_states WHERE service_event_id IS NOT NULL
     GROUP BY service_event_id HAVING count(*) > 1`,
  },
  {
    name: "a document is closed or cancelled by an event that landed",
    remedy: RESTORE,
    broken: `SELECT d.kind || ' ' || d.key || ' is ' || d.state FROM documents_now d
     WHERE d.state IN ('closed', 'cancelled') AND NOT EXISTS (
       SELECT 1 FROM events_now e WHERE e.document_id = d.id AND e.landed AND e.name = iif(d.state = 'closed', 'CLOSE', 'CANCEL'))`,
  },
  {
    name: "nothing goes on after a CANCEL that landed",
    remedy: RESTORE,
    broken: `SELECT d.kind || ' ' || d.key || ' is ' || d.state FROM events_now e
     JOIN documents_now d ON d.id = e.document_id
     WHERE e.name = 'CANCEL' AND e.known AND d.state <> 'cancelled'`,
  },
  {
    name: "a document knows the time of its newest event",
    remedy: RESTORE,
    broken: `SELECT d.kind || ' ' || d.key || ': ' || e.event FROM events_now e
     JOIN documents_now d ON d.id = e.document_id
     WHERE e.known AND (d.last_at IS NULL OR d.last_at < e.at)`,
  },
  {
    name: "every state is of an event that is there",
    remedy: RESTORE,
    broken: `SELECT 'event ' || s.event_id FROM event_states s
     WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.id = s.event_id AND e.document_id = s.document_id)`,
  },
  {
    name: "what is held names what it waits for",
    remedy: RESTORE,
    broken: `SELECT 'event ' || s.event_id FROM event_states s WHERE s.state = 'held' AND s.waits_for IS NULL`,
  },
  {
    name: "doubt is about what was sent and not settled",
    remedy: RESTORE,
    broken: `SELECT 'event ' || s.event_id || ' is ' || s.state FROM event_states s
     WHERE s.doubt = 1 AND s.state NOT IN ('sending', 'stalled')`,
  },
  {
    name: "what is dismissed waits for nobody",
    remedy: RESTORE,
    broken: `SELECT 'event ' || s.event_id || ' is ' || s.state FROM event_states s
     WHERE s.dismissed = 1 AND s.state NOT IN ('rejected', 'foreign', 'changed', 'stalled')`,
  },
  {
    name: "an event that is being sent stands in a request",
    remedy: RESTORE,
    broken: `SELECT 'event ' || s.event_id FROM event_states s WHERE s.state = 'sending'
       AND NOT EXISTS (SELECT 1 FROM requests r JOIN request_events c ON c.request_id = r.id
         WHERE r.subject = 'document' AND r.subject_id = s.document_id AND c.event_id = s.event_id)`,
  },
  {
    name: "a request has ended when it has a result",
    remedy: RESTORE,
    broken: `SELECT 'request ' || id FROM requests WHERE (result IS NULL) <> (finished_at IS NULL)`,
  },
  {
    name: "the list of open documents is complete",
    remedy: RESTORE,
    broken: `SELECT DISTINCT d.kind || ' ' || d.key FROM events_now e JOIN documents d ON d.id = e.document_id
     WHERE e.state IN ('planned', 'sending', 'held', 'deferred', 'stalled')
       AND e.document_id NOT IN (SELECT document_id FROM open_documents)`,
  },
  {
    name: "what waits to be sent has its payload",
    remedy: IMPORT_AGAIN,
    broken: `SELECT d.kind || ' ' || d.key || ': ' || e.event FROM events_now e JOIN documents d ON d.id = e.document_id
     WHERE e.payload = '' AND e.state IN ('planned', 'held', 'deferred')`,
  },
];
