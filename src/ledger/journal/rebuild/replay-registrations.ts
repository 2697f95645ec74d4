/** Participants and addresses, as a journal tells of them. */
import type { Database } from "better-sqlite3";
import type { JsonObject } from "../../../model/json.js";
import { text } from "./entry-fields.js";

/** @returns the record's id in the ledger; null: the entry names none */
export function createRegistrationReplay(database: Database) {
  const participantByKey = database
    .prepare<[string], number>("SELECT id FROM participants WHERE natural_key = ?")
    .pluck();
  const addParticipant = database.prepare<[string, string]>(
    "INSERT INTO participants (natural_key, payload, attempted) VALUES (?, ?, 1)",
  );
  const addressByIdentity = database
    .prepare<[number, string], number>("SELECT id FROM addresses WHERE participant_ref = ? AND identity = ?")
    .pluck();
  const addAddress = database.prepare<[number, string, string, string]>(
    "INSERT INTO addresses (participant_ref, identity, payload, extended, attempted) VALUES (?, ?, ?, ?, 1)",
  );
  const setters = (table: string) => ({
    plan: database.prepare<[number]>(
      `UPDATE ${table} SET state = 'planned', reason = NULL WHERE id = ? AND state IN ('rejected', 'sending')`,
    ),
    attempt: database.prepare<[number, number]>(
      `UPDATE ${table} SET state = 'stalled', attempted = 1, reason = 'interrupted-in-doubt', changed_at = ? WHERE id = ? AND state = 'planned'`,
    ),
    register: database.prepare<[string | null, string | null, string | null, number, number]>(
      `UPDATE ${table} SET state = 'registered', reason = NULL, origin = ?, service_id = ?, snapshot_id = ?, changed_at = ?
       WHERE id = ? AND state <> 'registered'`,
    ),
    dismiss: database.prepare<[number, number]>(
      `UPDATE ${table} SET state = 'rejected', reason = 'dismissed', changed_at = ? WHERE id = ? AND state = 'planned'`,
    ),
  });
  const set = { participant: setters("participants"), address: setters("addresses") };
  const setGeography = database.prepare<[string, number]>("UPDATE addresses SET geography = ? WHERE id = ?");
  const inserted = (result: { lastInsertRowid: number | bigint }) => Number(result.lastInsertRowid);

  return (entry: JsonObject, at: number): number | null => {
    const { record } = entry;
    if (record !== "participant" && record !== "address") return null;
    const natural = text(entry["natural_key"]);
    // An address that a mapping gave by its id belongs to nobody.
    const isGiven = record === "address" && entry["origin"] === "given";
    if (natural === null && !isGiven) return null;
    const payload = text(entry["payload"]) ?? "{}";
    const payloadOfOwner = record === "participant" ? payload : "{}";
    const owner =
      natural === null ? 0 : (participantByKey.get(natural) ?? inserted(addParticipant.run(natural, payloadOfOwner)));
    let id = owner;
    if (record === "address") {
      const identity = text(entry["identity"]) ?? "";
      id =
        addressByIdentity.get(owner, identity) ??
        inserted(addAddress.run(owner, identity, payload, text(entry["extended"]) ?? "{}"));
    }
    const { plan, attempt, register, dismiss } = set[record];
    plan.run(id);
    if (entry["reason"] === "dismissed") dismiss.run(at, id);
    const serviceId = text(entry["service_id"]);
    if (serviceId !== null) register.run(text(entry["origin"]), serviceId, text(entry["snapshot_id"]), at, id);
    else if (entry["entry"] === "intent") attempt.run(at, id);
    const geography = text(entry["geography"]);
    if (record === "address" && geography !== null) setGeography.run(geography, id);
    return id;
  };
}

export type RegistrationReplay = ReturnType<typeof createRegistrationReplay>;
