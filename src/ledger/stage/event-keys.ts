/**
 * Makes the deterministic keys of a row's events and finds what the ledger has under them, before anything is staged.
 */
import { contentHash, contentKeyParts, type DocumentName, eventDeduplicationId } from "../../model/keys.js";
import { foldedKeys, variants } from "../../model/near-keys.js";
import type { EventRecord } from "../../model/records.js";
import { type EventNow, keyBytes } from "../event-key.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { ROWS_OF_EVENTS } from "../known-rows.js";
import { inputOf, rowsOfInput } from "../rows.js";
import type { Staging } from "./staging.js";

export interface StoredEvent
  extends Pick<
    EventNow,
    "id" | "content_hash" | "input_id" | "at" | "state" | "reason" | "changed_hash" | "dismissed"
  > {
  /** 1: until its row comes again; only its hash is in the ledger. */
  lacks_content: 0 | 1;
}

/** Computed once for checking and staging. */
export interface KeyedEvent {
  record: EventRecord;
  deduplicationId: string;
  key: Buffer;
  parts: string[];
  hash: Buffer;
  /** As in `events.as_document`. */
  asDocument: number;
  /** The event's id if it landed with this content; null: see `stored`. */
  known: number | null;
  /** Null: not in the ledger. */
  stored: StoredEvent | null;
}

export function createEventKeys(
  database: LedgerDatabase,
  { namespace, inputId, references, knownRows, row: currentRow, superseded }: Staging,
) {
  const lastDocument = database.number("SELECT max(id) FROM documents");
  const anyReplaced = database.has("SELECT 1 FROM documents WHERE generation > 1");
  database.exec("CREATE TEMP TABLE IF NOT EXISTS twins (name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID");

  const isInInput = (event: number, input: number, except: number) => {
    knownRows.flush();
    return database.has(`SELECT 1 FROM ${ROWS_OF_EVENTS} WHERE row_id BETWEEN @first AND @last AND row_id <> @except`, {
      ...rowsOfInput(input),
      events: [event],
      except,
    });
  };

  /**
   * With `key: content`, equal rows are numbered. A corrected row is alone in its file, so the numbering counts the
   * rows of its original file and of this one (H22).
   */
  const ordinalOfCorrected = (document: number, event: string, hash: Buffer, corrects: number) => {
    const twins = database.rows<{ id: number; ordinal: number }>(
      `SELECT id, CAST(json_extract(key_parts, '$[2]') AS INTEGER) AS ordinal FROM events
       WHERE document_id = @document AND event = @event AND json_extract(key_parts, '$[0]') = 'content'
         AND json_extract(key_parts, '$[1]') = @hash`,
      { document, event, hash: hash.toString("hex") },
    );
    const isTaken = (id: number) => isInInput(id, inputOf(corrects), corrects) || isInInput(id, inputId, currentRow());
    const taken = new Set(twins.filter(({ id }) => isTaken(id)).map(({ ordinal }) => ordinal));
    let ordinal = 1;
    while (taken.has(ordinal)) ordinal += 1;
    return ordinal;
  };

  const keyParts = (record: EventRecord, hash: Buffer, corrects: number | null) => {
    if (record.key.by === "once") return [];
    if (record.key.by === "fields") return record.key.parts;
    const document = references.document(record.document.kind, record.document.key);
    if (corrects !== null) return contentKeyParts(hash, ordinalOfCorrected(document, record.event, hash, corrects));
    const within = record.key.within === "file" ? inputId : "*";
    const name = `${within} ${document} ${record.event} ${hash.toString("hex")}`;
    const count = database.number(
      "INSERT INTO temp.twins (name, count) VALUES (@name, 1) ON CONFLICT DO UPDATE SET count = count + 1 RETURNING count",
      { name },
    );
    return contentKeyParts(hash, count);
  };

  /** `document`: null if not in the ledger. */
  const deduplicationId = (
    document: number | null,
    { kind, key }: DocumentName,
    event: string,
    parts: readonly string[],
  ) => {
    const of = "SELECT generation FROM documents WHERE id = @document";
    const generation = (anyReplaced && database.value<number>(of, { document })) || 1;
    return eventDeduplicationId({ namespace, kind, key, generation }, event, parts);
  };

  let anyReserved = database.has("SELECT 1 FROM placements WHERE event_id IS NOT NULL");
  const unused = "event_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM events WHERE id = event_id)";
  /** Null: no invalid row, or none that the present one replaces, would have given the event. */
  const reserved = (document: number, event: string, key: Buffer | null): number | null => {
    if (!anyReserved) return null;
    const own = `SELECT event_id FROM placements WHERE document_id = @document AND deduplication_id = @key AND ${unused} LIMIT 1`;
    const ofRows = `SELECT min(event_id) FROM placements WHERE row_id IN @rows AND event = @event AND ${unused}`;
    const found = database.value<number>(own, { document, key });
    const rows = superseded();
    return found ?? (rows.length === 0 ? null : database.value<number>(ofRows, { rows, event }));
  };

  return {
    reserved,

    /** The id for the event of an invalid row. */
    reserve(document: number, event: string, key: Buffer | null): number {
      const before = reserved(document, event, key);
      anyReserved = true;
      return before ?? nextEventId(database);
    },

    deduplicationKey: (document: number, name: DocumentName, event: string, parts: string[]) =>
      keyBytes(deduplicationId(document, name, event, parts)),

    /**
     * Another key of the document that differs only by case, width, leading zeros, dashes or the marks of a number; null: none. For documents of this
     * import only the folded key is checked: comparing a million new ones would double the import's time.
     */
    nearlyEqual(record: EventRecord, document: number): string[] | null {
      if (record.key.by !== "fields") return null;
      const isThere = (parts: readonly string[]) =>
        database.has("SELECT 1 FROM events WHERE document_id = @document AND deduplication_id = @key", {
          document,
          key: keyBytes(deduplicationId(document, record.document, record.event, parts)),
        });
      return (document <= lastDocument ? variants : foldedKeys)(record.key.parts).find(isThere) ?? null;
    },

    /** `corrects`: the corrected row; null: none. */
    key(record: EventRecord, corrects: number | null, asDocument: number): KeyedEvent {
      const hash = contentHash(record);
      const parts = keyParts(record, hash, corrects);
      const document = references.findDocument(record.document.kind, record.document.key);
      const id = deduplicationId(document, record.document, record.event, parts);
      const key = keyBytes(id);
      const stored =
        document === null
          ? null
          : database.row<StoredEvent>(
              `SELECT id, content_hash, input_id, at, payload = '' AS lacks_content, state, reason, changed_hash, dismissed FROM events_now
           WHERE document_id = @document AND deduplication_id = @key`,
              { document, key },
            );
      const isKnown = stored !== null && hasLanded(stored) && stored.lacks_content === 0;
      const known = isKnown && stored.content_hash.equals(hash) ? stored.id : null;
      return { record, deduplicationId: id, key, parts, hash, asDocument, known, stored };
    },
  };
}

/** Kept for an event that is yet to come; ids are the order of events of one instant. */
export function nextEventId(database: LedgerDatabase): number {
  return (
    database.value<number>("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'events' RETURNING seq") ??
    database.number("INSERT INTO sqlite_sequence (name, seq) VALUES ('events', 1) RETURNING seq")
  );
}

export const hasLanded = ({ state }: StoredEvent): boolean => state === "landed" || state === "landed-without-id";

export type EventKeys = ReturnType<typeof createEventKeys>;
