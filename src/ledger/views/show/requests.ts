/** Requests and answers from the ledger's record, without bodies and tokens (P9). */
import type { LedgerDatabase } from "../../ledger-database.js";
import { parsed, type ShownAttempt, type ShownRequest } from "./shown.js";

const select = `SELECT r.id, u.name AS run, r.kind, coalesce(
    iif(r.subject = 'document', (SELECT kind || ' ' || key FROM documents WHERE id = r.subject_id),
      (SELECT kind || ' ' || coalesce(
         json_extract(payload, '$.taxIdType') || ' ' || json_extract(payload, '$.taxId'),
         json_extract(payload, '$.name') || ', ' || json_extract(payload, '$.city'), service_id, '')
       FROM registrations WHERE id = r.subject_id)), r.subject) AS subject,
    iso(r.intended_at) AS intendedAt, iso(r.finished_at) AS finishedAt, r.result,
    coalesce(json_array_length(r.events), 0) AS events
  FROM requests r JOIN runs u ON u.id = r.run_id`;

const attempts = `SELECT number, iso(started_at) AS startedAt, duration_ms AS durationMs, status, failure, codes, message, raw,
    iif(request_ids IS NULL, '[]', '["' || replace(request_ids, char(10), '","') || '"]') AS requestIds,
    iif(in_doubt, 'true', 'false') AS inDoubt
  FROM attempts WHERE request_id = @id ORDER BY number`;

function requests(database: LedgerDatabase, which: string, values: object): ShownRequest[] {
  return database.rows<Omit<ShownRequest, "attempts">>(`${select} ${which}`, { ...values }).map((request) => ({
    ...request,
    attempts: database
      .rows<object>(attempts, { id: request.id })
      .map((attempt) => parsed<ShownAttempt>(attempt, "requestIds", "inDoubt")),
  }));
}

/** Under way between `since` and `until` (ms, inclusive); oldest first. */
export const requestsBetween = (database: LedgerDatabase, since: number, until: number, limit: number) =>
  requests(
    database,
    `WHERE coalesce(r.finished_at, r.intended_at) >= @since AND r.intended_at <= @until
     ORDER BY r.intended_at, r.id LIMIT @limit`,
    { since, until, limit },
  );

/** The last 50, newest last. */
export const requestsFor = (
  database: LedgerDatabase,
  subject: "participant" | "address" | "document",
  id: number,
): ShownRequest[] =>
  requests(database, "WHERE r.subject = @subject AND r.subject_id = @id ORDER BY r.id DESC LIMIT 50", {
    subject,
    id,
  }).toReversed();

/** By an id in the service's answer (open point 15). */
export const requestsWithId = (database: LedgerDatabase, id: string): ShownRequest[] =>
  id.length < 6
    ? []
    : requests(
        database,
        "WHERE r.id IN (SELECT request_id FROM attempts WHERE instr(request_ids, @id) > 0) ORDER BY r.id LIMIT 20",
        { id },
      );
