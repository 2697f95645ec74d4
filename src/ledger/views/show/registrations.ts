import type { LedgerDatabase } from "../../ledger-database.js";
import { resolved } from "../../event-key.js";
import { rowName } from "../../rows.js";
import { messagesOf } from "./events.js";
import { requestsFor } from "./requests.js";
import { parsed, type ShownRegistration } from "./shown.js";

const select = `SELECT r.id AS own, kind AS record, state, reason, service_id AS id, snapshot_id AS snapshotId, origin,
    payload AS data, geography, iif(row_id IS NULL, NULL, ${rowName("row_id")}) AS declaredBy, iso(changed_at) AS changedAt,
    ${messagesOf("r.kind", "r.id")} AS messages
  FROM registrations r WHERE`;

export function registrations(database: LedgerDatabase, which: string, values: object): ShownRegistration[] {
  type Found = Omit<ShownRegistration, "requests" | "name"> & { own: number };
  return database.rows<object>(`${select} ${which} ORDER BY r.id`, { ...values }).map((row) => {
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
  `kind = 'participant' AND (json_extract(payload, '$.taxId') = @text
     OR upper(replace(replace(replace(replace(json_extract(payload, '$.taxId'), '.', ''), '-', ''), '/', ''), ' ', '')) = @bare)`,
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
    const which = `(r.id = @id OR kind = 'address' AND ${resolved("owner")} = @id)`;
    if (ids.length > 0) return ids.flatMap((id) => registrations(database, which, { id }));
  }
  return [];
}
