/** What was sent and what came back, from the ledger's own record: no bodies that were sent, no tokens (P9). */
import type { LedgerDatabase } from "../../ledger-database.js";
import type { ShownAttempt, ShownRequest } from "./shown.js";

export const isoTime = (ms: number): string => new Date(ms).toISOString();
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

export type ShownSubject = "participant" | "address" | "document";

type RequestRow = Omit<ShownRequest, "intendedAt" | "finishedAt" | "attempts"> & {
  intendedAt: number;
  finishedAt: number | null;
};

type AttemptRow = Omit<ShownAttempt, "startedAt" | "requestIds" | "inDoubt"> & {
  startedAt: number;
  requestIds: string | null;
  inDoubt: number;
};

const select = `SELECT r.id, u.name AS run, r.kind, coalesce(
    iif(r.subject = 'document', (SELECT kind || ' ' || key FROM documents WHERE id = r.subject_id),
      (SELECT kind || ' ' || coalesce(
         json_extract(payload, '$.taxIdType') || ' ' || json_extract(payload, '$.taxId'),
         json_extract(payload, '$.name') || ', ' || json_extract(payload, '$.city'), service_id, '')
       FROM registrations WHERE id = r.subject_id)), r.subject) AS subject,
    r.intended_at AS intendedAt, r.finished_at AS finishedAt, r.result, coalesce(json_array_length(r.events), 0) AS events
  FROM requests r JOIN runs u ON u.id = r.run_id`;

function shown(database: LedgerDatabase, rows: readonly RequestRow[]): ShownRequest[] {
  return rows.map((row) => ({
    ...row,
    intendedAt: isoTime(row.intendedAt),
    finishedAt: isoOrNull(row.finishedAt),
    attempts: database
      .rows<AttemptRow>(
        `SELECT number, started_at AS startedAt, duration_ms AS durationMs, status, failure, codes, message, raw,
           request_ids AS requestIds, in_doubt AS inDoubt FROM attempts WHERE request_id = @id ORDER BY number`,
        { id: row.id },
      )
      .map((attempt) => ({
        ...attempt,
        startedAt: isoTime(attempt.startedAt),
        requestIds: attempt.requestIds === null ? [] : attempt.requestIds.split("\n"),
        inDoubt: attempt.inDoubt === 1,
      })),
  }));
}

/** Under way at any moment from `since` to `until`, both in ms and included; oldest first, at most `limit`. */
export function requestsBetween(database: LedgerDatabase, since: number, until: number, limit: number): ShownRequest[] {
  const rows = database.rows<RequestRow>(
    `${select} WHERE coalesce(r.finished_at, r.intended_at) >= @since AND r.intended_at <= @until
     ORDER BY r.intended_at, r.id LIMIT @limit`,
    { since, until, limit },
  );
  return shown(database, rows);
}

/** The last 50, newest last. */
export function requestsFor(database: LedgerDatabase, subject: ShownSubject, id: number): ShownRequest[] {
  const rows = database.rows<RequestRow>(
    `SELECT * FROM (${select} WHERE r.subject = @subject AND r.subject_id = @id ORDER BY r.id DESC LIMIT 50) ORDER BY id`,
    { subject, id },
  );
  return shown(database, rows);
}

/** By an id that the service gave an answer (open-points 15). */
export function requestsWithId(database: LedgerDatabase, id: string): ShownRequest[] {
  if (id.length < 6) return [];
  const rows = database.rows<RequestRow>(
    `${select} WHERE r.id IN (SELECT request_id FROM attempts WHERE instr(request_ids, @id) > 0) ORDER BY r.id LIMIT 20`,
    { id },
  );
  return shown(database, rows);
}
