/** What became of the rows of some inputs, each row counted once, by the worst that became of it (P7); reads only. */
import type { Database } from "better-sqlite3";
import { beyondCorrection } from "../../model/beyond-correction.js";
import type { RowOutcomes } from "../../model/summary.js";

/** Worst first; a query names an outcome by its position. */
const outcomes = ["toDecide", "toCorrect", "waiting", "toSend", "later", "dismissed"] as const;
const [DECIDE, CORRECT, WAITING, SEND, LATER, DISMISSED] = outcomes.keys();

const decided = `('${beyondCorrection.join("', '")}')`;

const inInput = (row: string) => `${row} >= i.id << 32 AND ${row} < (i.id + 1) << 32`;

const ofEvents = `SELECT re.row_id, CASE o.state
    WHEN 'held' THEN iif(o.reason = 'behind-deferred', ${LATER}, ${WAITING})
    WHEN 'deferred' THEN ${LATER}
    WHEN 'rejected' THEN iif(o.code IN ${decided}, ${DECIDE}, ${CORRECT})
    WHEN 'foreign' THEN ${DECIDE} WHEN 'changed' THEN ${DECIDE}
    ELSE iif(o.code IN ${decided}, ${DECIDE}, ${SEND}) END AS outcome
  FROM open_events o JOIN row_events re ON re.event_id = o.id
  UNION ALL SELECT re.row_id, iif(e.dismissed, ${DISMISSED}, ${SEND})
    FROM inputs_asked i CROSS JOIN row_events re ON ${inInput("re.row_id")} JOIN events_now e ON e.id = re.event_id
    WHERE e.state IN ('planned', 'sending') OR e.dismissed`;

const ofRegistrations = `SELECT row_id, iif(state = 'rejected', ${CORRECT}, ${SEND}) FROM open_registrations
  UNION ALL SELECT row_id, ${DISMISSED} FROM participants WHERE state <> 'registered' AND row_id IS NOT NULL AND reason = 'dismissed'
  UNION ALL SELECT row_id, ${DISMISSED} FROM addresses WHERE state <> 'registered' AND row_id IS NOT NULL AND reason = 'dismissed'`;

const ofDocuments = `SELECT row_id, CASE WHEN state = 'rejected' THEN ${CORRECT}
    WHEN state = 'stranded' OR reason = 'doubt-unsettled' THEN ${DECIDE} ELSE ${SEND} END
  FROM failed_documents WHERE row_id IS NOT NULL`;

const ofRows = `SELECT r.id, CASE WHEN r.settled IS NOT NULL THEN ${DISMISSED} ELSE ${CORRECT} END
  FROM inputs_asked i CROSS JOIN rows r ON ${inInput("r.id")}
  WHERE r.fate = 'invalid' OR r.fate = 'staged' AND r.settled IS NOT NULL`;

/** Rows that were staged or invalid, unless all of them has landed. `inputs`: their ids. */
export function tallyRows(database: Database, inputs: readonly number[]): Omit<RowOutcomes, "landed"> {
  const found = database
    .prepare<[string], { outcome: number; count: number }>(
      `WITH inputs_asked (id) AS MATERIALIZED (SELECT value FROM json_each(?)),
       open (row_id, outcome) AS (${[ofEvents, ofRegistrations, ofDocuments, ofRows].join(" UNION ALL ")}),
       leads (row_id, outcome) AS MATERIALIZED (SELECT row_id, min(outcome) FROM open
         WHERE row_id >> 32 IN (SELECT id FROM inputs_asked) GROUP BY row_id),
       all_rows (row_id, outcome) AS (SELECT row_id, outcome FROM leads UNION ALL
         SELECT r.id, l.outcome FROM inputs_asked i CROSS JOIN rows r ON ${inInput("r.id")}
         JOIN leads l ON l.row_id = r.lead WHERE r.lead IS NOT NULL)
       SELECT outcome, count(*) AS count FROM (SELECT a.row_id, min(a.outcome) AS outcome FROM all_rows a
         LEFT JOIN rows r ON r.id = a.row_id WHERE r.fate IS NULL OR r.fate IN ('staged', 'invalid') GROUP BY a.row_id) GROUP BY outcome`,
    )
    .all(JSON.stringify(inputs));
  const of = (index: number) => found.find(({ outcome }) => outcome === index)?.count ?? 0;
  return Object.fromEntries(outcomes.map((name, index) => [name, of(index)])) as Record<
    (typeof outcomes)[number],
    number
  >;
}
