/**
 * Held events that wait for nothing but time: what they wait for, or what that waits for in turn, lies in the future.
 * Nobody need get up for them (DESIGN section 7; HARD-CASES H20); a later run sends them.
 */
import type { Database } from "better-sqlite3";
import { UNSETTLED, UNSETTLED_S } from "./unsettled.js";

/** Of more held events than these a person should know anyhow. */
const MOST = 50_000;

interface HeldEvent {
  id: number;
  document_id: number;
  waits_for: string;
}

/** 0 where more than 50,000 events are held. */
export function countHeldForTime(database: Database): number {
  const held = database
    .prepare<[number], HeldEvent>(
      `SELECT event_id AS id, document_id, waits_for FROM event_states
       WHERE ${UNSETTLED} AND state = 'held' AND dismissed = 0 AND waits_for IS NOT NULL LIMIT ?`,
    )
    .all(MOST + 1);
  if (held.length > MOST) return 0;
  const waiting = new Map<string, HeldEvent[]>();
  for (const event of held) {
    const others = waiting.get(event.waits_for);
    if (others === undefined) waiting.set(event.waits_for, [event]);
    else others.push(event);
  }
  // A document that is not there yet waits for whatever its first event waits for.
  const first = database
    .prepare<[number], number>(
      `SELECT e.id FROM events e LEFT JOIN document_states d ON d.document_id = e.document_id
       WHERE e.document_id = ? AND d.service_id IS NULL ORDER BY e.at, e.rank, e.id LIMIT 1`,
    )
    .pluck();
  const reached = database
    .prepare<[], { id: number; document_id: number }>(
      `SELECT s.event_id AS id, s.document_id FROM event_states s
       WHERE ${UNSETTLED_S} AND s.state = 'deferred' AND s.dismissed = 0`,
    )
    .all();
  let count = 0;
  for (const { id, document_id } of reached) {
    const document = `document:${document_id}`;
    const ofDocument = waiting.has(document) && first.get(document_id) === id ? (waiting.get(document) ?? []) : [];
    const next = [...(waiting.get(`event:${id}`) ?? []), ...ofDocument];
    count += next.length;
    reached.push(...next);
  }
  return count;
}
