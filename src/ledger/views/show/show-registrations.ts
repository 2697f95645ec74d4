import type { Database } from "better-sqlite3";
import type { JsonObject } from "../../../model/json.js";
import { describeRow } from "../describe-row.js";
import { isoOrNull, type RequestView } from "./show-requests.js";
import type { ShownRegistration } from "./shown.js";

interface RegistrationRow {
  id: number;
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

const resolved = `CASE WHEN a.participant_ref > 0 THEN a.participant_ref
  ELSE (SELECT participant_id FROM participant_aliases WHERE id = -a.participant_ref) END`;

/** Participants with their addresses, and addresses alone. */
export function createRegistrationView(database: Database, requests: RequestView) {
  const participants = (where: string) =>
    database.prepare<unknown[], RegistrationRow>(
      `SELECT t.*, NULL AS geography FROM participants t WHERE ${where} ORDER BY t.id`,
    );
  const addresses = (where: string) =>
    database.prepare<unknown[], RegistrationRow>(`SELECT a.* FROM addresses a WHERE ${where} ORDER BY a.id`);
  const byTaxId = participants(
    `json_extract(t.payload, '$.taxId') = ?
       OR upper(replace(replace(replace(replace(json_extract(t.payload, '$.taxId'), '.', ''), '-', ''), '/', ''), ' ', '')) = ?`,
  );
  const byParticipantId = participants("t.service_id = ? OR t.snapshot_id = ?");
  const participantById = participants("t.id = ?");
  const byAlias = participants("t.id IN (SELECT participant_id FROM participant_aliases WHERE key = ?)");
  const byAddressId = addresses("a.service_id = ? OR a.snapshot_id = ?");
  const addressById = addresses("a.id = ?");
  const byAddressAlias = addresses("a.id IN (SELECT address_id FROM address_aliases WHERE key = ?)");
  const byName = addresses("a.payload <> '{}' AND json_extract(a.payload, '$.name') = ?");
  const addressesOf = addresses(`${resolved} = ?`);
  const messages = database
    .prepare<[string, number], string>("SELECT message FROM problems WHERE subject = ? AND subject_id = ? ORDER BY id")
    .pluck();

  const shown =
    (record: "participant" | "address") =>
    (row: RegistrationRow): ShownRegistration => {
      const data = JSON.parse(row.payload) as JsonObject;
      const parts =
        record === "participant"
          ? ["taxIdType", "taxId", "name"]
          : ["name", "street", "number", "city", "countryState"];
      const name = parts.map((part) => data[part]).filter((part) => typeof part === "string");
      return {
        record,
        name: name.join(record === "participant" ? " " : ", "),
        state: row.state,
        reason: row.reason,
        id: row.service_id,
        snapshotId: row.snapshot_id,
        origin: row.origin,
        data,
        geography: row.geography === null ? null : (JSON.parse(row.geography) as JsonObject),
        declaredBy: row.row_id === null ? null : describeRow(database, row.row_id),
        changedAt: isoOrNull(row.changed_at),
        messages: messages.all(record, row.id),
        requests: requests.of(record, row.id),
      };
    };
  const withAddresses = (found: RegistrationRow[]): ShownRegistration[] =>
    found.flatMap((row) => [shown("participant")(row), ...addressesOf.all(row.id).map(shown("address"))]);

  return {
    /** By tax id (with or without dots), id, snapshotId, the mapping's own key, or an address's name. */
    find(text: string): ShownRegistration[] {
      const bare = text.replaceAll(/[.\-/ ]/g, "").toUpperCase();
      for (const found of [byTaxId.all(text, bare), byParticipantId.all(text, text), byAlias.all(text)]) {
        if (found.length > 0) return withAddresses(found);
      }
      for (const found of [byAddressId.all(text, text), byAddressAlias.all(text), byName.all(text)]) {
        if (found.length > 0) return found.map(shown("address"));
      }
      return [];
    },
    get: (record: "participant" | "address", id: number): ShownRegistration[] =>
      (record === "participant" ? participantById : addressById).all(id).map(shown(record)),
  };
}

export type RegistrationView = ReturnType<typeof createRegistrationView>;
