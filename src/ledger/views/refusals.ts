/** Whether the service has refused something before as it does now: then asking once more will not settle it. Reads only. */
import type { Database } from "better-sqlite3";

/** How a request was refused, as far as two refusals are compared: words may carry a time or an id of their own. */
export interface RefusedAs {
  status: number;
  codes: readonly string[];
}

export interface RefusalHistory {
  /** Whether an earlier request than `request` carried this event alone and was refused in the same way. */
  ofEvent(event: { id: number; document: number }, request: number, refused: RefusedAs): boolean;
  /** Whether an earlier run than that of `request` ended its creation of this document without events in the same way. */
  ofDocument(document: number, request: number, refused: RefusedAs): boolean;
}

const refusedBefore = `FROM requests r JOIN attempts a ON a.request_id = r.id AND a.number =
    (SELECT max(number) FROM attempts WHERE request_id = r.id)
  WHERE r.subject = 'document' AND r.subject_id = @document AND r.result = 'refused'
    AND a.status = @status AND coalesce(a.codes, '') = @codes AND r.id < @request`;

export function createRefusalHistory(database: Database): RefusalHistory {
  type Asked = { document: number; request: number; status: number; codes: string };
  const event = database
    .prepare<Asked & { event: number }, number>(
      `SELECT EXISTS (SELECT 1 ${refusedBefore}
         AND (SELECT count(*) = 1 AND max(event_id) = @event FROM request_events WHERE request_id = r.id))`,
    )
    .pluck();
  const document = database
    .prepare<Asked, number>(
      `SELECT EXISTS (SELECT 1 ${refusedBefore}
         AND r.kind LIKE 'create-%' AND r.run_id < (SELECT run_id FROM requests WHERE id = @request)
         AND NOT EXISTS (SELECT 1 FROM request_events WHERE request_id = r.id))`,
    )
    .pluck();
  const asked = (id: number, request: number, { status, codes }: RefusedAs): Asked => ({
    document: id,
    request,
    status,
    codes: codes.join(" "),
  });
  return {
    ofEvent: ({ id, document: of }, request, refused) => event.get({ ...asked(of, request, refused), event: id }) === 1,
    ofDocument: (id, request, refused) => document.get(asked(id, request, refused)) === 1,
  };
}
