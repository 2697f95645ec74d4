/** Open problems by cause, with the rows and records that a person corrects or decides. Reads only. */
import { mistakeOf } from "../../model/causes.js";
import type { Code } from "../../model/codes.js";
import { decided, solutionOf } from "../../model/solution.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { describeRow, referenceOf } from "../rows.js";

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
  /** Rows, each counted under its first problem; of what no row can correct, records. */
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
  /** The next run retries these. */
  resume: Cause[];
}

/** Invalid rows, each with the first thing that is wrong with it. In the problems' order: a search for each row takes four times as long. */
const firstProblems = `SELECT p.row_id, p.code, p.column_name, p.message, p.at, min(p.id)
  FROM problems p CROSS JOIN invalid_rows r ON r.id = p.row_id
  WHERE p.row_id IS NOT NULL AND p.severity = 'error' AND r.lead IS NULL GROUP BY p.row_id`;

/** A column with more kinds of mistakes than this is one cause: a message may hold a text of its own for every row. */
const MOST_MISTAKES = 5;

/** What is not a row. The events of a stranded document wait for its id, and are no decision of their own. */
const failedRecords = `SELECT * FROM failures
  WHERE subject <> 'row' AND (subject <> 'event' OR code <> 'document-stranded')`;

/** Most frequent first. */
export function openCauses(database: LedgerDatabase): OpenCauses {
  type Found = Pick<Cause, "code" | "column" | "count" | "since"> & { row: number | null; what: string };
  const texts = database.rows<Found>(
    `SELECT code, column_name AS "column", count(*) AS count, min(at) AS since, min(row_id) AS row, message AS what
     FROM (${firstProblems}) GROUP BY code, column_name, message ORDER BY row`,
  );
  const ofRows = [...Map.groupBy(texts, ({ code, column }) => `${code} ${column}`).values()].flatMap((place) => {
    const kinds = Map.groupBy(place, ({ column, what }) => (column === null ? null : mistakeOf(what)));
    return kinds.size > MOST_MISTAKES
      ? [{ mistake: null, found: place }]
      : Array.from(kinds, ([mistake, found]) => ({ mistake, found }));
  });
  const records = database.rows<Found>(
    `SELECT code, NULL AS "column", count(*) AS count, NULL AS since, row_id AS row,
       iif(instr(message, name) > 0, message, concat_ws(': ', name, message)) AS what
     FROM (${failedRecords} ORDER BY id) GROUP BY code`,
  );
  const causes = [...ofRows, ...records.map((one) => ({ mistake: null, found: [one] }))].flatMap(
    ({ mistake, found }): Cause[] => {
      const [first] = found;
      if (first === undefined) return [];
      const { code, column, row, what } = first;
      return [
        {
          code,
          column,
          mistake,
          count: found.reduce((sum, { count }) => sum + count, 0),
          values: column === null ? null : found.length,
          since: first.since === null ? null : Math.min(...found.map(({ since }) => since ?? Number.POSITIVE_INFINITY)),
          what,
          place: describeRow(database, row),
        },
      ];
    },
  );
  const sorted = causes.toSorted((one, other) => other.count - one.count);
  const { correct = [], decide = [], resume = [] } = Object.groupBy(sorted, ({ code }) => solutionOf(code));
  return { correct, decide, resume };
}

/** Ids, ascending; of each record the newest row. */
export function rowsOfCause(database: LedgerDatabase, { code, column, mistake }: CauseName): number[] {
  const found = database.rows<{ id: number; message: string | null }>(
    `SELECT row_id AS id, message FROM (${firstProblems}) WHERE code = @code AND (@column IS NULL OR column_name = @column)
     UNION ALL SELECT max(row_id), NULL FROM row_fates
       WHERE code = @code AND @column IS NULL AND subject <> 'row' AND (subject <> 'event' OR state <> 'stalled')
       GROUP BY subject, id
     ORDER BY 1`,
    { code, column },
  );
  const isMeant = (message: string | null) => mistake === null || (message !== null && mistakeOf(message) === mistake);
  return [...new Set(found.filter(({ message }) => isMeant(message)).map(({ id }) => id))];
}

/** Ids of all rows that a person may correct, the first ones of their groups; of each record the newest. */
export function rowsToCorrect(database: LedgerDatabase): Set<number> {
  return new Set(
    database.values<number>(
      `SELECT max(row_id) FROM row_fates WHERE subject = 'row'
         OR state = 'rejected' AND code NOT IN (SELECT value FROM json_each(@beyond)) GROUP BY subject, id`,
      { beyond: decided },
    ),
  );
}

export interface OpenRecord {
  /** Null: the whole document. */
  eventId: number | null;
  kind: string;
  key: string;
  /** Null: the whole document. */
  event: string | null;
  /** In ms; null for a document. */
  at: number | null;
  message: string | null;
  /** Null: unknown. */
  firstRow: number | null;
  /** As rejected files name it. */
  row: string | null;
}

/** Oldest first. */
export function recordsOfCause(database: LedgerDatabase, code: string, limit: number): OpenRecord[] {
  return database.rows<OpenRecord>(
    `SELECT e.id AS eventId, d.kind, d.key, e.event, e.at, f.message, f.row_id AS firstRow,
       (SELECT ${referenceOf("f.row_id")} FROM inputs i WHERE i.id = f.row_id >> 32) AS row
     FROM (${failedRecords}) f LEFT JOIN events e ON f.subject = 'event' AND e.id = f.id
     JOIN documents d ON d.id = iif(f.subject = 'event', e.document_id, f.id)
     WHERE f.subject IN ('event', 'document') AND f.code = @code LIMIT @limit`,
    { code, limit },
  );
}
