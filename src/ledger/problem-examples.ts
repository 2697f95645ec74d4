/** Open problems and a run's warnings with example rows, by code, for the report. Reads only. */
import type { Database } from "better-sqlite3";
import type { Code } from "../model/codes.js";
import { inputOf, rowNumberOf } from "./row-id.js";
import type { OpenWork } from "./tally.js";
import { openProblems } from "./tally-problems.js";
import { FAILED_DOCUMENT_S, UNSETTLED_S } from "./unsettled.js";

export interface ProblemExample {
  code: Code;
  /** `an earlier import` where the row is not known. */
  file: string;
  sheet: string | null;
  row: number | null;
  column: string | null;
  message: string;
  hint: string | null;
}

interface ExampleRow {
  code: Code;
  row_id: number | null;
  column_name: string | null;
  message: string | null;
  hint: string | null;
  /** What the record is called, where no row says it. */
  record: string | null;
}

const openInvalid = `SELECT p.code, p.row_id, p.column_name, p.message, p.hint, NULL AS record,
    row_number() OVER (PARTITION BY p.code ORDER BY p.row_id) AS place
  FROM rows r JOIN problems p ON p.row_id = r.id AND p.severity = 'error'
  WHERE r.fate = 'invalid' AND r.settled IS NULL`;

const lastMessage = (subject: string, id: string) =>
  `(SELECT message FROM problems p WHERE p.subject = '${subject}' AND p.subject_id = ${id} ORDER BY p.id DESC LIMIT 1)`;

const openEvents = `SELECT coalesce(s.reason, s.state) AS code,
    (SELECT min(row_id) FROM row_events WHERE event_id = e.id) AS row_id, NULL AS column_name,
    ${lastMessage("event", "e.id")} AS message, NULL AS hint, e.event || ' of ' || d.kind || ' ' || d.key AS record,
    row_number() OVER (PARTITION BY coalesce(s.reason, s.state) ORDER BY e.id) AS place
  FROM event_states s JOIN events e ON e.id = s.event_id JOIN documents d ON d.id = e.document_id
  WHERE ${UNSETTLED_S} AND s.state IN ('rejected', 'stalled', 'foreign', 'changed') AND s.dismissed = 0`;

const openRegistrations = (subject: string, table: string, key: string) => `SELECT t.reason AS code, t.row_id,
    NULL AS column_name, ${lastMessage(subject, "t.id")} AS message, NULL AS hint, '${subject} ' || ${key} AS record,
    row_number() OVER (PARTITION BY t.reason ORDER BY t.id) AS place
  FROM ${table} t WHERE t.state <> 'registered' AND t.state IN ('rejected', 'stalled') AND t.row_id IS NOT NULL
    AND t.reason IS NOT NULL`;

const openParticipants = openRegistrations("participant", "participants", "json_extract(t.payload, '$.taxId')");
const openAddresses = openRegistrations("address", "addresses", "t.identity");

const openDocuments = `SELECT s.reason AS code, d.row_id, NULL AS column_name, ${lastMessage("document", "d.id")} AS message,
    NULL AS hint, d.kind || ' ' || d.key AS record, row_number() OVER (PARTITION BY s.reason ORDER BY d.id) AS place
  FROM document_states s JOIN documents d ON d.id = s.document_id
  WHERE ${FAILED_DOCUMENT_S}`;

/** At most `each` of every code, in row order. `open`: the tally of the same moment. */
export function problemExamples(database: Database, open: OpenWork, each: number): ProblemExample[] {
  const some = openProblems(open);
  const sources = [
    ...(some.rows ? [openInvalid] : []),
    ...(some.events ? [openEvents] : []),
    ...(some.participants ? [openParticipants] : []),
    ...(some.addresses ? [openAddresses] : []),
    ...(some.documents ? [openDocuments] : []),
  ];
  return sources.flatMap((source) => examples(database, `SELECT * FROM (${source}) WHERE place <= ${each}`, []));
}

/** Warnings told since `since` (ms), at most `each` of every code. */
export function warningExamples(database: Database, since: number, each: number): ProblemExample[] {
  const sql = `SELECT * FROM (SELECT code, row_id, column_name, message, hint, NULL AS record,
      row_number() OVER (PARTITION BY code ORDER BY id) AS place
    FROM problems WHERE severity = 'warning' AND at >= ?) WHERE place <= ${each}`;
  return examples(database, sql, [since]);
}

function examples(database: Database, sql: string, values: number[]): ProblemExample[] {
  const inputName = database.prepare<[number], { name: string; sheet: string | null }>(
    "SELECT name, sheet FROM inputs WHERE id = ?",
  );
  return database
    .prepare<number[], ExampleRow>(sql)
    .all(...values)
    .map(({ code, row_id, column_name, message, hint, record }) => {
      const input = row_id === null ? undefined : inputName.get(inputOf(row_id));
      const text = [record, message].filter((part) => part !== null).join(": ");
      return {
        code,
        file: input?.name ?? "an earlier import",
        sheet: input?.sheet ?? null,
        row: input === undefined || row_id === null ? null : rowNumberOf(row_id),
        column: column_name,
        message: text === "" ? code : text,
        hint,
      };
    });
}
