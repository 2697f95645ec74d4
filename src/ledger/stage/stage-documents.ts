/** Stages documents: one row per kind, key and generation (H21, H26). */
import type { Problem } from "../../model/problem.js";
import type { AddressRef, DocumentRecord, EventRecord, ParticipantRef } from "../../model/records.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { describeRow } from "../rows.js";
import { markOpen } from "../work.js";
import { Writer } from "../writer.js";
import type { References } from "./references.js";
import type { IdentityPolicy } from "./stage-registrations.js";

const MOST_KEPT = 5000;

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

type Given = { mode: "create" | "existing" | "target" } & Pick<
  DocumentRecord,
  "participant" | "address" | "externalId" | "fields" | "createEmpty"
>;

export function createDocumentStager(
  database: LedgerDatabase,
  context: {
    namespace: string;
    references: References;
    identity: IdentityPolicy;
    settingsId: number;
    now: number;
    report(problem: Problem, severity: "error" | "warning"): void;
  },
) {
  const { namespace, references, settingsId, now } = context;
  const writer = new Writer(database);
  // Rows of a document are often many. A refused one is planned again elsewhere, so it is not kept.
  const kept = new Map<number, Stored>();
  const reported = new Set<number>();

  const find = (kind: string, key: string): { id: number; stored: Stored } | null => {
    const id = references.findDocument(kind, key);
    if (id === undefined) return null;
    const known = kept.get(id);
    if (known !== undefined) return { id, stored: known };
    const stored = database.row<Stored>(
      `SELECT declared, mode, participant_ref, address_ref, external_id, fields, settings_id, row_id, state
       FROM documents_now WHERE id = @id`,
      { id },
    );
    if (stored === undefined) return null;
    if (kept.size >= MOST_KEPT) kept.clear();
    if (stored.state !== "rejected") kept.set(id, stored);
    return { id, stored };
  };

  const isSameParty = (stored: number | null, wanted: ParticipantRef | null): boolean =>
    stored === null || wanted === null ? stored === wanted : references.isParticipant(stored, wanted);
  const isSamePlace = (stored: number | null, wanted: AddressRef | null): boolean =>
    stored === null || wanted === null ? stored === wanted : references.isAddress(stored, wanted);
  const isSame = (stored: Stored, given: Given): boolean =>
    stored.fields === JSON.stringify(given.fields) &&
    stored.external_id === given.externalId &&
    isSameParty(stored.participant_ref, given.participant) &&
    isSamePlace(stored.address_ref, given.address);

  const differs = (kind: string, key: string, stored: Stored): Problem => ({
    code: "document-differs",
    message: `Document ${kind} ${key} is also given with other data (${describeRow(database, stored.row_id)}).`,
    hint: null,
    column: null,
  });

  const columnsOf = ({ mode, participant, address, externalId, fields, createEmpty }: Given, row: number) => ({
    mode,
    participant: participant && references.participant(participant),
    address: address && references.address(address),
    externalId,
    fields: JSON.stringify(fields),
    createEmpty: createEmpty ? 1 : 0,
    settingsId,
    row,
  });

  const declare = (id: number, given: Given, row: number, mode = given.mode): void => {
    kept.delete(id);
    database.run(
      `UPDATE documents SET declared = 1, mode = @mode, participant_ref = @participant, address_ref = @address,
         external_id = @externalId, fields = @fields, create_empty = @createEmpty, settings_id = @settingsId, row_id = @row
       WHERE id = @id`,
      { ...columnsOf(given, row), mode, id },
    );
  };

  const set = (id: number, column: "mode" | "settings_id", value: string | number): void => {
    kept.delete(id);
    database.run(`UPDATE documents SET ${column} = @value WHERE id = @id`, { value, id });
  };

  /** Takes the row's data for a known document, or reports that they differ. */
  const declareAgain = (kind: string, key: string, id: number, stored: Stored, given: Given, row: number): void => {
    if (stored.declared === 0) return declare(id, given, row);
    if (given.mode === "existing") return;
    const isUnsent = stored.state === "planned" || stored.state === "rejected";
    // A row may append to a document before the row that creates it is read.
    if (stored.mode === "existing" && stored.state === "planned") return declare(id, given, row);
    // Rows of its own also create it, but the event with the target decides, in whatever order they come.
    if (isUnsent && given.mode === "target" && stored.mode === "create") {
      declare(id, given, row, "create");
      writer.replanned("document", id, now);
      return;
    }
    if (isUnsent && given.mode === "create" && stored.mode === "target") set(id, "mode", "create");
    // An edited mapping's settings apply to what it brings again.
    if (stored.settings_id !== settingsId) set(id, "settings_id", settingsId);
    if (isSame(stored, given)) return;
    if (stored.state === "rejected" || (context.identity === "last" && isUnsent)) {
      declare(id, given, row);
      writer.replanned("document", id, now);
    } else if (!reported.has(id)) {
      reported.add(id);
      context.report(differs(kind, key, stored), "warning");
    }
  };

  const stageDeclaration = (kind: string, key: string, given: Given, row: number): number => {
    const found = find(kind, key);
    if (found !== null) {
      declareAgain(kind, key, found.id, found.stored, given, row);
      return found.id;
    }
    const id = database.insert(
      `INSERT INTO documents (namespace, kind, key, declared, mode, participant_ref, address_ref, external_id, fields,
         create_empty, settings_id, row_id)
       VALUES (@namespace, @kind, @key, 1, @mode, @participant, @address, @externalId, @fields, @createEmpty, @settingsId, @row)`,
      { ...columnsOf(given, row), namespace, kind, key },
    );
    references.addDocument(kind, key, id);
    return id;
  };

  return {
    /** Writes nothing. */
    check(record: DocumentRecord): Problem | null {
      const { kind, key, mode } = record;
      if (context.identity !== "reject") return null;
      const stored = find(kind, key)?.stored;
      if (stored === undefined || stored.declared === 0 || mode !== stored.mode) return null;
      return isSame(stored, record) ? null : differs(kind, key, stored);
    },

    /**
     * The stored document's parties that differ from the record's, null for equal ones: events without parties of their
     * own take them. Null: none differ. Writes nothing.
     */
    ownersInstead(record: DocumentRecord): Owners | null {
      const stored = record.mode === "existing" ? undefined : find(record.kind, record.key)?.stored;
      if (stored === undefined || stored.declared === 0 || stored.state === "rejected") return null;
      if (stored.state === "planned" && (stored.mode === "existing" || context.identity === "last")) return null;
      const { participant_ref: participant, address_ref: address } = stored;
      const isParty = participant === null || isSameParty(participant, record.participant);
      const isPlace = address === null || isSamePlace(address, record.address);
      if (isParty && isPlace) return null;
      return {
        participant: isParty ? null : references.participantNamed(participant),
        address: isPlace ? null : references.addressNamed(address),
      };
    },

    /** @returns the document's id */
    stage(record: DocumentRecord, row: number): number {
      const id = stageDeclaration(record.kind, record.key, record, row);
      const { documentId } = record;
      if (documentId !== null && references.documentById(documentId) === undefined) {
        kept.delete(id);
        writer.documentGiven(id, documentId, now);
      }
      if (record.createEmpty) markOpen(database, id);
      return id;
    },

    /** The document that an event creates (service.md, Event endpoints, rule 6). */
    stageTarget(target: NonNullable<EventRecord["target"]>, row: number): number {
      const { kind, key } = target.document;
      return stageDeclaration(kind, key, { ...target, mode: "target", createEmpty: false }, row);
    },

    isKnown: (id: number): boolean =>
      database.has(
        "SELECT 1 FROM document_states WHERE document_id = @id AND state IN ('open', 'closed', 'cancelled')",
        {
          id,
        },
      ),
  };
}

export type DocumentStager = ReturnType<typeof createDocumentStager>;
