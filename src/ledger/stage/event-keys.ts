/**
 * Finds events under their deterministic keys (DESIGN section 3): what the ledger holds of an event, before anything of its
 * row is staged.
 */
import type { Database } from "better-sqlite3";
import { contentHash, contentKeyParts, eventDeduplicationId } from "../../model/keys.js";
import { foldKey, variants } from "../../model/near-keys.js";
import type { EventRecord } from "../../model/records.js";
import { keyBytes } from "../event-key.js";
import type { KnownRows } from "./known-rows.js";
import type { References } from "./references.js";
import { restoredReference } from "../journal/rebuild/restored-reference.js";
import { createTwinCounter } from "./twins.js";

/** An event as the ledger has it. */
export interface StoredEvent {
  id: number;
  content_hash: Buffer;
  input_id: number;
  at: number;
  participant_ref: number;
  state: string;
  reason: string | null;
  changed_hash: Buffer | null;
  dismissed: number;
}

/** Keys and hash of an event, worked out once for checking and staging. */
export interface KeyedEvent {
  record: EventRecord;
  deduplicationId: string;
  key: Buffer;
  parts: string[];
  hash: Buffer;
  /** The event's id in the ledger where it has landed with this content; null: see `stored`. */
  known: number | null;
  /** Undefined: the ledger does not have it, or it is known. */
  stored: StoredEvent | undefined;
}

const columns =
  "e.id, e.content_hash, e.input_id, e.at, e.participant_ref, e.state, e.reason, e.changed_hash, e.dismissed";

export function createEventKeys(
  database: Database,
  context: {
    namespace: string;
    inputId: number;
    references: References;
    knownRows: KnownRows;
    /** The number of the row that is being staged. */
    row(): number;
  },
) {
  const { references } = context;
  const { newDocuments } = references;
  const byKey = database.prepare<[number, Buffer], StoredEvent>(
    `SELECT ${columns} FROM events_now e
     WHERE e.document_id = ? AND e.deduplication_id = ?`,
  );
  const restored = restoredReference(database, "find")?.participant ?? 0;
  // One number to give back instead of eight values: in a nightly full history nearly all is known.
  const knownByKey = database
    .prepare<[number, Buffer, Buffer, number], number>(
      `SELECT e.id FROM events_now e
       WHERE e.document_id = ? AND e.deduplication_id = ? AND e.content_hash = ? AND e.participant_ref <> ?
         AND (e.state = 'landed' OR e.state = 'landed-without-id')`,
    )
    .pluck();
  const lastDocument = database.prepare<[], number>("SELECT coalesce(max(id), 0) FROM documents").pluck().get() ?? 0;
  let expectsKnown = false;
  const generation = database.prepare<[number], number>("SELECT generation FROM documents WHERE id = ?").pluck();
  const generations = new Map<number, number>();
  database.exec("CREATE TEMP TABLE IF NOT EXISTS twins (name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID");
  const countTwin = database
    .prepare<[string], number>(
      "INSERT INTO twins (name, count) VALUES (?, 1) ON CONFLICT DO UPDATE SET count = count + 1 RETURNING count",
    )
    .pluck();
  const ordinalOfCorrected = createTwinCounter(database, context.knownRows, context.inputId);

  const generationOf = (document: number): number => {
    if (newDocuments.has(document)) return 1;
    const known = generations.get(document);
    if (known !== undefined) return known;
    if (generations.size > 5000) generations.clear();
    const found = generation.get(document) ?? 1;
    generations.set(document, found);
    return found;
  };

  const keyParts = (record: EventRecord, hash: Buffer, corrects: number | null): string[] => {
    if (record.key.by === "once") return [];
    if (record.key.by === "fields") return record.key.parts;
    const document = references.document(record.document.kind, record.document.key);
    if (corrects !== null) {
      const twin = { document, event: record.event, hash, row: context.row(), corrects };
      return contentKeyParts(hash, ordinalOfCorrected(twin));
    }
    const name = `${record.key.within === "file" ? context.inputId : "*"} ${document} ${record.event} ${hash.toString("hex")}`;
    return contentKeyParts(hash, countTwin.get(name) ?? 1);
  };

  /** `document`: undefined where the ledger does not have it. */
  const deduplicationId = (
    document: number | undefined,
    { kind, key }: { kind: string; key: string },
    event: string,
    parts: readonly string[],
  ): string => {
    const { namespace } = context;
    const name = { namespace, kind, key, generation: document === undefined ? 1 : generationOf(document) };
    return eventDeduplicationId(name, event, parts);
  };

  return {
    deduplicationKey: (document: number, name: { kind: string; key: string }, event: string, parts: string[]): Buffer =>
      keyBytes(deduplicationId(document, name, event, parts)),

    /**
     * The key of another event of the document that differs only by case, width or leading zeros; null: none was found. In documents
     * of this import only the folded key is looked for: an import of a million new ones would take the time of all the others.
     */
    nearlyEqual(record: EventRecord, document: number): string[] | null {
      if (record.key.by !== "fields") return null;
      const all = variants(record.key.parts);
      const folded = all.filter((parts) => parts.every((part) => part === foldKey(part))).slice(0, 1);
      for (const parts of document <= lastDocument ? all : folded) {
        const id = deduplicationId(document, record.document, record.event, parts);
        if (!newDocuments.lacks(document, id) && byKey.get(document, keyBytes(id)) !== undefined) return parts;
      }
      return null;
    },

    /** `corrects`: the row of a rejected file that this one is; null: it is none. */
    key(record: EventRecord, corrects: number | null): KeyedEvent {
      const hash = contentHash(record);
      const parts = keyParts(record, hash, corrects);
      const document = references.findDocument(record.document.kind, record.document.key);
      const id = deduplicationId(document, record.document, record.event, parts);
      const key = keyBytes(id);
      const keyed: KeyedEvent = { record, deduplicationId: id, key, parts, hash, known: null, stored: undefined };
      if (document === undefined) return keyed;
      if (!newDocuments.lacks(document, id)) {
        if (expectsKnown) {
          keyed.known = knownByKey.get(document, key, hash, restored) ?? null;
          if (keyed.known !== null) return keyed;
        }
        keyed.stored = byKey.get(document, key);
      }
      expectsKnown = keyed.stored?.state === "landed";
      return keyed;
    },
  };
}

export type EventKeys = ReturnType<typeof createEventKeys>;
