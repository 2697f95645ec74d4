/**
 * Takes back what was staged and never sent, as if its rows had not come; importing their file stages them again (HARD-CASES
 * H39). Rows that are invalid go too, and hold nothing any more. What was sent, or may have been, is not touched.
 */
import type { Database } from "better-sqlite3";
import { RowferryError } from "../../model/error.js";
import { createGroupMembers } from "../stage/group-members.js";
import { inputOf } from "../row-id.js";
import { documentCondition, refuseAmbiguous, rowConditions, type Selectors } from "./selection.js";

export interface Withdrawn {
  rows: number;
  events: number;
  participants: number;
  addresses: number;
}

/** Of a document's next generation nothing is taken back: its CANCEL would go alone. */
const neverSent = `e.state IN ('planned', 'held', 'deferred') AND e.attempted_hash IS NULL
  AND e.document_id NOT IN (SELECT id FROM documents WHERE generation > 1)`;

/** Participants or addresses that what is still to be sent refers to, or that a row gives by themselves. */
const needed = (kind: "participant" | "address", others: string) =>
  `SELECT id FROM (
     SELECT iif(ref > 0, ref, (SELECT ${kind}_id FROM ${kind}_aliases WHERE id = -ref)) AS id FROM (
       SELECT ${kind}_ref AS ref FROM events_now WHERE NOT landed
       UNION SELECT ${kind}_ref FROM documents_now WHERE declared = 1 AND service_id IS NULL ${others})
     UNION SELECT record_id FROM row_records WHERE kind = '${kind}') WHERE id IS NOT NULL`;

/**
 * In the caller's transaction; the caller holds the lock.
 * @throws RowferryError `usage` where nothing fits, or for a row number that rows of several files have
 */
export function withdraw(database: Database, selectors: Selectors): Withdrawn {
  const run = (sql: string, values: (string | number)[] = []) => database.prepare(sql).run(...values).changes;
  const take = (select: string, row: string, document: ReturnType<typeof documentCondition>): void => {
    const conditions = [...rowConditions(selectors, row), ...(document === null ? [] : [document])];
    const where = conditions.map(({ sql }) => ` AND ${sql}`).join("");
    run(
      `INSERT INTO temp.taken ${select}${where}`,
      conditions.flatMap(({ values }) => values),
    );
  };
  database.exec("DROP TABLE IF EXISTS temp.taken; CREATE TEMP TABLE taken (row_id INTEGER NOT NULL, event_id INTEGER)");
  take(
    `SELECT re.row_id, e.id FROM events_now e JOIN row_events re ON re.event_id = e.id WHERE ${neverSent}`,
    "re.row_id",
    documentCondition(selectors, "e.document_id"),
  );
  take(
    "SELECT r.id, NULL FROM rows r WHERE r.fate = 'invalid' AND r.settled IS NULL AND r.lead IS NULL",
    "r.id",
    documentCondition(selectors, "p.document_id", "EXISTS (SELECT 1 FROM placements p WHERE p.row_id = r.id AND ", ")"),
  );
  if (selectors.document === undefined) {
    const planned = (table: string, kind: string) =>
      `kind = '${kind}' AND record_id IN (SELECT id FROM ${table} WHERE state = 'planned' AND attempted = 0)`;
    take(
      `SELECT DISTINCT rr.row_id, NULL FROM row_records rr
       WHERE (${planned("participants", "participant")} OR ${planned("addresses", "address")})`,
      "rr.row_id",
      null,
    );
  }
  const taken = database.prepare<[], number>("SELECT DISTINCT row_id FROM temp.taken").pluck().all();
  if (taken.length === 0) throw nothingFits(database);
  if (selectors.row !== undefined) refuseAmbiguous(database, selectors, taken.map(inputOf));

  run("DELETE FROM row_events WHERE (row_id, event_id) IN (SELECT row_id, event_id FROM temp.taken)");
  run("DELETE FROM row_records WHERE row_id IN (SELECT row_id FROM temp.taken WHERE event_id IS NULL)");
  // What a row of another file gives as well stays.
  run("DELETE FROM temp.taken WHERE event_id IN (SELECT event_id FROM row_events)");
  const gone = "SELECT event_id FROM temp.taken WHERE event_id IS NOT NULL";
  run(
    `DELETE FROM event_states WHERE (document_id, event_id) IN (SELECT document_id, id FROM events WHERE id IN (${gone}))`,
  );
  const events = run(`DELETE FROM events WHERE id IN (${gone})`);
  const rows = settleRows(database, taken);

  const ids = [JSON.stringify(taken)];
  run(
    `UPDATE documents SET declared = 0 WHERE row_id IN (SELECT value FROM json_each(?))
       AND id IN (SELECT id FROM documents_now WHERE state IN ('planned', 'rejected'))
       AND NOT EXISTS (SELECT 1 FROM events e WHERE e.document_id = documents.id OR e.target_document = documents.id)`,
    ids,
  );
  const unneeded = (table: string, need: string) =>
    run(
      `UPDATE ${table} SET row_id = NULL
       WHERE row_id IS NOT NULL AND state = 'planned' AND attempted = 0 AND id NOT IN (${need})`,
    );
  const addresses = unneeded("addresses", needed("address", ""));
  const ofAddresses = "UNION SELECT participant_ref FROM addresses WHERE row_id IS NOT NULL AND state <> 'registered'";
  const participants = unneeded("participants", needed("participant", ofAddresses));
  // The same bytes are no shortcut any more: they stage again what was taken back.
  run("UPDATE inputs SET judged_at = -1 WHERE id IN (SELECT value >> 32 FROM json_each(?))", ids);
  return { rows, events, participants, addresses };
}

/** Rows of which nothing is left in the ledger, with those of their groups. @returns how many */
function settleRows(database: Database, taken: readonly number[]): number {
  const isLeft = database
    .prepare<[number], number>("SELECT EXISTS (SELECT 1 FROM row_events WHERE row_id = ?)")
    .pluck();
  const settle = database.prepare<[number]>(
    `INSERT INTO rows (id, fate, settled) VALUES (?, 'staged', 'withdrawn')
     ON CONFLICT (id) DO UPDATE SET settled = 'withdrawn', row_key = NULL`,
  );
  const membersOf = createGroupMembers(database);
  let count = 0;
  for (const lead of taken) {
    if (isLeft.get(lead) === 1) continue;
    for (const row of [lead, ...membersOf(lead)]) {
      settle.run(row);
      count += 1;
    }
  }
  return count;
}

function nothingFits(database: Database): RowferryError {
  const inputs = database
    .prepare<[], string>(
      `SELECT i.name || ' (' || count(*) || ')' FROM events_now e JOIN inputs i ON i.id = e.input_id
       WHERE ${neverSent} GROUP BY i.name ORDER BY count(*) DESC LIMIT 5`,
    )
    .pluck()
    .all();
  const hint =
    inputs.length === 0
      ? "The ledger has nothing that was staged and never sent."
      : `Events that were never sent are of ${inputs.join(", ")}.`;
  return new RowferryError("usage", "Nothing that was never sent fits these selectors.", { hint });
}
