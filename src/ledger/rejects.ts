/** Rows that a person must change: invalid, or with an event that was refused, collided or changed. Reads only. */
import type { Database } from "better-sqlite3";
import type { Code } from "../model/codes.js";
import type { Problem } from "../model/problem.js";
import type { CellKind } from "../model/row.js";
import { createCellReader } from "./row-cells.js";
import { rowId, rowNumberOf, rowReference } from "./row-id.js";
import { UNSETTLED_S, UNSETTLED_DOCUMENT_S } from "./unsettled.js";

export interface RejectedLedgerRow {
  row: number;
  ref: string;
  cells: string[];
  kinds: CellKind[] | null;
  problems: Problem[];
}

/** Participants, addresses and documents that the service refused, with the row that declared them. */
const refusedRecords = `SELECT 'participant' AS subject, id, row_id, reason FROM participants
    WHERE state <> 'registered' AND state = 'rejected' AND reason IS NOT 'dismissed' AND row_id IS NOT NULL
  UNION ALL SELECT 'address', id, row_id, reason FROM addresses
    WHERE state <> 'registered' AND state = 'rejected' AND reason IS NOT 'dismissed' AND row_id IS NOT NULL
  UNION ALL SELECT 'document', d.id, d.row_id, s.reason FROM document_states s JOIN documents d ON d.id = s.document_id
    WHERE ${UNSETTLED_DOCUMENT_S} AND s.state = 'rejected' AND s.reason IS NOT 'dismissed' AND d.row_id IS NOT NULL`;

/** Inputs that have such rows, by id. */
export function inputsWithRejects(database: Database): number[] {
  return database
    .prepare<[], number>(
      `SELECT DISTINCT id >> 32 FROM rows WHERE fate = 'invalid' AND settled IS NULL AND lead IS NULL
       UNION SELECT DISTINCT re.row_id >> 32 FROM event_states s JOIN row_events re ON re.event_id = s.event_id
       WHERE ${UNSETTLED_S} AND s.state IN ('rejected', 'foreign', 'changed') AND s.dismissed = 0
       UNION SELECT DISTINCT row_id >> 32 FROM (${refusedRecords})`,
    )
    .pluck()
    .all();
}

/** In row order. Rows that had landed before another row changed their event are left out: their cells are gone, and nothing is wrong with them. */
export function* rejectedRows(
  database: Database,
  input: { id: number; contentHash: string },
): Generator<RejectedLedgerRow> {
  const range = [rowId(input.id, 0), rowId(input.id + 1, 0)] as const;
  const ids = database
    .prepare<[number, number, number, number, number, number], number>(
      `SELECT id FROM rows WHERE id >= ? AND id < ? AND fate = 'invalid' AND settled IS NULL AND lead IS NULL
       UNION SELECT re.row_id FROM row_events re JOIN events e ON e.id = re.event_id
     JOIN event_states s ON s.document_id = e.document_id AND s.event_id = e.id
       WHERE re.row_id >= ? AND re.row_id < ? AND ${UNSETTLED_S} AND s.state IN ('rejected', 'foreign', 'changed') AND s.dismissed = 0
       UNION SELECT row_id FROM (${refusedRecords}) WHERE row_id >= ? AND row_id < ?
       ORDER BY 1`,
    )
    .pluck()
    .all(...range, ...range, ...range);
  const cells = createCellReader(database);
  const staged = database.prepare<[number], Problem>(
    `SELECT code, message, hint, column_name AS "column" FROM problems WHERE row_id = ? AND severity = 'error' ORDER BY id`,
  );
  const refused = database.prepare<[number], { code: Code; message: string | null }>(
    `SELECT coalesce(s.reason, s.state) AS code, (SELECT message FROM problems p
       WHERE p.subject = 'event' AND p.subject_id = s.event_id ORDER BY p.id DESC LIMIT 1) AS message
     FROM row_events re JOIN events e ON e.id = re.event_id
     JOIN event_states s ON s.document_id = e.document_id AND s.event_id = e.id
     WHERE re.row_id = ? AND s.state IN ('rejected', 'foreign') AND s.dismissed = 0`,
  );
  const records = database.prepare<[number], { code: Code; message: string | null }>(
    `SELECT f.reason AS code, (SELECT message FROM problems p WHERE p.subject = f.subject AND p.subject_id = f.id
       AND p.severity = 'error' ORDER BY p.id DESC LIMIT 1) AS message
     FROM (${refusedRecords}) f WHERE f.row_id = ?`,
  );
  for (const id of ids) {
    const kept = cells.of(id);
    if (kept === null) continue;
    const problems = staged.all(id);
    for (const { code, message } of [...records.all(id), ...refused.all(id)])
      problems.push({ code, message: message ?? code, hint: null, column: null });
    yield {
      row: rowNumberOf(id),
      ref: rowReference(input.contentHash, id),
      cells: kept.cells,
      kinds: kept.kinds,
      problems,
    };
  }
}
