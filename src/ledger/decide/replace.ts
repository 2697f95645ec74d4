/**
 * The service's only remedy: cancel a document and send its next generation (service.md, What the service does 3; H26).
 * Staged here, sent by the next run; later rows follow the newest generation.
 */
import { codes } from "../../model/codes.js";
import { eventDeduplicationId } from "../../model/keys.js";
import { RowferryError } from "../../model/error.js";
import { listed } from "../../model/fold.js";
import type { LineOf } from "../../model/lines.js";
import { shellQuoted } from "../../model/shell-quoted.js";
import { type EventContent, type EventNow, keyBytes } from "../event-key.js";
import { countContentChange } from "../inputs.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { createKnownRows } from "../known-rows.js";
import { describeRow } from "../rows.js";
import { nextEventId } from "../stage/event-keys.js";
import { unknownParties } from "../stage/references.js";
import { dropUnbroughtEvents } from "../stage/take-back.js";
import { markOpen } from "../work.js";
import { Writer } from "../writer.js";
import { type KnownDocument, namesOf } from "../documents-named.js";

export type Replacement = Omit<LineOf<"replaced">, "type" | "document">;

/**
 * `cancelAt`: ms, before the service's now. `cancellation`: ends the old generation, even a stranded one, since a
 * journal may know an id that a kill kept from this ledger; null: already cancelled. @throws RowferryError
 * `document-not-replaceable`, `document-has-made-others`, `already-done`
 */
export function replaceDocument(
  database: LedgerDatabase,
  document: KnownDocument,
  reason: string,
  cancelAt: number,
  now: number,
): { replacement: Replacement; cancellation: Cancellation | null } {
  if (reason.trim() === "") throw new RowferryError("usage", "A replacement needs a reason (--reason).");
  if (document.state === "planned" && document.generation > 1) {
    const message = `Generation ${document.generation} of ${document.kind} ${document.key} is planned already, and not sent yet.`;
    throw new RowferryError("already-done", message);
  }
  if (!["open", "closed", "cancelled", "stranded"].includes(document.state)) {
    const name = `${document.kind} ${document.key}`;
    throw new RowferryError("document-not-replaceable", `${name} is ${document.state}; there is nothing to replace.`);
  }
  const made = madeBy(database, document.id);
  if (made.length > 0) {
    const message = `${document.kind} ${document.key} has created other documents (${listed(made, 5)}); sending it again would create them again, and their keys are taken.`;
    const name = shellQuoted(`${document.kind}/${document.key}`);
    const hint = codes["document-has-made-others"].remedy.replace("<document>", () => name);
    throw new RowferryError("document-has-made-others", message, { hint });
  }
  const parties = partiesOf(database, document);
  return database.atomic(() => {
    const cancellation =
      document.state === "cancelled" ? null : cancellationOf(database, document, parties, reason, cancelAt);
    const cancel = document.serviceId === null ? null : cancellation;
    const replacement = replaceWithin(database, document, parties, cancel, now);
    return { replacement, cancellation };
  });
}

/** Ids of documents that cannot be replaced, because their events created others, or may have. */
export const MAKERS = "SELECT document_id FROM events_now WHERE target_document IS NOT NULL AND sent";

/** Whether event `e` takes place after its document's CLOSE or CANCEL, by their own times: no generation can have it. */
const IS_SHUT_OUT = `EXISTS (SELECT 1 FROM events_now s WHERE s.document_id = e.document_id AND s.event <> '#replaced'
  AND (s.dismissed = 0 OR s.state = 'changed') AND (s.at, s.rank, s.id) < (e.at, e.rank, e.id)
  AND (s.rank = 2 OR s.rank = 1 AND e.name NOT IN ('RELATED', 'CANCEL')))`;

/** Whether the event with that id and code comes after a CLOSE or CANCEL, as it would in a next generation. */
export const staysShutOut = (event: string, code: string): string =>
  `${code} IN ('after-close', 'after-cancel') AND EXISTS (SELECT 1 FROM events e WHERE e.id = ${event} AND ${IS_SHUT_OUT})`;

/** Whether a next generation could be made, and would take the event. */
export const isHelped = (event: string, code: string): string =>
  `NOT (${event} IN (SELECT id FROM events WHERE document_id IN (${MAKERS})) OR ${staysShutOut(event, code)})`;

type Parties = Pick<EventContent, "participant_ref" | "address_ref">;

/** Its own, or those of its first event. @throws RowferryError `document-not-replaceable` */
function partiesOf(database: LedgerDatabase, { id, kind, key }: KnownDocument): Parties {
  const found = database.row<Parties>(
    `SELECT coalesce(d.participant_ref, e.participant_ref) AS participant_ref, coalesce(d.address_ref, e.address_ref) AS address_ref
     FROM documents d LEFT JOIN events e ON e.id = (SELECT min(id) FROM events WHERE document_id = d.id)
     WHERE d.id = @id AND coalesce(d.participant_ref, e.participant_ref) IS NOT NULL
       AND coalesce(d.address_ref, e.address_ref) IS NOT NULL`,
    { id },
  );
  if (found !== null) return found;
  const message = `No row gives the participant and address of ${kind} ${key}: its CANCEL and its next generation need both.`;
  throw new RowferryError("document-not-replaceable", message);
}

/** Documents that its events created, or may have created. */
function madeBy(database: LedgerDatabase, document: number) {
  return database.values<string>(
    `SELECT t.name FROM events_now e JOIN documents t ON t.id = e.target_document
     WHERE e.document_id = @document AND e.sent ORDER BY t.id`,
    { document },
  );
}

function replaceWithin(
  database: LedgerDatabase,
  document: KnownDocument,
  parties: Parties,
  cancellation: Cancellation | null,
  now: number,
): Replacement {
  const { id: old } = document;
  const generation = document.generation + 1;
  const declared = database.row<object>(
    `SELECT namespace, kind, key, external_id, fields, create_empty, coalesce(
         (SELECT i.settings_id FROM inputs i WHERE i.namespace = d.namespace
            AND i.mapping = (SELECT mapping FROM inputs WHERE id = d.row_id >> 32) ORDER BY i.staged_at DESC, i.id DESC LIMIT 1),
         settings_id) AS settings_id, row_id FROM documents d WHERE id = @old`,
    { old },
  );
  const next = database.add("documents", { ...declared, ...parties, generation, declared: 1, mode: "create" });
  const keyOf = keysIn(database, document, generation);
  if (cancellation !== null) cancelOld(database, old, cancellation);

  const events = database.rows<EventNow>(
    `SELECT * FROM events_now
     WHERE document_id = @old AND (event <> '#replaced' AND dismissed = 0 OR state = 'changed') ORDER BY id`,
    { old },
  );
  const missing: Replacement["missing"] = [];
  const copies = new Map<number, number>();
  const movePlaces = placesOf(database, old);
  for (const event of events) {
    movePlaces(event.id);
    const copy = copyEvent(database, event, next, keyOf(event));
    if (changeOf(event) === null && event.payload === "")
      missing.push({ event: event.event, keyParts: JSON.parse(event.key_parts) as string[] });
    copies.set(event.id, copy);
    moveRows(database, event, copy, now);
  }
  movePlaces(Number.POSITIVE_INFINITY);
  // A replaced document takes no mirror, so links go to the newest generation.
  database.run(
    `UPDATE events SET related_document = (
       SELECT id FROM generations WHERE of_id = events.related_document ORDER BY generation DESC LIMIT 1)
     WHERE document_id = @next AND related_document IS NOT NULL`,
    { next },
  );
  carryPlacements(database, old, next, keyOf);
  carryDismissals(database, old, next, keyOf);
  // Known rows have something to send again.
  createKnownRows(database).move(copies);
  countContentChange(database);
  // Unsent references to the old generation move to the next one.
  database.run(
    `UPDATE events SET related_document = @next
     WHERE id IN (SELECT id FROM events_now WHERE related_document = @old AND unsent)`,
    { next, old },
  );
  if (document.state === "stranded") new Writer(database).strandedReplaced(old, now);
  markOpen(database, old);
  markOpen(database, next);
  const landedTo = "SELECT count(*) FROM events_now WHERE related_document = @old AND landed";
  return {
    next,
    generation,
    events: events.length,
    cancels: cancellation !== null,
    missing,
    relations: database.number(landedTo, { old }),
    linkedFrom: linkedFrom(database, old),
    staysStranded: document.state === "stranded",
    shutOut: shutOut(database, next),
    earlyMirrors: earlyMirrors(database, next),
    otherData: otherData(database, next),
  };
}

/** The newest row that gives other fields or parties than the row that declared it. */
function otherData(database: LedgerDatabase, document: number): string | null {
  const row = database.value<number>(
    `SELECT max(p.row_id) FROM generations g JOIN problems p ON p.subject = 'document' AND p.subject_id = g.id
     WHERE g.of_id = @document AND p.code = 'document-differs'
       AND p.row_id > coalesce((SELECT row_id FROM documents WHERE id = @document), 0)`,
    { document },
  );
  return row === null ? null : describeRow(database, row);
}

function shutOut(database: LedgerDatabase, document: number) {
  return database.number(`SELECT count(*) FROM events e WHERE e.document_id = @document AND ${IS_SHUT_OUT}`, {
    document,
  });
}

/** Where mirrors take place at the service's time, none is early. */
function earlyMirrors(database: LedgerDatabase, document: number) {
  const query = `SELECT count(*) FROM events e JOIN documents d ON d.id = e.document_id
    JOIN settings s ON s.id = d.settings_id JOIN documents_now r ON r.id = e.related_document
    WHERE e.document_id = @document AND e.mirrored = 1 AND r.last_at > e.at
      AND json_extract(s.json, '$.linkTime') = 'event'`;
  return database.number(query, { document });
}

function copyEvent(database: LedgerDatabase, event: EventNow, next: number, key: Buffer) {
  const { id: _, ...columns } = database.row<{ id: number }>("SELECT * FROM events WHERE id = @id", event) ?? { id: 0 };
  const id = database.add("events", { ...columns, document_id: next, deduplication_id: key });
  const change = changeOf(event);
  if (change !== null) {
    database.change("events", id, { content_hash: event.changed_hash, ...change });
  } else if (event.payload === "") {
    // Its row brings the payload back; until then it holds its whole generation (plan/replacements.ts).
    database.change("events", id, unknownParties(database));
  }
  return id;
}

/** What the next generation gets in place of what landed; null: nothing, because no row changed it or a person kept it. */
function changeOf(event: EventNow): EventContent | null {
  if (event.changed_content === null) return null;
  // After doubt, what landed may be unknown.
  const isLandedKnown = event.payload !== "";
  return event.dismissed === 1 && isLandedKnown ? null : (JSON.parse(event.changed_content) as EventContent);
}

/** Rows move to the copy; the old event keeps what was sent. */
function moveRows(database: LedgerDatabase, { id, unsent, state }: EventNow, copy: number, now: number) {
  database.run("UPDATE OR IGNORE row_events SET event_id = @copy WHERE event_id = @id", { copy, id });
  if (unsent === 1) {
    dropUnbroughtEvents(database, "@id", { id });
  } else if (state === "changed") {
    new Writer(database).dismissed(id, false, now);
  }
}

type Keyed = Pick<EventNow, "deduplication_id" | "event" | "key_parts">;

/** An event's key in the generation `to` (H26), by the name that made it in the document's own. */
export function keysIn(database: LedgerDatabase, document: KnownDocument, to: number) {
  const { generation } = document;
  const names = namesOf(database, document);
  return ({ deduplication_id: old, event, key_parts }: Keyed) => {
    const parts = JSON.parse(key_parts) as string[];
    const keysOf = (of: number) =>
      names.map((name) => keyBytes(eventDeduplicationId({ ...name, generation: of }, event, parts)));
    const made = keysOf(generation).findIndex((key) => key.equals(old));
    return keysOf(to)[Math.max(0, made)] as Buffer;
  };
}

type KeysIn = ReturnType<typeof keysIn>;

/** Gives the ids kept for events of invalid rows, up to this event of the old generation, new values in order. */
function placesOf(database: LedgerDatabase, old: number) {
  const places = database.values<number>(
    `SELECT DISTINCT event_id FROM placements WHERE document_id = @old AND event_id IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM events WHERE id = event_id) ORDER BY event_id`,
    { old },
  );
  return (before: number) => {
    while ((places[0] ?? before) < before) {
      const [place, to] = [places.shift(), nextEventId(database)];
      database.run("UPDATE placements SET event_id = @to WHERE event_id = @place", { to, place });
    }
  };
}

export function carryPlacements(database: LedgerDatabase, old: number, next: number, keyOf: KeysIn) {
  const placements = database.rows<Keyed & { id: number }>(
    "SELECT * FROM placements WHERE document_id = @old AND deduplication_id IS NOT NULL",
    { old },
  );
  for (const placement of placements)
    database.change("placements", placement.id, { deduplication_id: keyOf(placement) });
  database.run("UPDATE placements SET document_id = @next WHERE document_id = @old", { old, next });
}

/** Dismissals stay in force on the next generation (H23); landed events are sent again. */
function carryDismissals(database: LedgerDatabase, old: number, next: number, keyOf: KeysIn) {
  const dismissed = database.rows<Keyed & { content_hash: Buffer; at: number }>(
    `SELECT m.deduplication_id, e.event, e.key_parts, m.content_hash, m.at FROM dismissals m
     JOIN events_now e USING (document_id, deduplication_id)
     WHERE m.document_id = @old AND e.dismissed = 1
       AND (e.state = 'rejected' OR e.state = 'changed' AND m.content_hash = e.changed_hash)`,
    { old },
  );
  for (const { content_hash, at, ...event } of dismissed)
    database.add("dismissals", { document_id: next, deduplication_id: keyOf(event), content_hash, at });
}

function linkedFrom(database: LedgerDatabase, document: number) {
  return database.values<string>(
    `SELECT DISTINCT d.kind || '/' || d.key FROM events_now e JOIN documents_now d ON d.id = e.document_id
     WHERE e.related_document = @document AND e.landed AND d.state <> 'cancelled' AND NOT d.replaced ORDER BY d.id LIMIT 5`,
    { document },
  );
}

/** References as in `events`. */
export interface Cancellation extends Parties {
  key: Buffer;
  at: number;
  payload: string;
}

/** Call before the events move to the next generation. */
function cancellationOf(
  database: LedgerDatabase,
  { id, namespace, kind, key, generation }: KnownDocument,
  parties: Parties,
  reason: string,
  cancelAt: number,
): Cancellation {
  const payload = {
    name: "CANCEL",
    isPublic: false,
    metadata: { attributes: [{ name: "reason", value: reason, isPublic: false }] },
  };
  const lastAt = database.number("SELECT last_at FROM document_states WHERE document_id = @id", { id });
  const name = { namespace, kind, key, generation };
  const deduplicationId = eventDeduplicationId(name, "#replaced", [String(generation + 1)]);
  const at = Math.max(cancelAt, lastAt);
  return { ...parties, at, key: keyBytes(deduplicationId), payload: JSON.stringify(payload) };
}

export function addCancel(database: LedgerDatabase, document: number, cancel: Cancellation, input: number): void {
  database.add("events", {
    document_id: document,
    deduplication_id: cancel.key,
    content_hash: Buffer.alloc(16),
    event: "#replaced",
    key_parts: "[]",
    name: "CANCEL",
    at: cancel.at,
    rank: 2,
    participant_ref: cancel.participant_ref,
    address_ref: cancel.address_ref,
    payload: cancel.payload,
    input_id: input,
  });
}

function cancelOld(database: LedgerDatabase, document: number, cancel: Cancellation) {
  const input = database.number(
    `SELECT coalesce((SELECT input_id FROM events WHERE document_id = d.id ORDER BY id LIMIT 1), d.row_id >> 32)
     FROM documents d WHERE d.id = @document`,
    { document },
  );
  addCancel(database, document, cancel, input);
}
