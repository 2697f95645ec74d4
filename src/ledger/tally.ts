/** Counts of a run and of the whole ledger, for summaries and `status`; reads only. */
import type { Database } from "better-sqlite3";
import type { Code } from "../model/codes.js";
import type { StateCounts } from "../model/summary.js";
import { type Conceal, createConceal } from "./conceal-cells.js";
import { describeRow } from "./describe-row.js";
import { UNSETTLED, UNSETTLED_S, UNSETTLED_DOCUMENT, UNSETTLED_DOCUMENT_S } from "./unsettled.js";
import { countSending } from "./in-flight.js";
import { requestsOf } from "./request-id.js";

export interface ProblemCount {
  code: Code;
  count: number;
  example: string;
}

export interface OpenWork {
  participants: StateCounts;
  addresses: StateCounts;
  documents: StateCounts;
  events: StateCounts;
  /** Invalid rows that nobody has corrected or dismissed. */
  rows: number;
}

const unsettledDocuments = `SELECT document_id FROM document_states WHERE ${UNSETTLED_DOCUMENT} AND reason = 'doubt-unsettled'
  UNION SELECT document_id FROM event_states WHERE ${UNSETTLED} AND state = 'stalled' AND reason = 'doubt-unsettled'`;

type Counted = { state: string; count: number };

const counts = (rows: Counted[]): StateCounts =>
  Object.fromEntries(rows.filter(({ count }) => count > 0).map(({ state, count }) => [state, count]));

/** What this run sent, by the state it is in now. */
export function tallyRun(database: Database, runId: number): Omit<OpenWork, "rows"> {
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
    `SELECT coalesce(s.state, 'planned') AS state, count(*) AS count FROM
       (SELECT DISTINCT document_id, event_id FROM request_events WHERE request_id BETWEEN ? AND ?) sent
     LEFT JOIN event_states s ON s.document_id = sent.document_id AND s.event_id = sent.event_id GROUP BY 1`,
  );
  return {
    participants: registrations("participant", "participants"),
    addresses: registrations("address", "addresses"),
    documents: counts(documents.all(...range)),
    events: counts(events.all(...range)),
  };
}

/** Everything of the ledger that is not at rest. */
export function tallyOpen(database: Database): OpenWork {
  const registrations = (table: string) =>
    counts(
      database
        .prepare<[], Counted>(
          `SELECT state, count(*) AS count FROM ${table} WHERE state <> 'registered' AND row_id IS NOT NULL AND reason IS NOT 'dismissed' GROUP BY state`,
        )
        .all(),
    );
  const documents = database.prepare<[], Counted>(
    `SELECT CASE WHEN reason = 'doubt-unsettled' THEN 'unsettled' ELSE state END AS state, count(*) AS count FROM document_states
     WHERE ${UNSETTLED_DOCUMENT} AND state IN ('rejected', 'stalled', 'stranded') AND reason IS NOT 'replaced' AND reason IS NOT 'dismissed' GROUP BY 1`,
  );
  const events = database.prepare<[], Counted>(
    // What rode with a stranded document, or is in doubt behind doubt that only a person can settle, waits for a person,
    // not for the next run (HARD-CASES H1, H4).
    `SELECT CASE WHEN state <> 'stalled' THEN state WHEN reason = 'document-stranded' THEN 'stranded'
       WHEN document_id IN (${unsettledDocuments}) THEN 'unsettled'
       ELSE state END AS state, count(*) AS count FROM event_states
     WHERE ${UNSETTLED} AND state IN ('held', 'deferred', 'rejected', 'stalled', 'foreign', 'changed')
       AND dismissed = 0
     GROUP BY 1`,
  );
  const planned = database
    .prepare<[], number>(
      `SELECT (SELECT count(*) FROM events) - (SELECT count(*) FROM event_states)
         + (SELECT count(*) FROM event_states WHERE ${UNSETTLED} AND state = 'planned')`,
    )
    .pluck()
    .get();
  const sending = countSending(database);
  const rows = database
    .prepare<[], number>("SELECT count(*) FROM rows WHERE fate = 'invalid' AND settled IS NULL")
    .pluck()
    .get();
  return {
    participants: registrations("participants"),
    addresses: registrations("addresses"),
    documents: counts([{ state: "sending", count: sending.documents }, ...documents.all()]),
    events: counts([
      { state: "planned", count: planned ?? 0 },
      { state: "sending", count: sending.events },
      ...events.all(),
    ]),
    rows: rows ?? 0,
  };
}

/** Problems that stand open, by code, most first, each with one worked example. */
export function tallyProblems(database: Database): ProblemCount[] {
  const conceal = createConceal(database);
  const rows = database
    .prepare<[], { code: Code; count: number; row_id: number; column_name: string | null; message: string }>(
      `SELECT p.code, count(DISTINCT p.row_id) AS count, p.row_id, p.column_name, p.message
       FROM rows r JOIN problems p ON p.row_id = r.id AND p.severity = 'error'
       WHERE r.fate = 'invalid' AND r.settled IS NULL GROUP BY p.code`,
    )
    .all()
    .map(({ code, count, row_id, column_name, message }) => {
      const column = column_name === null ? "" : `, column "${column_name}"`;
      return { code, count, example: `${describeRow(database, row_id)}${column}: ${conceal(code, message, row_id)}` };
    });
  const events = database
    .prepare<[], { code: Code; count: number; event_id: number }>(
      `SELECT coalesce(s.reason, s.state) AS code, count(*) AS count, min(s.event_id) AS event_id FROM event_states s
       WHERE ${UNSETTLED_S} AND s.state IN ('rejected', 'stalled', 'foreign', 'changed') AND s.dismissed = 0 GROUP BY 1`,
    )
    .all()
    .map(({ code, count, event_id }) => ({ code, count, example: describeEvent(database, conceal, code, event_id) }));
  const others = [
    [
      "participant",
      "participants",
      "t.natural_key",
      "t.state IN ('rejected', 'stalled') AND t.reason IS NOT 'dismissed'",
    ],
    ["address", "addresses", "t.identity", "t.state IN ('rejected', 'stalled') AND t.reason IS NOT 'dismissed'"],
  ].flatMap(([subject, table, , condition]) =>
    database
      .prepare<[string], { code: Code; count: number; row_id: number | null; message: string | null }>(
        `SELECT t.reason AS code, count(*) AS count, t.row_id, (SELECT message FROM problems p
           WHERE p.subject = ? AND p.subject_id = t.id AND p.severity = 'error' ORDER BY p.id DESC LIMIT 1) AS message
         FROM ${table} t WHERE ${condition} GROUP BY t.reason`,
      )
      .all(subject ?? "")
      .map(({ code, count, row_id, message }) => ({
        code,
        count,
        example: [describeRow(database, row_id), message && conceal(code, message, row_id)]
          .filter((part) => part !== null)
          .join(": "),
      })),
  );
  const documents = database
    .prepare<
      [],
      { code: Code; count: number; key: string; kind: string; row_id: number | null; message: string | null }
    >(
      `SELECT s.reason AS code, count(*) AS count, d.key, d.kind, d.row_id, (SELECT message FROM problems p
         WHERE p.subject = 'document' AND p.subject_id = d.id ORDER BY p.id DESC LIMIT 1) AS message
       FROM document_states s JOIN documents d ON d.id = s.document_id
       WHERE ${UNSETTLED_DOCUMENT_S} AND s.state IN ('rejected', 'stalled', 'stranded') AND s.reason IS NOT 'replaced' AND s.reason IS NOT 'dismissed' GROUP BY s.reason`,
    )
    .all()
    .map(({ code, count, kind, key, row_id, message }) => ({
      code,
      count,
      example: [`${kind} ${key}`, message && conceal(code, message, row_id)].filter((part) => part !== null).join(": "),
    }));
  return [...rows, ...events, ...others, ...documents].toSorted((a, b) => b.count - a.count);
}

/** Warnings of a run's staging and registering, by code. */
export function tallyWarnings(database: Database, since: number): ProblemCount[] {
  const conceal = createConceal(database);
  return database
    .prepare<[number], { code: Code; count: number; row_id: number | null; message: string }>(
      `SELECT code, count(*) AS count, row_id, message FROM problems
       WHERE severity = 'warning' AND at >= ? GROUP BY code ORDER BY count DESC`,
    )
    .all(since)
    .map(({ code, count, row_id, message }) => ({
      code,
      count,
      example: `${row_id === null ? "" : `${describeRow(database, row_id)}: `}${conceal(code, message, row_id)}`,
    }));
}

function describeEvent(database: Database, conceal: Conceal, code: Code, id: number): string {
  const event = database
    .prepare<[number], { row_id: number | null; event: string; kind: string; key: string; message: string | null }>(
      `SELECT (SELECT min(row_id) FROM row_events WHERE event_id = e.id) AS row_id, e.event, d.kind, d.key,
         (SELECT message FROM problems p WHERE p.subject = 'event' AND p.subject_id = e.id ORDER BY p.id DESC LIMIT 1) AS message
       FROM events e JOIN documents d ON d.id = e.document_id WHERE e.id = ?`,
    )
    .get(id);
  if (event === undefined) return "";
  const place = `${describeRow(database, event.row_id)}, ${event.event} of ${event.kind} ${event.key}`;
  return event.message === null ? place : `${place}: ${conceal(code, event.message, event.row_id)}`;
}

/** Requests of a run, by kind. */
export function tallyRequests(database: Database, runId: number): StateCounts {
  return counts(
    database
      .prepare<[number, number], Counted>(
        `SELECT r.kind AS state, count(*) AS count FROM requests r JOIN attempts a ON a.request_id = r.id
         WHERE a.request_id BETWEEN ? AND ? GROUP BY r.kind`,
      )
      .all(...requestsOf(runId)),
  );
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
           count(DISTINCT CASE WHEN s.state = 'rejected' THEN c.event_id END) AS refused
         FROM request_events c LEFT JOIN event_states s ON s.document_id = c.document_id AND s.event_id = c.event_id
         WHERE c.request_id BETWEEN ? AND ?`,
      )
      .get(...requestsOf(runId)) ?? { sent: 0, refused: 0 }
  );
}
