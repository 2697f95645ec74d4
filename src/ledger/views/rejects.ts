/** Rows that a person must change: invalid, or with an event that was refused, collided or changed. Reads only. */
import type { Database } from "better-sqlite3";
import type { Code } from "../../model/codes.js";
import type { Problem } from "../../model/problem.js";
import type { CellKind } from "../../model/row.js";
import { createGroupMembers } from "../stage/group-members.js";
import { createCellReader } from "../stage/row-cells.js";
import { rowId, rowNumberOf, rowReference } from "../row-id.js";

export interface RejectedLedgerRow {
  row: number;
  /** The first row of its group; without one, the row itself. */
  lead: number;
  ref: string;
  cells: string[];
  kinds: CellKind[] | null;
  problems: Problem[];
}

export interface Rejects {
  /** Inputs that have such rows, by id. */
  inputs(): number[];
  /**
   * In row order; of a group all rows, for only together do they say again what they said. Rows that had landed before
   * another row changed their event are left out: their cells are gone, and nothing is wrong with them.
   */
  rows(input: { id: number; contentHash: string }): Generator<RejectedLedgerRow>;
}

/** Rows of events that failed for their own sake. */
const rowsOfEvents = `SELECT re.row_id FROM open_events e JOIN row_events re ON re.event_id = e.id
  WHERE e.state IN ('rejected', 'foreign', 'changed') AND e.reason IS NOT 'row-gone'`;
/** Rows that are invalid, or declared what the service refused. */
const rowsOfRecords = `SELECT row_id FROM failures WHERE subject <> 'event' AND state IN ('invalid', 'rejected') AND row_id IS NOT NULL`;
const rejected = `SELECT row_id FROM (${rowsOfEvents} UNION ALL ${rowsOfRecords})`;

export function createRejects(database: Database): Rejects {
  return {
    inputs: () =>
      database.prepare<[], number>(`SELECT DISTINCT row_id >> 32 FROM (${rejected}) ORDER BY 1`).pluck().all(),
    rows: (input) => rejectedRows(database, input),
  };
}

type Refusal = { code: Code; message: string | null };

function* rejectedRows(database: Database, input: { id: number; contentHash: string }): Generator<RejectedLedgerRow> {
  const [first, end] = [rowId(input.id, 0), rowId(input.id + 1, 0)];
  const ids = database
    .prepare<[number, number], number>(
      `SELECT DISTINCT row_id FROM (${rejected}) WHERE row_id >= ? AND row_id < ? ORDER BY 1`,
    )
    .pluck()
    .all(first, end);
  const cells = createCellReader(database);
  const membersOf = createGroupMembers(database);
  const staged = database.prepare<[number], Problem>(
    `SELECT code, message, hint, column_name AS "column" FROM problems WHERE row_id = ? AND severity = 'error' ORDER BY id`,
  );
  const refusedEvents = database.prepare<[number], Refusal>(
    `SELECT coalesce(e.reason, e.state) AS code, (SELECT message FROM problems p
       WHERE p.subject = 'event' AND p.subject_id = e.id ORDER BY p.id DESC LIMIT 1) AS message
     FROM row_events re JOIN events_now e ON e.id = re.event_id
     WHERE re.row_id = ? AND e.state IN ('rejected', 'foreign') AND e.dismissed = 0`,
  );
  const ofRecords = database
    .prepare<[number, number], Refusal & { row_id: number }>(
      `SELECT row_id, code, message FROM failures
       WHERE subject NOT IN ('row', 'event') AND state = 'rejected' AND row_id >= ? AND row_id < ?`,
    )
    .all(first, end);
  const refusedRecords = Map.groupBy(ofRecords, ({ row_id: row }) => row);
  for (const id of ids) {
    const kept = cells.of(id);
    if (kept === null) continue;
    const problems = staged.all(id);
    for (const { code, message } of [...(refusedRecords.get(id) ?? []), ...refusedEvents.all(id)])
      problems.push({ code, message: message ?? code, hint: null, column: null });
    const lead = rowNumberOf(id);
    yield { row: lead, lead, ref: rowReference(input.contentHash, id), ...kept, problems };
    const code = problems[0]?.code;
    for (const member of membersOf(id)) {
      const own = cells.of(member);
      if (own === null) continue;
      const message = `belongs to the group that begins in row ${lead}, and stays with it`;
      const shared: Problem[] = code === undefined ? [] : [{ code, message, hint: null, column: null }];
      yield { row: rowNumberOf(member), lead, ref: rowReference(input.contentHash, member), ...own, problems: shared };
    }
  }
}
