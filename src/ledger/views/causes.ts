/** Open problems by cause, with the rows and records that a person corrects or decides. Reads only. */
import { KINDS_OF_A_MISTAKE, mistakeOf } from "../../model/causes.js";
import type { Code } from "../../model/codes.js";
import type { DocumentName } from "../../model/keys.js";
import { decided, solutionOf } from "../../model/solution.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { describeRow, referenceOf, rowName, sizeOfGroups } from "../rows.js";
import { isHelped, MAKERS } from "../decide/replace.js";
import { causesOfRows, openFailures, rowProblems } from "./problems.js";

/** Which rows or records are meant. */
export interface CauseName {
  code: string;
  /** The column at fault; null: the row as a whole, or the program cannot tell. */
  column: string | null;
  /** What is wrong, without what differs from row to row; null: whatever it is. */
  mistake: string | null;
}

export interface Cause extends CauseName {
  code: Code;
  /** Rows, of groups all, each counted under every one of its problems; of what no row can correct, records. */
  count: number;
  /** Different texts of the column, as far as messages show them; null: no column is named. */
  values: number | null;
  /** Since when the first of them has been open, ms; null: not known. */
  since: number | null;
  /** What is wrong with the first one; it may hold cells. */
  what: string;
  /** `march.csv, row 17`, of that one. */
  place: string;
}

export interface OpenCauses {
  /** Invalid rows, and rows whose records the service refused. */
  correct: Cause[];
  /** No correction of a row can send these. */
  decide: Cause[];
  /** Rows that a person may correct, each once, whatever the number of its causes; of groups, all of them. */
  toCorrect: number;
}

/** What is not a row. */
const failedRecords = `SELECT subject, id, row_id, code, message, hint, replace(name, '#replaced', 'CANCEL') AS name FROM (${openFailures}) WHERE subject <> 'row'`;

/** Most frequent first. */
export function openCauses(database: LedgerDatabase): OpenCauses {
  const ofRows = causesOfRows(database, { withMessages: true }).map(
    ({ mistake, found: { code, column, message, row_id: row }, count, since, messages }): Cause => ({
      code,
      column,
      mistake,
      count,
      values: column === null ? null : messages.size,
      since,
      what: message,
      place: describeRow(database, row),
    }),
  );
  const records = database.rows<Cause>(
    `SELECT code, NULL AS "column", iif(code IN @decided, NULL, mistake_of(message)) AS mistake, count(*) AS count, NULL AS "values", NULL AS since,
       concat_ws(' ', iif(instr(message, name) > 0, message, concat_ws(': ', name, message)), hint) AS what, ${rowName("row_id")} AS place
     FROM (${failedRecords} ORDER BY id) GROUP BY code, 3`,
    { decided },
  );
  const causes = [...Map.groupBy(records, ({ code }) => code).values()].flatMap((kinds) =>
    kinds.length > KINDS_OF_A_MISTAKE ? kinds.slice(0, 1).map((one) => ({ ...one, mistake: null })) : kinds,
  );
  const ofRecords = causes.map((cause) =>
    solutionOf(cause.code) === "correct"
      ? { ...cause, count: sizeOfGroups(database, rowsOfCause(database, cause)) }
      : cause,
  );
  const sorted = [...ofRows, ...ofRecords].toSorted((one, other) => other.count - one.count);
  const { correct = [], decide = [] } = Object.groupBy(sorted, ({ code }) => solutionOf(code));
  return { correct, decide, toCorrect: countToCorrect(database, []) };
}

/** Whether it is a problem of that cause. */
export const isOfCause =
  ({ code, column, mistake }: CauseName) =>
  (problem: { code: string; column: string | null; message: string }): boolean =>
    problem.code === code &&
    (column === null || problem.column === column) &&
    (mistake === null || mistakeOf(problem.message) === mistake);

/**
 * Rows of the documents that wait for a participant or address that the service refused. They give it, too: correcting the
 * newest row alone would only ask for the next one.
 */
export const rowsOfRefused = (database: LedgerDatabase): { row: number; code: Code; message: string | null }[] =>
  database.rows(
    `SELECT max(re.row_id) AS "row", f.code, f.message FROM failures f
       CROSS JOIN open_events w ON w.waits_for = f.subject || ':' || f.id
       JOIN open_events o ON o.document_id = w.document_id AND o.state = 'held'
       JOIN row_events re ON re.event_id = o.id
     WHERE f.subject IN ('participant', 'address') AND f.state = 'rejected' GROUP BY o.id`,
  );

/** Ids, ascending; of each record the newest row; of a refused participant or address, every row that waits for it. */
export function rowsOfCause(database: LedgerDatabase, cause: CauseName): number[] {
  const problems = database.rows<{ id: number; code: string; column: string | null; message: string }>(
    `SELECT row_id AS id, code, "column", message FROM (${rowProblems} AND p.code = @code)`,
    { code: cause.code },
  );
  const records = database.values<number>(
    `SELECT max(row_id) FROM row_fates
       WHERE code = @code AND @column IS NULL AND subject <> 'row' AND (subject <> 'event' OR state <> 'stalled')
         AND (@mistake IS NULL OR (subject, id) IN (SELECT subject, id FROM failures WHERE code = @code AND mistake_of(message) = @mistake))
       GROUP BY subject, id`,
    { ...cause },
  );
  const isIts = isOfCause(cause);
  const ids = problems.filter(isIts).map(({ id }) => id);
  const others = rowsOfRefused(database).filter(({ code, message }) =>
    isIts({ code, column: null, message: message ?? "" }),
  );
  return [...new Set([...ids, ...records, ...others.map(({ row }) => row)])].toSorted((a, b) => a - b);
}

/** First rows of groups without a problem of their own: of refused records the newest row, and all that wait for them. */
const refusedRows = (database: LedgerDatabase): number[] => [
  ...database.values<number>(
    `SELECT max(row_id) FROM row_fates WHERE subject <> 'row'
       AND state = 'rejected' AND code NOT IN @beyond GROUP BY subject, id`,
    { beyond: decided },
  ),
  ...rowsOfRefused(database).flatMap(({ row, code }) => (decided.includes(code) ? [] : row)),
];

const invalidRows = (database: LedgerDatabase): number[] =>
  database.values("SELECT id FROM invalid_rows WHERE lead IS NULL");

/** First rows of all groups that a person may correct. */
export const rowsToCorrect = (database: LedgerDatabase): Set<number> =>
  new Set([...invalidRows(database), ...refusedRows(database)]);

/** Rows of all groups that a person may correct, or of these `others`, which are first rows, too. */
export function countToCorrect(database: LedgerDatabase, others: readonly number[]): number {
  const isInvalid = (id: number) => database.has("SELECT 1 FROM invalid_rows WHERE id = @id", { id });
  const valid = new Set([...refusedRows(database), ...others].filter((id) => !isInvalid(id)));
  return database.number("SELECT count(*) FROM invalid_rows") + sizeOfGroups(database, [...valid]);
}

export interface OpenRecord extends DocumentName {
  /** Null: the whole document. */
  eventId: number | null;
  /** Null: the whole document. */
  event: string | null;
  /** Its deduplicationId; null: the whole document. */
  eventKey: string | null;
  /** In ms; null for a document. */
  at: number | null;
  message: string | null;
  /** Null: unknown. */
  firstRow: number | null;
  /** As rejected files name it. */
  row: string | null;
  /** A replacement of its document could take it. */
  isHelped: 0 | 1;
}

/** Oldest first. */
export function recordsOfCause(database: LedgerDatabase, code: string, limit: number): OpenRecord[] {
  return database.rows<OpenRecord>(
    `SELECT e.id AS eventId, d.kind, d.key, replace(e.event, '#replaced', 'CANCEL') AS event, key_text(e.deduplication_id) AS eventKey, e.at, nullif(concat_ws(' ', f.message, f.hint), '') AS message, f.row_id AS firstRow,
       (SELECT ${referenceOf("f.row_id")} FROM inputs i WHERE i.id = f.row_id >> 32) AS row,
       iif(f.subject = 'document', d.id NOT IN (${MAKERS}), ${isHelped("f.id", "f.code")}) AS isHelped
     FROM (${failedRecords}) f LEFT JOIN events e ON f.subject = 'event' AND e.id = f.id
     JOIN documents d ON d.id = iif(f.subject = 'event', e.document_id, f.id)
     WHERE f.subject IN ('event', 'document') AND f.code = @code LIMIT @limit`,
    { code, limit },
  );
}
