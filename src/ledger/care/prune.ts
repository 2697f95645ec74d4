/**
 * Moves bodies of landed events, cells of settled rows and attempts of finished requests to the archive. Keys, hashes,
 * ids, times and dismissals stay, so known rows stay known (H24).
 */
import { type JsonObject, parseJson } from "../../model/json.js";
import { keyText } from "../event-key.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { appendToArchive, type ArchivedEntry } from "./archive.js";
import { pruneCells } from "./prune-cells.js";

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
): number {
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

function prunePayloads(database: LedgerDatabase, archive: string, before: number): number {
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

function pruneAttempts(database: LedgerDatabase, archive: string, before: number): number {
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
