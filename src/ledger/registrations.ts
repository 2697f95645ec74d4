/** Participants and addresses: open work, receipts and outcomes. */
import { parseJson } from "../model/json.js";
import type { Journal } from "./journal/journal.js";
import { createJournalEntries } from "./journal/entries.js";
import { type RegistrationKind, resolved } from "./event-key.js";
import type { LedgerDatabase } from "./ledger-database.js";
import { requestsOf } from "./runs.js";
import type { AddressRecord, ParticipantRecord } from "../model/records.js";
import { type RegistrationReceipt, Writer } from "./writer.js";

export interface OpenParticipant {
  id: number;
  /** Without name and type: no row has described it. */
  data: ParticipantRecord["data"];
  /** A create may have been sent before. */
  attempted: boolean;
  settings: number | null;
}

export interface OpenAddress {
  id: number;
  participantServiceId: string;
  /** This run created the participant, so nobody else has given it addresses (H29, H40). */
  participantIsNew: boolean;
  data: AddressRecord["data"];
  extended: { [field: string]: string | number };
  attempted: boolean;
  settings: number | null;
}

export interface Registration {
  id: number;
  kind: RegistrationKind;
  state: string;
  reason: string | null;
  serviceId: string | null;
  payload: string;
  extended: string;
}

export interface ForeignParticipant {
  id: number;
  serviceId: string;
  /** Tax id type and number; null: only its id was given. */
  name: string | null;
}

interface OpenRow {
  id: number;
  payload: string;
  extended: string;
  attempted: number;
  settings: number | null;
  participantServiceId: string;
  isNew: number;
}

const columns =
  "r.id, r.kind, r.state, r.reason, r.service_id AS serviceId, r.payload, r.extended FROM registrations r";

/** Participants that rows refer to by their tax ids, and that none describes. */
const undescribed = `(SELECT id, state FROM registrations WHERE state <> 'registered' AND state = 'planned'
  AND kind = 'participant' AND row_id IS NULL AND payload ->> 'name' IS NULL)`;

/** Open registrations, each with the participant of an address. */
export const withOwners = (from: string) =>
  `${from} o CROSS JOIN registrations r ON r.id = o.id LEFT JOIN registrations p ON p.id = ${resolved("r.owner")}`;

const promises = `SELECT rr.record_id AS alias, r.id AS "row" FROM rows r INDEXED BY rows_invalid
  CROSS JOIN row_records rr ON rr.row_id = r.id
  WHERE r.fate = 'invalid' AND r.settled IS NULL AND rr.record_id < 0`;

/** `journal`: gets every registration before the transaction commits; null: none. */
export function createRegistrationStore(database: LedgerDatabase, journal: Journal | null = null) {
  const entries = createJournalEntries(database);
  const writer = new Writer(database);

  const openAfter = (kind: RegistrationKind, after: number, run = 0, from = "open_registrations") =>
    database
      .rows<OpenRow>(
        `SELECT r.id, r.payload, r.extended, r.attempted, r.settings_id AS settings,
           p.service_id AS participantServiceId, p.origin = 'created' AND EXISTS (SELECT 1 FROM requests q
             WHERE q.subject_id = p.id AND q.kind = 'create-participant' AND q.id BETWEEN @first AND @last) AS isNew
         FROM ${withOwners(from)}
         WHERE r.kind = @kind AND (r.kind = 'participant' OR p.state = 'registered')
           AND o.state IN ('planned', 'sending', 'stalled') AND o.id > @after
         ORDER BY o.id LIMIT 500`,
        { kind, after, ...requestsOf(run) },
      )
      .map(({ payload, extended, attempted, isNew, ...row }) => ({
        ...row,
        data: JSON.parse(payload) as OpenParticipant["data"] & OpenAddress["data"],
        extended: parseJson(extended) as OpenAddress["extended"],
        attempted: attempted === 1,
        participantIsNew: isNew === 1,
      }));

  /** Rows by the aliases that they would declare; null: not asked yet. Staging is over before anything is planned. */
  let promised: Map<number, number> | null = null;

  return {
    /** A participant of the request that this ledger did not create; null: none. */
    foreignOf({
      subject,
      subjectId,
      events,
    }: {
      subject: string;
      subjectId: number;
      events: readonly number[];
    }): ForeignParticipant | null {
      const only = (kind: string) => (subject === kind ? subjectId : 0);
      return database.row<ForeignParticipant>(
        `SELECT p.id, p.service_id AS serviceId, json_extract(p.payload, '$.taxIdType') || ' ' || json_extract(p.payload, '$.taxId') AS name
           FROM registrations p WHERE p.state = 'registered' AND p.origin <> 'created' AND p.id IN (
             SELECT ${resolved("e.participant_ref")} FROM events e WHERE e.id IN @events
             UNION SELECT ${resolved("d.participant_ref")} FROM documents d WHERE d.id = @document
               OR d.id IN (SELECT target_document FROM events WHERE id IN @events)
             UNION SELECT ${resolved("a.owner")} FROM registrations a WHERE a.id = @address)
           ORDER BY p.id LIMIT 1`,
        { events, address: only("address"), document: only("document") },
      );
    },

    /** The service has accepted the creation of one. */
    hasCreated: (kind: RegistrationKind): boolean =>
      database.has("SELECT 1 FROM registrations WHERE kind = @kind AND state = 'registered' AND origin = 'created'", {
        kind,
      }),

    /** `lookups`, `lists`: the most reads before they are registered; what may have been created already is looked for twice. */
    countOpen: (): { participants: number; addresses: number; lookups: number; lists: number } =>
      database.row(
        `SELECT count(iif(o.subject = 'participant', 1, NULL)) AS participants,
           count(iif(o.subject = 'address', 1, NULL)) AS addresses,
           coalesce(sum(iif(o.subject = 'participant', 1 + r.attempted, 0)), 0) + (SELECT count(*) FROM ${undescribed}) AS lookups,
           count(DISTINCT iif(p.state = 'registered' AND NOT r.attempted, p.id, NULL))
             + 2 * count(iif(p.state = 'registered' AND r.attempted, 1, NULL)) AS lists
         FROM ${withOwners("open_registrations")} AND o.subject = 'address'
         WHERE o.state NOT IN ('rejected', 'held') AND coalesce(p.state, '') NOT IN ('rejected', 'held')`,
      ) ?? { participants: 0, addresses: 0, lookups: 0, lists: 0 },

    /** Ids greater than `after`; up to 500. */
    participantsAfter: (after: number) => openAfter("participant", after) as OpenParticipant[],

    /** Given by their tax ids alone, to be looked up and never created; up to 500. */
    undescribedAfter: (after: number) => openAfter("participant", after, 0, undescribed) as OpenParticipant[],

    /** Their participants are registered; up to 500. */
    addressesAfter: (after: number, run: number) => openAfter("address", after, run) as OpenAddress[],

    /** A participant or address; null: an undeclared alias. */
    party: (ref: number): Registration | null =>
      database.row<Registration>(`SELECT ${columns} WHERE r.id = ${resolved("@ref")}`, { ref }),

    /** An open invalid row that would bring it, or the address's owner, where no other row does; null: none. */
    broughtBy(ref: number): number | null {
      promised ??= new Map(
        database.rows<{ alias: number; row: number }>(promises).map(({ alias, row }) => [alias, row]),
      );
      if (promised.size === 0) return null;
      const owner = database.value<number>(`SELECT owner FROM registrations WHERE id = ${resolved("@ref")}`, { ref });
      const alias = [ref, owner ?? 0].find((one) => promised?.has(one)) ?? 0;
      return database.value<number>(
        `SELECT id FROM invalid_rows WHERE id = @row AND NOT EXISTS (SELECT 1 FROM aliases a
           JOIN registrations r ON r.id = a.registration_id WHERE a.id = -@alias AND r.row_id IS NOT NULL)`,
        { row: promised.get(alias) ?? 0, alias },
      );
    },

    /** Null: an undeclared alias. */
    ownerOf: (address: number): Registration | null =>
      database.row<Registration>(
        `SELECT ${columns} JOIN registrations a ON r.id = ${resolved("a.owner")} WHERE a.id = @address`,
        { address },
      ),

    /** The same place of the same participant at the service, sent or found through another reference; null: none. */
    samePlace: (id: number, participant: string) =>
      database.row<{ serviceId: string | null }>(
        `SELECT b.service_id AS serviceId FROM registrations a
         JOIN registrations b ON b.identity = a.identity AND b.kind = 'address' AND b.id <> a.id
         JOIN registrations p ON p.id = ${resolved("b.owner")} AND p.service_id = @participant
         WHERE a.id = @id AND (b.state = 'registered' OR b.attempted) ORDER BY b.service_id IS NULL LIMIT 1`,
        { id, participant },
      ),

    hasAddress: (serviceId: string): boolean =>
      database.number(
        "SELECT EXISTS (SELECT 1 FROM registrations WHERE kind = 'address' AND service_id = @serviceId)",
        { serviceId },
      ) === 1,

    registered(kind: RegistrationKind, id: number, receipt: RegistrationReceipt, now: number) {
      database.atomic(() => {
        writer.registered(id, receipt, now);
        journal?.write(entries.registered(kind, id, now));
      });
    },
  };
}

export type RegistrationStore = ReturnType<typeof createRegistrationStore>;
