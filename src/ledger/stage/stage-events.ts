/**
 * Stages events under their deterministic keys: a new one is planned, a known one costs nothing; an edited one is a
 * correction until it lands, and `changed` afterwards (H9, H22, H27).
 */
import type { Problem } from "../../model/problem.js";
import type { DocumentRef, EventRecord } from "../../model/records.js";
import { addEvent, type EventContent, setContent } from "../event-key.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { describeRow, inputOf } from "../rows.js";
import { changesBetween, contentColumns, describeChanges, type LandedContent } from "../views/changes.js";
import { markOpen } from "../work.js";
import { Writer } from "../writer.js";
import { type EventKeys, hasLanded, type KeyedEvent, type StoredEvent } from "./event-keys.js";
import { type References, restoredReference } from "./references.js";
import type { DocumentStager } from "./stage-documents.js";

/** Remembered, so that memory stays flat for any number of documents. */
const MOST_REOPENED = 20_000;

export interface StagedEvent {
  id: number;
  /** Landed before, unchanged. */
  known: boolean;
}

export function createEventStager(
  database: LedgerDatabase,
  context: {
    inputId: number;
    now: number;
    references: References;
    documents: DocumentStager;
    keys: EventKeys;
    /** Two rows of one import that disagree on an event are both in question. */
    inputsOfImport: ReadonlySet<number>;
    /**
     * Landed events that a row of this import contradicts: another row that repeats what landed does not settle that.
     */
    changedByImport: Set<number>;
    /** `event`: reported for the event as well as for the row. */
    report(problem: Problem, severity: "error" | "warning", event?: number): void;
  },
) {
  const { references, inputId, now } = context;
  const writer = new Writer(database);
  const restored = restoredReference(database, "find")?.participant ?? null;
  const anyDismissals = database.has("SELECT 1 FROM dismissals WHERE document_id IS NOT NULL");
  let changedAny = false;

  const documentOf = ({ document }: EventRecord) => references.document(document.kind, document.key);
  const nameOf = ({ event, document }: EventRecord) => `The event ${event} of ${document.kind} ${document.key}`;
  const columnsOf = (record: EventRecord, row: number): EventContent =>
    eventColumns(record, references, record.target === null ? null : context.documents.stageTarget(record.target, row));

  // An event that was sent along may have caused the refusal of a creation, so another event makes a new attempt
  // worthwhile.
  const reopened = new Set<number>();
  const reopen = (document: number): void => {
    if (reopened.has(document)) return;
    if (reopened.size >= MOST_REOPENED) reopened.clear();
    reopened.add(document);
    markOpen(database, document);
    writer.replanned("document", document, now);
  };

  const add = ({ record, key, hash, parts }: KeyedEvent, rowOfFile: number): number => {
    const document = documentOf(record);
    const columns = columnsOf(record, rowOfFile);
    reopen(document);
    const near = context.keys.nearlyEqual(record, document);
    if (near !== null) {
      const message = `${nameOf(record)} with the key ${parts.join(", ")} and the one with ${near.join(", ")} differ only by case, width or leading zeros.`;
      context.report({ code: "keys-nearly-equal", message, hint: null, column: null }, "warning");
    }
    const row = { document, key, hash, event: record.event, parts: JSON.stringify(parts), input: inputId };
    const id = addEvent(database, { ...columns, ...row });
    const isDismissed =
      anyDismissals &&
      database.has(
        "SELECT 1 FROM dismissals WHERE document_id = @document AND deduplication_id = @key AND content_hash = @hash",
        { document, key, hash },
      );
    if (isDismissed) writer.dismissedBefore(id, now);
    return id;
  };

  const correct = (id: number, hash: Buffer, columns: EventContent): void => {
    setContent(database, id, hash, columns);
    database.run("UPDATE events SET input_id = @inputId WHERE id = @id", { inputId, id });
  };

  const stageSame = ({ record, hash }: KeyedEvent, stored: StoredEvent, row: number): StagedEvent => {
    const { id, state } = stored;
    const isThere = hasLanded(stored) || state === "changed";
    // Rebuilt from the journal without a body, which its row brings back.
    if (stored.participant_ref === restored) {
      const columns = columnsOf(record, row);
      // It was sent to the generation of that time.
      if (isThere)
        columns.relatedDocument =
          database.value<number | null>("SELECT related_document FROM events WHERE id = @id", { id }) ?? null;
      else writer.keepAttempted(id);
      correct(id, hash, columns);
      if (!isThere) reopen(documentOf(record));
    }
    if (state === "changed" && context.changedByImport.has(id)) return { id, known: true };
    if (state === "changed") {
      changedAny = true;
      writer.unchanged(id, now);
    } else if (!isThere && stored.input_id !== inputId) {
      database.run("UPDATE events SET input_id = @inputId WHERE id = @id", { inputId, id });
    }
    if (state === "rejected" && stored.reason === "row-gone") {
      writer.corrected(id, now);
      reopen(documentOf(record));
    }
    return { id, known: isThere };
  };

  const stageChanged = (
    { record, hash }: KeyedEvent,
    stored: StoredEvent,
    columns: EventContent,
    row: number,
  ): StagedEvent => {
    const { id } = stored;
    const isAcknowledged = stored.dismissed === 1 && stored.changed_hash?.equals(hash) === true;
    if (isAcknowledged) return { id, known: true };
    changedAny = true;
    context.changedByImport.add(id);
    writer.changed(id, hash, JSON.stringify({ ...columns, hash: hash.toString("hex") }), now);
    const landed = database.row<LandedContent>(`SELECT ${contentColumns} FROM events WHERE id = @id`, { id });
    const changes = landed === undefined ? [] : changesBetween(database, landed, columns);
    const before = database.value<number | null>("SELECT min(row_id) FROM row_events WHERE event_id = @id", { id });
    const place = before == null || before === row ? "" : ` (${describeRow(database, before)})`;
    const what = changes.length === 0 ? "" : `: ${describeChanges(changes)}`;
    const message = `${nameOf(record)} has landed with other content${place}${what}. A timeline cannot be edited.`;
    context.report({ code: "changed", message, hint: null, column: null }, "error", id);
    return { id, known: false };
  };

  const twice = (record: EventRecord, other: string): Problem => ({
    code: "event-key-twice",
    message: `${nameOf(record)} is given with other content in ${other}.`,
    hint: "Correct one of the two rows, or give the event a key that differs between them.",
    column: null,
  });

  /** Undefined: none. */
  const rowOfImport = ({ id }: StoredEvent): number | undefined =>
    database
      .values<number>("SELECT row_id FROM row_events WHERE event_id = @id ORDER BY row_id", { id })
      .find((row) => context.inputsOfImport.has(inputOf(row)));

  const isRepeated = ({ stored, hash }: KeyedEvent): boolean =>
    stored !== undefined &&
    !hasLanded(stored) &&
    stored.state !== "changed" &&
    stored.content_hash.equals(hash) &&
    rowOfImport(stored) !== undefined;

  return {
    changedAny: () => changedAny,

    /** Two rows of one import give one event different content; only a person knows which is right. */
    check({ stored, hash, record }: KeyedEvent, supersedes: boolean): Problem | null {
      if (stored === undefined || supersedes || stored.content_hash.equals(hash)) return null;
      const isUnsent = ["planned", "held", "deferred", "rejected"].includes(stored.state);
      if (!isUnsent || !context.inputsOfImport.has(stored.input_id)) return null;
      // Rows of earlier imports may have given the event too: they are corrected, not contradicted.
      const twin = rowOfImport(stored);
      return twin === undefined ? null : twice(record, describeRow(database, twin));
    },

    /** For two rows of a group. `other`: in words. */
    twice: ({ record }: KeyedEvent, other: string): Problem => twice(record, other),

    isRepeated,

    /** The row of this import that gave all of these before; null: something is new, or has landed. */
    repeatedBy(keyed: readonly KeyedEvent[]): number | null {
      const [first] = keyed;
      if (first?.stored === undefined || !keyed.every(isRepeated)) return null;
      return rowOfImport(first.stored) ?? null;
    },

    stage(keyed: KeyedEvent, row: number): StagedEvent {
      const { record, hash, known, stored } = keyed;
      if (known !== null) return { id: known, known: true };
      if (stored === undefined) return { id: add(keyed, row), known: false };
      if (stored.content_hash.equals(hash)) return stageSame(keyed, stored, row);
      const columns = columnsOf(record, row);
      if (hasLanded(stored) || stored.state === "changed") return stageChanged(keyed, stored, columns, row);
      const { id } = stored;
      changedAny = true;
      reopen(documentOf(record));
      writer.keepAttempted(id);
      correct(id, hash, columns);
      writer.corrected(id, now);
      // The service has not seen this content yet (H9).
      writer.askedAgain("event", id, now);
      return { id, known: false };
    },
  };
}

/** The order of a document's events at one instant: ordinary, CLOSE, CANCEL. */
function rankOf(name: string): number {
  if (name === "CANCEL") return 2;
  return name === "CLOSE" ? 1 : 0;
}

/** `target`: the document that the event creates; null: none. */
function eventColumns(record: EventRecord, references: References, target: number | null): EventContent {
  const { related } = record;
  const [relatedDocument, relatedId] = relatedOf(related?.document, references);
  const mirrored = record.propagate === true || (related !== null && related.options.bidirectional !== false);
  const address = references.address(record.address);
  if (address === null) throw new Error("an address is referred to before it is staged");
  return {
    name: record.name,
    at: record.at,
    rank: rankOf(record.name),
    participant: references.participant(record.participant),
    address,
    relatedDocument,
    relatedId,
    mirrored: mirrored ? 1 : 0,
    target,
    payload: payloadText(record),
  };
}

function relatedOf(ref: DocumentRef | undefined, references: References): [number | null, string | null] {
  if (ref === undefined) return [null, null];
  if (ref.by === "key") return [references.document(ref.kind, ref.key), null];
  const known = references.documentById(ref.documentId);
  return known === undefined ? [null, ref.documentId] : [known, null];
}

/** The parts of the body that need no returned id, as JSON; `relatedDocument` without its documentId. */
const payloadText = ({ extra, name, isPublic, attributes, related, propagate, value }: EventRecord): string =>
  JSON.stringify({
    ...extra,
    name,
    isPublic,
    metadata: attributes.length > 0 ? { attributes } : undefined,
    relatedDocument: related?.options,
    propagateEvent: propagate ?? undefined,
    value,
  });
