/**
 * Conditions of the partial indexes over states: a query uses such an index when it says the same words. What is being sent is
 * in neither: it is found by its request (`in-flight.ts`).
 */

/** Of `event_states`. */
export const UNSETTLED = "state <> 'landed' AND state <> 'sending'";
/** The same where the table goes by `s`. */
export const UNSETTLED_S = "s.state <> 'landed' AND s.state <> 'sending'";
/** Of `document_states`. */
export const UNSETTLED_DOCUMENT = "service_id IS NULL AND state <> 'sending'";
export const UNSETTLED_DOCUMENT_S = "s.service_id IS NULL AND s.state <> 'sending'";

const failedDocument = (s: string) =>
  `${s}service_id IS NULL AND ${s}state <> 'sending' AND ${s}state IN ('rejected', 'stalled', 'stranded')
     AND ${s}reason IS NOT 'replaced' AND ${s}reason IS NOT 'dismissed'`;
/** Of `document_states`: what a person or a later run still has to see to. */
export const FAILED_DOCUMENT = failedDocument("");
export const FAILED_DOCUMENT_S = failedDocument("s.");

/** Names one row of `event_states` by the event's id. */
export const OF_EVENT = "(document_id, event_id) = (SELECT document_id, id FROM events WHERE id = ?)";

/** The code that a person is told of an open event `e` in state `s`: a refused CANCEL of a replacement is no matter of a row. */
export const CODE_OF_EVENT =
  "iif(e.event = '#replaced' AND s.state = 'rejected', 'cancel-refused', coalesce(s.reason, s.state))";
