/**
 * What an earlier process left between intent and outcome is in doubt (P4): it may have been carried out. Written down
 * once, when the next run begins; the run settles it by evidence, like any other doubt.
 */
import type { Database } from "better-sqlite3";
import { isOn } from "../model/safeguards.js";
import { anyUnderWay, sendingDocuments, sendingEvents } from "./in-flight.js";

const unanswered = "id > (SELECT max(id) >> 32 << 32 FROM requests) AND result IS NULL";

/** The caller holds the lock: nothing is really being sent. */
export function recordInterruptions(database: Database, now: number): void {
  if (!isOn("doubt-at-start")) return;
  const reason = "interrupted-in-doubt";
  const anything = database
    .prepare<[], number>(
      `SELECT ${anyUnderWay}
         OR EXISTS (SELECT 1 FROM participants WHERE state <> 'registered' AND state = 'sending')
         OR EXISTS (SELECT 1 FROM addresses WHERE state <> 'registered' AND state = 'sending')`,
    )
    .pluck();
  if (anything.get() === 0) return;
  database.transaction(() => {
    database
      .prepare<[string, number]>(
        `UPDATE event_states SET state = 'stalled', reason = ?, doubt = 1, changed_at = ?
         WHERE (document_id, event_id) IN (${sendingEvents})`,
      )
      .run(reason, now);
    database
      .prepare<[string, number]>(
        `UPDATE document_states SET state = 'stalled', reason = ?, changed_at = ? WHERE document_id IN (${sendingDocuments})`,
      )
      .run(reason, now);
    for (const table of ["participants", "addresses"]) {
      database
        .prepare<[string, number]>(
          `UPDATE ${table} SET state = 'stalled', reason = ?, changed_at = ? WHERE state <> 'registered' AND state = 'sending'`,
        )
        .run(reason, now);
    }
    database
      .prepare<[number]>(`UPDATE requests SET result = 'unanswered', finished_at = ? WHERE ${unanswered}`)
      .run(now);
  })();
}
