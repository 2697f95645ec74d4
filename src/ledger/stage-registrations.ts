/**
 * Stages participants and addresses: one row per natural key, one per participant and place (P1). The identity
 * audit of DESIGN section 5 happens here, before anything is sent.
 */
import type { Database } from "better-sqlite3";
import type { Problem } from "../model/problem.js";
import type { AddressRecord, ParticipantRecord } from "../model/records.js";
import type { References } from "./references.js";
import { describeRow } from "./describe-row.js";

export type IdentityPolicy = "first" | "last" | "reject";

interface StagingContext {
  references: References;
  identity: IdentityPolicy;
  settingsId: number;
  /** Says that a record differs from what the ledger holds; `rejected` makes the row invalid. */
  report(problem: Problem, severity: "error" | "warning"): void;
}

export interface RegistrationStager {
  /** Problems that make the row invalid; writes nothing. */
  check(record: ParticipantRecord | AddressRecord): Problem | null;
  /** The record's reference. Safe to call for a record that is there already. */
  stage(record: ParticipantRecord | AddressRecord, rowId: number): number;
  /** Whether the service has it, with these data. */
  isKnown(id: number): boolean;
}

interface Stored {
  id: number;
  payload: string;
  state: string;
  row_id: number | null;
}

export function createParticipantStager(database: Database, context: StagingContext) {
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
  const alias = database.prepare<[number, number]>("UPDATE participant_aliases SET participant_id = ? WHERE id = ?");
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
      if (stored === undefined || stored.payload === JSON.stringify(record.data)) return null;
      return differs(record, stored);
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
        alias.run(id, -ref);
      }
      seen.set(record, id);
      return id;
    },

    isKnown: (id: number) => state.get(id) === "registered",
  };
}

export function createAddressStager(database: Database, context: StagingContext) {
  const seen = new WeakMap<AddressRecord, number>();
  const byIdentity = database.prepare<[number, string], Stored>(
    "SELECT id, payload, state, row_id FROM addresses WHERE participant_ref = ? AND identity = ?",
  );
  const insert = database.prepare<[number, string, string, string, number, number]>(
    "INSERT INTO addresses (participant_ref, identity, payload, extended, row_id, settings_id) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const correct = database.prepare<[string, string, number, number]>(
    "UPDATE addresses SET payload = ?, extended = ?, row_id = ?, state = 'planned', reason = NULL WHERE id = ?",
  );
  const alias = database.prepare<[number, number]>("UPDATE address_aliases SET address_id = ? WHERE id = ?");
  const adopt = database.prepare<[number, number]>("UPDATE addresses SET row_id = ? WHERE id = ?");
  const state = database.prepare<[number], string>("SELECT state FROM addresses WHERE id = ?").pluck();
  const reported = new Set<number>();

  return {
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
        if (stored.payload !== payload) {
          if (stored.state === "rejected" || (stored.state === "planned" && stored.row_id === null)) {
            correct.run(payload, extended, rowId, id);
          } else if (!reported.has(id)) {
            reported.add(id);
            context.report(
              {
                code: "address-differs",
                message: `The same place is also written in another way (${describeRow(database, stored.row_id)}).`,
                hint: null,
                column: null,
              },
              "warning",
            );
          }
        } else if (stored.row_id === null) adopt.run(rowId, id);
      }
      if (record.alias !== null) {
        const ref = context.references.address({ by: "alias", kind: record.kind, key: record.alias });
        if (ref !== null) alias.run(id, -ref);
      }
      seen.set(record, id);
      return id;
    },

    isKnown: (id: number) => state.get(id) === "registered",
  };
}
