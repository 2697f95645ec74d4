/** Requests and answers from the ledger's record, without bodies and tokens (P9). */
import type { Attempt } from "../../../model/attempt.js";
import type { ShownAttempt, ShownRegistration, ShownRequest } from "../../../model/lines/show.js";
import { everyParticipant } from "../../documents-named.js";
import { resolved } from "../../event-key.js";
import { foldName } from "../../../model/fold.js";
import type { LedgerDatabase } from "../../ledger-database.js";
import { rowNameOrNull } from "../../rows.js";

/** Parses these columns of JSON text. */
export function parsed<Row>(row: object, ...fields: (keyof Row & string)[]): Row {
  const json = fields.map((field) => [field, JSON.parse(String((row as Row)[field])) as unknown]);
  return { ...row, ...Object.fromEntries(json) } as Row;
}

/** A JSON array of messages, without what is told of their rows; oldest first. */
export const messagesOf = (subject: string, id: string): string =>
  `(SELECT json_group_array(message) FROM (SELECT concat_ws(' ', message, hint) AS message FROM problems WHERE subject = ${subject} AND subject_id = ${id}
     AND code NOT IN ('changed', 'document-differs') ORDER BY id))`;

const select = `SELECT r.id, u.name AS run, r.kind, coalesce(
    iif(r.subject = 'document', (SELECT name FROM documents WHERE id = r.subject_id),
      (SELECT kind || ' ' || coalesce(
         json_extract(payload, '$.taxIdType') || ' ' || json_extract(payload, '$.taxId'),
         json_extract(payload, '$.name') || ', ' || json_extract(payload, '$.city'), service_id, '')
       FROM registrations WHERE id = r.subject_id)), r.subject) AS subject,
    iso(r.intended_at) AS intendedAt, iso(r.finished_at) AS finishedAt, r.result,
    coalesce(json_array_length(r.events), 0) AS events, coalesce(r.attempts, '[]') AS attempts
  FROM requests r JOIN runs u ON u.id = r.run_id`;

const shownAttempt = ({ startedAt, error, ...kept }: Attempt): ShownAttempt => ({
  ...kept,
  startedAt: new Date(startedAt).toISOString(),
  codes: error?.codes.join(" ") || null,
  message: error?.message ?? null,
  raw: error?.raw ?? null,
});

function requests(database: LedgerDatabase, which: string, values: object): ShownRequest[] {
  return database
    .rows<Omit<ShownRequest, "attempts"> & { attempts: string }>(`${select} ${which}`, values)
    .map(({ attempts, ...request }) => ({
      ...request,
      attempts: (JSON.parse(attempts) as Attempt[]).map(shownAttempt),
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

/** By an id in the service's answer (open point 15); up to 20. */
export const requestsWithId = (database: LedgerDatabase, id: string): ShownRequest[] =>
  id.length < 6 ? [] : requests(database, "WHERE instr(r.attempts, @id) > 0 ORDER BY r.id LIMIT 20", { id });

const registration = `SELECT r.id AS own, kind AS record, state, reason, service_id AS id, snapshot_id AS snapshotId, origin,
    payload AS data, geography, ${rowNameOrNull("row_id")} AS declaredBy, iso(changed_at) AS changedAt,
    ${messagesOf("r.kind", "r.id")} AS messages
  FROM registrations r WHERE`;

/** Participants with their addresses, or addresses. */
const withAddresses = (database: LedgerDatabase, ids: readonly number[]) =>
  ids.flatMap((id) =>
    registrations(database, `(r.id = @id OR kind = 'address' AND ${resolved("owner")} = @id)`, { id }),
  );

export function registrations(database: LedgerDatabase, which: string, values: object): ShownRegistration[] {
  type Found = Omit<ShownRegistration, "requests" | "name"> & { own: number };
  return database.rows<object>(`${registration} ${which} ORDER BY r.id`, values).map((row) => {
    const { own, ...found } = parsed<Found>(row, "data", "geography", "messages");
    const isParticipant = found.record === "participant";
    const parts = isParticipant ? ["taxIdType", "taxId", "name"] : ["name", "street", "number", "city", "countryState"];
    const name = parts.map((part) => found.data[part]).filter((part) => typeof part === "string");
    return {
      ...found,
      name: name.join(isParticipant ? " " : ", "),
      requests: requestsFor(database, found.record, own),
    };
  });
}

/** The first that finds any counts. */
const ways = [
  `kind = 'participant' AND (name = @text
     OR upper(replace(replace(replace(replace(name, '.', ''), '-', ''), '/', ''), ' ', '')) = @bare)`,
  ...["participant", "address"].flatMap((kind) => [
    `kind = '${kind}' AND (service_id = @text OR snapshot_id = @text)`,
    `kind = '${kind}' AND id IN (SELECT registration_id FROM aliases WHERE key = @text)`,
    `kind = '${kind}' AND json_extract(payload, '$.name') = @text`,
  ]),
];

/** By tax id (with or without punctuation), id, snapshotId, the mapping's key, or name. */
export function findRegistrations(database: LedgerDatabase, text: string): ShownRegistration[] {
  const bare = text.replaceAll(/[.\-/ ]/g, "").toUpperCase();
  for (const way of ways) {
    const ids = database.values<number>(`SELECT id FROM registrations WHERE ${way} ORDER BY id`, { text, bare });
    if (ids.length > 0) return withAddresses(database, ids);
  }
  return [];
}

/** Participants whose names hold the text, but for case and accents. */
export function findRegistrationsLike(database: LedgerDatabase, text: string): ShownRegistration[] {
  const wanted = foldName(text);
  const ids: number[] = [];
  for (const { id, name } of database.each<{ id: number; name: string }>(everyParticipant))
    if (wanted !== "" && foldName(name).includes(wanted)) ids.push(id);
  return withAddresses(database, ids);
}
