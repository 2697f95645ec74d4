/**
 * Stages participants and addresses: one row per natural key, and per participant and place (P1). Finds contradicting
 * data before anything is sent.
 */
import { type Problem, problem } from "../../model/problem.js";
import type { AddressRecord, ParticipantRecord } from "../../model/records.js";
import type { LedgerDatabase } from "../ledger-database.js";
import type { RegistrationKind } from "../event-key.js";
import { describeRow } from "../rows.js";
import { Writer } from "../writer.js";
import type { Staging } from "./staging.js";

type RegistrationRecord = ParticipantRecord | AddressRecord;

interface Stored {
  id: number;
  payload: string;
  extended: string;
  state: string;
  /** 1: a create may have been sent. */
  attempted: number;
  row_id: number | null;
}

/** Identity and data of either kind. */
interface Given {
  kind: RegistrationKind;
  owner: number;
  identity: string;
  data: { [field: string]: unknown };
  extended: { [field: string]: unknown };
}

export function createRegistrationStager(
  database: LedgerDatabase,
  { references, identity: policy, extendedFields, settingsId, now, superseded, versions, isRefused, report }: Staging,
) {
  const writer = new Writer(database);
  // The mapper returns the same object for rows with the same record.
  const seen = new WeakMap<RegistrationRecord, number>();
  const reported = new Set<string>();

  /** Null: the participant is not in the ledger. */
  const givenBy = (record: RegistrationRecord): Given | null => {
    if ("natural" in record)
      return { kind: "participant", owner: 0, identity: record.natural, data: record.data, extended: {} };
    const { identity, data, extended } = record;
    const owner = references.find("participant", record.participant);
    return owner === null ? null : { kind: "address", owner, identity, data, extended };
  };

  const find = ({ kind, owner, identity }: Given) =>
    database.row<Stored>(
      `SELECT id, payload, extended, state, attempted, row_id FROM registrations
       WHERE kind = @kind AND owner = @owner AND identity = @identity`,
      { kind, owner, identity },
    );

  /**
   * Fields with another value, or too late: a field that only one of two rows has completes an address as long as it
   * can be sent.
   */
  const differingFields = ({ kind, data, extended }: Given, stored: Stored) => {
    const completes = kind === "address" && (stored.state !== "registered" || extendedFields !== true);
    const known = { ...parsed(stored.payload), ...parsed(stored.extended) };
    return Object.entries({ ...data, ...extended }).flatMap(([field, value]) =>
      known[field] === value || (known[field] === undefined && completes) ? [] : [field],
    );
  };

  const differs = (record: RegistrationRecord, fields: readonly string[], { row_id: row }: Stored): Problem => {
    const where = describeRow(database, row);
    if (!("natural" in record))
      return problem(
        "address-differs",
        `The same place is also given with a different ${fields.join(", ")} (${where}).`,
      );
    const { countryCode, taxIdType, taxId } = record.data;
    const who = `${countryCode} ${taxIdType} "${taxId}"`;
    return problem("participant-differs", `${who} is also given with other data (${where}).`);
  };

  const warnOnce = (name: string, found: Problem) => {
    if (reported.has(name)) return;
    if (reported.size < 10_000) reported.add(name);
    report(found, "warning");
  };

  /**
   * A `key` names one record. It follows a correction of its own row, and moves on when its record was withdrawn or
   * refused; otherwise the first record keeps it, also across imports. Null: `id` may have it.
   */
  const keptByAnother = (kind: RegistrationKind, record: RegistrationRecord, id: number | null) => {
    const owner = database.row<{ id: number; row_id: number | null; state: string }>(
      `SELECT r.id, r.row_id, r.state FROM aliases a JOIN registrations r ON r.id = a.registration_id
       WHERE a.kind = @kind AND a.name = @name AND a.key = @key`,
      { kind, name: record.kind, key: record.alias },
    );
    if (owner === null || owner.id === id || owner.state === "rejected") return null;
    const { row_id: row, state } = owner;
    const isOpen = row === null || policy === "last" || superseded().includes(row);
    if (state === "planned" && isOpen) return null;
    const message = `The key ${record.alias} of ${record.kind} also names another ${kind} (${describeRow(database, row)}).`;
    return problem("reference-key-twice", message);
  };

  const nameByKey = (kind: RegistrationKind, record: RegistrationRecord, id: number) => {
    if (record.alias === null) return;
    const ref = references.refer(kind, { by: "alias", kind: record.kind, key: record.alias });
    const twice = keptByAnother(kind, record, id);
    if (twice !== null) return warnOnce(`key ${kind} ${record.alias}`, twice);
    database.run("UPDATE aliases SET registration_id = @id WHERE id = -@ref", { id, ref });
  };

  /** Takes the data for a known record, or reports that they differ. */
  const stageAgain = (record: RegistrationRecord, given: Given, stored: Stored, row: number) => {
    const { id, state } = stored;
    const payload = JSON.stringify(given.data);
    const extended = JSON.stringify(given.extended);
    const isSame = stored.payload === payload && stored.extended === extended;
    const fields = isSame ? [] : differingFields(given, stored);
    const isFree = stored.row_id === null || isRefused(stored.row_id);
    const isWithdrawn = isFree && (state === "planned" || state === "rejected");
    // The next run looks up what may have been created, and creates what is absent with the newest data.
    const isVersion = stored.row_id !== null && [row, ...versions()].includes(stored.row_id);
    const isUnsent = state === "planned" || state === "stalled";
    const isOpen =
      state === "rejected" || isWithdrawn || (isUnsent && policy === "last") || (state === "stalled" && isVersion);
    if (isWithdrawn ? !isSame : fields.length > 0) {
      // Only its lookup shows with which data a participant is registered.
      const mayDiffer = state === "stalled" && given.kind === "address" && stored.attempted === 1;
      if (!isOpen || mayDiffer) warnOnce(String(id), differs(record, fields, stored));
      if (!isOpen) return;
      writer.replanned(given.kind, id, now);
      return database.change("registrations", id, { payload, extended, row_id: row });
    }
    if (isFree) database.change("registrations", id, { row_id: row });
    if (isSame) return;
    const whole = JSON.stringify({ ...given.extended, ...parsed(stored.extended) });
    database.change("registrations", id, { extended: whole });
  };

  return {
    /** Writes nothing. */
    check(record: RegistrationRecord) {
      if (policy !== "reject" || seen.has(record)) return null;
      const given = givenBy(record);
      const stored = given && find(given);
      const fields = given === null || stored === null ? [] : differingFields(given, stored);
      if (stored !== null && fields.length > 0) return differs(record, fields, stored);
      const kind = "natural" in record ? "participant" : "address";
      return record.alias === null ? null : keptByAnother(kind, record, stored?.id ?? null);
    },

    /** The row that declared it, until it is registered; null: none. */
    declarer(record: RegistrationRecord): number | null {
      const given = givenBy(record);
      const stored = given && find(given);
      return stored === null || stored.state === "registered" ? null : stored.row_id;
    },

    stage(record: RegistrationRecord, row: number) {
      const before = seen.get(record);
      if (before !== undefined) return before;
      if (!("natural" in record)) references.refer("participant", record.participant);
      const given = givenBy(record);
      if (given === null) throw new Error("an address is staged before its participant");
      const stored = find(given);
      if (stored !== null) stageAgain(record, given, stored, row);
      const { kind, owner, identity } = given;
      const [payload, extended] = [JSON.stringify(given.data), JSON.stringify(given.extended)];
      const columns = { kind, owner, identity, payload, extended, row_id: row, settings_id: settingsId };
      const id = stored?.id ?? database.add("registrations", columns);
      nameByKey(kind, record, id);
      seen.set(record, id);
      return id;
    },
  };
}

const parsed = (json: string): { [field: string]: unknown } => JSON.parse(json) as { [field: string]: unknown };
