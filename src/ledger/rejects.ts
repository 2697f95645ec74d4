/** Rows that a person must change: invalid, or with an event that was refused, collided or changed. Reads only. */
import type { Database } from "better-sqlite3";
import type { Code } from "../model/codes.js";
import type { Problem } from "../model/problem.js";
import type { CellKind } from "../model/row.js";
import type { StateCounts } from "../model/summary.js";
import { createGroupMembers } from "./group-members.js";
import { createCellReader } from "./row-cells.js";
import { rowId, rowNumberOf, rowReference } from "./row-id.js";
import type { OpenWork } from "./tally.js";
import { FAILED_DOCUMENT_S, UNSETTLED_S } from "./unsettled.js";

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

const refusedRegistrations = (subject: string, table: string) =>
  `SELECT '${subject}' AS subject, id, row_id, reason FROM ${table}
    WHERE state <> 'registered' AND state = 'rejected' AND reason IS NOT 'dismissed' AND row_id IS NOT NULL`;
/** What the service refused, with the row that declared it. */
const refusedBy = {
  participants: refusedRegistrations("participant", "participants"),
  addresses: refusedRegistrations("address", "addresses"),
  documents: `SELECT 'document' AS subject, d.id, d.row_id, s.reason FROM document_states s JOIN documents d ON d.id = s.document_id
    WHERE ${FAILED_DOCUMENT_S} AND s.state = 'rejected' AND d.row_id IS NOT NULL`,
};

const failedEvent = `${UNSETTLED_S} AND s.state IN ('rejected', 'foreign', 'changed') AND s.dismissed = 0
  AND s.reason IS NOT 'row-gone'`;
const inputsOfEvents = `SELECT re.row_id >> 32 FROM event_states s JOIN row_events re ON re.event_id = s.event_id WHERE ${failedEvent}`;
const rowsOfEvents = `SELECT re.row_id FROM row_events re JOIN events e ON e.id = re.event_id
  JOIN event_states s ON s.document_id = e.document_id AND s.event_id = e.id
  WHERE re.row_id >= @first AND re.row_id < @end AND ${failedEvent}`;

/** `open`: the tally of the same moment. Of what it counts none, none is looked for. */
export function createRejects(database: Database, open: OpenWork): Rejects {
  const any = (counts: StateCounts, ...states: string[]) => states.some((state) => (counts[state] ?? 0) > 0);
  const kinds = (["participants", "addresses", "documents"] as const).filter((kind) => any(open[kind], "rejected"));
  const records = kinds.length === 0 ? null : kinds.map((kind) => refusedBy[kind]).join(" UNION ALL ");
  const events = any(open.events, "rejected", "foreign", "changed");
  return {
    inputs() {
      const sources = [
        ...(open.rows > 0
          ? ["SELECT id >> 32 FROM rows WHERE fate = 'invalid' AND settled IS NULL AND lead IS NULL"]
          : []),
        ...(events ? [inputsOfEvents] : []),
        ...(records === null ? [] : [`SELECT row_id >> 32 FROM (${records})`]),
      ];
      if (sources.length === 0) return [];
      return database
        .prepare<[], number>(`SELECT DISTINCT * FROM (${sources.join(" UNION ALL ")}) ORDER BY 1`)
        .pluck()
        .all();
    },
    rows: (input) => rejectedRows(database, input, records, events),
  };
}

type Refusal = { code: Code; message: string | null };

function* rejectedRows(
  database: Database,
  input: { id: number; contentHash: string },
  records: string | null,
  events: boolean,
): Generator<RejectedLedgerRow> {
  const range = { first: rowId(input.id, 0), end: rowId(input.id + 1, 0) };
  const ids = database
    .prepare<{ first: number; end: number }, number>(
      `SELECT id FROM rows WHERE id >= @first AND id < @end AND fate = 'invalid' AND settled IS NULL AND lead IS NULL
       ${events ? `UNION ${rowsOfEvents}` : ""}
       ${records === null ? "" : `UNION SELECT row_id FROM (${records}) WHERE row_id >= @first AND row_id < @end`}
       ORDER BY 1`,
    )
    .pluck()
    .all(range);
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
  const refusedRecords =
    records === null
      ? null
      : database.prepare<[number], Refusal>(
          `SELECT f.reason AS code, (SELECT message FROM problems p WHERE p.subject = f.subject AND p.subject_id = f.id
             AND p.severity = 'error' ORDER BY p.id DESC LIMIT 1) AS message
           FROM (${records}) f WHERE f.row_id = ?`,
        );
  for (const id of ids) {
    const kept = cells.of(id);
    if (kept === null) continue;
    const problems = staged.all(id);
    for (const { code, message } of [...(refusedRecords?.all(id) ?? []), ...(events ? refusedEvents.all(id) : [])])
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
