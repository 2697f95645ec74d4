/**
 * Takes back rows that were staged and never sent, as if they had not come; importing their file stages them again
 * (H39). Invalid rows go too, and hold nothing any more. Does not touch anything that was sent, or may have been.
 */
import { RowferryError } from "../../model/error.js";
import type { LineOf } from "../../model/lines.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { isEarlier } from "../inputs.js";
import { groupOf, inputOf, isInInput } from "../rows.js";
import { markOpen } from "../work.js";
import { Writer } from "../writer.js";
import { createCells } from "../stage/row-cells.js";
import { dropUnbroughtEvents, forgetContentOfGone, needed } from "../stage/take-back.js";
import { isDocument, isRow, refuseAmbiguous, type Selectors, selectorValues } from "./selection.js";

type Values = ReturnType<typeof selectorValues>;

export type Withdrawn = Omit<LineOf<"withdrawn">, "type">;

type Taken = Omit<Withdrawn, "replacements">;

/** Keeps the events of a next generation, because its CANCEL would be sent alone. */
const neverSent = `e.state IN ('planned', 'held', 'deferred') AND e.attempted_hash IS NULL
  AND e.document_id NOT IN (SELECT id FROM documents WHERE generation > 1)`;

/** Rows with what of them can be taken back: one of these events (`e`), or null for all else. */
const takeable = (
  events: string,
) => `SELECT re.row_id, e.id AS event_id FROM events_now e JOIN row_events re ON re.event_id = e.id
    WHERE ${events} AND ${neverSent} AND ${isRow("re.row_id")} AND ${isDocument("e.document_id")}
  UNION ALL SELECT r.id, NULL FROM invalid_rows r LEFT JOIN placements p ON p.row_id = r.id
    WHERE r.lead IS NULL AND ${isRow("r.id")} AND ${isDocument("p.document_id")}
  UNION ALL SELECT DISTINCT rr.row_id, NULL FROM row_records rr JOIN registrations r ON r.id = rr.record_id
    WHERE @documents IS NULL AND rr.kind <> 'document' AND r.state = 'planned' AND r.attempted = 0 AND ${isRow("rr.row_id")}
  UNION ALL SELECT rr.row_id, NULL FROM row_records rr JOIN documents_now d ON d.id = rr.record_id
    WHERE rr.kind = 'document' AND d.state = 'planned' AND d.create_empty = 1 AND ${isRow("rr.row_id")} AND ${isDocument("d.id")}`;

/** Rows that bring a document, or an event of it. */
const BROUGHT = `(SELECT e.document_id, re.row_id FROM events e LEFT JOIN row_events re ON re.event_id = e.id
  UNION ALL SELECT record_id, row_id FROM row_records WHERE kind = 'document')`;

/** Ids of inputs of which something can be taken back, apart from what was given up. */
export const inputsToWithdraw = (database: LedgerDatabase): number[] =>
  database.values(
    `SELECT DISTINCT row_id >> 32 FROM (${takeable("e.document_id IN (SELECT document_id FROM open_documents)")})`,
    selectorValues(database, {}),
  );

/**
 * In the caller's transaction, under the lock. @throws RowferryError `usage` if nothing fits, or for a row number that
 * several files have; `already-done`
 */
export function withdraw(database: LedgerDatabase, selectors: Selectors, now: number): Taken {
  const named = selectorValues(database, selectors);
  database.exec("DROP TABLE IF EXISTS temp.taken; CREATE TEMP TABLE taken (row_id INTEGER NOT NULL, event_id INTEGER)");
  database.run(`INSERT INTO temp.taken ${takeable("true")}`, named);
  const taken = database.values<number>("SELECT DISTINCT row_id FROM temp.taken");
  if (taken.length === 0) {
    const isTaken = `SELECT 1 FROM rows WHERE settled = 'withdrawn' AND @documents IS NULL AND ${isRow("id")}`;
    if (database.has(isTaken, named))
      throw new RowferryError("already-done", "What these selectors match was taken back already.");
    throw nothingFits(database);
  }
  refuseAmbiguous(database, selectors, new Set(taken));

  const waited = database.values<string>(
    `SELECT 'row:' || row_id FROM temp.taken UNION SELECT 'event:' || id FROM events WHERE id IN (SELECT event_id FROM temp.taken)
     UNION SELECT 'document:' || document_id FROM events WHERE id IN (SELECT event_id FROM temp.taken)
     UNION SELECT 'document:' || record_id FROM row_records WHERE kind = 'document' AND row_id IN (SELECT row_id FROM temp.taken)`,
  );
  database.run("DELETE FROM row_events WHERE (row_id, event_id) IN (SELECT row_id, event_id FROM temp.taken)");
  database.run("DELETE FROM row_records WHERE row_id IN (SELECT row_id FROM temp.taken WHERE event_id IS NULL)");
  // Events that other files' rows also bring stay.
  const events = dropUnbroughtEvents(database, "SELECT event_id FROM temp.taken");
  forgetContentOfGone(database, "SELECT event_id FROM temp.taken");
  const writer = new Writer(database);
  const settled = settleRows(database, taken);
  const given = takeBackVersions(database, settled, named);
  const rows = settled.length + given.length;
  database.run(
    `UPDATE documents SET declared = 0 WHERE row_id IN (SELECT row_id FROM temp.taken)
       AND id IN (SELECT id FROM documents_now WHERE state IN ('planned', 'rejected'))
       AND NOT EXISTS (SELECT 1 FROM events WHERE target_document = documents.id)
       AND NOT EXISTS (SELECT 1 FROM ${BROUGHT} WHERE document_id = documents.id AND (NOT differs OR row_id >> 32 = documents.row_id >> 32))`,
  );
  const parties = releaseUnneeded(database, now);
  // An event that another file's row brings, too, waits for the refused one no longer.
  const inputs = database.values<string>(
    `UPDATE inputs AS i SET refused = 0 WHERE refused = 1 AND NOT EXISTS (
       SELECT 1 FROM row_events re JOIN events_now e ON e.id = re.event_id WHERE ${isInInput("re.row_id")} AND ${neverSent})
     RETURNING 'input:' || id`,
  );
  writer.waitsSettled([...waited, ...inputs], now);
  // The file's bytes must stage these rows again.
  database.run("UPDATE inputs SET judged_at = -1 WHERE id IN @inputs", {
    inputs: [...new Set([...taken, ...given].map(inputOf))],
  });
  return { rows, events, ...parties };
}

/** Nothing unsent needs them any more. @returns how many */
export function releaseUnneeded(database: LedgerDatabase, now: number) {
  const writer = new Writer(database);
  const release = (kind: string) => {
    const ids = database.values<number>(
      `UPDATE registrations SET row_id = NULL WHERE kind = @kind AND row_id IS NOT NULL AND state <> 'registered'
         AND (state = 'planned' AND attempted = 0 OR state = 'rejected') AND id NOT IN (SELECT id FROM (${needed})) RETURNING id`,
      { kind },
    );
    for (const id of ids) writer.replanned("participant", id, now);
    return ids.length;
  };
  const addresses = release("address");
  return { participants: release("participant"), addresses };
}

/** Rows taken back whose file has not been imported since, nor another of its name. */
export const tallyWithdrawn = (database: LedgerDatabase): { input: string; rows: number }[] =>
  database.rows(
    `SELECT i.name AS input, count(*) AS rows FROM inputs i CROSS JOIN rows r ON ${isInInput("r.id")}
     WHERE i.judged_at = -1 AND r.settled = 'withdrawn' AND NOT ${isEarlier("i.id")} GROUP BY i.id ORDER BY i.id`,
  );

/** Settles rows without records in the ledger, with the rest of their groups. @returns these rows */
function settleRows(database: LedgerDatabase, taken: readonly number[]): number[] {
  const settled = taken.filter((row) => !database.has("SELECT 1 FROM row_events WHERE row_id = @row", { row }));
  const rows = settled.flatMap((lead) => groupOf(database, lead));
  for (const row of rows)
    database.run(
      `INSERT INTO rows (id, fate, settled) VALUES (@row, 'staged', 'withdrawn')
       ON CONFLICT (id) DO UPDATE SET settled = 'withdrawn', row_key = NULL`,
      { row },
    );
  return rows;
}

/**
 * The rows that these corrected: one that still was invalid afterwards is to be corrected again. One that is named too, or
 * gave way to a valid one, or whose cells are gone, has nothing left in the ledger. @returns the latter, taken back as well
 */
function takeBackVersions(database: LedgerDatabase, rows: readonly number[], named: Values): number[] {
  if (rows.length === 0) return [];
  const isNamed = `${isRow("rows.id")} AND (@documents IS NULL OR EXISTS (
    SELECT 1 FROM placements p WHERE p.row_id = rows.id AND ${isDocument("p.document_id")}))`;
  const cells = createCells(database);
  const versions = database
    .rows<{ id: number; isBack: number }>(
      `SELECT id, settled = 'corrected' OR (${isNamed}) AS isBack FROM rows
       WHERE settled_by IN @these AND settled IN ('corrected', 'superseded')`,
      { ...named, these: rows },
    )
    .map(({ id, isBack }) => ({ id, isOpen: isBack === 0 && cells.of(id) !== null }));
  const open = versions.flatMap(({ id, isOpen }) => (isOpen ? [id] : []));
  const back = versions.flatMap(({ id, isOpen }) => (isOpen ? [] : [id]));
  database.run("UPDATE rows SET settled = NULL, settled_by = NULL WHERE id IN @open", { open });
  database.run("UPDATE rows SET settled = 'withdrawn', settled_by = NULL, row_key = NULL WHERE id IN @back", { back });
  for (const document of database.values<number>("SELECT document_id FROM placements WHERE row_id IN @open", { open }))
    markOpen(database, document);
  return [...back, ...takeBackVersions(database, back, named)];
}

function nothingFits(database: LedgerDatabase): RowferryError {
  const inputs = database.values<string>(
    `SELECT i.name || ' (' || count(*) || ')' FROM events_now e JOIN inputs i ON i.id = e.input_id
     WHERE ${neverSent} AND e.id IN (SELECT event_id FROM row_events) GROUP BY i.name ORDER BY count(*) DESC LIMIT 5`,
  );
  const isReplacing = database.has("SELECT 1 FROM documents_now WHERE generation > 1 AND state = 'planned'");
  const hint =
    inputs.length > 0
      ? `There are unsent events from ${inputs.join(", ")}.`
      : isReplacing
        ? "What is unsent belongs to replacements; `rowferry withdraw --document <document>` takes one back."
        : "Nothing in the ledger is staged and unsent.";
  return new RowferryError("usage", "No unsent record matches these selectors.", { hint });
}
