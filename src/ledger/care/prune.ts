/**
 * Moves what is needed no longer out of the ledger: bodies of landed events, cells of settled rows, attempts of finished
 * requests. Keys, hashes, ids, times and dismissals stay, so known rows stay known (HARD-CASES H24).
 */
import type { Database } from "better-sqlite3";
import { type JsonObject, parseJson } from "../../model/json.js";
import { appendToArchive, type ArchivedEntry } from "./archive.js";
import { pruneCells } from "./prune-cells.js";
import { keyText } from "../event-key.js";

export interface Pruned {
  payloads: number;
  cells: number;
  attempts: number;
}

const CHUNK = 2000;

/** `before`: ms; what came to rest earlier goes. The caller holds the lock. */
export function pruneLedger(database: Database, archive: string, before: number): Pruned {
  return {
    payloads: prunePayloads(database, archive, before),
    cells: pruneCells(database, archive, before),
    attempts: pruneAttempts(database, archive, before),
  };
}

type Found = { id: number; at: number; entry: ArchivedEntry };

/** Archive first, ledger second: a crash in between leaves something twice in the archive, and nothing lost. */
function move(
  database: Database,
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
    database.transaction(() => found.forEach(({ id }) => remove(id))).immediate();
    count += found.length;
  }
}

function prunePayloads(database: Database, archive: string, before: number): number {
  const select = database.prepare<
    [number, number],
    {
      id: number;
      at: number;
      deduplication_id: Buffer;
      kind: string;
      key: string;
      generation: number;
      event: string;
      payload: string;
    }
  >(
    `SELECT e.id, e.changed_at AS at, e.deduplication_id, d.kind, d.key, d.generation, e.event, e.payload FROM events_now e JOIN documents d ON d.id = e.document_id
     WHERE e.id > ? AND e.known AND e.changed_at < ? AND e.payload <> ''
     ORDER BY e.id LIMIT ${CHUNK}`,
  );
  const clear = database.prepare<[number]>("UPDATE events SET payload = '' WHERE id = ?");
  const next = (after: number): Found[] =>
    select.all(after, before).map(({ id, at, deduplication_id, payload, kind, key, generation, event }) => ({
      id,
      at,
      entry: {
        type: "payload",
        deduplicationId: keyText(deduplication_id),
        document: `${kind}/${key}`,
        generation,
        event,
        payload: parseJson(payload) as JsonObject,
      },
    }));
  return move(database, archive, next, (id) => clear.run(id));
}

function pruneAttempts(database: Database, archive: string, before: number): number {
  const finished = database
    .prepare<[number, number], number>(
      `SELECT id FROM requests WHERE id > ? AND started_at < ? AND result IS NOT NULL ORDER BY id LIMIT ${CHUNK}`,
    )
    .pluck();
  const attempts = database.prepare<[number], { id: number; at: number; json: string }>(
    `SELECT a.request_id AS id, a.started_at AS at, json_object('request', a.request_id, 'number', a.number, 'startedAt', a.started_at,
       'durationMs', a.duration_ms, 'status', a.status, 'failure', a.failure, 'codes', a.codes, 'message', a.message,
       'raw', a.raw, 'requestIds', a.request_ids, 'inDoubt', a.in_doubt) AS json
     FROM attempts a WHERE a.request_id = ? ORDER BY a.number`,
  );
  const removeEarlier = database.prepare<[number]>("DELETE FROM earlier_attempts WHERE request_id = ?");
  const removeLast = database.prepare<[number]>(
    `UPDATE requests SET number = NULL, started_at = NULL, duration_ms = NULL, status = NULL, failure = NULL, codes = NULL,
       message = NULL, raw = NULL, request_ids = NULL, in_doubt = NULL WHERE id = ?`,
  );
  const next = (after: number): Found[] =>
    finished
      .all(after, before)
      .flatMap((request) => attempts.all(request))
      .map(({ id, at, json }) => ({
        id,
        at,
        entry: { type: "attempts", ...(JSON.parse(json) as JsonObject) },
      }));
  return move(database, archive, next, (id) => {
    removeEarlier.run(id);
    removeLast.run(id);
  });
}
