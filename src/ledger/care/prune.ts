/**
 * Moves bodies of landed events, cells of settled rows and attempts of finished requests to the archive. Keys, hashes,
 * ids, times and dismissals stay, so known rows stay known (H24).
 */
import { appendToArchive, type ArchivedEntry } from "./archive.js";
import { keyText } from "../event-key.js";
import type { LedgerDatabase } from "../ledger-database.js";
import type { Page } from "../pages.js";
import { inputOf, leadOf, rowNumberOf } from "../rows.js";
import { createCells, keptCells, type PackedCells } from "../stage/row-cells.js";
import { type JsonObject, parseJson } from "../../model/json.js";

export interface Pruned {
  payloads: number;
  cells: number;
  attempts: number;
}

const CHUNK = 2000;

/** `before`: ms; older finished records go. The caller holds the lock. */
export function pruneLedger(database: LedgerDatabase, archive: string, before: number): Pruned {
  return {
    payloads: prunePayloads(database, archive, before),
    cells: pruneCells(database, archive, before),
    attempts: pruneAttempts(database, archive, before),
  };
}

type Found = { id: number; at: number; entry: ArchivedEntry };

/** Archives first: after a crash in between, entries are in both, and nothing is lost. */
function move(
  database: LedgerDatabase,
  archive: string,
  next: (after: number) => Found[],
  remove: (id: number) => void,
) {
  let count = 0;
  let after = 0;
  for (;;) {
    const found = next(after);
    const last = found.at(-1);
    if (last === undefined) return count;
    after = last.id;
    appendToArchive(archive, found);
    database.atomic(() => found.forEach(({ id }) => remove(id)));
    count += found.length;
  }
}

function prunePayloads(database: LedgerDatabase, archive: string, before: number) {
  type Row = {
    id: number;
    at: number;
    key: Buffer;
    document: string;
    generation: number;
    event: string;
    payload: string;
  };
  const next = (after: number): Found[] =>
    database
      .rows<Row>(
        `SELECT e.id, e.changed_at AS at, e.deduplication_id AS "key", d.kind || '/' || d.key AS document, d.generation, e.event, e.payload
         FROM events_now e JOIN documents d ON d.id = e.document_id
         WHERE e.id > @after AND e.known AND e.changed_at < @before AND e.payload <> ''
         ORDER BY e.id LIMIT ${CHUNK}`,
        { after, before },
      )
      .map(({ id, at, key, payload, ...event }) => ({
        id,
        at,
        entry: { type: "payload", deduplicationId: keyText(key), ...event, payload: parseJson(payload) as JsonObject },
      }));
  return move(database, archive, next, (id) => database.run("UPDATE events SET payload = '' WHERE id = @id", { id }));
}

function pruneAttempts(database: LedgerDatabase, archive: string, before: number) {
  const next = (after: number): Found[] =>
    database
      .rows<{ id: number; at: number; json: string }>(
        `SELECT a.request_id AS id, a.started_at AS at, json_object('request', a.request_id, 'number', a.number, 'startedAt', a.started_at,
           'durationMs', a.duration_ms, 'status', a.status, 'failure', a.failure, 'codes', a.codes, 'message', a.message,
           'raw', a.raw, 'requestIds', a.request_ids, 'inDoubt', a.in_doubt) AS json
         FROM (SELECT id FROM requests WHERE id > @after AND started_at < @before AND result IS NOT NULL ORDER BY id LIMIT ${CHUNK}) r
         JOIN attempts a ON a.request_id = r.id ORDER BY a.request_id, a.number`,
        { after, before },
      )
      .map(({ id, at, json }) => ({ id, at, entry: { type: "attempts", ...(JSON.parse(json) as JsonObject) } }));
  return move(database, archive, next, (id) => {
    database.run("DELETE FROM earlier_attempts WHERE request_id = @id", { id });
    database.run(
      `UPDATE requests SET number = NULL, started_at = NULL, duration_ms = NULL, status = NULL, failure = NULL, codes = NULL,
         message = NULL, raw = NULL, request_ids = NULL, in_doubt = NULL WHERE id = @id`,
      { id },
    );
  });
}

/** A dismissed record waits for nothing. */
const openDocument =
  "(x.state IS NULL OR x.service_id IS NULL AND x.reason IS NOT 'dismissed' AND x.reason IS NOT 'replaced')";
const openRegistration = "p.state <> 'registered' AND p.reason IS NOT 'dismissed'";

/**
 * Selects `row_id` of rows from @first to @last that may still be needed: a record is unfinished, or a person must
 * change the row, also after `dismiss --undo`. With @since (ms), landings since then count as unfinished.
 */
const openRows = `
  SELECT re.row_id FROM row_events re JOIN events_now e ON e.id = re.event_id
    WHERE re.row_id BETWEEN @first AND @last AND (e.changed_at >= @since OR e.dismissed = 0 AND NOT e.known)
  UNION ALL SELECT r.id FROM rows r
    WHERE r.id BETWEEN @first AND @last AND r.fate = 'invalid' AND (r.settled IS NULL OR r.settled = 'dismissed')
  UNION ALL SELECT r.row_id FROM row_records r JOIN registrations p ON p.id = r.record_id
    WHERE r.row_id BETWEEN @first AND @last AND r.kind <> 'document' AND ${openRegistration}
  UNION ALL SELECT r.row_id FROM row_records r LEFT JOIN document_states x ON x.document_id = r.record_id
    WHERE r.row_id BETWEEN @first AND @last AND r.kind = 'document' AND ${openDocument}
  UNION ALL SELECT row_id FROM temp.open_declarations WHERE row_id BETWEEN @first AND @last`;

/** Rows that declared a record which is not registered now, whatever became of their events. */
function collectOpenDeclarations(database: LedgerDatabase) {
  database.exec(`DROP TABLE IF EXISTS temp.open_declarations;
    CREATE TEMP TABLE open_declarations (row_id INTEGER PRIMARY KEY);
    INSERT OR IGNORE INTO temp.open_declarations
      SELECT p.row_id FROM registrations p WHERE p.row_id IS NOT NULL AND ${openRegistration}
      UNION ALL SELECT row_id FROM failed_documents WHERE state = 'rejected' AND row_id IS NOT NULL`);
}

/**
 * Removes cells that are no longer needed. Pages whose rows have all landed or been corrected are deleted; `ledger
 * prune` moves other such rows from shared pages to the archive.
 */
export function forgetLandedCells(database: LedgerDatabase): void {
  collectOpenDeclarations(database);
  let after: number | undefined = 0;
  while (after !== undefined) {
    const from: number = after;
    const pages = database.rows<{ first: number; last: number }>(
      `SELECT first_row AS first, last_row AS last FROM row_pages WHERE kind = 'cells' AND first_row > @from
       ORDER BY first_row LIMIT 1000`,
      { from },
    );
    database.atomic(() => {
      for (const page of pages)
        if (!database.has(openRows, { ...page, since: null }))
          database.run("DELETE FROM row_pages WHERE kind = 'cells' AND first_row = @first", page);
    });
    after = pages.at(-1)?.first;
  }
}

type Archived = { at: number; entry: ArchivedEntry };

/** `before`: ms. Archives first, as prune.ts does. @returns the number of rows */
export function pruneCells(database: LedgerDatabase, archive: string, before: number): number {
  collectOpenDeclarations(database);
  const { pages } = createCells(database);
  let count = 0;
  let moved: Archived[] = [];
  let rewritten: { page: Page<PackedCells>; kept: Page<PackedCells>["entries"] }[] = [];
  const write = () => {
    appendToArchive(archive, moved);
    database.atomic(() => rewritten.forEach(({ page, kept }) => pages.keepOnly(page, kept)));
    count += moved.length;
    moved = [];
    rewritten = [];
  };
  for (const page of pages.between()) {
    const open = new Set(database.values<number>(openRows, { first: page.first, last: page.last, since: before }));
    const kept = page.entries.filter(([id, cells]) => {
      const one = open.has(leadOf(database, id)) ? null : archived(database, id, cells, before);
      if (one !== null) moved.push(one);
      return one === null;
    });
    if (kept.length < page.entries.length) rewritten.push({ page, kept });
    if (moved.length >= CHUNK) write();
  }
  if (moved.length > 0) write();
  return count;
}

/** A row's entry in the archive; null: its input is newer than `before`. */
function archived(database: LedgerDatabase, id: number, packed: PackedCells, before: number): Archived | null {
  const { cells, kinds } = keptCells(packed);
  const input = inputOf(id);
  const found = database.row<{ at: number; file: string; sheet: string | null; contentHash: string; header: string }>(
    "SELECT staged_at AS at, name AS file, sheet, content_hash AS contentHash, header FROM inputs WHERE id = @input",
    { input },
  );
  if (found === null || found.at >= before) return null;
  const { at, header, ...file } = found;
  const row = { row: rowNumberOf(id), input, header: JSON.parse(header) as string[], cells };
  return { at, entry: { type: "cells", ...file, ...row, ...(kinds === null ? {} : { kinds }) } };
}
