/** What was sent and what came back, from the ledger's own record: no bodies that were sent, no tokens (P9). */
import type { Database } from "better-sqlite3";
import type { ShownAttempt, ShownRequest } from "./shown.js";

interface RequestRow {
  id: number;
  run: string;
  kind: string;
  subject: string;
  subject_id: number;
  intended_at: number;
  finished_at: number | null;
  result: string | null;
  events: number;
}

interface AttemptRow {
  number: number;
  started_at: number;
  duration_ms: number;
  status: number | null;
  failure: string | null;
  codes: string | null;
  message: string | null;
  raw: string | null;
  request_ids: string | null;
  in_doubt: number;
}

const select = `SELECT r.id, u.name AS run, r.kind, r.subject, r.subject_id, r.intended_at, r.finished_at, r.result,
  coalesce(json_array_length(r.events), 0) AS events
  FROM requests r JOIN runs u ON u.id = r.run_id`;

export const isoTime = (ms: number): string => new Date(ms).toISOString();
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

export function createRequestView(database: Database) {
  const attempts = database.prepare<[number], AttemptRow>(
    `SELECT number, started_at, duration_ms, status, failure, codes, message, raw, request_ids, in_doubt
     FROM attempts WHERE request_id = ? ORDER BY number`,
  );
  const subjects = {
    participant: database
      .prepare<[number], string>(
        `SELECT 'participant ' || coalesce(json_extract(payload, '$.taxIdType') || ' ' || json_extract(payload, '$.taxId'), service_id, '')
         FROM participants WHERE id = ?`,
      )
      .pluck(),
    address: database
      .prepare<[number], string>(
        `SELECT 'address ' || coalesce(json_extract(payload, '$.name') || ', ' || json_extract(payload, '$.city'), service_id, '')
         FROM addresses WHERE id = ?`,
      )
      .pluck(),
    document: database.prepare<[number], string>("SELECT kind || ' ' || key FROM documents WHERE id = ?").pluck(),
  };
  const shown = (row: RequestRow): ShownRequest => ({
    id: row.id,
    run: row.run,
    kind: row.kind,
    subject: subjects[row.subject as keyof typeof subjects].get(row.subject_id) ?? row.subject,
    intendedAt: isoTime(row.intended_at),
    finishedAt: isoOrNull(row.finished_at),
    result: row.result,
    events: row.events,
    attempts: attempts.all(row.id).map(attempt),
  });
  const between = database.prepare<[number, number, number], RequestRow>(
    `${select} WHERE coalesce(r.finished_at, r.intended_at) >= ? AND r.intended_at <= ? ORDER BY r.intended_at, r.id LIMIT ?`,
  );
  const ofSubject = database.prepare<[string, number], RequestRow>(
    `SELECT * FROM (${select} WHERE r.subject = ? AND r.subject_id = ? ORDER BY r.id DESC LIMIT 50) ORDER BY id`,
  );
  const byRequestId = database.prepare<[string], RequestRow>(
    `${select} WHERE r.id IN (SELECT request_id FROM attempts WHERE instr(request_ids, ?) > 0) ORDER BY r.id LIMIT 20`,
  );

  return {
    /** Under way at any moment from `since` to `until`, both in ms and included; oldest first, at most `limit`. */
    between: (since: number, until: number, limit: number): ShownRequest[] =>
      between.all(since, until, limit).map(shown),
    of: (subject: ShownSubject, id: number): ShownRequest[] => ofSubject.all(subject, id).map(shown),
    /** By an id that the service gave an answer (open-points 15). */
    byRequestId: (id: string): ShownRequest[] => (id.length < 6 ? [] : byRequestId.all(id).map(shown)),
  };
}

export type ShownSubject = "participant" | "address" | "document";

export type RequestView = ReturnType<typeof createRequestView>;

function attempt(row: AttemptRow): ShownAttempt {
  return {
    number: row.number,
    startedAt: isoTime(row.started_at),
    durationMs: row.duration_ms,
    status: row.status,
    failure: row.failure,
    codes: row.codes,
    message: row.message,
    raw: row.raw,
    requestIds: row.request_ids === null ? [] : row.request_ids.split("\n"),
    inDoubt: row.in_doubt === 1,
  };
}
