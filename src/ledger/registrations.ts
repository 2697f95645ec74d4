/** Participants and addresses that have work to do, and one function per outcome of it (model/states.ts). */
import { parseJson } from "../model/json.js";
import type { Database } from "better-sqlite3";
import type { Code } from "../model/codes.js";
import type { Journal } from "./journal/journal.js";
import { createJournalEntries } from "./journal/entries.js";

export interface OpenParticipant {
  id: number;
  data: { countryCode: string; name: string; taxId: string; taxIdType: string; type: string };
  /** Whether a create may have been sent before. */
  attempted: boolean;
  settings: number | null;
}

export interface OpenAddress {
  id: number;
  participant: number;
  participantServiceId: string;
  /** Whether this ledger created the participant itself (HARD-CASES H29). */
  participantIsOurs: boolean;
  data: { city: string; countryCode: string; countryState: string; name: string; number: string; street: string };
  extended: { [field: string]: string | number };
  attempted: boolean;
  settings: number | null;
}

export type Registration = { state: string; serviceId: string | null; payload: string; id: number };

export interface ForeignParticipant {
  serviceId: string;
  /** Type and number of its tax id; null where only its id was given. */
  name: string | null;
}

const resolvedParticipant = (ref: string) =>
  `CASE WHEN ${ref} > 0 THEN ${ref} ELSE (SELECT participant_id FROM participant_aliases WHERE id = -${ref}) END`;

/** `journal`: every registration is written there before its transaction commits; null: none is kept. */
export function createRegistrationStore(database: Database, journal: Journal | null = null) {
  const entries = createJournalEntries(database);
  const openParticipants = database.prepare<
    [number],
    { id: number; payload: string; attempted: number; settings_id: number | null }
  >(
    `SELECT id, payload, attempted, settings_id FROM participants
     WHERE state <> 'registered' AND state IN ('planned', 'sending', 'stalled') AND row_id IS NOT NULL AND id > ?
     ORDER BY id LIMIT 500`,
  );
  const openAddresses = database.prepare<
    [number],
    {
      id: number;
      participant_id: number;
      service_id: string;
      origin: string;
      payload: string;
      extended: string;
      attempted: number;
      settings_id: number | null;
    }
  >(
    `SELECT a.id, p.id AS participant_id, p.service_id, p.origin, a.payload, a.extended, a.attempted, a.settings_id
     FROM addresses a JOIN participants p ON p.id = ${resolvedParticipant("a.participant_ref")}
     WHERE a.state <> 'registered' AND a.state IN ('planned', 'sending', 'stalled') AND a.row_id IS NOT NULL
       AND p.state = 'registered' AND a.id > ?
     ORDER BY a.id LIMIT 500`,
  );
  const countOpen = database.prepare<[], { participants: number; addresses: number }>(
    `SELECT count(iif(subject = 'participant', 1, NULL)) AS participants, count(iif(subject = 'address', 1, NULL)) AS addresses
     FROM open_registrations WHERE state <> 'rejected'`,
  );
  const participantById = database.prepare<[number], Registration>(
    "SELECT id, state, service_id AS serviceId, payload FROM participants WHERE id = ?",
  );
  const participantByAlias = database.prepare<[number], Registration>(
    `SELECT p.id, p.state, p.service_id AS serviceId, p.payload FROM participant_aliases a
     JOIN participants p ON p.id = a.participant_id WHERE a.id = ?`,
  );
  const addressById = database.prepare<[number], Registration>(
    "SELECT id, state, service_id AS serviceId, payload FROM addresses WHERE id = ?",
  );
  const addressByAlias = database.prepare<[number], Registration>(
    `SELECT x.id, x.state, x.service_id AS serviceId, x.payload FROM address_aliases a
     JOIN addresses x ON x.id = a.address_id WHERE a.id = ?`,
  );
  const ownerOf = database.prepare<[number], Registration>(
    `SELECT p.id, p.state, p.service_id AS serviceId, p.payload FROM addresses a
     JOIN participants p ON p.id = ${resolvedParticipant("a.participant_ref")} WHERE a.id = ?`,
  );
  const samePlace = database
    .prepare<[number, number], string>(
      `SELECT b.service_id FROM addresses a JOIN addresses b ON b.identity = a.identity AND b.id <> a.id
       AND ${resolvedParticipant("b.participant_ref")} = ? AND b.state = 'registered' WHERE a.id = ?`,
    )
    .pluck();
  const addProblem = database.prepare<[string, number, string, string, string, number]>(
    `INSERT INTO problems (subject, subject_id, stage, severity, code, message, at) VALUES (?, ?, 'submitting', ?, ?, ?, ?)`,
  );
  const set = {
    participant: database.prepare<[string, string | null, string | null, string | null, string | null, number, number]>(
      `UPDATE participants SET state = ?, reason = ?, origin = ?, service_id = ?, snapshot_id = ?, changed_at = ? WHERE id = ?`,
    ),
    address: database.prepare<[string, string | null, string | null, string | null, string | null, number, number]>(
      `UPDATE addresses SET state = ?, reason = ?, origin = ?, service_id = ?, snapshot_id = ?, changed_at = ? WHERE id = ?`,
    ),
  };
  const setGeography = database.prepare<[string, number]>("UPDATE addresses SET geography = ? WHERE id = ?");

  // Participants that a request refers to, itself or by an address.
  const notOurs = database.prepare<{ events: string; address: number; document: number }, ForeignParticipant>(
    `SELECT p.service_id AS serviceId, json_extract(p.payload, '$.taxIdType') || ' ' || json_extract(p.payload, '$.taxId') AS name
     FROM participants p WHERE p.state = 'registered' AND p.origin <> 'created' AND p.id IN (
       SELECT ${resolvedParticipant("e.participant_ref")} FROM events e WHERE e.id IN (SELECT value FROM json_each(@events))
       UNION SELECT ${resolvedParticipant("d.participant_ref")} FROM documents d WHERE d.id = @document
         OR d.id IN (SELECT target_document FROM events WHERE id IN (SELECT value FROM json_each(@events)))
       UNION SELECT ${resolvedParticipant("a.participant_ref")} FROM addresses a WHERE a.id = @address)
     ORDER BY p.id LIMIT 1`,
  );

  return {
    /** A participant that this ledger did not create, of those that a request refers to; null: there is none. */
    foreignOf({ subject, subjectId, events }: { subject: string; subjectId: number; events: readonly number[] }) {
      const ids = JSON.stringify(events);
      const only = (kind: string) => (subject === kind ? subjectId : 0);
      return notOurs.get({ events: ids, address: only("address"), document: only("document") }) ?? null;
    },

    countOpen: () => countOpen.get() ?? { participants: 0, addresses: 0 },

    /** Participants to register, with id greater than `after`; up to 500. */
    participantsAfter: (after: number): OpenParticipant[] =>
      openParticipants.all(after).map((row) => ({
        id: row.id,
        data: JSON.parse(row.payload) as OpenParticipant["data"],
        attempted: row.attempted === 1,
        settings: row.settings_id,
      })),

    /** Addresses to register whose participant is registered; up to 500. */
    addressesAfter: (after: number): OpenAddress[] =>
      openAddresses.all(after).map((row) => ({
        id: row.id,
        participant: row.participant_id,
        participantServiceId: row.service_id,
        participantIsOurs: row.origin === "created",
        data: JSON.parse(row.payload) as OpenAddress["data"],
        extended: parseJson(row.extended) as OpenAddress["extended"],
        attempted: row.attempted === 1,
        settings: row.settings_id,
      })),

    /** The participant behind a reference; null: an alias that nobody has declared. */
    participant: remembered((ref) => (ref > 0 ? participantById.get(ref) : participantByAlias.get(-ref)) ?? null),
    address: remembered((ref) => (ref > 0 ? addressById.get(ref) : addressByAlias.get(-ref)) ?? null),

    /** The participant of an address, by the address's id; null: an alias that nobody has declared. */
    ownerOf: (address: number): Registration | null => ownerOf.get(address) ?? null,

    /** The id of the same place under the same participant, registered through another reference; null: none. */
    samePlace: (id: number, participant: number): string | null => samePlace.get(participant, id) ?? null,

    /** In the journal, where one is kept, before the ledger commits it. */
    registered: database.transaction(
      (
        kind: "participant" | "address",
        id: number,
        receipt: { serviceId: string; snapshotId: string | null; origin: "created" | "found"; geography?: unknown },
        now: number,
      ): void => {
        set[kind].run("registered", null, receipt.origin, receipt.serviceId, receipt.snapshotId, now, id);
        if (kind === "address" && receipt.geography !== undefined)
          setGeography.run(JSON.stringify(receipt.geography), id);
        journal?.write(entries.registered(kind, id, now));
      },
    ).immediate,
    rejected: database.transaction(
      (kind: "participant" | "address", id: number, note: { code: Code; message: string }, now: number): void => {
        set[kind].run("rejected", note.code, null, null, null, now, id);
        addProblem.run(kind, id, "error", note.code, note.message, now);
      },
    ).immediate,
    stalled(kind: "participant" | "address", id: number, reason: Code, now: number): void {
      set[kind].run("stalled", reason, null, null, null, now, id);
    },
    unsent(kind: "participant" | "address", id: number, now: number): void {
      set[kind].run("planned", null, null, null, null, now, id);
    },
    warn(kind: "participant" | "address", id: number, note: { code: Code; message: string }, now: number): void {
      addProblem.run(kind, id, "warning", note.code, note.message, now);
    },
  };
}

/** Registered is final within a run: such answers are kept, a bounded number of them. */
function remembered(find: (ref: number) => Registration | null): (ref: number) => Registration | null {
  const known = new Map<number, Registration>();
  return (ref) => {
    const before = known.get(ref);
    if (before !== undefined) return before;
    const found = find(ref);
    if (found?.state === "registered") {
      if (known.size > 50_000) known.clear();
      known.set(ref, found);
    }
    return found;
  };
}

export type RegistrationStore = ReturnType<typeof createRegistrationStore>;
