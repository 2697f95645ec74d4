/**
 * Held events that wait for nothing but time: what they wait for, or what that waits for in turn, lies in the future.
 * Nobody need get up for them (DESIGN section 7; HARD-CASES H20); a later run sends them.
 */
import type { Database } from "better-sqlite3";

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
      "SELECT id, document_id, waits_for FROM open_events WHERE state = 'held' AND waits_for IS NOT NULL LIMIT ?",
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
      `SELECT e.id FROM events e JOIN documents_now d ON d.id = e.document_id
       WHERE e.document_id = ? AND d.service_id IS NULL ORDER BY e.at, e.rank, e.id LIMIT 1`,
    )
    .pluck();
  const reached = database
    .prepare<[], { id: number; document_id: number }>(
      "SELECT id, document_id FROM open_events WHERE state = 'deferred'",
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
