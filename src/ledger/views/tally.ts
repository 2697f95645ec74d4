/** Counts of a run and of the whole ledger, for summaries and `status`; reads only. */
import type { Database } from "better-sqlite3";
import type { StateCounts } from "../../model/summary.js";
import { countHeldForTime } from "./held-for-time.js";
import { countSending } from "../in-flight.js";
import { requestsOf } from "../request-id.js";
import { hasRequests } from "./run-figures.js";

export interface OpenWork {
  participants: StateCounts;
  addresses: StateCounts;
  documents: StateCounts;
  events: StateCounts;
  /** Invalid rows that nobody has corrected or dismissed. */
  rows: number;
}

const unsettledDocuments = `SELECT id FROM failed_documents WHERE reason = 'doubt-unsettled'
  UNION SELECT document_id FROM open_events WHERE state = 'stalled' AND reason = 'doubt-unsettled'`;

type Counted = { state: string; count: number };

const counts = (rows: Counted[]): StateCounts =>
  Object.fromEntries(rows.filter(({ count }) => count > 0).map(({ state, count }) => [state, count]));

/** What this run sent, by the state it is in now, and its requests by kind. */
export function tallyRun(database: Database, runId: number): Omit<OpenWork, "rows"> & { requests: StateCounts } {
  if (!hasRequests(database, runId))
    return { participants: {}, addresses: {}, documents: {}, events: {}, requests: {} };
  const range = requestsOf(runId);
  const registrations = (subject: string, table: string) =>
    counts(
      database
        .prepare<[number, number, string], Counted>(
          `SELECT t.state, count(*) AS count FROM ${table} t
           WHERE t.id IN (SELECT subject_id FROM requests WHERE id BETWEEN ? AND ? AND subject = ?) GROUP BY t.state`,
        )
        .all(...range, subject),
    );
  const documents = database.prepare<[number, number], Counted>(
    `SELECT s.state, count(*) AS count FROM document_states s WHERE s.document_id IN
       (SELECT subject_id FROM requests WHERE id BETWEEN ? AND ? AND subject = 'document') GROUP BY s.state`,
  );
  const events = database.prepare<[number, number], Counted>(
    `SELECT e.state, count(*) AS count FROM
       (SELECT DISTINCT event_id FROM request_events WHERE request_id BETWEEN ? AND ?) sent
     JOIN events_now e ON e.id = sent.event_id GROUP BY 1`,
  );
  const requests = database.prepare<[number, number], Counted>(
    `SELECT r.kind AS state, count(*) AS count FROM requests r JOIN attempts a ON a.request_id = r.id
     WHERE a.request_id BETWEEN ? AND ? GROUP BY r.kind`,
  );
  return {
    participants: registrations("participant", "participants"),
    addresses: registrations("address", "addresses"),
    documents: counts(documents.all(...range)),
    events: counts(events.all(...range)),
    requests: counts(requests.all(...range)),
  };
}

/** Everything of the ledger that is not at rest. */
export function tallyOpen(database: Database): OpenWork {
  const registrations = database.prepare<[string], Counted>(
    "SELECT state, count(*) AS count FROM open_registrations WHERE subject = ? GROUP BY state",
  );
  const documents = database.prepare<[], Counted>(
    `SELECT iif(reason = 'doubt-unsettled', 'unsettled', state) AS state, count(*) AS count FROM failed_documents GROUP BY 1`,
  );
  const events = database.prepare<[], Counted>(
    // What rode with a stranded document, or is in doubt behind doubt that only a person can settle, waits for a person,
    // not for the next run (HARD-CASES H1, H4).
    `SELECT CASE WHEN state <> 'stalled' THEN state WHEN reason = 'document-stranded' THEN 'stranded'
       WHEN document_id IN (${unsettledDocuments}) THEN 'unsettled'
       ELSE state END AS state, count(*) AS count FROM open_events WHERE state <> 'planned' GROUP BY 1`,
  );
  const planned = database
    .prepare<[], number>(
      `SELECT (SELECT count(*) FROM events) - (SELECT count(*) FROM event_states)
         + (SELECT count(*) FROM open_events WHERE state = 'planned')`,
    )
    .pluck()
    .get();
  const sending = countSending(database);
  const rows = database
    .prepare<[], number>("SELECT count(*) FROM rows WHERE fate = 'invalid' AND settled IS NULL")
    .pluck()
    .get();
  return {
    participants: counts(registrations.all("participant")),
    addresses: counts(registrations.all("address")),
    documents: counts([{ state: "sending", count: sending.documents }, ...documents.all()]),
    events: apartFromWaiting(
      database,
      counts([{ state: "planned", count: planned ?? 0 }, { state: "sending", count: sending.events }, ...events.all()]),
    ),
    rows: rows ?? 0,
  };
}

/** What is held by nothing but time counts as `waiting`: it needs nobody. */
function apartFromWaiting(database: Database, { held = 0, ...events }: StateCounts): StateCounts {
  const waiting = held > 0 && (events["deferred"] ?? 0) > 0 ? countHeldForTime(database) : 0;
  return {
    ...events,
    ...(held > waiting ? { held: held - waiting } : {}),
    ...(waiting > 0 ? { waiting } : {}),
  };
}

/** The id of the problem written last; 0: there is none. Every refusal writes one. */
export function newestProblem(database: Database): number {
  return database.prepare<[], number | null>("SELECT max(id) FROM problems").pluck().get() ?? 0;
}

/** Events that a run has sent, and how many of them the service refused. */
export function tallyRefused(database: Database, runId: number): { sent: number; refused: number } {
  return (
    database
      .prepare<[number, number], { sent: number; refused: number }>(
        `SELECT count(DISTINCT c.event_id) AS sent,
           count(DISTINCT CASE WHEN e.state = 'rejected' THEN c.event_id END) AS refused
         FROM request_events c JOIN events_now e ON e.id = c.event_id
         WHERE c.request_id BETWEEN ? AND ?`,
      )
      .get(...requestsOf(runId)) ?? { sent: 0, refused: 0 }
  );
}
