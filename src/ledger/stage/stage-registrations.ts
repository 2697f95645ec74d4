/**
 * Stages participants and addresses: one row per natural key, one per participant and place (P1). The identity
 * audit of DESIGN section 5 happens here, before anything is sent.
 */
import type { Database } from "better-sqlite3";
import type { Problem } from "../../model/problem.js";
import type { AddressRecord, ParticipantRecord } from "../../model/records.js";
import type { References } from "./references.js";
import { describeRow } from "../views/describe-row.js";

export type IdentityPolicy = "first" | "last" | "reject";

interface StagingContext {
  references: References;
  identity: IdentityPolicy;
  settingsId: number;
  /** Whether further address fields are sent; absent: they are only kept. */
  extendedFields?: boolean;
  /** Rows that the one which is staged now has come instead of. */
  superseded(): readonly number[];
  /** Says that a record differs from what the ledger holds; `rejected` makes the row invalid. */
  report(problem: Problem, severity: "error" | "warning"): void;
}

interface Stored {
  id: number;
  payload: string;
  state: string;
  row_id: number | null;
}

/**
 * The keys by which other rows refer to a record: one key names one record. It follows the correction of its own row, and
 * what was withdrawn or refused; else the first record keeps it, also from one import to the next.
 */
function createReferenceKeys(database: Database, context: StagingContext, kind: "participant" | "address") {
  const owner = database.prepare<[string, string], { id: number; row_id: number | null; state: string }>(
    `SELECT t.id, t.row_id, t.state FROM ${kind}_aliases a JOIN ${kind === "participant" ? "participants" : "addresses"} t
       ON t.id = a.${kind}_id WHERE a.kind = ? AND a.key = ?`,
  );
  const take = database.prepare<[number, number]>(`UPDATE ${kind}_aliases SET ${kind}_id = ? WHERE id = ?`);
  const reported = new Set<string>();

  const givesWay = ({ row_id, state }: { row_id: number | null; state: string }): boolean =>
    state === "rejected" ||
    (state === "planned" && (row_id === null || context.identity === "last" || context.superseded().includes(row_id)));
  const twice = (name: string, key: string, row: number | null): Problem => ({
    code: "reference-key-twice",
    message: `The key ${key} of ${name} also names another ${kind} (${describeRow(database, row)}).`,
    hint: null,
    column: null,
  });

  return {
    /** A problem where the key names a record other than `id` that keeps it; `id` null: it is a new one. */
    check(name: string, key: string, id: number | null): Problem | null {
      const found = owner.get(name, key);
      return found === undefined || found.id === id || givesWay(found) ? null : twice(name, key, found.row_id);
    },
    /** `ref`: of the alias, as documents and events hold it. */
    take(name: string, key: string, id: number, ref: number): void {
      const found = owner.get(name, key);
      if (found?.id === id) return;
      if (found === undefined || givesWay(found)) return void take.run(id, -ref);
      if (reported.has(key)) return;
      if (reported.size < 10_000) reported.add(key);
      context.report(twice(name, key, found.row_id), "warning");
    },
  };
}

export function createParticipantStager(database: Database, context: StagingContext) {
  const keys = createReferenceKeys(database, context, "participant");
  const seen = new WeakMap<ParticipantRecord, number>();
  const byKey = database.prepare<[string], Stored>(
    "SELECT id, payload, state, row_id FROM participants WHERE natural_key = ?",
  );
  const insert = database.prepare<[string, string, number, number]>(
    "INSERT INTO participants (natural_key, payload, row_id, settings_id) VALUES (?, ?, ?, ?)",
  );
  const correct = database.prepare<[string, number, number]>(
    "UPDATE participants SET payload = ?, row_id = ?, state = 'planned', reason = NULL WHERE id = ?",
  );
  const adopt = database.prepare<[number, number]>("UPDATE participants SET row_id = ? WHERE id = ?");
  const state = database.prepare<[number], string>("SELECT state FROM participants WHERE id = ?").pluck();
  const reported = new Set<number>();

  const differs = (record: ParticipantRecord, stored: Stored): Problem => ({
    code: "participant-differs",
    message: `${record.data.countryCode} ${record.data.taxIdType} "${record.data.taxId}" is also given with other data (${describeRow(database, stored.row_id)}).`,
    hint: null,
    column: null,
  });

  return {
    check(record: ParticipantRecord): Problem | null {
      if (context.identity !== "reject" || seen.has(record)) return null;
      const stored = byKey.get(record.natural);
      if (stored !== undefined && stored.payload !== JSON.stringify(record.data)) return differs(record, stored);
      return record.alias === null ? null : keys.check(record.kind, record.alias, stored?.id ?? null);
    },

    stage(record: ParticipantRecord, rowId: number): number {
      const before = seen.get(record);
      if (before !== undefined) return before;
      const payload = JSON.stringify(record.data);
      const stored = byKey.get(record.natural);
      let id: number;
      if (stored === undefined) {
        id = Number(insert.run(record.natural, payload, rowId, context.settingsId).lastInsertRowid);
      } else {
        id = stored.id;
        if (stored.payload !== payload) {
          const open = stored.state === "planned" || stored.state === "rejected";
          const withdrawn = stored.row_id === null;
          if (open && (withdrawn || stored.state === "rejected" || context.identity === "last")) {
            correct.run(payload, rowId, id);
          } else if (!reported.has(id)) {
            reported.add(id);
            context.report(differs(record, stored), "warning");
          }
        } else if (stored.row_id === null) adopt.run(rowId, id);
      }
      if (record.alias !== null) {
        const ref = context.references.participant({ by: "alias", kind: record.kind, key: record.alias });
        keys.take(record.kind, record.alias, id, ref);
      }
      seen.set(record, id);
      return id;
    },

    isKnown: (id: number) => state.get(id) === "registered",
  };
}

export function createAddressStager(database: Database, context: StagingContext) {
  const keys = createReferenceKeys(database, context, "address");
  const seen = new WeakMap<AddressRecord, number>();
  const byIdentity = database.prepare<[number, string], Stored & { extended: string }>(
    "SELECT id, payload, extended, state, row_id FROM addresses WHERE participant_ref = ? AND identity = ?",
  );
  const insert = database.prepare<[number, string, string, string, number, number]>(
    "INSERT INTO addresses (participant_ref, identity, payload, extended, row_id, settings_id) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const correct = database.prepare<[string, string, number, number]>(
    "UPDATE addresses SET payload = ?, extended = ?, row_id = ?, state = 'planned', reason = NULL WHERE id = ?",
  );
  const adopt = database.prepare<[number, number]>("UPDATE addresses SET row_id = ? WHERE id = ?");
  const state = database.prepare<[number], string>("SELECT state FROM addresses WHERE id = ?").pluck();
  const reported = new Set<number>();

  const complete = database.prepare<[string, number]>("UPDATE addresses SET extended = ? WHERE id = ?");
  /** Further fields that only one of two rows gives complete the address, as long as they can still be sent where they are to be. */
  const completes = (stored: Stored): boolean => stored.state !== "registered" || context.extendedFields !== true;
  /** Fields that come with another value, or too late. */
  const differingFields = (record: AddressRecord, stored: Stored & { extended: string }): string[] => {
    const known: { [field: string]: unknown } = { ...parsed(stored.payload), ...parsed(stored.extended) };
    return Object.entries({ ...record.data, ...record.extended }).flatMap(([field, value]) => {
      if (known[field] === value || (known[field] === undefined && completes(stored))) return [];
      return [field];
    });
  };
  const differs = (fields: readonly string[], stored: Stored): Problem => ({
    code: "address-differs",
    message: `The same place is also given with another ${fields.join(", ")} (${describeRow(database, stored.row_id)}).`,
    hint: null,
    column: null,
  });

  return {
    /** Problems that make the row invalid; writes nothing. */
    check(record: AddressRecord): Problem | null {
      if (context.identity !== "reject" || seen.has(record)) return null;
      const participant = context.references.findParticipant(record.participant);
      const stored = participant === null ? undefined : byIdentity.get(participant, record.identity);
      const fields = stored === undefined ? [] : differingFields(record, stored);
      if (stored !== undefined && fields.length > 0) return differs(fields, stored);
      return record.alias === null ? null : keys.check(record.kind, record.alias, stored?.id ?? null);
    },

    stage(record: AddressRecord, rowId: number): number {
      const before = seen.get(record);
      if (before !== undefined) return before;
      const payload = JSON.stringify(record.data);
      const extended = JSON.stringify(record.extended);
      const participant = context.references.participant(record.participant);
      const stored = byIdentity.get(participant, record.identity);
      let id: number;
      if (stored === undefined) {
        const row = [participant, record.identity, payload, extended, rowId, context.settingsId] as const;
        id = Number(insert.run(...row).lastInsertRowid);
      } else {
        id = stored.id;
        const fields =
          stored.payload === payload && stored.extended === extended ? [] : differingFields(record, stored);
        const isPlanned = stored.state === "planned";
        const isWithdrawn = isPlanned && stored.row_id === null;
        if (fields.length === 0 && !isWithdrawn && stored.extended !== extended) {
          complete.run(JSON.stringify({ ...record.extended, ...parsed(stored.extended) }), id);
        }
        if (isWithdrawn ? stored.payload !== payload || stored.extended !== extended : fields.length > 0) {
          if (isWithdrawn || stored.state === "rejected" || (isPlanned && context.identity === "last")) {
            correct.run(payload, extended, rowId, id);
          } else if (!reported.has(id)) {
            reported.add(id);
            context.report(differs(fields, stored), "warning");
          }
        } else if (stored.row_id === null) adopt.run(rowId, id);
      }
      if (record.alias !== null) {
        const ref = context.references.address({ by: "alias", kind: record.kind, key: record.alias });
        if (ref !== null) keys.take(record.kind, record.alias, id, ref);
      }
      seen.set(record, id);
      return id;
    },

    isKnown: (id: number) => state.get(id) === "registered",
  };
}

const parsed = (json: string): { [field: string]: unknown } => JSON.parse(json) as { [field: string]: unknown };
