/**
 * Stages events under their deterministic keys: a new one is planned, a known one costs nothing, an edited one is a
 * correction while it has not landed and `changed` afterwards (DESIGN section 3; HARD-CASES H9, H22, H27).
 */
import type { Database } from "better-sqlite3";
import type { Problem } from "../../model/problem.js";
import type { EventRecord } from "../../model/records.js";
import { describeRow } from "../views/describe-row.js";
import { type EventColumns, eventColumns } from "./event-columns.js";
import type { EventKeys, KeyedEvent, StoredEvent } from "./event-keys.js";
import type { References } from "./references.js";
import { restoredReference } from "../journal/rebuild/restored-reference.js";
import type { DocumentStager } from "./stage-documents.js";
import { inputOf } from "../row-id.js";
import { OF_EVENT } from "../event-key.js";

export interface StagedEvent {
  id: number;
  /** Landed before, unchanged. */
  known: boolean;
}

export function createEventStager(
  database: Database,
  context: {
    inputId: number;
    now: number;
    references: References;
    documents: DocumentStager;
    keys: EventKeys;
    /** Inputs staged by this import: two rows of one import that disagree on an event are both in question. */
    inputsOfImport: ReadonlySet<number>;
    /** Landed events of which a row of this import says something else: another row that repeats what landed does not settle it. */
    changedByImport: Set<number>;
    report(problem: Problem, severity: "error" | "warning"): void;
  },
) {
  const { references, inputId, now } = context;
  const anyDismissals =
    database
      .prepare<[], number>("SELECT EXISTS (SELECT 1 FROM dismissals WHERE document_id IS NOT NULL)")
      .pluck()
      .get() === 1;
  const isDismissed = database
    .prepare<[number, Buffer, Buffer], number>(
      `SELECT EXISTS (SELECT 1 FROM dismissals WHERE document_id = ? AND deduplication_id = ? AND content_hash = ?)`,
    )
    .pluck();
  const giveUp = database.prepare<[number, number]>(
    `INSERT INTO event_states (document_id, event_id, state, reason, dismissed, changed_at)
     SELECT document_id, id, 'rejected', 'dismissed', 1, ? FROM events WHERE id = ?`,
  );
  const insert = database.prepare(
    `INSERT INTO events (document_id, deduplication_id, content_hash, event, key_parts, name, at, rank, participant_ref,
       address_ref, related_document, related_id, mirrored, target_document, payload, input_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const correct = database.prepare(
    `UPDATE events SET content_hash = ?, name = ?, at = ?, rank = ?, participant_ref = ?, address_ref = ?,
       related_document = ?, related_id = ?, mirrored = ?, target_document = ?, payload = ?, input_id = ? WHERE id = ?`,
  );
  // Of two contents sent in doubt, which one landed will never be known: whatever its row says then, that may be another. Kept is
  // what no timeline is behind, whichever it was: the earliest time, and the document that each of them links to and back.
  const keepAttempted = database.prepare<[number]>(
    `UPDATE event_states SET
       attempted_at = iif(attempted_hash = e.content_hash, e.at, min(attempted_at, e.at)),
       attempted_link = iif(attempted_hash = e.content_hash OR attempted_link = e.related_document AND e.mirrored = 1,
         iif(e.mirrored = 1, e.related_document, NULL), NULL),
       attempted_hash = iif(state = 'stalled' AND doubt = 1 AND attempted_hash <> e.content_hash, zeroblob(16), attempted_hash)
     FROM events e WHERE e.id = ? AND event_states.document_id = e.document_id AND event_id = e.id AND attempted_hash IS NOT NULL`,
  );
  const relatedOf = database
    .prepare<[number], number | null>("SELECT related_document FROM events WHERE id = ?")
    .pluck();
  const adopt = database.prepare<[number, number]>("UPDATE events SET input_id = ? WHERE id = ?");
  const setState = database.prepare<[string, string | null, Buffer | null, number, number]>(
    `UPDATE event_states SET state = ?, reason = ?, changed_hash = ?, dismissed = 0, waits_for = NULL, changed_at = ?
     WHERE ${OF_EVENT}`,
  );
  const askAgain = database.prepare<[number, number]>(
    `UPDATE event_states SET reason = 'refused-in-doubt', changed_at = ?
     WHERE ${OF_EVENT} AND reason = 'doubt-unsettled'`,
  );
  const keepContent = database.prepare<[string | null, number]>(
    `UPDATE event_states SET changed_content = ? WHERE ${OF_EVENT}`,
  );
  // Rebuilt from the journal, without a body: its row gives it back (DESIGN section 3).
  let changedAny = false;
  const restored = restoredReference(database, "find")?.participant ?? null;
  const open = database.prepare<[number]>("INSERT OR IGNORE INTO open_documents (document_id) VALUES (?)");
  const rowsOf = database.prepare<[number], number>("SELECT row_id FROM row_events WHERE event_id = ?").pluck();
  const firstRowOf = database
    .prepare<[number, string], number | null>(
      "SELECT min(row_id) FROM row_events WHERE event_id = ? AND row_id >> 32 IN (SELECT value FROM json_each(?))",
    )
    .pluck();

  // A creation may have been refused for the sake of an event that rode along: with another event it is tried again.
  const reopen = database.prepare<[number, number]>(
    "UPDATE document_states SET state = 'planned', reason = NULL, changed_at = ? WHERE document_id = ? AND state = 'rejected'",
  );
  const opened = new Set<number>();
  const markOpen = (document: number): void => {
    if (opened.has(document)) return;
    if (opened.size > 5000) opened.clear();
    open.run(document);
    if (!references.newDocuments.has(document)) reopen.run(now, document);
    opened.add(document);
  };

  const documentOf = ({ document }: EventRecord) => references.document(document.kind, document.key);
  const nameOf = ({ event, document }: EventRecord) => `The event ${event} of ${document.kind} ${document.key}`;
  const columnsOf = (record: EventRecord, rowId: number): EventColumns => {
    const target = record.target === null ? null : context.documents.stageTarget(record.target, rowId);
    return eventColumns(record, references, target);
  };
  const add = (keyed: KeyedEvent, columns: EventColumns): number => {
    const { record, key, hash } = keyed;
    const document = documentOf(record);
    markOpen(document);
    const near = context.keys.nearlyEqual(record, document);
    if (near !== null) {
      const message = `${nameOf(record)} with the key ${keyed.parts.join(", ")} and the one with ${near.join(", ")} differ only by case, width or leading zeros.`;
      context.report({ code: "keys-nearly-equal", message, hint: null, column: null }, "warning");
    }
    const { lastInsertRowid } = insert.run(
      document,
      key,
      hash,
      record.event,
      JSON.stringify(keyed.parts),
      columns.name,
      columns.at,
      columns.rank,
      columns.participant,
      columns.address,
      columns.relatedDocument,
      columns.relatedId,
      columns.mirrored,
      columns.target,
      columns.payload,
      inputId,
    );
    references.newDocuments.addEvent(document, keyed.deduplicationId);
    const id = Number(lastInsertRowid);
    // The same content that a person has given up, come back (HARD-CASES H23).
    if (anyDismissals && isDismissed.get(document, key, hash) === 1) giveUp.run(now, id);
    return id;
  };

  /** The ledger has the event with this content. */
  const stageSame = ({ record, hash }: KeyedEvent, stored: StoredEvent, rowId: number): StagedEvent => {
    const { id } = stored;
    const isLanded = hasLanded(stored);
    if (stored.participant_ref === restored) {
      const columns = columnsOf(record, rowId);
      // It was sent to the generation of then: what has landed stands there, what is in doubt perhaps.
      if (isLanded || stored.state === "changed") columns.relatedDocument = relatedOf.get(id) ?? null;
      else keepAttempted.run(id);
      correct.run(hash, ...Object.values(columns), inputId, id);
      if (!isLanded && stored.state !== "changed") markOpen(documentOf(record));
    }
    if (stored.state === "changed" && context.changedByImport.has(id)) return { id, known: true };
    if (stored.state === "changed") {
      changedAny = true;
      setState.run("landed", null, null, now, id);
      keepContent.run(null, id);
      return { id, known: true };
    }
    if (!isLanded && stored.input_id !== inputId) adopt.run(inputId, id);
    if (stored.state === "rejected" && stored.reason === "row-gone") {
      setState.run("planned", null, null, now, id);
      markOpen(documentOf(record));
    }
    return { id, known: isLanded };
  };

  /** The event has landed with other content. */
  const stageChanged = ({ record, hash }: KeyedEvent, stored: StoredEvent, columns: EventColumns): StagedEvent => {
    const { id } = stored;
    const isAcknowledged = stored.dismissed === 1 && stored.changed_hash?.equals(hash) === true;
    if (isAcknowledged) return { id, known: true };
    changedAny = true;
    context.changedByImport.add(id);
    setState.run("changed", "changed", hash, now, id);
    keepContent.run(JSON.stringify({ ...columns, hash: hash.toString("hex") }), id);
    const message = `${nameOf(record)} has landed with other content; a timeline cannot be edited.`;
    context.report({ code: "changed", message, hint: null, column: null }, "error");
    return { id, known: false };
  };

  const twice = (record: EventRecord, other: string): Problem => ({
    code: "event-key-twice",
    message: `${nameOf(record)} is given with other content in ${other}.`,
    hint: "Correct one of the two rows, or give the event a key that tells them apart.",
    column: null,
  });

  /** Another row of this import has given it just so. */
  const isRepeated = ({ stored, hash }: KeyedEvent): boolean =>
    stored !== undefined &&
    !hasLanded(stored) &&
    stored.state !== "changed" &&
    stored.content_hash.equals(hash) &&
    rowsOf.all(stored.id).some((row) => context.inputsOfImport.has(inputOf(row)));

  return {
    /** Whether any event has got other content than it had. */
    changedAny: () => changedAny,

    /** Two rows of one import give one event different content: which is right is not ours to guess. */
    check({ stored, hash, record }: KeyedEvent, supersedes: boolean): Problem | null {
      if (stored === undefined || supersedes || stored.content_hash.equals(hash)) return null;
      const isUnsent = ["planned", "held", "deferred", "rejected"].includes(stored.state);
      if (!isUnsent || !context.inputsOfImport.has(stored.input_id)) return null;
      // Rows of earlier imports gave the event too, perhaps: what they said is corrected, not contradicted.
      const twin = firstRowOf.get(stored.id, JSON.stringify([...context.inputsOfImport])) ?? null;
      return twin === null ? null : twice(record, describeRow(database, twin));
    },

    /** The same of two rows of a group. `other`: in words. */
    twice: ({ record }: KeyedEvent, other: string): Problem => twice(record, other),

    isRepeated,

    /** The row of this import that has given all of these before; null: something of them is new, or has landed. */
    repeatedBy(keyed: readonly KeyedEvent[]): number | null {
      const [first] = keyed;
      if (first?.stored === undefined || !keyed.every(isRepeated)) return null;
      return rowsOf.all(first.stored.id).find((row) => context.inputsOfImport.has(inputOf(row))) ?? null;
    },

    stage(keyed: KeyedEvent, rowId: number): StagedEvent {
      const { record, hash, known, stored } = keyed;
      if (known !== null) return { id: known, known: true };
      if (stored === undefined) return { id: add(keyed, columnsOf(record, rowId)), known: false };
      if (stored.content_hash.equals(hash)) return stageSame(keyed, stored, rowId);
      const columns = columnsOf(record, rowId);
      if (hasLanded(stored) || stored.state === "changed") return stageChanged(keyed, stored, columns);
      changedAny = true;
      markOpen(documentOf(record));
      keepAttempted.run(stored.id);
      correct.run(hash, ...Object.values(columns), inputId, stored.id);
      if (stored.state === "rejected") setState.run("planned", null, null, now, stored.id);
      // The service has not been asked about this content yet (HARD-CASES H9).
      if (stored.state === "stalled") askAgain.run(now, stored.id);
      return { id: stored.id, known: false };
    },
  };
}

const hasLanded = ({ state }: StoredEvent): boolean => state === "landed" || state === "landed-without-id";

export type EventStager = ReturnType<typeof createEventStager>;
