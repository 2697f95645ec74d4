/**
 * Finds what is being sent by its request: one without a result, or whose events are still being sent in smaller parts.
 * Only the newest run that sent anything can have such requests, because every run first settles what it finds
 * (`Writer.interrupted`).
 */
import type { LedgerDatabase } from "./ledger-database.js";

const ofNewestRun = "id > (SELECT max(id) >> 32 << 32 FROM requests)";
const underWay = `r.${ofNewestRun} AND (r.result IS NULL OR r.result <> 'accepted')`;

export const unanswered = `${ofNewestRun} AND result IS NULL`;

/** If it finds none, no document is being sent. */
export const anyUnderWay = `EXISTS (SELECT 1 FROM requests r WHERE ${underWay})`;

/** `document_id`, `event_id`. */
export const sendingEvents = `SELECT DISTINCT s.document_id, s.event_id
  FROM requests r CROSS JOIN json_each(r.events) c CROSS JOIN event_states s
  WHERE ${underWay} AND r.subject = 'document' AND s.document_id = r.subject_id AND s.event_id = c.value
    AND s.state = 'sending'`;

/** Document and event: in a request that was not refused, or was refused only after a try that may have been carried out. */
export const unansweredEvents = `SELECT r.subject_id, c.value FROM requests r CROSS JOIN json_each(r.events) c
  WHERE ${underWay} AND r.subject = 'document' AND (r.result IS NOT 'refused' OR r.attempts LIKE '%"inDoubt":true%')`;

/** `document_id`. */
export const sendingDocuments = `SELECT DISTINCT s.document_id FROM requests r CROSS JOIN document_states s
  WHERE ${underWay} AND r.subject = 'document' AND s.document_id = r.subject_id AND s.state = 'sending'`;

export function countSending(database: LedgerDatabase): { events: number; documents: number } {
  // The usual case. SQLite takes longer to compile the rest than to find nothing.
  if (!database.has(`SELECT 1 WHERE ${anyUnderWay}`)) return { events: 0, documents: 0 };
  const count = (select: string) => database.number(`SELECT count(*) FROM (${select})`);
  return { events: count(sendingEvents), documents: count(sendingDocuments) };
}
