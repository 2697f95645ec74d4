/** `ledger check`: the file as SQLite sees it, and what this project promises of its content (P1, P7). Reads only. */
import type { Database } from "better-sqlite3";
import { unpackLinks } from "./known-rows.js";

export interface CheckResult {
  /** The promise, in words. */
  name: string;
  /** Where it is broken, at most ten; empty: it holds. */
  broken: string[];
}

const landed = "('landed', 'landed-without-id', 'changed')";

/** Each selects one text a case; a promise holds when nothing is selected. */
const promises: readonly [name: string, sql: string][] = [
  [
    "every row that was read has a fate",
    `SELECT i.name || ': ' || i.read || ' rows were read, ' || counted || ' have a fate' FROM (
       SELECT i.*, (SELECT count(*) FROM (
         SELECT id FROM rows WHERE id >= i.id << 32 AND id < (i.id + 1) << 32
         UNION SELECT row_id FROM row_events WHERE row_id >= i.id << 32 AND row_id < (i.id + 1) << 32
         UNION SELECT l.row_id FROM known_rows k JOIN known_links(k.first_row, k.links) l
           WHERE k.first_row >= i.id << 32 AND k.first_row < (i.id + 1) << 32
         UNION SELECT row_id FROM row_records WHERE row_id >= i.id << 32 AND row_id < (i.id + 1) << 32)) AS counted
       FROM inputs i) i WHERE i.read <> counted`,
  ],
  [
    "skipped and invalid rows are as many as counted",
    `SELECT i.name || ': ' || i.skipped || ' skipped and ' || i.invalid || ' invalid are counted, there are ' || s || ' and ' || v FROM (
       SELECT i.*, (SELECT count(*) FROM rows r WHERE r.id >= i.id << 32 AND r.id < (i.id + 1) << 32
           AND coalesce((SELECT fate FROM rows l WHERE l.id = r.lead), r.fate) = 'skipped') AS s,
         (SELECT count(*) FROM rows r WHERE r.id >= i.id << 32 AND r.id < (i.id + 1) << 32
           AND coalesce((SELECT fate FROM rows l WHERE l.id = r.lead), r.fate) = 'invalid') AS v
       FROM inputs i) i WHERE i.skipped <> s OR i.invalid <> v`,
  ],
  [
    "nothing has landed on a document without an id",
    `SELECT d.kind || ' ' || d.key || ': ' || e.event FROM event_states s JOIN events e ON e.id = s.event_id
     JOIN documents d ON d.id = e.document_id LEFT JOIN document_states x ON x.document_id = d.id
     WHERE s.state IN ${landed} AND x.service_id IS NULL`,
  ],
  [
    "the list of open documents is complete",
    `SELECT DISTINCT d.kind || ' ' || d.key FROM events e JOIN documents d ON d.id = e.document_id
     LEFT JOIN event_states s ON s.document_id = e.document_id AND s.event_id = e.id
     WHERE (s.state IS NULL OR s.state IN ('planned', 'sending', 'held', 'deferred', 'stalled'))
       AND e.document_id NOT IN (SELECT document_id FROM open_documents)`,
  ],
  [
    "no two events have one key",
    `SELECT 'rf1-' || lower(hex(deduplication_id)) FROM events GROUP BY deduplication_id HAVING count(*) > 1`,
  ],
  [
    "no two documents have one id",
    `SELECT service_id FROM document_states WHERE service_id IS NOT NULL GROUP BY service_id HAVING count(*) > 1`,
  ],
  [
    "every event names a participant and an address",
    `SELECT 'event ' || e.id FROM events e WHERE
       NOT iif(e.participant_ref > 0, EXISTS (SELECT 1 FROM participants WHERE id = e.participant_ref),
         EXISTS (SELECT 1 FROM participant_aliases WHERE id = -e.participant_ref))
       OR NOT iif(e.address_ref > 0, EXISTS (SELECT 1 FROM addresses WHERE id = e.address_ref),
         EXISTS (SELECT 1 FROM address_aliases WHERE id = -e.address_ref))`,
  ],
  [
    "what a row yielded is there",
    `SELECT 'row ' || (re.row_id & 4294967295) || ' of input ' || (re.row_id >> 32) FROM
       (SELECT row_id, event_id FROM row_events UNION ALL
        SELECT l.row_id, l.event_id FROM known_rows k JOIN known_links(k.first_row, k.links) l) re
     WHERE NOT EXISTS (SELECT 1 FROM events WHERE id = re.event_id)
       OR NOT EXISTS (SELECT 1 FROM inputs WHERE id = re.row_id >> 32)`,
  ],
  [
    "an event that is being sent stands in a request",
    `SELECT 'event ' || s.event_id FROM event_states s WHERE s.state = 'sending'
       AND NOT EXISTS (SELECT 1 FROM requests r JOIN request_events c ON c.request_id = r.id
         WHERE r.subject = 'document' AND r.subject_id = s.document_id AND c.event_id = s.event_id)`,
  ],
  [
    "every state is of an event that is there",
    `SELECT 'event ' || s.event_id FROM event_states s
     WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.id = s.event_id AND e.document_id = s.document_id)`,
  ],
  [
    "what waits to be sent has its payload",
    `SELECT d.kind || ' ' || d.key || ': ' || e.event FROM events e JOIN documents d ON d.id = e.document_id
     LEFT JOIN event_states s ON s.document_id = e.document_id AND s.event_id = e.id
     WHERE e.payload = '' AND (s.state IS NULL OR s.state IN ('planned', 'held', 'deferred'))`,
  ],
];

/** `known_links(first_row, links)`: what a page of known rows holds. */
function defineKnownLinks(database: Database): void {
  database.table("known_links", {
    columns: ["row_id", "event_id"],
    parameters: ["first_row", "links"],
    *rows(firstRow: unknown, links: unknown) {
      for (const { row, event } of unpackLinks(Number(firstRow), links as Uint8Array)) yield [row, event];
    },
  });
}

export function checkLedger(database: Database): CheckResult[] {
  defineKnownLinks(database);
  const integrity = database.pragma("integrity_check(10)") as { integrity_check: string }[];
  const foreign = database.pragma("foreign_key_check") as { table: string; rowid: number; parent: string }[];
  return [
    {
      name: "the file is whole, and every CHECK holds",
      broken: integrity.map((row) => row.integrity_check).filter((text) => text !== "ok"),
    },
    {
      name: "every reference leads somewhere",
      broken: foreign.slice(0, 10).map(({ table, rowid, parent }) => `${table} ${rowid} → ${parent}`),
    },
    ...promises.map(([name, sql]) => ({
      name,
      broken: database.prepare<[], string>(`${sql} LIMIT 10`).pluck().all(),
    })),
  ];
}
