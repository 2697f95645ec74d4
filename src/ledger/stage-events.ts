/**
 * Stages events under their deterministic keys: a new one is planned, a known one costs nothing, an edited one is a
 * correction while it has not landed and `changed` afterwards (DESIGN section 3; HARD-CASES H9, H22, H27).
 */
import type { Database } from "better-sqlite3";
import { contentHash, contentKeyParts, eventDeduplicationId } from "../model/keys.js";
import type { Problem } from "../model/problem.js";
import type { DocumentRef, EventRecord } from "../model/records.js";
import { describeRow } from "./describe-row.js";
import type { KnownRows } from "./known-rows.js";
import type { References } from "./references.js";
import { createRekeying } from "./rekey.js";
import { restoredReference } from "./rebuild/restored-reference.js";
import type { DocumentStager } from "./stage-documents.js";
import { createTwinCounter } from "./twins.js";
import { OF_EVENT } from "./unsettled.js";

/** After the prefix `rf1-`, the key is 160 bits in hex. */
export const keyBytes = (deduplicationId: string): Buffer => Buffer.from(deduplicationId.slice(4), "hex");
export const keyText = (bytes: Buffer): string => `rf1-${bytes.toString("hex")}`;

/** Total order of a document's events at one instant: ordinary, then CLOSE, then CANCEL (DESIGN section 5). */
export function rankOf(name: string): number {
  if (name === "CANCEL") return 2;
  return name === "CLOSE" ? 1 : 0;
}

interface Stored {
  id: number;
  content_hash: Buffer;
  input_id: number;
  at: number;
  participant_ref: number;
  state: string | null;
  changed_hash: Buffer | null;
  dismissed: number | null;
}

export interface StagedEvent {
  id: number;
  /** Landed before, unchanged. */
  known: boolean;
}

/** Keys and hash of an event, worked out once for checking and staging. */
export interface KeyedEvent {
  record: EventRecord;
  document: number;
  key: Buffer;
  parts: string[];
  hash: Buffer;
  stored: Stored | undefined;
}

export function createEventStager(
  database: Database,
  context: {
    namespace: string;
    inputId: number;
    now: number;
    references: References;
    documents: DocumentStager;
    knownRows: KnownRows;
    /** Inputs staged by this import: two rows of one import that disagree on an event are both in question. */
    inputsOfImport: ReadonlySet<number>;
    /** The number of the row that is being staged. */
    row(): number;
    report(problem: Problem, severity: "error" | "warning"): void;
  },
) {
  const { references } = context;
  const byKey = database.prepare<[number, Buffer], Stored>(
    `SELECT e.id, e.content_hash, e.input_id, e.at, e.participant_ref, s.state, s.changed_hash, s.dismissed
     FROM events e LEFT JOIN event_states s ON s.document_id = e.document_id AND s.event_id = e.id
     WHERE e.document_id = ? AND e.deduplication_id = ?`,
  );
  const byId = database.prepare<[number], Stored>(
    `SELECT e.id, e.content_hash, e.input_id, e.at, e.participant_ref, s.state, s.changed_hash, s.dismissed
     FROM events e LEFT JOIN event_states s ON s.document_id = e.document_id AND s.event_id = e.id WHERE e.id = ?`,
  );
  const rekeying = createRekeying(database, context.namespace);
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
    `INSERT INTO events (id, document_id, deduplication_id, content_hash, event, key_parts, name, at, rank, participant_ref,
       address_ref, related_document, related_id, mirrored, target_document, payload, input_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const correct = database.prepare(
    `UPDATE events SET content_hash = ?, name = ?, at = ?, rank = ?, participant_ref = ?, address_ref = ?,
       related_document = ?, related_id = ?, mirrored = ?, target_document = ?, payload = ?, input_id = ? WHERE id = ?`,
  );
  const adopt = database.prepare<[number, number]>("UPDATE events SET input_id = ? WHERE id = ?");
  const setState = database.prepare<[string, string | null, Buffer | null, number, number]>(
    `UPDATE event_states SET state = ?, reason = ?, changed_hash = ?, dismissed = 0, waits_for = NULL, changed_at = ?
     WHERE ${OF_EVENT}`,
  );
  const askAgain = database.prepare<[number, number]>(
    `UPDATE event_states SET reason = 'refused-in-doubt', changed_at = ?
     WHERE ${OF_EVENT} AND reason = 'doubt-unsettled'`,
  );
  const keepContent = database.prepare<[string, number]>(
    `UPDATE event_states SET changed_content = ? WHERE ${OF_EVENT}`,
  );
  // Rebuilt from the journal, without a body: its row gives it back (DESIGN section 3).
  const restored = restoredReference(database, "find")?.participant ?? null;
  const open = database.prepare<[number]>("INSERT OR IGNORE INTO open_documents (document_id) VALUES (?)");
  const firstRow = database.prepare<[number], number>("SELECT min(row_id) FROM row_events WHERE event_id = ?").pluck();
  const generation = database.prepare<[number], number>("SELECT generation FROM documents WHERE id = ?").pluck();
  const generations = new Map<number, number>();
  database.exec("CREATE TEMP TABLE IF NOT EXISTS twins (name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID");
  const countTwin = database
    .prepare<[string], number>(
      "INSERT INTO twins (name, count) VALUES (?, 1) ON CONFLICT DO UPDATE SET count = count + 1 RETURNING count",
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
    reopen.run(context.now, document);
    opened.add(document);
  };

  const generationOf = (document: number): number => {
    const known = generations.get(document);
    if (known !== undefined) return known;
    if (generations.size > 5000) generations.clear();
    const found = generation.get(document) ?? 1;
    generations.set(document, found);
    return found;
  };

  const ordinalOfCorrected = createTwinCounter(database, context.knownRows, context.inputId);

  const keyParts = (record: EventRecord, document: number, hash: Buffer, corrects: number | null): string[] => {
    if (record.key.by === "once") return [];
    if (record.key.by === "fields") return record.key.parts;
    if (corrects !== null) {
      const twin = { document, event: record.event, hash, row: context.row(), corrects };
      return contentKeyParts(hash, ordinalOfCorrected(twin));
    }
    const name = `${record.key.within === "file" ? context.inputId : "*"} ${document} ${record.event} ${hash.toString("hex")}`;
    return contentKeyParts(hash, countTwin.get(name) ?? 1);
  };

  const deduplicationKey = (document: number, record: { kind: string; key: string }, event: string, parts: string[]) =>
    keyBytes(
      eventDeduplicationId(
        { namespace: context.namespace, kind: record.kind, key: record.key, generation: generationOf(document) },
        event,
        parts,
      ),
    );

  const relatedOf = (ref: DocumentRef | undefined): [number | null, string | null] => {
    if (ref === undefined) return [null, null];
    return ref.by === "key" ? [references.document(ref.kind, ref.key), null] : [null, ref.documentId];
  };

  /** The event's own columns, in the order of the statements above. */
  const columnsOf = (record: EventRecord, target: number | null) => {
    const [relatedDocument, relatedId] = relatedOf(record.related?.document);
    const mirrored =
      record.propagate === true || (record.related !== null && record.related.options.bidirectional !== false);
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
  };

  return {
    deduplicationKey,

    /** `corrects`: the row of a rejected file that this one is; null: it is none. */
    key(record: EventRecord, corrects: number | null): KeyedEvent {
      rekeying?.adoptDocument(context.row(), record);
      const document = references.document(record.document.kind, record.document.key);
      const hash = contentHash(record);
      const parts = keyParts(record, document, hash, corrects);
      const key = deduplicationKey(document, record.document, record.event, parts);
      const stored = byKey.get(document, key);
      if (stored !== undefined || rekeying === null) return { record, document, key, parts, hash, stored };
      const former = rekeying.find(document, key, { row: context.row(), record, parts, hash });
      return { record, document, key, parts, hash, stored: former === null ? undefined : byId.get(former) };
    },

    /** Two rows of one import give one event different content: which is right is not ours to guess. */
    check({ stored, hash, record }: KeyedEvent, supersedes: boolean): Problem | null {
      if (stored === undefined || supersedes || stored.content_hash.equals(hash)) return null;
      const isUnsent = stored.state === null || ["planned", "held", "deferred", "rejected"].includes(stored.state);
      if (!isUnsent || !context.inputsOfImport.has(stored.input_id)) return null;
      return {
        code: "event-key-twice",
        message: `The event ${record.event} of ${record.document.kind} ${record.document.key} is given with other content in ${describeRow(database, firstRow.get(stored.id) ?? null)}.`,
        hint: "Correct one of the two rows, or give the event a key that tells them apart.",
        column: null,
      };
    },

    stage({ record, document, key, parts, hash, stored }: KeyedEvent, rowId: number): StagedEvent {
      const isLanded = stored?.state === "landed" || stored?.state === "landed-without-id";
      const same = stored?.content_hash.equals(hash) ?? false;
      if (stored !== undefined && same && stored.participant_ref === restored) {
        const columns = columnsOf(
          record,
          record.target === null ? null : context.documents.stageTarget(record.target, rowId),
        );
        correct.run(hash, ...Object.values(columns), context.inputId, stored.id);
        if (!isLanded && stored.state !== "changed") markOpen(document);
      }
      if (stored !== undefined && same) {
        if (isLanded) return { id: stored.id, known: true };
        if (stored.state === "changed") {
          setState.run("landed", null, null, context.now, stored.id);
          return { id: stored.id, known: true };
        }
        if (stored.input_id !== context.inputId) adopt.run(context.inputId, stored.id);
        return { id: stored.id, known: false };
      }
      const target = record.target === null ? null : context.documents.stageTarget(record.target, rowId);
      const columns = columnsOf(record, target);
      if (stored !== undefined && (isLanded || stored.state === "changed")) {
        const acknowledged = stored.dismissed === 1 && stored.changed_hash?.equals(hash);
        if (acknowledged) return { id: stored.id, known: true };
        setState.run("changed", "changed", hash, context.now, stored.id);
        keepContent.run(JSON.stringify({ ...columns, hash: hash.toString("hex") }), stored.id);
        context.report(
          {
            code: "changed",
            message: `The event ${record.event} of ${record.document.kind} ${record.document.key} has landed with other content; a timeline cannot be edited.`,
            hint: null,
            column: null,
          },
          "error",
        );
        return { id: stored.id, known: false };
      }
      markOpen(document);
      if (stored === undefined) {
        const id = Number(
          insert.run(
            rekeying?.nextId() ?? null,
            document,
            key,
            hash,
            record.event,
            JSON.stringify(parts),
            ...Object.values(columns),
            context.inputId,
          ).lastInsertRowid,
        );
        // The same content that a person has given up, come back (HARD-CASES H23).
        if (anyDismissals && isDismissed.get(document, key, hash) === 1) giveUp.run(context.now, id);
        return { id, known: false };
      }
      correct.run(hash, ...Object.values(columns), context.inputId, stored.id);
      if (stored.state === "rejected") setState.run("planned", null, null, context.now, stored.id);
      // The service has not been asked about this content yet (HARD-CASES H9).
      if (stored.state === "stalled") askAgain.run(context.now, stored.id);
      return { id: stored.id, known: false };
    },
  };
}

export type EventStager = ReturnType<typeof createEventStager>;

/** The body's members that need no returned id, as JSON text; `relatedDocument` without its documentId. */
function payloadText(record: EventRecord): string {
  const { extra, name, isPublic, attributes } = record;
  const metadata = attributes.length > 0 ? { attributes } : undefined;
  const { related, propagate, value } = record;
  const relatedDocument = related?.options;
  if (related === null && propagate === null && value === undefined && isEmpty(extra)) {
    return JSON.stringify({ name, isPublic, metadata });
  }
  const propagateEvent = propagate ?? undefined;
  return JSON.stringify({ ...extra, name, isPublic, metadata, relatedDocument, propagateEvent, value });
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}
