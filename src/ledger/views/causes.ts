/** Open problems by cause, with the rows and records that a person corrects or decides. */
import { isBeyondCorrection } from "../../model/beyond-correction.js";
import { type Code, codes } from "../../model/codes.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { describeRow } from "../rows.js";

export interface Cause {
  code: Code;
  /** Null: the whole row, or unknown. */
  column: string | null;
  /** Rows, each counted under its first problem; records where no correction of a row helps. */
  count: number;
  /** The first one, with its place; may hold cells. */
  example: string;
}

export interface OpenCauses {
  /** Invalid rows, and rows whose records the service refused. */
  correct: Cause[];
  /** No correction of a row can send these. */
  decide: Cause[];
  /** The next run retries these. */
  later: Cause[];
}

/** By the first problem of each. */
const INVALID = `rows r JOIN problems p ON p.id = (SELECT min(id) FROM problems WHERE row_id = r.id AND severity = 'error')
  WHERE r.fate = 'invalid' AND r.settled IS NULL AND r.lead IS NULL`;

/** Most frequent first. */
export function openCauses(database: LedgerDatabase): OpenCauses {
  type Found = Omit<Cause, "example"> & { row: number | null; what: string | null };
  const causes = database
    .rows<Found>(
      `SELECT p.code, p.column_name AS "column", count(*) AS count, min(r.id) AS row, p.message AS what FROM ${INVALID} GROUP BY 1, 2
       UNION ALL
       SELECT code, NULL, count(*), row_id, iif(instr(message, name) > 0, message, concat_ws(': ', name, message))
       FROM (SELECT * FROM failures WHERE subject <> 'row' ORDER BY id) GROUP BY code
       ORDER BY count DESC`,
    )
    .map(({ row, what, ...cause }): Cause => ({ ...cause, example: `${describeRow(database, row)}: ${what}` }));
  const isFor = ({ code }: Cause) => {
    if (isBeyondCorrection(code)) return "decide";
    return codes[code].transient ? "later" : "correct";
  };
  const { correct = [], decide = [], later = [] } = Object.groupBy(causes, isFor);
  return { correct, decide, later };
}

/** Ascending. `column` null: any. */
export function rowsOfCause(
  database: LedgerDatabase,
  { code, column }: { code: string; column: string | null },
): number[] {
  return database.values<number>(
    `SELECT r.id FROM ${INVALID} AND p.code = @code AND (@column IS NULL OR p.column_name = @column)
     UNION SELECT re.row_id FROM open_events o JOIN row_events re ON re.event_id = o.id
       WHERE o.code = @code AND @column IS NULL AND o.state IN ('rejected', 'foreign', 'changed')
     UNION SELECT row_id FROM failures
       WHERE subject IN ('document', 'participant', 'address') AND code = @code AND row_id IS NOT NULL AND @column IS NULL
     ORDER BY 1`,
    { code, column },
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
  row: string | null;
}

/** Oldest first. */
export function recordsOfCause(database: LedgerDatabase, code: string, limit: number): OpenRecord[] {
  return database.rows<OpenRecord>(
    `SELECT e.id AS eventId, d.kind, d.key, e.event, e.at, f.message, f.row_id AS firstRow,
       (SELECT i.name || ':' || (f.row_id & 4294967295) FROM inputs i WHERE i.id = f.row_id >> 32) AS row
     FROM failures f LEFT JOIN events e ON f.subject = 'event' AND e.id = f.id
     JOIN documents d ON d.id = iif(f.subject = 'event', e.document_id, f.id)
     WHERE f.subject IN ('event', 'document') AND f.code = @code LIMIT @limit`,
    { code, limit },
  );
}
