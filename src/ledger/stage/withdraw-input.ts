/**
 * Takes back what rows had yielded and was not sent. What rows of other files bring as well stays, with what it needs; what
 * was sent is never touched.
 */
import type { LedgerDatabase } from "../ledger-database.js";
import { resolved } from "../event-key.js";
import { rowsOfInput } from "../rows.js";
import { Writer } from "../writer.js";

/** Takes those of some events out of the ledger that no row brings any more; `events` selects their ids. @returns how many */
export function dropUnbroughtEvents(database: LedgerDatabase, events: string, values: { id?: number } = {}): number {
  const gone = `SELECT id FROM events WHERE id IN (${events}) AND NOT EXISTS (SELECT 1 FROM row_events WHERE event_id = events.id)`;
  new Writer(database).eventsGone(gone, values);
  return database.run(`DELETE FROM events WHERE id IN (${gone})`, values);
}

/** `id` of a participant or address that something which is still to be sent needs, or a row gives by itself, and that row. */
export const needed = `SELECT id, min(row_id) AS row_id FROM (
    SELECT ${resolved("ref")} AS id, row_id FROM (
      SELECT e.participant_ref AS ref, re.row_id FROM events_now e JOIN row_events re ON re.event_id = e.id WHERE NOT e.landed
      UNION SELECT e.address_ref, re.row_id FROM events_now e JOIN row_events re ON re.event_id = e.id WHERE NOT e.landed
      UNION SELECT participant_ref, row_id FROM documents_now WHERE declared = 1 AND service_id IS NULL
      UNION SELECT address_ref, row_id FROM documents_now WHERE declared = 1 AND service_id IS NULL
      UNION SELECT owner, row_id FROM registrations WHERE kind = 'address' AND row_id IS NOT NULL AND state <> 'registered')
    UNION SELECT record_id, row_id FROM row_records WHERE kind <> 'document')
  WHERE id IS NOT NULL AND row_id IS NOT NULL GROUP BY id`;

/** All that an input had yielded; it is about to be staged again. `refused`: also what the service has refused. */
export function withdrawInput(database: LedgerDatabase, input: number, refused: boolean): void {
  const range = rowsOfInput(input);
  database.exec(
    `DROP TABLE IF EXISTS temp.withdrawn; CREATE TEMP TABLE withdrawn (id INTEGER PRIMARY KEY);
     DROP TABLE IF EXISTS temp.taken_back; CREATE TEMP TABLE taken_back (document INTEGER NOT NULL, id INTEGER NOT NULL)`,
  );
  database.run(
    `INSERT INTO temp.withdrawn SELECT DISTINCT re.event_id FROM row_events re JOIN events_now e ON e.id = re.event_id
     WHERE re.row_id BETWEEN @first AND @last
       AND (e.state IN ('planned', 'held', 'deferred') OR @refused AND e.state = 'rejected')`,
    { ...range, refused: refused ? 1 : 0 },
  );
  for (const table of ["row_events", "row_records", "placements", "input_holds"])
    database.run(`DELETE FROM ${table} WHERE row_id BETWEEN @first AND @last`, range);
  database.run("DELETE FROM row_pages WHERE first_row BETWEEN @first AND @last", range);
  database.run("DELETE FROM rows WHERE id BETWEEN @first AND @last", range);
  database.run("DELETE FROM problems WHERE row_id BETWEEN @first AND @last AND stage = 'staging'", range);
  dropUnbroughtEvents(database, "SELECT id FROM temp.withdrawn");
  // What is declared again takes the new data; what is not declared again, and that nothing else needs, is never sent.
  database.run(
    `INSERT INTO temp.taken_back SELECT 0, id FROM registrations
     WHERE row_id BETWEEN @first AND @last AND state IN ('planned', 'rejected')`,
    range,
  );
  // The document of a target that may be under way keeps what its event says of it.
  database.run(
    `INSERT INTO temp.taken_back SELECT 1, d.id FROM documents_now d
     WHERE row_id BETWEEN @first AND @last AND declared = 1 AND state IN ('planned', 'rejected')
       AND NOT EXISTS (SELECT 1 FROM events e WHERE e.target_document = d.id)`,
    range,
  );
  database.run(
    "UPDATE registrations SET row_id = NULL WHERE id IN (SELECT id FROM temp.taken_back WHERE NOT document)",
  );
  database.run("UPDATE documents SET declared = 0 WHERE id IN (SELECT id FROM temp.taken_back WHERE document)");
  database.run("UPDATE inputs SET read = 0, skipped = 0, invalid = 0, known = 0, staged = 0 WHERE id = @input", {
    input,
  });
}

/** Once the input is staged again: what it does not declare any more, and rows of others still need, is as it was. */
export function giveBackWhatIsNeeded(database: LedgerDatabase): void {
  if (!database.has("SELECT 1 FROM temp.sqlite_schema WHERE name = 'taken_back'")) return;
  database.run(
    `UPDATE documents SET declared = 1, row_id = coalesce((SELECT min(re.row_id) FROM events e JOIN row_events re ON re.event_id = e.id
         WHERE e.document_id = documents.id), row_id)
     WHERE declared = 0 AND id IN (SELECT id FROM temp.taken_back WHERE document)
       AND (EXISTS (SELECT 1 FROM events e JOIN row_events re ON re.event_id = e.id WHERE e.document_id = documents.id)
         OR id IN (SELECT record_id FROM row_records WHERE kind = 'document'))`,
  );
  // Addresses first: they need their participants.
  for (const kind of ["address", "participant"])
    database.run(
      `UPDATE registrations SET row_id = n.row_id FROM (${needed}) n
       WHERE n.id = registrations.id AND registrations.row_id IS NULL AND registrations.kind = @kind
         AND registrations.id IN (SELECT id FROM temp.taken_back WHERE NOT document)`,
      { kind },
    );
  database.exec("DROP TABLE temp.taken_back");
}
