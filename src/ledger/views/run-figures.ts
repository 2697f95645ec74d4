/** Figures of one run for its report and its progress: pace, trouble, unresolved places. Reads only. */
import type { Database } from "better-sqlite3";
import type { JsonValue } from "../../model/json.js";
import { requestsOf } from "../request-id.js";

export interface Pace {
  /** The first attempt, ms since 1970. */
  startedAt: number;
  spanMs: number;
  sent: number[];
  rateLimited: number[];
}

const mostSpans = 10_000;

/** Whether a run has begun any request: most of what is asked about a run is about those. */
export function hasRequests(database: Database, runId: number): boolean {
  const found = database.prepare<[number, number], number>("SELECT 1 FROM requests WHERE id BETWEEN ? AND ? LIMIT 1");
  return found.get(...requestsOf(runId)) !== undefined;
}

/** Attempts of a run in equal spans of at least a second; null where none was made. */
export function paceOf(database: Database, runId: number): Pace | null {
  if (!hasRequests(database, runId)) return null;
  const range = requestsOf(runId);
  const bounds = database
    .prepare<[number, number], { first: number | null; last: number | null }>(
      "SELECT min(started_at) AS first, max(started_at) AS last FROM attempts WHERE request_id BETWEEN ? AND ?",
    )
    .get(...range);
  const { first, last } = bounds ?? { first: null, last: null };
  if (first === null || last === null) return null;
  const spanMs = Math.max(1, Math.ceil((last - first) / 1000 / mostSpans)) * 1000;
  const spans = Math.floor((last - first) / spanMs) + 1;
  const pace: Pace = {
    startedAt: first,
    spanMs,
    sent: Array.from({ length: spans }, () => 0),
    rateLimited: Array.from({ length: spans }, () => 0),
  };
  const slots = database.prepare<[number, number, number, number], { slot: number; sent: number; refused: number }>(
    // Numbers are bound as REAL: without the cast every attempt has a slot of its own.
    `SELECT CAST((started_at - ?) / ? AS INTEGER) AS slot, count(*) AS sent, sum(status IS 429) AS refused FROM attempts
     WHERE request_id BETWEEN ? AND ? GROUP BY 1`,
  );
  for (const { slot, sent, refused } of slots.iterate(first, spanMs, ...range)) {
    pace.sent[slot] = sent;
    pace.rateLimited[slot] = refused;
  }
  return pace;
}

/** What went wrong so far and what waits for it, in the whole ledger; cheap enough to ask every second. */
export function countTrouble(database: Database): { problems: number; held: number } {
  return (
    database
      .prepare<[], { problems: number; held: number }>(
        `SELECT count(CASE WHEN state <> 'held' THEN 1 END) AS problems, count(CASE WHEN state = 'held' THEN 1 END) AS held
         FROM open_events WHERE state IN ('held', 'rejected', 'stalled', 'foreign', 'changed')`,
      )
      .get() ?? { problems: 0, held: 0 }
  );
}

/** Events that an earlier plan found held, or not yet due. */
export function countWaiting(database: Database): { held: number; deferred: number } {
  const count = database.prepare<[string], number>("SELECT count(*) FROM open_events WHERE state = ?").pluck();
  return { held: count.get("held") ?? 0, deferred: count.get("deferred") ?? 0 };
}

/** Invalid rows that nobody has corrected or dismissed. */
export function countInvalidRows(database: Database): number {
  const sql = "SELECT count(*) FROM rows WHERE fate = 'invalid' AND settled IS NULL";
  return database.prepare<[], number>(sql).pluck().get() ?? 0;
}

export interface UnresolvedPlace {
  /** Name and tax id of the participant. */
  participant: string;
  address: string;
  geography: JsonValue;
}

/** Addresses that a run registered and the service could not place (open-points 6). */
export function unresolvedPlaces(
  database: Database,
  since: number,
  limit: number,
): { total: number; items: UnresolvedPlace[] } {
  const condition = `p.subject = 'address' AND p.code = 'address-unresolved' AND p.at >= ?`;
  const total =
    database
      .prepare<[number], number>(`SELECT count(DISTINCT p.subject_id) FROM problems p WHERE ${condition}`)
      .pluck()
      .get(since) ?? 0;
  const items = database
    .prepare<
      [number, number],
      { payload: string; geography: string | null; name: string | null; tax_id: string | null }
    >(
      `SELECT a.payload, a.geography, json_extract(o.payload, '$.name') AS name, json_extract(o.payload, '$.taxId') AS tax_id
       FROM (SELECT DISTINCT p.subject_id AS id FROM problems p WHERE ${condition} ORDER BY 1 LIMIT ?) found
       JOIN addresses a ON a.id = found.id
       LEFT JOIN participants o ON o.id = CASE WHEN a.participant_ref > 0 THEN a.participant_ref
         ELSE (SELECT participant_id FROM participant_aliases WHERE id = -a.participant_ref) END`,
    )
    .all(since, limit)
    .map(({ payload, geography, name, tax_id }) => ({
      participant: [name, tax_id].filter((part) => part !== null).join(", "),
      address: addressText(JSON.parse(payload) as { [field: string]: string }),
      geography: geography === null ? null : (JSON.parse(geography) as JsonValue),
    }));
  return { total, items };
}

function addressText(data: { [field: string]: string }): string {
  const street = [data["street"], data["number"]].filter((part) => part !== undefined && part !== "").join(" ");
  return [data["name"], street, data["city"], data["countryState"], data["countryCode"]]
    .filter((part) => part !== undefined && part !== "")
    .join(", ");
}
