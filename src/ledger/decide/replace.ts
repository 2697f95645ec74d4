/**
 * The service's only remedy: cancel a document and send its next generation (service.md, What the service does 3;
 * HARD-CASES H26). Staged here, sent by the next run; later rows follow the newest generation.
 */
import type { Database } from "better-sqlite3";
import { eventDeduplicationId } from "../../model/keys.js";
import { RowferryError } from "../../model/error.js";
import { countContentChange } from "../stage/content-changes.js";
import { createKnownRows } from "../stage/known-rows.js";
import { createNextGeneration } from "./next-generation.js";
import { type KnownDocument } from "./dismiss.js";
import { keyBytes, keyText, OF_EVENT } from "../event-key.js";
import { restoredReference } from "../journal/rebuild/restored-reference.js";

export interface Replacement {
  /** The next generation's id in the ledger. */
  next: number;
  generation: number;
  /** Events of the new generation, in all. */
  events: number;
  /** Whether the old generation gets a CANCEL; false: it never came to be, or its id is unknown. */
  cancels: boolean;
  /** Events that had landed and whose payload neither ledger nor archive has: their rows must be imported again. */
  missing: { event: string; keyParts: string[] }[];
  /** Landed relations that other documents made to it; they name the old generation and are not repeated. */
  relations: number;
  /** Some of those documents, those that are not cancelled: replaced too, before anything is sent, they link to the new one. */
  linkedFrom: string[];
  /** The old generation is stranded and stays at the service as it is. */
  staysStranded: boolean;
}

interface OldEvent {
  id: number;
  deduplication_id: Buffer;
  event: string;
  key_parts: string;
  state: string;
  unsent: number;
  changed_content: string | null;
  payload: string;
}

/**
 * `cancelAt`: ms, before the service's now. `cancellation`: what ends the old generation, also of a stranded one (a
 * journal may know an id that a kill kept from this ledger); null: it is cancelled already.
 * @throws RowferryError `document-not-replaceable`, `document-has-made-others`
 */
export function replaceDocument(
  database: Database,
  document: KnownDocument,
  reason: string,
  cancelAt: number,
  now: number,
  recalled: ReadonlyMap<string, string> = new Map(),
): { replacement: Replacement; cancellation: Cancellation | null } {
  if (reason.trim() === "") throw new RowferryError("usage", "A replacement needs a reason (--reason).");
  if (!["open", "closed", "cancelled", "stranded"].includes(document.state)) {
    const name = `${document.kind} ${document.key}`;
    throw new RowferryError("document-not-replaceable", `${name} is ${document.state}; there is nothing to replace.`);
  }
  const made = madeBy(database, document.id);
  if (made.length > 0) {
    const which = made.slice(0, 5).join(", ") + (made.length > 5 ? " …" : "");
    const message = `${document.kind} ${document.key} has made other documents (${which}); sent again it would have to make them once more, and their keys are taken.`;
    throw new RowferryError("document-has-made-others", message);
  }
  return database
    .transaction(() => {
      for (const [key, payload] of recalled) giveBack(database, document.id, key, payload);
      const cancellation = document.state === "cancelled" ? null : cancellationOf(database, document, reason, cancelAt);
      const replacement = replaceWithin(database, document, document.serviceId === null ? null : cancellation, now);
      return { replacement, cancellation };
    })
    .immediate();
}

/** deduplicationIds of the events whose bodies were pruned. */
export function prunedEvents(database: Database, document: number): string[] {
  return database
    .prepare<[number], Buffer>("SELECT deduplication_id FROM events WHERE document_id = ? AND payload = ''")
    .pluck()
    .all(document)
    .map(keyText);
}

function giveBack(database: Database, document: number, key: string, payload: string): void {
  database
    .prepare<[string, number, Buffer]>(
      "UPDATE events SET payload = ? WHERE document_id = ? AND deduplication_id = ? AND payload = ''",
    )
    .run(payload, document, keyBytes(key));
}

/** Documents that its events with a target have made, or may have. */
function madeBy(database: Database, document: number): string[] {
  return database
    .prepare<[number], string>(
      `SELECT t.kind || ' ' || t.key FROM events_now e
       JOIN documents t ON t.id = e.target_document
       WHERE e.document_id = ? AND e.sent ORDER BY t.id`,
    )
    .pluck()
    .all(document);
}

function replaceWithin(
  database: Database,
  document: KnownDocument,
  cancellation: Cancellation | null,
  now: number,
): Replacement {
  const inserted = (result: { lastInsertRowid: number | bigint }) => Number(result.lastInsertRowid);
  const generation = document.generation + 1;
  const next = inserted(
    database
      .prepare<[number, number]>(
        `INSERT INTO documents (namespace, kind, key, generation, declared, mode, participant_ref, address_ref, external_id,
           fields, create_empty, settings_id, row_id)
         SELECT namespace, kind, key, ?, 1, 'create',
           coalesce(participant_ref, (SELECT participant_ref FROM events WHERE document_id = d.id ORDER BY id LIMIT 1)),
           coalesce(address_ref, (SELECT address_ref FROM events WHERE document_id = d.id ORDER BY id LIMIT 1)),
           external_id, fields, create_empty, coalesce(
             (SELECT i.settings_id FROM inputs i WHERE i.namespace = d.namespace
                AND i.mapping = (SELECT mapping FROM inputs WHERE id = d.row_id >> 32) ORDER BY i.staged_at DESC, i.id DESC LIMIT 1),
             settings_id), row_id FROM documents d WHERE id = ?`,
      )
      .run(generation, document.id),
  );
  const following = createNextGeneration(database, document, { id: next, generation });
  if (cancellation !== null) cancelOld(database, document.id, cancellation);

  const events = database
    .prepare<[number, number], OldEvent>(
      `SELECT e.id, e.deduplication_id, e.event, e.key_parts, e.state, e.unsent, e.changed_content, e.payload FROM events_now e
       WHERE e.document_id = ? AND e.event <> '#replaced' AND e.dismissed = 0 OR e.document_id = ? AND e.state = 'changed'`,
    )
    .all(document.id, document.id);
  const copy = database.prepare<[number, Buffer, number]>(
    `INSERT INTO events (document_id, deduplication_id, content_hash, event, key_parts, name, at, rank, participant_ref,
       address_ref, related_document, related_id, mirrored, target_document, payload, input_id)
     SELECT ?, ?, content_hash, event, key_parts, name, at, rank, participant_ref, address_ref, related_document, related_id,
       mirrored, target_document, payload, input_id FROM events WHERE id = ?`,
  );
  const correct = database.prepare(
    `UPDATE events SET content_hash = unhex(@hash), name = @name, at = @at, rank = @rank, participant_ref = @participant,
       address_ref = @address, related_document = @relatedDocument, related_id = @relatedId, mirrored = @mirrored,
       target_document = @target, payload = @payload WHERE id = @id`,
  );
  const relink = database.prepare<[number, number]>("UPDATE OR IGNORE row_events SET event_id = ? WHERE event_id = ?");
  const withdraw = database.prepare<[number]>(
    "DELETE FROM events WHERE id = ? AND NOT EXISTS (SELECT 1 FROM row_events WHERE event_id = events.id)",
  );
  const withdrawState = database.prepare<[number]>(`DELETE FROM event_states WHERE ${OF_EVENT}`);
  const missing: Replacement["missing"] = [];
  const copies = new Map<number, number>();
  const forget = database.prepare<[number, number, number]>(
    "UPDATE events SET participant_ref = ?, address_ref = ? WHERE id = ?",
  );
  for (const event of events) {
    const key = following.keyOf(event.deduplication_id, event.event, event.key_parts);
    const id = inserted(copy.run(next, key, event.id));
    if (event.changed_content !== null) correct.run({ ...(JSON.parse(event.changed_content) as object), id });
    else if (event.payload === "") {
      // Its row gives it back; until then it holds its whole generation (plan/replacements.ts).
      missing.push({ event: event.event, keyParts: JSON.parse(event.key_parts) as string[] });
      const { participant = 0, address = 0 } = restoredReference(database, "make") ?? {};
      forget.run(participant, address, id);
    }
    relink.run(id, event.id);
    copies.set(event.id, id);
    if (event.unsent === 1) {
      withdrawState.run(event.id);
      withdraw.run(event.id);
    } else if (event.state === "changed") {
      database
        .prepare<[number, number]>(`UPDATE event_states SET dismissed = 1, changed_at = ? WHERE ${OF_EVENT}`)
        .run(now, event.id);
    }
  }
  // What it links to may have been replaced since, and takes no mirror any more: links go to the newest generation.
  database
    .prepare<[number]>(
      `UPDATE events SET related_document = (
         SELECT newest.id FROM documents old JOIN documents newest USING (key, kind, namespace)
         WHERE old.id = events.related_document ORDER BY newest.generation DESC LIMIT 1)
       WHERE document_id = ? AND related_document IS NOT NULL`,
    )
    .run(next);
  following.finish();
  // Rows that were known bring something to send again.
  const link = database.prepare<[number, number]>("INSERT OR IGNORE INTO row_events (row_id, event_id) VALUES (?, ?)");
  for (const { row, event } of createKnownRows(database).take(new Set(copies.keys()))) {
    link.run(row, copies.get(event) ?? event);
  }
  countContentChange(database);
  const relations = moveRest(database, document, next, now);
  return {
    next,
    generation,
    events: events.length,
    cancels: cancellation !== null,
    missing,
    relations,
    linkedFrom: linkedFrom(database, document.id),
    staysStranded: document.state === "stranded",
  };
}

/** What points at the old generation and has not been sent points at the next; @returns landed relations to the old one. */
function moveRest(database: Database, document: KnownDocument, next: number, now: number): number {
  const run = (sql: string, ...values: number[]) => database.prepare(sql).run(...values);
  run(
    `UPDATE events SET related_document = ?
     WHERE id IN (SELECT id FROM events_now WHERE related_document = ? AND unsent)`,
    next,
    document.id,
  );
  if (document.state === "stranded") {
    run("UPDATE document_states SET reason = 'replaced', changed_at = ? WHERE document_id = ?", now, document.id);
    run(
      `UPDATE event_states SET dismissed = 1, changed_at = ? WHERE document_id = ? AND state = 'stalled'`,
      now,
      document.id,
    );
  }
  run("INSERT OR IGNORE INTO open_documents (document_id) VALUES (?), (?)", document.id, next);
  return (
    database
      .prepare<[number], number>(
        `SELECT count(*) FROM events_now e
         WHERE e.related_document = ? AND e.landed`,
      )
      .pluck()
      .get(document.id) ?? 0
  );
}

function linkedFrom(database: Database, document: number): string[] {
  return database
    .prepare<[number], string>(
      `SELECT DISTINCT d.kind || '/' || d.key FROM events_now e JOIN documents_now d ON d.id = e.document_id
       WHERE e.related_document = ? AND e.landed AND d.state <> 'cancelled' AND NOT EXISTS (SELECT 1 FROM documents n
         WHERE n.key = d.key AND n.kind = d.kind AND n.namespace = d.namespace AND n.generation > d.generation)
       ORDER BY d.id LIMIT 5`,
    )
    .pluck()
    .all(document);
}

/** What cancels a document. References as in `events`; null: the ledger has none. */
export interface Cancellation {
  key: Buffer;
  at: number;
  payload: string;
  participant: number | null;
  address: number | null;
}

/** Before its events follow into the next generation. */
function cancellationOf(
  database: Database,
  { id, namespace, kind, key, generation }: KnownDocument,
  reason: string,
  cancelAt: number,
): Cancellation {
  const payload = {
    name: "CANCEL",
    isPublic: false,
    metadata: { attributes: [{ name: "reason", value: reason, isPublic: false }] },
  };
  const found = database
    .prepare<[number, number], Pick<Cancellation, "at" | "participant" | "address">>(
      `SELECT max(?, coalesce(s.last_at, 0)) AS at, coalesce(d.participant_ref, first.participant_ref) AS participant,
         coalesce(d.address_ref, first.address_ref) AS address
       FROM documents d JOIN document_states s ON s.document_id = d.id
       LEFT JOIN events first ON first.id = (SELECT min(id) FROM events WHERE document_id = d.id)
       WHERE d.id = ?`,
    )
    .get(cancelAt, id);
  if (found === undefined) throw new Error("a document vanished while it was replaced");
  const deduplicationId = eventDeduplicationId({ namespace, kind, key, generation }, "#replaced", [
    String(generation + 1),
  ]);
  return { ...found, key: keyBytes(deduplicationId), payload: JSON.stringify(payload) };
}

function cancelOld(database: Database, document: number, cancel: Cancellation): void {
  database
    .prepare<[Cancellation & { document: number }]>(
      `INSERT INTO events (document_id, deduplication_id, content_hash, event, key_parts, name, at, rank, participant_ref,
         address_ref, payload, input_id)
       SELECT d.id, @key, zeroblob(16), '#replaced', '[]', 'CANCEL', @at, 2, @participant, @address, @payload,
         coalesce((SELECT input_id FROM events WHERE document_id = d.id ORDER BY id LIMIT 1), d.row_id >> 32)
       FROM documents d WHERE d.id = @document`,
    )
    .run({ ...cancel, document });
}
