import type { JsonObject } from "../../../model/json.js";
import type { LedgerDatabase } from "../../ledger-database.js";
import { type RegistrationKind, resolved } from "../../event-key.js";
import { describeRow } from "../../rows.js";
import { messagesOf } from "./show-events.js";
import { isoOrNull, requestsFor } from "./show-requests.js";
import type { ShownRegistration } from "./shown.js";

interface RegistrationRow {
  id: number;
  kind: RegistrationKind;
  payload: string;
  state: string;
  reason: string | null;
  origin: string | null;
  service_id: string | null;
  snapshot_id: string | null;
  geography: string | null;
  row_id: number | null;
  changed_at: number | null;
}

function registrations(database: LedgerDatabase, where: string, values: object): ShownRegistration[] {
  return database
    .rows<RegistrationRow>(`SELECT * FROM registrations r WHERE ${where} ORDER BY id`, { ...values })
    .map((row) => shown(database, row));
}

function shown(database: LedgerDatabase, row: RegistrationRow): ShownRegistration {
  const { id, kind, state, reason, origin } = row;
  const data = JSON.parse(row.payload) as JsonObject;
  const isParticipant = kind === "participant";
  const parts = isParticipant ? ["taxIdType", "taxId", "name"] : ["name", "street", "number", "city", "countryState"];
  const name = parts.map((part) => data[part]).filter((part) => typeof part === "string");
  return {
    record: kind,
    name: name.join(isParticipant ? " " : ", "),
    state,
    reason,
    id: row.service_id,
    snapshotId: row.snapshot_id,
    origin,
    data,
    geography: row.geography === null ? null : (JSON.parse(row.geography) as JsonObject),
    declaredBy: row.row_id === null ? null : describeRow(database, row.row_id),
    changedAt: isoOrNull(row.changed_at),
    messages: messagesOf(database, kind, id),
    requests: requestsFor(database, kind, id),
  };
}

/** The first of these that finds any: participants by tax id, by an id, by the mapping's key, by name; then addresses. */
const ways = [
  `kind = 'participant' AND (json_extract(payload, '$.taxId') = @text
     OR upper(replace(replace(replace(replace(json_extract(payload, '$.taxId'), '.', ''), '-', ''), '/', ''), ' ', '')) = @bare)`,
  "kind = 'participant' AND (service_id = @text OR snapshot_id = @text)",
  "kind = 'participant' AND id IN (SELECT registration_id FROM aliases WHERE key = @text)",
  "kind = 'participant' AND json_extract(payload, '$.name') = @text",
  "kind = 'address' AND (service_id = @text OR snapshot_id = @text)",
  "kind = 'address' AND id IN (SELECT registration_id FROM aliases WHERE key = @text)",
  "kind = 'address' AND json_extract(payload, '$.name') = @text",
];

/** Participants with their addresses, or addresses alone: by tax id (with or without dots), id, snapshotId, the mapping's own key, or name. */
export function findRegistrations(database: LedgerDatabase, text: string): ShownRegistration[] {
  const bare = text.replaceAll(/[.\-/ ]/g, "").toUpperCase();
  for (const way of ways) {
    const ids = database.values<number>(`SELECT id FROM registrations WHERE ${way} ORDER BY id`, { text, bare });
    if (ids.length === 0) continue;
    return ids.flatMap((id) =>
      registrations(database, `id = @id OR kind = 'address' AND ${resolved("owner")} = @id`, { id }),
    );
  }
  return [];
}

export const registrationWithId = (database: LedgerDatabase, id: number): ShownRegistration[] =>
  registrations(database, "id = @id", { id });
