/**
 * After `--rekey`: finds the event that went out under an old key for a row that now gives a new one, and lets the new
 * key stand for it, so that nothing is sent again (HARD-CASES H25). By the same row of the same file; else by content;
 * else by its time, where only one is left.
 */
import type { Database } from "better-sqlite3";
import type { EventRecord } from "../model/records.js";
import { createKnownRows } from "./known-rows.js";
import { rowId, rowNumberOf } from "./row-id.js";
import { OF_EVENT } from "./unsettled.js";

export interface Rekeying {
  /** Lets a document's new key stand for the one that the same row gave before. Writes nothing where the key is known. */
  adoptDocument(row: number, record: EventRecord): void;
  /** The event's id in the ledger; null: it is a new one. */
  find(
    document: number,
    key: Buffer,
    found: { row: number; record: EventRecord; parts: readonly string[]; hash: Buffer },
  ): number | null;
  /** For a new event: ids up to an epoch are of what was there before, also where that was withdrawn. */
  nextId(): number;
}

/**
 * Keeps which events the rows of this file gave until now; to be called before its input is staged again.
 * @returns whether the file was imported before
 */
export function rememberFormerRows(database: Database, contentHash: string, sheet: string | null): boolean {
  database.exec(
    "CREATE TEMP TABLE IF NOT EXISTS former_rows (row INTEGER, event_id INTEGER, PRIMARY KEY (row, event_id))",
  );
  database.exec("DELETE FROM temp.former_rows");
  database
    .prepare<[string, string]>(
      `INSERT OR IGNORE INTO temp.former_rows SELECT re.row_id & 4294967295, re.event_id FROM inputs i
       JOIN row_events re ON re.row_id >= i.id << 32 AND re.row_id < (i.id + 1) << 32
       WHERE i.content_hash = ? AND coalesce(i.sheet, '') = ?`,
    )
    .run(contentHash, sheet ?? "");
  const inputs = database
    .prepare<[string, string], number>("SELECT id FROM inputs WHERE content_hash = ? AND coalesce(sheet, '') = ?")
    .pluck();
  const add = database.prepare<[number, number]>(
    "INSERT OR IGNORE INTO temp.former_rows (row, event_id) VALUES (?, ?)",
  );
  const knownRows = createKnownRows(database);
  for (const input of inputs.all(contentHash, sheet ?? "")) {
    for (const { row, event } of knownRows.links(rowId(input, 0), rowId(input + 1, 0) - 1)) {
      add.run(rowNumberOf(row), event);
    }
  }
  return (
    database
      .prepare<[string], number>("SELECT EXISTS (SELECT 1 FROM inputs WHERE content_hash = ?)")
      .pluck()
      .get(contentHash) === 1
  );
}

/** Null where nothing was ever rekeyed: staging costs what it did. */
export function createRekeying(database: Database, namespace: string): Rekeying | null {
  const epochs = new Map(
    database
      .prepare<[string], { name: string; rekeyed_to: number }>(
        "SELECT name, max(rekeyed_to) AS rekeyed_to FROM fingerprints WHERE namespace = ? AND rekeyed_to > 0 GROUP BY name",
      )
      .all(namespace)
      .map(({ name, rekeyed_to }) => [name, rekeyed_to]),
  );
  if (epochs.size === 0) return null;
  database.exec(
    "CREATE TEMP TABLE IF NOT EXISTS former_rows (row INTEGER, event_id INTEGER, PRIMARY KEY (row, event_id))",
  );
  const aliased = database
    .prepare<[number, Buffer], number>(
      "SELECT event_id FROM event_aliases WHERE document_id = ? AND deduplication_id = ?",
    )
    .pluck();
  // Copies in later generations count as old as what they are copies of (HARD-CASES H26).
  const free = `coalesce((SELECT c.former_id FROM event_copies c WHERE c.event_id = e.id), e.id) <= @epoch AND e.event = @event
    AND NOT EXISTS (SELECT 1 FROM event_aliases a WHERE a.event_id = e.id AND a.epoch = @epoch)`;
  interface Wanted {
    document: number;
    row: number;
    event: string;
    hash: Buffer;
    at: number;
    epoch: number;
  }
  const byRow = database
    .prepare<[Wanted], number>(
      `SELECT e.id FROM temp.former_rows f JOIN events e ON e.id = f.event_id
       WHERE f.row = @row AND e.document_id = @document AND ${free} ORDER BY e.content_hash = @hash DESC, e.id LIMIT 1`,
    )
    .pluck();
  const byContent = database
    .prepare<[Wanted], number>(
      `SELECT e.id FROM events e WHERE e.document_id = @document AND e.content_hash = @hash AND ${free} ORDER BY e.id LIMIT 1`,
    )
    .pluck();
  const byTime = database
    .prepare<[Wanted], number>(
      `SELECT min(e.id) FROM events e WHERE e.document_id = @document AND e.at = @at AND ${free} HAVING count(*) = 1`,
    )
    .pluck();
  const stateOf = database.prepare<[number], string>(`SELECT state FROM event_states WHERE ${OF_EVENT}`).pluck();
  const alias = database.prepare<[number, Buffer, number, number, string]>(
    "INSERT OR IGNORE INTO event_aliases (document_id, deduplication_id, event_id, epoch, key_parts) VALUES (?, ?, ?, ?, ?)",
  );
  const nextId = database.prepare<[number], number>("SELECT max(coalesce(max(id), 0), ?) + 1 FROM events").pluck();
  const lastEpoch = Math.max(...epochs.values());
  const renew = database.prepare<[Buffer, string, number]>(
    "UPDATE events SET deduplication_id = ?, key_parts = ? WHERE id = ?",
  );
  const documentOfRow = database
    .prepare<[number, string, string], number>(
      `SELECT d.id FROM temp.former_rows f JOIN events e ON e.id = f.event_id JOIN documents d ON d.id = e.document_id
       WHERE f.row = ? AND e.event = ? AND d.kind = ? ORDER BY d.generation LIMIT 1`,
    )
    .pluck();
  const knowsDocument = database
    .prepare<[string, string, string], number>(
      "SELECT EXISTS (SELECT 1 FROM documents WHERE key = ? AND kind = ? AND namespace = ?)",
    )
    .pluck();
  const aliasDocument = database.prepare<[string, string, string, number]>(
    "INSERT OR IGNORE INTO document_aliases (namespace, kind, key, document_id) VALUES (?, ?, ?, ?)",
  );

  return {
    adoptDocument(row, { document: { kind, key }, event }) {
      if (!epochs.has(kind) || knowsDocument.get(key, kind, namespace) === 1) return;
      const former = documentOfRow.get(row, event, kind);
      if (former !== undefined) aliasDocument.run(namespace, kind, key, former);
    },
    find(document, key, { row, record, parts, hash }) {
      const known = aliased.get(document, key);
      if (known !== undefined) return known;
      const epoch = epochs.get(`${record.document.kind}/${record.event}`);
      if (epoch === undefined) return null;
      const wanted = { document, row, event: record.event, hash, at: record.at, epoch };
      const found = byRow.get(wanted) ?? byContent.get(wanted) ?? byTime.get(wanted) ?? null;
      if (found === null) return null;
      // What was never sent takes the new key itself; what was keeps the old one, by which the service knows it.
      const state = stateOf.get(found) ?? "planned";
      if (["planned", "held", "deferred", "rejected"].includes(state)) renew.run(key, JSON.stringify(parts), found);
      else alias.run(document, key, found, epoch, JSON.stringify(parts));
      return found;
    },

    nextId: () => nextId.get(lastEpoch) ?? lastEpoch + 1,
  };
}
