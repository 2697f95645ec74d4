/**
 * Documents whose open events can all go in one request, told by one query over many of them: nothing of theirs was ever
 * tried, held, refused, linked, closing, or placed behind an invalid row. Most of a large import is of this kind, and a
 * forecast need not plan them one by one. Whatever is in any way particular is left to the planner.
 */
import type { Database } from "better-sqlite3";

export interface Unhindered {
  /** Whether its request creates it. */
  creates: boolean;
  events: number;
}

export interface UnhinderedLimits {
  /** ms; events at or after it are deferred. */
  dueBefore: number;
  maxEvents: number;
  maxBytes: number;
}

interface Candidate {
  id: number;
  events: number;
  bytes: number;
  last_at: number;
  creates: number;
}

const DOCUMENTS_A_PAGE = 1000;
/** A body's bytes from above: what `plan/batch.ts` reckons around a payload, and the payload's own with some air. */
const AROUND = 400;
const AIR = 1.1;

/** References to what the service refused, or to what nobody has declared: their documents wait. */
const blockedParticipants = `SELECT id FROM participants WHERE state <> 'registered' AND state = 'rejected'
  UNION ALL SELECT -a.id FROM participant_aliases a LEFT JOIN participants p ON p.id = a.participant_id
    WHERE p.state IS NULL OR p.state = 'rejected'`;
const blockedAddresses = `SELECT id FROM addresses WHERE state <> 'registered' AND state = 'rejected'
  UNION ALL SELECT -a.id FROM address_aliases a LEFT JOIN addresses x ON x.id = a.address_id
    WHERE x.state IS NULL OR x.state = 'rejected'`;

const keepBlocked = `
DROP TABLE IF EXISTS temp.blocked_participants;
DROP TABLE IF EXISTS temp.blocked_addresses;
CREATE TEMP TABLE blocked_participants (ref INTEGER PRIMARY KEY);
CREATE TEMP TABLE blocked_addresses (ref INTEGER PRIMARY KEY);
INSERT INTO temp.blocked_participants ${blockedParticipants};
INSERT INTO temp.blocked_addresses ${blockedAddresses};`;

const blocked = (owner: string) =>
  `(EXISTS (SELECT 1 FROM temp.blocked_participants WHERE ref = ${owner}.participant_ref)
    OR EXISTS (SELECT 1 FROM temp.blocked_addresses WHERE ref = ${owner}.address_ref))`;

/**
 * @returns of an open document, what it needs; null: plan it. Documents must be asked for in ascending order, all of them
 * before the ledger changes. Registrations that have not been tried, or not been answered, count as made.
 */
export function createUnhindered(
  database: Database,
  limits: UnhinderedLimits,
): (document: number) => Unhindered | null {
  // A row that could not be placed holds what is later in its input, whatever the document (HARD-CASES H14).
  const inputsHold = database.prepare<[], number>("SELECT EXISTS (SELECT 1 FROM input_holds)").pluck().get() === 1;
  if (inputsHold) return () => null;
  const anyBlocked =
    database
      .prepare<[], number>(`SELECT EXISTS (${blockedParticipants}) OR EXISTS (${blockedAddresses})`)
      .pluck()
      .get() === 1;
  if (anyBlocked) database.exec(keepBlocked);
  // Looking into two empty tables for every event is a third of what this query takes.
  const isBlocked = (owner: string) => (anyBlocked ? blocked(owner) : "FALSE");
  const pageEnd = database
    .prepare<[number, number], number | null>(
      `SELECT max(document_id) FROM (SELECT document_id FROM open_documents WHERE document_id >= ?
         ORDER BY document_id LIMIT ?)`,
    )
    .pluck();
  // CROSS JOIN: document by document, as they are grouped; in any other order SQLite sorts whole payloads.
  const candidates = database.prepare<[number, number], Candidate>(
    `SELECT d.id, g.events, g.bytes, g.last_at, x.service_id IS NULL AS creates
     FROM (SELECT e.document_id AS id, count(*) AS events, sum(octet_length(e.payload)) AS bytes,
             min(e.at) AS first_at, max(e.at) AS last_at,
             max(e.changed_at IS NOT NULL OR e.rank <> 0 OR e.mirrored = 1 OR e.related_document IS NOT NULL
               OR e.related_id IS NOT NULL OR e.target_document IS NOT NULL OR ${isBlocked("e")}) AS hindered
           FROM open_documents o CROSS JOIN events_now e ON e.document_id = o.document_id
           WHERE o.document_id BETWEEN ? AND ?
             AND NOT e.landed
           GROUP BY o.document_id) g
     JOIN documents d ON d.id = g.id LEFT JOIN document_states x ON x.document_id = d.id
     WHERE g.hindered = 0 AND NOT EXISTS (SELECT 1 FROM placements p WHERE p.document_id = d.id)
       AND (x.last_at IS NULL OR x.last_at <= g.first_at)
       AND (x.state = 'open' OR coalesce(x.state, 'planned') = 'planned' AND d.declared = 1 AND d.mode = 'create'
         AND NOT ${isBlocked("d")})`,
  );
  let end = -1;
  let page = new Map<number, Unhindered>();

  return (document) => {
    if (document > end) {
      end = pageEnd.get(document, DOCUMENTS_A_PAGE) ?? document;
      page = new Map();
      for (const { id, events, bytes, last_at, creates } of candidates.iterate(document, end)) {
        const fits = events <= limits.maxEvents && bytes * AIR + events * AROUND <= limits.maxBytes;
        if (fits && last_at < limits.dueBefore) page.set(id, { creates: creates === 1, events });
      }
    }
    return page.get(document) ?? null;
  };
}
