/** Stages documents: one row per kind, key and generation (H21, H26). */
import { type Problem, problem } from "../../model/problem.js";
import type { DocumentRecord, EventRecord } from "../../model/records.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { describeRow, inputOf, rowsOfInput } from "../rows.js";
import { markOpen } from "../work.js";
import { Writer } from "../writer.js";
import type { Refs } from "./references.js";
import type { Staging } from "./staging.js";

const MOST_KEPT = 5000;

/** With the names of its columns. */
interface Stored {
  id: number;
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

export type Owners = { [Kind in keyof Refs]: Refs[Kind] | null };

type Given = { mode: "create" | "existing" | "target" } & Pick<
  DocumentRecord,
  "participant" | "address" | "externalId" | "fields" | "createEmpty"
>;

export function createDocumentStager(
  database: LedgerDatabase,
  { references, identity, inputId, settingsId, now, versions, isRefused, states, report }: Staging,
) {
  const writer = new Writer(database);
  // Rows of a document are often many. A refused one is planned again elsewhere, so it is not kept.
  const kept = new Map<number, Stored>();
  const reported = new Set<number>();
  const moved = new Set<number>();
  let movedNow: number[] = [];
  // Unsent documents that the former version of this file gave: null if a row still gives the same.
  const formerly = new Map<number, { stored: Stored; given: Given; row: number } | null>();

  const find = (kind: string, key: string): Stored | null => {
    const id = references.findDocument(kind, key);
    if (id === null) return null;
    const known = kept.get(id);
    if (known !== undefined) return known;
    const stored = database.row<Stored>(
      `SELECT id, declared, mode, participant_ref, address_ref, external_id, fields, settings_id, row_id, state
       FROM documents_now WHERE id = @id`,
      { id },
    );
    if (kept.size >= MOST_KEPT) kept.clear();
    if (stored !== null && stored.state !== "rejected") kept.set(id, stored);
    return stored;
  };

  const isParty = <Kind extends keyof Refs>(kind: Kind, stored: number | null, wanted: Refs[Kind] | null) =>
    stored === null || wanted === null ? stored === wanted : references.isSame(kind, stored, wanted);
  const isSame = (stored: Stored, given: Given) =>
    stored.fields === JSON.stringify(given.fields) &&
    stored.external_id === given.externalId &&
    isParty("participant", stored.participant_ref, given.participant) &&
    isParty("address", stored.address_ref, given.address);

  const differs = (kind: string, key: string, { row_id: row }: Stored): Problem =>
    problem(
      "document-differs",
      `Document ${kind} ${key} is also given with different data (${describeRow(database, row)}).`,
    );

  const columnsOf = ({ mode, participant, address, externalId, fields, createEmpty }: Given, row: number) => ({
    declared: 1,
    mode,
    participant_ref: participant && references.refer("participant", participant),
    address_ref: address && references.refer("address", address),
    external_id: externalId,
    fields: JSON.stringify(fields),
    create_empty: createEmpty ? 1 : 0,
    settings_id: settingsId,
    row_id: row,
  });

  const change = (id: number, columns: object) => {
    kept.delete(id);
    database.change("documents", id, columns);
  };

  /** Takes the row's data. */
  const declare = (stored: Stored, columns: Omit<ReturnType<typeof columnsOf>, "mode"> & { mode: string }) => {
    const { id, participant_ref: participant, address_ref: address } = stored;
    change(id, columns);
    if (participant === columns.participant_ref && address === columns.address_ref) return;
    moved.add(id);
    movedNow.push(id);
  };

  /** Takes the row's data for a known document, or reports that they differ. */
  const declareAgain = (kind: string, key: string, stored: Stored, given: Given, row: number) => {
    const { id, state, mode } = stored;
    const isUnsent = state === "planned" || state === "rejected";
    const isOnlyCreated = isUnsent && given.mode === "target" && mode === "create";
    // A row may append to a document before the row that creates it is read.
    const isOnlyAppended = given.mode !== "existing" && mode === "existing" && state === "planned";
    const isOthers = stored.row_id !== null && inputOf(stored.row_id) !== inputId;
    const columns = () => ({
      ...columnsOf(given, row),
      ...(isOthers && !isSame(stored, given) && { differs: 1 }),
    });
    if (stored.declared === 0 || isOnlyAppended) return declare(stored, columns());
    if (given.mode === "existing") return;
    // Rows of its own also create it, but the event with the target decides, in whatever order they come.
    if (!isOnlyCreated) {
      if (isUnsent && given.mode === "create" && mode === "target") change(id, { mode: "create" });
      // An edited mapping's settings apply to what it brings again.
      if (stored.settings_id !== settingsId) change(id, { settings_id: settingsId });
      const isNewVersion = isRefused(stored.row_id) || (stored.row_id !== null && versions().includes(stored.row_id));
      const same = isSame(stored, given);
      if (isUnsent && stored.row_id !== null && states.isSameName(inputOf(stored.row_id)))
        formerly.set(id, same || formerly.get(id) === null ? null : (formerly.get(id) ?? { stored, given, row }));
      if (same && !isRefused(stored.row_id)) return;
      if (state !== "rejected" && !(isUnsent && (identity === "last" || isNewVersion))) {
        if (!reported.has(id)) report(differs(kind, key, stored), "warning", { subject: "document", subject_id: id });
        reported.add(id);
        return;
      }
    }
    declare(stored, isOnlyCreated ? { ...columns(), mode } : columns());
    writer.replanned("document", id, now);
  };

  const stageDeclaration = (kind: string, key: string, given: Given, row: number) => {
    const stored = find(kind, key);
    if (stored === null) return references.addDocument(kind, key, columnsOf(given, row));
    declareAgain(kind, key, stored, given, row);
    return stored.id;
  };

  return {
    /** Writes nothing. */
    check(record: DocumentRecord) {
      const { kind, key, mode } = record;
      if (identity !== "reject") return null;
      const stored = find(kind, key);
      if (stored === null || stored.declared === 0 || mode !== stored.mode) return null;
      return isSame(stored, record) ? null : differs(kind, key, stored);
    },

    /**
     * The stored document's parties that differ from the record's, null for equal ones: events without parties of their
     * own take them. Null: none differ. Writes nothing.
     */
    ownersInstead(record: DocumentRecord): Owners | null {
      const stored = record.mode === "existing" ? null : find(record.kind, record.key);
      if (stored === null || stored.declared === 0 || stored.state === "rejected") return null;
      if (stored.state === "planned" && (stored.mode === "existing" || identity === "last")) return null;
      const { participant_ref: participant, address_ref: address } = stored;
      const isOwner = participant === null || isParty("participant", participant, record.participant);
      const isPlace = address === null || isParty("address", address, record.address);
      if (isOwner && isPlace) return null;
      return {
        participant: isOwner ? null : references.named("participant", participant),
        address: isPlace ? null : references.named("address", address),
      };
    },

    /** @returns the document's id */
    stage(record: DocumentRecord, row: number) {
      const id = stageDeclaration(record.kind, record.key, record, row);
      const { documentId } = record;
      if (documentId !== null && references.documentById(documentId) === null) {
        kept.delete(id);
        writer.documentGiven(id, documentId, now);
      }
      if (record.createEmpty) markOpen(database, id);
      return id;
    },

    /** The document that an event creates (service.md, Event endpoints, rule 6). */
    stageTarget(target: NonNullable<EventRecord["target"]>, row: number) {
      const { kind, key } = target.document;
      return stageDeclaration(kind, key, { ...target, mode: "target", createEmpty: false }, row);
    },

    /** What no row of the file's new version gives as it was, though the row that gave it is there, takes the first data given. */
    end() {
      const isHere = `SELECT 1 FROM row_events a JOIN row_events b USING (event_id)
        WHERE a.row_id = @from AND b.row_id BETWEEN @first AND @last`;
      for (const [id, last] of formerly) {
        const from = last?.stored.row_id;
        const isStill = "SELECT 1 FROM documents WHERE id = @id AND row_id = @from";
        if (last == null || from == null || !database.has(isStill, { id, from })) continue;
        if (!database.has(isHere, { from, ...rowsOfInput(inputId) })) continue;
        declare(last.stored, { ...columnsOf(last.given, last.row), mode: last.stored.mode });
        writer.replanned("document", id, now);
      }
    },

    /** Documents that got other parties. */
    moved: (): ReadonlySet<number> => moved,

    /** Those since it was last asked. */
    movedNow() {
      const ids = movedNow;
      movedNow = [];
      return ids;
    },

    /** After declarations were taken back. */
    forget: () => kept.clear(),
  };
}

export type DocumentStager = ReturnType<typeof createDocumentStager>;
