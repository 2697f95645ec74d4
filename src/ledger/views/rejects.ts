/** Rows that a person must change: invalid, or with an event that was refused, collided or changed. Reads only. */
import type { Code } from "../../model/codes.js";
import type { Problem } from "../../model/problem.js";
import type { CellKind } from "../../model/row.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { membersOf, rowNumberOf, rowReference, rowsOfInput } from "../rows.js";
import { createCells } from "../stage/row-cells.js";
import { problemsOfRow } from "../stage/withdraw-rows.js";

export interface RejectedLedgerRow {
  row: number;
  /** The first row of its group; without one, the row itself. */
  lead: number;
  ref: string;
  cells: string[];
  kinds: CellKind[] | null;
  problems: Problem[];
}

/**
 * Rows of events that failed for their own sake; rows that are invalid, or declared what the service refused. Of an event that
 * changed only the rows that say so: not the one that landed, nor one that a rejected file brought again.
 */
const rejected = `SELECT re.row_id FROM open_events e JOIN row_events re ON re.event_id = e.id
    WHERE e.reason IS NOT 'row-gone' AND (e.state IN ('rejected', 'foreign')
      OR (e.state = 'changed' AND EXISTS (SELECT 1 FROM problems p WHERE p.row_id = re.row_id AND p.severity = 'error')))
  UNION ALL SELECT row_id FROM failures
    WHERE subject <> 'event' AND state IN ('invalid', 'rejected') AND row_id IS NOT NULL`;

export function createRejects(database: LedgerDatabase) {
  return {
    /** Inputs that have such rows, by id. */
    inputs: () => database.values<number>(`SELECT DISTINCT row_id >> 32 FROM (${rejected}) ORDER BY 1`),

    /**
     * In row order; of a group all rows, for only together do they say again what they said. Rows that had landed before
     * another row changed their event are left out: their cells are gone, and nothing is wrong with them.
     */
    *rows(input: { id: number; contentHash: string }): Generator<RejectedLedgerRow> {
      const range = rowsOfInput(input.id);
      const cells = createCells(database);
      const ids = database.values<number>(
        `SELECT DISTINCT row_id FROM (${rejected}) WHERE row_id BETWEEN @first AND @last ORDER BY 1`,
        range,
      );
      const ofRecords = database.rows<Refusal & { row_id: number }>(
        `SELECT row_id, code, message FROM failures
         WHERE subject NOT IN ('row', 'event') AND state = 'rejected' AND row_id BETWEEN @first AND @last`,
        range,
      );
      const refusedRecords = Map.groupBy(ofRecords, ({ row_id: row }) => row);
      for (const id of ids) {
        const kept = cells.of(id);
        if (kept === null) continue;
        const refused = [...(refusedRecords.get(id) ?? []), ...refusedEvents(database, id)];
        const refusals = refused.map(({ code, message }) => problem(code, message ?? code));
        const problems = [...problemsOfRow(database, id), ...refusals];
        const lead = rowNumberOf(id);
        yield { row: lead, lead, ref: rowReference(input.contentHash, id), ...kept, problems };
        const code = problems[0]?.code;
        const message = `belongs to the group that begins in row ${lead}, and stays with it`;
        const shared = code === undefined ? [] : [problem(code, message)];
        for (const member of membersOf(database, id)) {
          const own = cells.of(member);
          if (own === null) continue;
          const ref = rowReference(input.contentHash, member);
          yield { row: rowNumberOf(member), lead, ref, ...own, problems: shared };
        }
      }
    },
  };
}

type Refusal = { code: Code; message: string | null };

const problem = (code: Code, message: string): Problem => ({ code, message, hint: null, column: null });

function refusedEvents(database: LedgerDatabase, row: number): Refusal[] {
  return database.rows<Refusal>(
    `SELECT coalesce(e.reason, e.state) AS code, (SELECT message FROM problems p
       WHERE p.subject = 'event' AND p.subject_id = e.id ORDER BY p.id DESC LIMIT 1) AS message
     FROM row_events re JOIN events_now e ON e.id = re.event_id
     WHERE re.row_id = @row AND e.state IN ('rejected', 'foreign') AND e.dismissed = 0`,
    { row },
  );
}
