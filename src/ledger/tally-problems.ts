/** Problems and warnings by code, each with one worked example, for summaries and `status`; reads only. */
import type { Database } from "better-sqlite3";
import type { Code } from "../model/codes.js";
import { type Conceal, createConceal } from "./conceal-cells.js";
import { describeRow } from "./describe-row.js";
import type { OpenWork } from "./tally.js";
import { CODE_OF_EVENT, FAILED_DOCUMENT_S, UNSETTLED_S } from "./unsettled.js";

export interface ProblemCount {
  code: Code;
  count: number;
  example: string;
}

/** Problems of what stands open, most first. `open`: the tally of the same moment. */
export function tallyProblems(database: Database, open: OpenWork): ProblemCount[] {
  const conceal = createConceal(database);
  const some = openProblems(open);
  return [
    ...(some.rows ? problemsOfRows(database, conceal) : []),
    ...(some.events ? problemsOfEvents(database, conceal) : []),
    ...(some.participants ? problemsOfRegistrations(database, conceal, "participant", "participants") : []),
    ...(some.addresses ? problemsOfRegistrations(database, conceal, "address", "addresses") : []),
    ...(some.documents ? problemsOfDocuments(database, conceal) : []),
  ].toSorted((a, b) => b.count - a.count);
}

/** Of what kind any problem can be open: where a tally counts none, none is looked for. */
export function openProblems({ rows, ...records }: OpenWork) {
  // As `tallyOpen` names them: `unsettled` and `stranded` are kinds of `stalled`.
  const states = ["rejected", "stalled", "unsettled", "stranded", "foreign", "changed"];
  const any = (counts: OpenWork["events"]) => states.some((state) => (counts[state] ?? 0) > 0);
  const { participants, addresses, documents, events } = records;
  return {
    rows: rows > 0,
    participants: any(participants),
    addresses: any(addresses),
    documents: any(documents),
    events: any(events),
  };
}

/** Joins what is known of an example. */
const told = (parts: readonly (string | null)[]): string => parts.filter((part) => part !== null).join(": ");

function problemsOfRows(database: Database, conceal: Conceal): ProblemCount[] {
  return database
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
}

function problemsOfEvents(database: Database, conceal: Conceal): ProblemCount[] {
  return database
    .prepare<[], { code: Code; count: number; event_id: number }>(
      `SELECT ${CODE_OF_EVENT} AS code, count(*) AS count, min(s.event_id) AS event_id
       FROM event_states s CROSS JOIN events e ON e.id = s.event_id
       WHERE ${UNSETTLED_S} AND s.state IN ('rejected', 'stalled', 'foreign', 'changed') AND s.dismissed = 0 GROUP BY 1`,
    )
    .all()
    .map(({ code, count, event_id }) => ({ code, count, example: describeEvent(database, conceal, code, event_id) }));
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
  const place =
    event.event === "#replaced"
      ? `the CANCEL of ${event.kind} ${event.key}, which is to be replaced`
      : `${describeRow(database, event.row_id)}, ${event.event} of ${event.kind} ${event.key}`;
  return told([place, event.message && conceal(code, event.message, event.row_id)]);
}

function problemsOfRegistrations(
  database: Database,
  conceal: Conceal,
  subject: "participant" | "address",
  table: "participants" | "addresses",
): ProblemCount[] {
  return database
    .prepare<[string], { code: Code; count: number; row_id: number | null; message: string | null }>(
      `SELECT t.reason AS code, count(*) AS count, t.row_id, (SELECT message FROM problems p
         WHERE p.subject = ? AND p.subject_id = t.id AND p.severity = 'error' ORDER BY p.id DESC LIMIT 1) AS message
       FROM ${table} t WHERE t.state <> 'registered' AND t.state IN ('rejected', 'stalled') AND t.row_id IS NOT NULL
         AND t.reason IS NOT 'dismissed' GROUP BY t.reason`,
    )
    .all(subject)
    .map(({ code, count, row_id, message }) => ({
      code,
      count,
      example: told([describeRow(database, row_id), message && conceal(code, message, row_id)]),
    }));
}

function problemsOfDocuments(database: Database, conceal: Conceal): ProblemCount[] {
  return database
    .prepare<
      [],
      { code: Code; count: number; key: string; kind: string; row_id: number | null; message: string | null }
    >(
      `SELECT s.reason AS code, count(*) AS count, d.key, d.kind, d.row_id, (SELECT message FROM problems p
         WHERE p.subject = 'document' AND p.subject_id = d.id ORDER BY p.id DESC LIMIT 1) AS message
       FROM document_states s JOIN documents d ON d.id = s.document_id
       WHERE ${FAILED_DOCUMENT_S} GROUP BY s.reason`,
    )
    .all()
    .map(({ code, count, kind, key, row_id, message }) => ({
      code,
      count,
      example: told([`${kind} ${key}`, message && conceal(code, message, row_id)]),
    }));
}

/** Warnings of a run's staging and registering. `since`: ms. */
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
