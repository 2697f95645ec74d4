/** Stages documents: one row per kind, key and generation (HARD-CASES H21, H26). */
import type { Database } from "better-sqlite3";
import { detachText } from "../../model/detach.js";
import type { Problem } from "../../model/problem.js";
import type { AddressRef, DocumentRecord, EventRecord, ParticipantRef } from "../../model/records.js";
import { describeRow } from "../views/describe-row.js";
import type { References } from "./references.js";
import type { IdentityPolicy } from "./stage-registrations.js";

interface Declaration {
  mode: "create" | "existing" | "target";
  participant: number | null;
  address: number | null;
  externalId: string | null;
  fields: string;
  createEmpty: number;
}

interface Stored {
  declared: number;
  mode: string;
  participant_ref: number | null;
  address_ref: number | null;
  external_id: string | null;
  settings_id: number | null;
  fields: string;
  row_id: number | null;
  state: string;
}

export interface Owners {
  participant: ParticipantRef | null;
  address: AddressRef | null;
}

export interface DocumentStager {
  /** Problems that make the row invalid; writes nothing. */
  check(record: DocumentRecord): Problem | null;
  /**
   * The parties of the ledger's document that stand although the record gives others, null where it gives the same: events
   * that name none of their own are theirs. Null: none. Writes nothing.
   */
  ownersInstead(record: DocumentRecord): Owners | null;
  /** The document's id in the ledger. */
  stage(record: DocumentRecord, rowId: number): number;
  /** Declares the downstream document of an event (service.md, Event endpoints, rule 6). */
  stageTarget(target: NonNullable<EventRecord["target"]>, rowId: number): number;
  isKnown(id: number): boolean;
}

export function createDocumentStager(
  database: Database,
  context: {
    namespace: string;
    references: References;
    identity: IdentityPolicy;
    settingsId: number;
    now: number;
    report(problem: Problem, severity: "error" | "warning"): void;
  },
): DocumentStager {
  // The mapper gives the same record again for rows that say the same.
  let latest: { record: DocumentRecord; id: number } | null = null;
  let settled: { record: DocumentRecord; owners: Owners | null } | null = null;
  const reported = new Set<number>();
  const byId = database.prepare<[number], Stored>(
    `SELECT d.declared, d.mode, d.participant_ref, d.address_ref, d.external_id, d.fields, d.settings_id, d.row_id, d.state
     FROM documents_now d WHERE d.id = ?`,
  );
  const declare = database.prepare<
    [string, number | null, number | null, string | null, string, number, number, number, number]
  >(
    `UPDATE documents SET declared = 1, mode = ?, participant_ref = ?, address_ref = ?, external_id = ?, fields = ?,
       create_empty = ?, settings_id = ?, row_id = ? WHERE id = ?`,
  );
  // An edited mapping's choices hold for what it brings again.
  const choose = database.prepare<[number, number]>("UPDATE documents SET settings_id = ? WHERE id = ?");
  // Where no event makes it any more, its own rows do.
  const own = database.prepare<[number]>("UPDATE documents SET mode = 'create' WHERE id = ?");
  const insert = database.prepare<
    [string, string, string, string, number | null, number | null, string | null, string, number, number, number]
  >(
    `INSERT INTO documents (namespace, kind, key, declared, mode, participant_ref, address_ref, external_id, fields,
       create_empty, settings_id, row_id) VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const give = database.prepare<[number, string, number]>(
    `INSERT INTO document_states (document_id, state, reason, service_id, changed_at) VALUES (?, 'open', 'given', ?, ?)
     ON CONFLICT (document_id) DO NOTHING`,
  );
  const replan = database.prepare<[number, number]>(
    "UPDATE document_states SET state = 'planned', reason = NULL, changed_at = ? WHERE document_id = ?",
  );
  const open = database.prepare<[number]>("INSERT OR IGNORE INTO open_documents (document_id) VALUES (?)");

  const { references } = context;
  const sameParty = (stored: number | null, wanted: ParticipantRef | null): boolean =>
    stored === null || wanted === null
      ? stored === wanted
      : references.participantText(references.participantNamed(stored)) === references.participantText(wanted);
  const samePlace = (stored: number | null, wanted: AddressRef | null): boolean =>
    stored === null || wanted === null
      ? stored === wanted
      : references.addressText(references.addressNamed(stored)) === references.addressText(wanted);
  type Content = Pick<DocumentRecord, "participant" | "address" | "externalId">;
  const sameContent = (stored: Stored, wanted: Content, fields: string): boolean =>
    stored.fields === fields &&
    stored.external_id === wanted.externalId &&
    sameParty(stored.participant_ref, wanted.participant) &&
    samePlace(stored.address_ref, wanted.address);
  /** Whether what a row says of it takes the place of what the ledger has. */
  const isOverwritten = (stored: Stored): boolean =>
    stored.declared === 0 ||
    (stored.mode === "existing" && stored.state === "planned") ||
    stored.state === "rejected" ||
    (context.identity === "last" && stored.state === "planned");

  const ownersOf = (stored: Stored, record: DocumentRecord): Owners | null => {
    const { participant_ref: participant, address_ref: address } = stored;
    const owners = {
      participant:
        participant === null || sameParty(participant, record.participant)
          ? null
          : references.participantNamed(participant),
      address: address === null || samePlace(address, record.address) ? null : references.addressNamed(address),
    };
    return owners.participant === null && owners.address === null ? null : owners;
  };

  const declarationOf = (record: DocumentRecord): Declaration => ({
    mode: record.mode,
    participant: record.participant && context.references.participant(record.participant),
    address: record.address && context.references.address(record.address),
    externalId: record.externalId,
    fields: JSON.stringify(record.fields),
    createEmpty: record.createEmpty ? 1 : 0,
  });

  const differs = (name: string, stored: Stored): Problem => ({
    code: "document-differs",
    message: `Document ${name} is also given with other data (${describeRow(database, stored.row_id)}).`,
    hint: null,
    column: null,
  });

  // What was applied last, of documents seen lately: rows of one document say the same of it, one after another.
  const applied = new Map<number, Declaration>();
  const isApplied = (id: number, wanted: Declaration): boolean => {
    const last = applied.get(id);
    if (
      last !== undefined &&
      last.fields === wanted.fields &&
      last.mode === wanted.mode &&
      last.participant === wanted.participant &&
      last.address === wanted.address &&
      last.externalId === wanted.externalId &&
      last.createEmpty === wanted.createEmpty
    )
      return true;
    if (applied.size >= 5000) applied.clear();
    applied.set(id, { ...wanted, externalId: wanted.externalId && detachText(wanted.externalId) });
    return false;
  };

  const apply = (id: number, name: string, wanted: Declaration, given: Content, rowId: number): void => {
    if (isApplied(id, wanted)) return;
    const stored = byId.get(id);
    if (stored === undefined) throw new Error("a document vanished while its row was staged");
    const write = () =>
      declare.run(
        wanted.mode,
        wanted.participant,
        wanted.address,
        wanted.externalId,
        wanted.fields,
        wanted.createEmpty,
        context.settingsId,
        rowId,
        id,
      );
    if (stored.declared === 0) return void write();
    if (wanted.mode === "existing") return;
    const isUnsent = stored.state === "planned" || stored.state === "rejected";
    // A row may append to a document before the row that makes it is read.
    if (stored.mode === "existing" && stored.state === "planned") return void write();
    // An event makes it, and has rows of its own: in whatever order they come, it is as that event says.
    if (isUnsent && wanted.mode === "target" && stored.mode === "create") {
      write();
      own.run(id);
      if (stored.state === "rejected") replan.run(context.now, id);
      return;
    }
    if (isUnsent && wanted.mode === "create" && stored.mode === "target") own.run(id);
    if (stored.settings_id !== context.settingsId) choose.run(context.settingsId, id);
    if (sameContent(stored, given, wanted.fields)) return;
    if (stored.state === "rejected") {
      write();
      replan.run(context.now, id);
    } else if (context.identity === "last" && isUnsent) {
      write();
    } else if (!reported.has(id)) {
      reported.add(id);
      context.report(differs(name, stored), "warning");
    }
  };

  const add = (kind: string, key: string, wanted: Declaration, rowId: number): number => {
    const { mode, participant, address, externalId, fields, createEmpty } = wanted;
    const values = [mode, participant, address, externalId, fields, createEmpty, context.settingsId, rowId] as const;
    const id = Number(insert.run(context.namespace, kind, key, ...values).lastInsertRowid);
    context.references.addDocument(kind, key, id);
    isApplied(id, wanted);
    return id;
  };

  const declareDocument = (kind: string, key: string, wanted: Declaration, given: Content, rowId: number): number => {
    const id = context.references.findDocument(kind, key);
    if (id === undefined) return add(kind, key, wanted, rowId);
    apply(id, `${kind} ${key}`, wanted, given, rowId);
    return id;
  };

  return {
    check(record) {
      if (context.identity !== "reject" || latest?.record === record) return null;
      const id = context.references.findDocument(record.kind, record.key);
      const stored = id === undefined ? undefined : byId.get(id);
      if (stored === undefined || stored.declared === 0 || record.mode !== stored.mode) return null;
      const isSame = sameContent(stored, record, JSON.stringify(record.fields));
      return isSame ? null : differs(`${record.kind} ${record.key}`, stored);
    },

    ownersInstead(record) {
      if (record === settled?.record) return settled.owners;
      const id = record.mode === "existing" ? undefined : references.findDocument(record.kind, record.key);
      const stored = id === undefined ? undefined : byId.get(id);
      settled = { record, owners: stored === undefined || isOverwritten(stored) ? null : ownersOf(stored, record) };
      return settled.owners;
    },

    stage(record, rowId) {
      if (latest?.record === record) return latest.id;
      const id = declareDocument(record.kind, record.key, declarationOf(record), record, rowId);
      const { documentId } = record;
      if (documentId !== null && context.references.documentById(documentId) === undefined)
        give.run(id, documentId, context.now);
      if (record.createEmpty) open.run(id);
      latest = { record, id };
      return id;
    },

    stageTarget(target, rowId) {
      const { kind, key } = target.document;
      const wanted: Declaration = {
        mode: "target",
        participant: target.participant && context.references.participant(target.participant),
        address: target.address && context.references.address(target.address),
        externalId: target.externalId,
        fields: JSON.stringify(target.fields),
        createEmpty: 0,
      };
      return declareDocument(kind, key, wanted, target, rowId);
    },

    isKnown(id) {
      return ["open", "closed", "cancelled"].includes(byId.get(id)?.state ?? "");
    },
  };
}
