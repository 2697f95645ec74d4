/** What is held, by what it waits for, each with one worked example, for `status`; reads only. */
import type { Database } from "better-sqlite3";
import type { Code } from "../model/codes.js";
import { describeRow } from "./describe-row.js";
import { describeWait } from "./describe-wait.js";
import type { ProblemCount } from "./tally-problems.js";
import { UNSETTLED_S } from "./unsettled.js";

interface HeldGroup {
  code: Code;
  count: number;
  event: string;
  kind: string;
  key: string;
  row_id: number | null;
  row: string | null;
  waits_for: string | null;
}

export interface WaitingCount extends ProblemCount {
  /** The example's row, as `--row` takes it; null: it has none. */
  row: string | null;
}

/** Most first. The example is the first event of its kind in the ledger. */
export function tallyHeld(database: Database): WaitingCount[] {
  return database
    .prepare<[], HeldGroup>(
      `SELECT h.code, h.count, e.event, d.kind, d.key, e.waits_for,
         (SELECT min(row_id) FROM row_events WHERE event_id = e.id) AS row_id,
         (SELECT i.name || ':' || (min(r.row_id) & 4294967295) FROM row_events r JOIN inputs i ON i.id = r.row_id >> 32
          WHERE r.event_id = e.id) AS row
       FROM (SELECT s.reason AS code, count(*) AS count, min(s.event_id) AS id FROM event_states s
             WHERE ${UNSETTLED_S} AND s.state = 'held' AND s.dismissed = 0 GROUP BY s.reason) h
       JOIN events_now e ON e.id = h.id
       JOIN documents d ON d.id = e.document_id ORDER BY h.count DESC, h.code`,
    )
    .all()
    .map(({ code, count, event, kind, key, row_id, row, waits_for }) => {
      const place = `${describeRow(database, row_id)}, ${event} of ${kind} ${key}`;
      return { code, count, example: `${place}: waits for ${describeWait(database, waits_for)}`, row };
    });
}
