/**
 * Stages events under their deterministic keys: a new one is planned, a known one costs nothing; an edited one is a
 * correction until it lands, and `changed` afterwards (H9, H22, H27).
 */
import type { DocumentName } from "../../model/keys.js";
import { eventKeyTwice, keysNearlyEqual, problem } from "../../model/problem.js";
import type { DocumentRef, EventRecord } from "../../model/records.js";
import { isUnsent } from "../../model/states.js";
import type { EventContent } from "../event-key.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { describeRow } from "../rows.js";
import { describeChange } from "../views/changes.js";
import { markOpen } from "../work.js";
import { Writer } from "../writer.js";
import { type EventKeys, hasLanded, type KeyedEvent, type StoredEvent } from "./event-keys.js";
import type { References } from "./references.js";
import { eventsToGo, goWithDocument } from "./go-with-document.js";
import type { DocumentStager } from "./stage-documents.js";
import type { Staging } from "./staging.js";

/** Remembered, so that memory stays flat for any number of documents. */
const MOST_REOPENED = 20_000;

export interface StagedEvent {
  id: number;
  /** Landed before, unchanged. */
  known: boolean;
}

export function createEventStager(
  database: LedgerDatabase,
  { references, inputId, inputsOfImport, changedByImport, now, superseded, states, report, notify }: Staging,
  documents: DocumentStager,
  keys: EventKeys,
) {
  const writer = new Writer(database);
  const addEvent = database.adding("events");
  const anyDismissals = database.has("SELECT 1 FROM dismissals WHERE document_id IS NOT NULL");
  let changedAny = false;

  const documentOf = ({ document }: EventRecord) => references.document(document.kind, document.key);
  const findNamed = ({ kind, key }: DocumentName) => references.findDocument(kind, key);
  const nameOf = ({ event, document }: EventRecord) => `The event ${event} of ${document.kind} ${document.key}`;
  const columnsOf = (record: EventRecord, row: number): EventContent =>
    eventColumns(record, references, record.target === null ? null : documents.stageTarget(record.target, row));

  // An event that was sent along may have caused the refusal of a creation, so another event makes a new attempt
  // worthwhile.
  const reopened = new Set<number>();
  const reopen = (document: number) => {
    if (reopened.has(document)) return;
    if (reopened.size >= MOST_REOPENED) reopened.clear();
    reopened.add(document);
    markOpen(database, document);
    writer.replanned("document", document, now);
  };

  const toGo = new Map<number, number[]>();
  const earlierToGo = (document: number) => {
    const known = toGo.get(document) ?? eventsToGo(database, document, [...inputsOfImport]);
    if (toGo.size >= MOST_REOPENED) toGo.clear();
    toGo.set(document, known);
    return known;
  };

  const isDismissed = (document: number, key: Buffer, hash: Buffer) =>
    anyDismissals &&
    database.has(
      "SELECT 1 FROM dismissals WHERE document_id = @document AND deduplication_id = @key AND content_hash = @hash",
      { document, key, hash },
    );

  const add = ({ record, key, hash, parts, asDocument }: KeyedEvent, rowOfFile: number) => {
    const document = documentOf(record);
    reopen(document);
    const near = keys.nearlyEqual(record, document);
    if (near !== null) {
      const [own, other] = [parts, near].map((some) => some.join(", "));
      report(keysNearlyEqual(`${nameOf(record)} with the key ${own}`, `the one with ${other}`), "warning");
    }
    const id = addEvent({
      id: keys.reserved(document, record.event, key),
      document_id: document,
      deduplication_id: key,
      content_hash: hash,
      event: record.event,
      key_parts: JSON.stringify(parts),
      as_document: asDocument,
      input_id: inputId,
      ...columnsOf(record, rowOfFile),
    });
    if (isDismissed(document, key, hash)) writer.dismissedBefore(id, now);
    return id;
  };

  const correct = (id: number, { hash, asDocument }: KeyedEvent, columns: EventContent) =>
    database.change("events", id, { content_hash: hash, as_document: asDocument, input_id: inputId, ...columns });

  const differFromNow = (id: number) => database.run("UPDATE row_events SET differs = 1 WHERE event_id = @id", { id });

  /** What a landed event links to: it was sent to the generation of that time. */
  const linkSent = (id: number, { related_document, related_id }: EventContent) =>
    database.row<Pick<EventContent, "related_document" | "related_id">>(
      `SELECT iif(attempted_at IS NULL, related_document, coalesce(attempted_link, @related_document)) AS related_document,
         iif(attempted_at IS NULL, related_id, @related_id) AS related_id FROM events_now WHERE id = @id`,
      { id, related_document, related_id },
    );

  const stageSame = (keyed: KeyedEvent, stored: StoredEvent, row: number): StagedEvent => {
    const { record } = keyed;
    const { id, state } = stored;
    const isThere = hasLanded(stored) || state === "changed";
    if (stored.lacks_content === 1 || state === "changed") {
      const columns = columnsOf(record, row);
      if (isThere) Object.assign(columns, linkSent(id, columns));
      else writer.keepAttempted(id);
      correct(id, keyed, columns);
      if (!isThere) reopen(documentOf(record));
    }
    if (state === "changed" && changedByImport.has(id)) return { id, known: true };
    if (state === "changed") {
      changedAny = true;
      writer.unchanged(id, now);
    } else if (!isThere && stored.input_id !== inputId) {
      database.change("events", id, { input_id: inputId });
    }
    if (state === "rejected" && stored.reason === "row-gone") {
      writer.corrected(id, now);
      reopen(documentOf(record));
    }
    return { id, known: isThere };
  };

  const stageChanged = (
    { record, key, hash }: KeyedEvent,
    stored: StoredEvent,
    columns: EventContent,
    row: number,
  ): StagedEvent => {
    const { id } = stored;
    const isAcknowledged = stored.dismissed === 1 && stored.changed_hash?.equals(hash) === true;
    if (isAcknowledged) return { id, known: true };
    changedAny = true;
    changedByImport.add(id);
    writer.changed(id, hash, JSON.stringify(columns), now);
    differFromNow(id);
    if (isDismissed(documentOf(record), key, hash)) return { id, known: writer.dismissed(id, false, now) };
    report(problem("changed", describeChange(database, id, row)), "error", { subject: "event", subject_id: id });
    return { id, known: false };
  };

  /** The first; null: none. Asks of each input, because thousands of rows of earlier nights may have brought the event. */
  const rowOfImport = ({ id }: StoredEvent) =>
    database.value<number>(
      `SELECT min((SELECT row_id FROM row_events WHERE event_id = @id AND row_id >= i.value << 32 AND row_id < (i.value + 1) << 32
         ORDER BY row_id LIMIT 1)) FROM json_each(@imported) i`,
      { id, imported: [...inputsOfImport] },
    );

  /** A correction may take over the event of another row that says something else and has not been corrected. */
  const tellTaken = (record: EventRecord, id: number) => {
    const brought = "SELECT row_id FROM row_events WHERE event_id = @id ORDER BY row_id DESC";
    const other = database.values<number>(brought, { id }).find((one) => !superseded().includes(one));
    if (other === undefined) return;
    const message = `${nameOf(record)} is sent as this row has it, and not as ${describeRow(database, other)} has it.`;
    const taken = problem("event-key-twice", message);
    report(taken, "warning");
    notify?.(taken);
  };

  const isRepeated = ({ stored, hash }: KeyedEvent) =>
    stored !== null &&
    !hasLanded(stored) &&
    stored.state !== "changed" &&
    stored.content_hash.equals(hash) &&
    rowOfImport(stored) !== null;

  return {
    changedAny: () => changedAny,

    /**
     * Two rows of one import give one event different content; only a person knows which is right. Or it links a document to
     * itself, by its id or another of its names.
     */
    check({ stored, hash, record }: KeyedEvent) {
      const { document, related } = record;
      const other = related?.document;
      const linked = other && (other.by === "id" ? references.documentById(other.documentId) : findNamed(other));
      if (linked != null && linked === findNamed(document))
        return problem("link-to-itself", `${nameOf(record)} would link ${document.kind} ${document.key} to itself.`);
      if (stored === null || stored.content_hash.equals(hash)) return null;
      if (!isUnsent(stored) || !inputsOfImport.has(stored.input_id)) return null;
      // Rows of earlier imports may have given the event too: they are corrected, not contradicted.
      const twin = rowOfImport(stored);
      return twin === null || superseded().includes(twin) ? null : eventKeyTwice(record, describeRow(database, twin));
    },

    isRepeated,

    /** The document has different parties now. Events of this import follow at its end, however often that happens. */
    goWith(document: number, isAtEnd: boolean) {
      const going = isAtEnd ? eventsToGo(database, document, []) : earlierToGo(document);
      const inputs = goWithDocument(database, { references, keys, now }, document, going);
      if (inputs.length === 0) return;
      changedAny = true;
      reopen(document);
      const told = inputs.filter((input) => !inputsOfImport.has(input) && !states.isSameName(input)).length;
      if (told === 0) return;
      const name = database.value<string>("SELECT name FROM documents WHERE id = @document", { document });
      const which = told === 1 ? "has 1 unsent event of another row" : `have ${told} unsent events of other rows`;
      report(problem("document-differs", `Document ${name} has other parties now, and so ${which}.`), "warning");
    },

    /** The row of this import that gave all of these before; null: something is new, or has landed. */
    repeatedBy(keyed: readonly KeyedEvent[]) {
      const [first] = keyed;
      return first?.stored && keyed.every(isRepeated) ? rowOfImport(first.stored) : null;
    },

    stage(keyed: KeyedEvent, row: number): StagedEvent {
      const { record, hash, known, stored } = keyed;
      if (known !== null) return { id: known, known: true };
      if (stored === null) return { id: add(keyed, row), known: false };
      if (stored.content_hash.equals(hash)) return stageSame(keyed, stored, row);
      const columns = columnsOf(record, row);
      if (hasLanded(stored) || stored.state === "changed") return stageChanged(keyed, stored, columns, row);
      const { id } = stored;
      changedAny = true;
      reopen(documentOf(record));
      if (superseded().length > 0) tellTaken(record, id);
      writer.keepAttempted(id);
      correct(id, keyed, columns);
      differFromNow(id);
      writer.corrected(id, now);
      // The service has not seen this content yet (H9).
      writer.askedAgain("event", id, now);
      return { id, known: false };
    },
  };
}

/** The order of a document's events at one instant: ordinary, CLOSE, CANCEL. */
function rankOf(name: string) {
  if (name === "CANCEL") return 2;
  return name === "CLOSE" ? 1 : 0;
}

/** `target`: the document that the event creates; null: none. */
function eventColumns(record: EventRecord, references: References, target: number | null): EventContent {
  const { related } = record;
  const mirrored = record.propagate === true || (related !== null && related.options.bidirectional !== false);
  const participant = references.refer("participant", record.participant);
  const address = references.refer("address", record.address);
  if (participant === null || address === null) throw new Error("a party is referred to before it is staged");
  return {
    name: record.name,
    at: record.at,
    rank: rankOf(record.name),
    participant_ref: participant,
    address_ref: address,
    ...relatedOf(related?.document, references),
    mirrored: mirrored ? 1 : 0,
    target_document: target,
    payload: payloadText(record),
  };
}

function relatedOf(ref: DocumentRef | undefined, references: References) {
  if (ref === undefined) return { related_document: null, related_id: null };
  if (ref.by === "key") return { related_document: references.document(ref.kind, ref.key), related_id: null };
  const known = references.documentById(ref.documentId);
  return { related_document: known, related_id: known === null ? ref.documentId : null };
}

/** The parts of the body that need no returned id, as JSON; `relatedDocument` without its documentId. */
const payloadText = ({ extra, name, isPublic, attributes, related, propagate, value }: EventRecord) =>
  JSON.stringify({
    ...extra,
    name,
    isPublic,
    metadata: attributes.length > 0 ? { attributes } : undefined,
    relatedDocument: related?.options,
    propagateEvent: propagate ?? undefined,
    value,
  });
