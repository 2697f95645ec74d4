/** Whether the service has refused something before as it does now: then asking once more will not settle it. Reads only. */
import type { LedgerDatabase } from "../ledger-database.js";

/** How a request was refused, as far as two refusals are compared: words may carry a time or an id of their own. */
export interface RefusedAs {
  status: number;
  codes: readonly string[];
}

const refusedBefore = `SELECT 1 FROM requests r JOIN attempts a ON a.request_id = r.id AND a.number =
    (SELECT max(number) FROM attempts WHERE request_id = r.id)
  WHERE r.subject = 'document' AND r.subject_id = @document AND r.result = 'refused'
    AND a.status = @status AND coalesce(a.codes, '') = @codes AND r.id < @request`;

export function createRefusalHistory(database: LedgerDatabase) {
  return {
    /** Whether an earlier request than `request` carried this event alone and was refused in the same way. */
    ofEvent: (event: { id: number; document: number }, request: number, { status, codes }: RefusedAs): boolean =>
      database.has(`${refusedBefore} AND r.events = json_array(CAST(@id AS INTEGER))`, {
        ...event,
        request,
        status,
        codes: codes.join(" "),
      }),
    /** Whether an earlier run than that of `request` ended its creation of this document without events in the same way. */
    ofDocument: (document: number, request: number, { status, codes }: RefusedAs): boolean =>
      database.has(`${refusedBefore} AND r.kind LIKE 'create-%' AND r.run_id < @request >> 32 AND r.events IS NULL`, {
        document,
        request,
        status,
        codes: codes.join(" "),
      }),
  };
}

export type RefusalHistory = ReturnType<typeof createRefusalHistory>;
