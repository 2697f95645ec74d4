import { EVENTS_OF_ROW, ROWS_OF_EVENTS } from "../../known-rows.js";
import type { LedgerDatabase } from "../../ledger-database.js";
import { type JsonObject, parseJson } from "../../../model/json.js";
import { isEarlier } from "../../inputs.js";
import { describeRow, inputOf, rowName } from "../../rows.js";
import { changesOf } from "../changes.js";
import { describeWait } from "../describe-wait.js";
import type { ShownDocument, ShownEvent } from "../../../model/lines/show.js";
import { shownState } from "../tally.js";
import { messagesOf, parsed, requestsFor } from "./requests.js";
import { documentDeduplicationId } from "../../../model/keys.js";

/** A JSON array of persons' decisions; oldest first. */
const decisionsOf = (document: string, key: string) =>
  `(SELECT json_group_array(json_object('at', at, 'by', said_by, 'said', said)) FROM (SELECT iso(at) AS at, said_by, said
     FROM decisions WHERE document_id = ${document} AND deduplication_id IS ${key} ORDER BY id))`;

const select = `WITH wanted (id) AS MATERIALIZED (SELECT value FROM json_each(@ids)),
    -- Computed once: a document's requests carry thousands of events.
    sent (id, at) AS MATERIALIZED (SELECT c.value, max(r.intended_at) FROM requests r CROSS JOIN json_each(r.events) c
      WHERE r.subject = 'document' AND r.subject_id IN (SELECT document_id FROM events WHERE id IN (SELECT id FROM wanted)) GROUP BY 1)
  SELECT e.id, e.event, e.key_parts AS keyParts, e.name, iso(e.at) AS at, ${shownState("e")} AS state, e.reason, e.waits_for AS waitsFor,
    iif(e.dismissed, 'true', 'false') AS dismissed, key_text(e.deduplication_id) AS deduplicationId,
    e.service_event_id AS eventId, e.target_document_id AS targetDocumentId, iso(e.changed_at) AS decidedAt,
    e.payload, iso(sent.at) AS sentAt,
    json_object('kind', d.kind, 'key', d.key, 'generation', d.generation, 'documentId', d.service_id) AS document,
    ${messagesOf("'event'", "e.id")} AS messages, ${decisionsOf("e.document_id", "e.deduplication_id")} AS decisions
  FROM events_now e JOIN documents_now d ON d.id = e.document_id LEFT JOIN sent ON sent.id = e.id
  WHERE e.id IN (SELECT id FROM wanted) ORDER BY e.document_id, e.at, e.rank, e.id`;

/** In the order of their timelines. */
function eventsWith(database: LedgerDatabase, ids: readonly number[]): ShownEvent[] {
  const rows = rowsOf(database, ids);
  return database.rows<{ id: number; payload: string }>(select, { ids }).map(({ id, payload, ...found }) => {
    const event = parsed<ShownEvent>(found, "keyParts", "dismissed", "document", "messages", "decisions");
    return {
      ...event,
      body: payload === "" ? null : (parseJson(payload) as JsonObject),
      waitsFor: event.waitsFor === null ? null : describeWait(database, event.waitsFor),
      rows: rows.get(id) ?? [],
      changes: event.state === "changed" ? changesOf(database, id) : [],
    };
  });
}

/** Rows that brought the event; those of an earlier file only where the newest of that name has it no more. */
function rowsOf(database: LedgerDatabase, events: readonly number[]): Map<number, string[]> {
  const links = database.rows<{ row: number; event: number }>(
    `SELECT row_id AS "row", event_id AS event FROM ${ROWS_OF_EVENTS} ORDER BY 1`,
    { events },
  );
  const inputs = database.rows<{ id: number; file: string; earlier: number }>(
    `SELECT id, name AS file, ${isEarlier("i.id")} AS earlier FROM inputs i WHERE id IN @inputs`,
    { inputs: [...new Set(links.map(({ row }) => inputOf(row)))] },
  );
  const inputsById = new Map(inputs.map((input) => [input.id, input]));
  const placesOf = (some: typeof links) => {
    const found = some.map(({ row }) => ({ row, ...inputsById.get(inputOf(row)) }));
    const current = new Set(found.flatMap(({ file, earlier }) => (earlier === 1 ? [] : [file])));
    const places = found.flatMap(({ row, file, earlier }) => {
      if (earlier !== 1) return [describeRow(database, row)];
      return current.has(file) ? [] : [`${describeRow(database, row)} (earlier file)`];
    });
    return [...new Set(places)];
  };
  return new Map(
    Array.from(
      Map.groupBy(links, ({ event }) => event),
      ([event, some]) => [event, placesOf(some)],
    ),
  );
}

/** Includes all generations of their documents (H26). */
export function eventsOfRow(database: LedgerDatabase, row: number): ShownEvent[] {
  const ids = database.values<number>(
    `SELECT DISTINCT x.id FROM (${EVENTS_OF_ROW}) l JOIN events o ON o.id = l.event_id JOIN generations g ON g.of_id = o.document_id
     JOIN events x ON x.document_id = g.id AND x.event = o.event AND x.key_parts = o.key_parts`,
    { row },
  );
  return eventsWith(database, ids);
}

/** By deduplicationId or eventId; null: neither. */
export function findEvent(database: LedgerDatabase, text: string): { event: ShownEvent; document: number } | null {
  const [, hex] = /^rf\d+-([0-9a-f]{40})$/.exec(text) ?? [];
  const found =
    hex === undefined
      ? database.row<{ id: number; document: number }>(
          "SELECT event_id AS id, document_id AS document FROM event_states WHERE service_event_id = @text",
          { text },
        )
      : database.row<{ id: number; document: number }>(
          "SELECT id, document_id AS document FROM events WHERE deduplication_id = unhex(@hex)",
          { hex },
        );
  const [event] = found === null ? [] : eventsWith(database, [found.id]);
  return found === null || event === undefined ? null : { event, document: found.document };
}

/** By the key that its mapping gives it, as it is printed; several documents may have one of that key. */
export function eventsKeyed(database: LedgerDatabase, text: string): { event: ShownEvent; document: number }[] {
  const found = database.rows<{ id: number; document: number }>(
    `SELECT id, document_id AS document FROM events
     WHERE (SELECT group_concat(value, ', ') FROM json_each(key_parts)) = @text COLLATE NOCASE`,
    { text },
  );
  return found.flatMap(({ id, document }) => eventsWith(database, [id]).map((event) => ({ event, document })));
}

const selectDocuments = `SELECT d.id, d.namespace, d.kind, d.key, d.generation, d.reason, d.service_id AS documentId, iso(d.last_at) AS lastAt,
    iif(d.replaced, 'true', 'false') AS replaced,
    iif(d.state = 'planned' AND NOT d.declared, 'undeclared', d.state) AS state,
    iif(d.declared AND d.row_id IS NOT NULL, ${rowName("d.row_id")}, NULL) AS declaredBy,
    ${messagesOf("'document'", "d.id")} AS messages, ${decisionsOf("d.id", "NULL")} AS decisions,
    (SELECT json_group_object(state, count) FROM (SELECT iif(e.dismissed AND e.state = 'rejected', 'dismissed', ${shownState("e")}) AS state,
         count(*) AS count FROM events_now e
       WHERE e.document_id = d.id GROUP BY 1 ORDER BY count DESC)) AS eventCounts,
    (SELECT json_group_array(name) FROM (SELECT DISTINCT ${rowName("p.row_id")} AS name FROM holds p
       WHERE p.document_id = d.id ORDER BY p.row_id)) AS holds
  FROM documents_now d WHERE d.id IN @ids ORDER BY d.namespace, d.kind, d.key, d.generation`;

/** `events`: the newest so many; -1: all. */
export function documentsWith(database: LedgerDatabase, ids: readonly number[], events: number): ShownDocument[] {
  type Found = Omit<ShownDocument, "events" | "requests" | "deduplicationId"> & { id: number };
  return database.rows<object>(selectDocuments, { ids }).map((row) => {
    const { id, ...document } = parsed<Found>(row, "replaced", "messages", "decisions", "eventCounts", "holds");
    const newest = database.values<number>(
      "SELECT id FROM events WHERE document_id = @id ORDER BY at DESC, rank DESC, id DESC LIMIT @events",
      { id, events },
    );
    return {
      ...document,
      deduplicationId: documentDeduplicationId(document),
      events: eventsWith(database, newest),
      requests: requestsFor(database, "document", id),
    };
  });
}
