/** What is not at rest, read document by document in the ledger's total order; the planner's only view of the ledger. */
import type { Database } from "better-sqlite3";
import type { DocumentState, EventState } from "../model/states.js";
import { keyText, OF_EVENT } from "./event-key.js";
import { sendingDocuments, sendingEvents } from "./in-flight.js";

export interface WorkEvent {
  id: number;
  document: number;
  deduplicationId: string;
  event: string;
  name: string;
  /** ms since 1970. */
  at: number;
  rank: number;
  participant: number;
  address: number;
  relatedDocument: number | null;
  relatedId: string | null;
  /** Whether it writes on another timeline as well (bidirectional RELATED, propagation). */
  mirrored: boolean;
  target: number | null;
  /** JSON text of the body's members that need no returned id. */
  payload: string;
  state: EventState;
  reason: string | null;
  waitsFor: string | null;
  dismissed: boolean;
  doubt: boolean;
  /** Whether an earlier attempt of it stands in this ledger (HARD-CASES H3). */
  attempted: boolean;
  /** Whether that attempt had the content which the event has now (HARD-CASES H9). */
  sentAsIs: boolean;
}

export interface WorkDocument {
  id: number;
  namespace: string;
  kind: string;
  key: string;
  generation: number;
  declared: boolean;
  mode: "create" | "existing" | "target";
  participant: number | null;
  address: number | null;
  externalId: string | null;
  fields: string;
  createEmpty: boolean;
  settings: number | null;
  state: DocumentState;
  reason: string | null;
  serviceId: string | null;
  /** The newest event known to be on its timeline, ms; null: none. */
  lastAt: number | null;
  /** Rank of the CLOSE (1) or CANCEL (2) that has landed with the content of its row; 0: none. */
  shutBy: number;
}

/** An invalid row that still stands between its document and what is later there. */
export interface Hold {
  row: number;
  /** ms; null: it holds everything. */
  at: number | null;
  /** The one event it holds, because that stands later in its input; null: by place on the document. */
  event: number | null;
}

interface EventRow {
  id: number;
  document_id: number;
  deduplication_id: Buffer;
  event: string;
  name: string;
  at: number;
  rank: number;
  participant_ref: number;
  address_ref: number;
  related_document: number | null;
  related_id: string | null;
  mirrored: number;
  target_document: number | null;
  payload: string;
  state: EventState;
  reason: string | null;
  waits_for: string | null;
  dismissed: number;
  doubt: number;
  attempted: number;
  sent_as_is: number | null;
}

const openEvents = `FROM events_now e
  WHERE NOT e.landed`;

const workEvent = (row: EventRow): WorkEvent => ({
  id: row.id,
  document: row.document_id,
  deduplicationId: keyText(row.deduplication_id),
  event: row.event,
  name: row.name,
  at: row.at,
  rank: row.rank,
  participant: row.participant_ref,
  address: row.address_ref,
  relatedDocument: row.related_document,
  relatedId: row.related_id,
  mirrored: row.mirrored === 1,
  target: row.target_document,
  payload: row.payload,
  state: row.state,
  reason: row.reason,
  waitsFor: row.waits_for,
  dismissed: row.dismissed === 1,
  doubt: row.doubt === 1,
  attempted: row.attempted === 1,
  sentAsIs: row.sent_as_is === 1,
});

export function createWorkStore(database: Database) {
  const openWhere = (condition: string) =>
    `SELECT document_id FROM open_documents o WHERE document_id > @after AND ${condition} ORDER BY document_id LIMIT 1000`;
  const ofInputs =
    "EXISTS (SELECT 1 FROM events e WHERE e.document_id = o.document_id AND e.input_id IN (SELECT value FROM json_each(@inputs)))";
  const pagesOf = (condition: string) =>
    database.prepare<{ after: number; inputs: string }, number>(openWhere(condition)).pluck();
  const openDocuments = pagesOf("true");
  const openOfInputs = pagesOf(ofInputs);
  const openOfOthers = pagesOf(`NOT ${ofInputs}`);
  const document = database.prepare<[number], Record<string, unknown>>(
    `SELECT d.*, iif(d.state IN ('closed', 'cancelled'), (
       SELECT max(e.rank) FROM events_now e WHERE e.document_id = d.id AND e.rank > 0 AND e.known), 0) AS shut_by
     FROM documents_now d WHERE d.id = ?`,
  );
  const eventsWhere = (which: string) =>
    `SELECT e.id, e.document_id, e.deduplication_id, e.event, e.name, e.at, e.rank, e.participant_ref, e.address_ref,
       e.related_document, e.related_id, e.mirrored, e.target_document, e.payload,
       e.state, e.reason, e.waits_for, e.dismissed, e.doubt, e.attempted_hash IS NOT NULL AS attempted,
       e.attempted_hash = e.content_hash AS sent_as_is
     ${openEvents} AND ${which} ORDER BY e.at, e.rank, e.id`;
  const events = database.prepare<[number, number], EventRow>(`${eventsWhere("e.document_id = ?")} LIMIT ?`);
  const eventsById = database.prepare<[string], EventRow>(eventsWhere("e.id IN (SELECT value FROM json_each(?))"));
  const eventIds = database
    .prepare<[number], number>(`SELECT e.id ${openEvents} AND e.document_id = ? ORDER BY e.at, e.rank, e.id`)
    .pluck();
  const holds = database.prepare<[number], Hold>(
    `SELECT p.row_id AS row, p.at, NULL AS event FROM placements p JOIN rows r ON r.id = p.row_id
     WHERE p.document_id = ? AND r.settled IS NULL AND NOT EXISTS (
       SELECT 1 FROM events_now e
       WHERE e.document_id = p.document_id AND e.deduplication_id = p.deduplication_id
         AND e.landed)`,
  );
  const inputHolds = database.prepare<[number], Hold>(
    `SELECT min(h.row_id) AS row, NULL AS at, e.id AS event FROM events e JOIN row_events re ON re.event_id = e.id
     JOIN input_holds h ON h.behind < re.row_id AND h.behind >= (re.row_id >> 32) << 32
     JOIN rows r ON r.id = h.row_id AND r.settled IS NULL
     WHERE e.document_id = ? GROUP BY e.id`,
  );
  const anyInputHolds = database.prepare<[], number>("SELECT EXISTS (SELECT 1 FROM input_holds)").pluck();
  // Over the partial indexes by name: told to sort for a UNION, SQLite reads every event of the ledger instead, twice.
  const openFrom = (tables: string) =>
    `FROM ${tables} LEFT JOIN event_states s ON s.document_id = e.document_id AND s.event_id = e.id
       WHERE coalesce(s.state, 'planned') NOT IN ('landed', 'landed-without-id', 'changed')`;
  // Documents, not events: one may have thousands that are propagated.
  const propagating = `SELECT DISTINCT e.document_id ${openFrom("events e INDEXED BY events_propagated")}
    AND e.mirrored = 1 AND e.related_document IS NULL`;
  const links = database.prepare<[], { document: number; other: number }>(
    `SELECT e.document_id AS document, e.related_document AS other
       ${openFrom("events e INDEXED BY events_by_related")} AND e.related_document IS NOT NULL
     UNION ALL SELECT e.document_id, e.target_document
       ${openFrom("events e INDEXED BY events_by_target")} AND e.target_document IS NOT NULL
     UNION ALL SELECT e.document_id, iif(r.document_id = e.document_id, r.related_document, r.document_id)
       FROM (${propagating}) e JOIN events r ON r.related_document IS NOT NULL
         AND (r.document_id = e.document_id OR r.related_document = e.document_id)
     UNION ALL SELECT e.document_id, r.target_document
       FROM (${propagating}) e JOIN events r ON r.document_id = e.document_id AND r.target_document IS NOT NULL
     UNION ALL SELECT e.document_id, n.id FROM documents n INDEXED BY documents_replacing
       JOIN documents d ON d.key = n.key AND d.kind = n.kind AND d.namespace = n.namespace AND d.generation = n.generation - 1
       JOIN events_now e ON e.document_id = d.id AND e.event = '#replaced'
       WHERE n.generation > 1 AND NOT e.landed`,
  );
  const relatedBy = (which: string) =>
    database
      .prepare<[number, number], number>(
        `SELECT related_document FROM events_now WHERE document_id = ? AND related_document IS NOT NULL AND ${which}
         UNION SELECT document_id FROM events_now WHERE related_document = ? AND ${which}`,
      )
      .pluck();
  const related = relatedBy("true");
  const relatedAlready = relatedBy("sent");
  const made = database
    .prepare<[number], number>(
      "SELECT target_document FROM events_now WHERE document_id = ? AND target_document IS NOT NULL AND sent",
    )
    .pluck();
  const stateOf = database.prepare<[number], string>(`SELECT state FROM event_states WHERE ${OF_EVENT}`).pluck();
  const close = database.prepare<{ id: number }>(
    `DELETE FROM open_documents WHERE document_id = @id AND NOT EXISTS (
       SELECT 1 ${openEvents} AND e.document_id = @id
         AND NOT (e.state = 'rejected' AND (e.dismissed = 1 OR e.reason IN ('late', 'after-close', 'after-cancel', 'dismissed'))))
     AND NOT EXISTS (SELECT 1 FROM documents_now d
       WHERE d.id = @id AND d.create_empty = 1 AND d.state IN ('planned', 'sending', 'stalled'))`,
  );
  const stalledDocuments = database
    .prepare<[], number>(
      `SELECT id FROM failed_documents WHERE state = 'stalled'
       UNION SELECT document_id FROM open_events WHERE state = 'stalled'
       UNION SELECT document_id FROM (${sendingDocuments})
       UNION SELECT document_id FROM (${sendingEvents}) ORDER BY 1`,
    )
    .pluck();
  const otherOfId = database
    .prepare<[string, number], string>(
      `SELECT d.kind || ' ' || d.key FROM document_states s JOIN documents d ON d.id = s.document_id
       WHERE s.service_id = ? AND s.document_id <> ? LIMIT 1`,
    )
    .pluck();
  const countOpenEvents = database.prepare<[], number>(`SELECT count(*) ${openEvents}`).pluck();
  const countOpenDocuments = database.prepare<[], number>("SELECT count(*) FROM open_documents").pluck();

  return {
    /**
     * Ids of documents with open work, without holding a cursor open: those that events of the `first` inputs belong to
     * before all others, each ascending.
     */
    *openDocuments(first: readonly number[] = []): Generator<number> {
      const inputs = JSON.stringify(first);
      for (const pages of first.length === 0 ? [openDocuments] : [openOfInputs, openOfOthers]) {
        let after = 0;
        for (;;) {
          const page = pages.all({ after, inputs });
          yield* page;
          const last = page.at(-1);
          if (last === undefined) break;
          after = last;
        }
      }
    },

    document(id: number): WorkDocument | null {
      const row = document.get(id);
      if (row === undefined) return null;
      return {
        id,
        namespace: row["namespace"] as string,
        kind: row["kind"] as string,
        key: row["key"] as string,
        generation: row["generation"] as number,
        declared: row["declared"] === 1,
        mode: row["mode"] as WorkDocument["mode"],
        participant: row["participant_ref"] as number | null,
        address: row["address_ref"] as number | null,
        externalId: row["external_id"] as string | null,
        fields: row["fields"] as string,
        createEmpty: row["create_empty"] === 1,
        settings: row["settings_id"] as number | null,
        state: row["state"] as DocumentState,
        reason: row["reason"] as string | null,
        serviceId: row["service_id"] as string | null,
        lastAt: row["last_at"] as number | null,
        shutBy: (row["shut_by"] as number | null) ?? 0,
      };
    },

    /** A document's events that have not landed, in the total order: time, rank, staging sequence. Up to `most`. */
    events: (documentId: number, most = -1): WorkEvent[] => events.all(documentId, most).map(workEvent),

    /** Ids of the same events, in the same order: the whole of a document that is too long to be held. */
    eventIds: (documentId: number): number[] => Array.from(eventIds.iterate(documentId)),

    /** These events of one document, but for those that have landed, in the total order. */
    eventsById: (ids: readonly number[]): WorkEvent[] => eventsById.all(JSON.stringify(ids)).map(workEvent),

    /** Invalid rows that hold this document: not settled, and their event has not landed (HARD-CASES H14, H15). */
    holds(documentId: number): Hold[] {
      const placed = holds.all(documentId);
      return anyInputHolds.get() === 1 ? [...placed, ...inputHolds.all(documentId)] : placed;
    },

    /** Pairs of documents that open events tie together (relations, targets), some more than once; to be read to its end at once. */
    links: () => links.iterate(),

    /** Documents that any event of the ledger relates to this one, in either direction. */
    relatedTo: (documentId: number): number[] => related.all(documentId, documentId),

    /** Of those, the ones whose relation has landed, or may have; and those that an event of this one has made, or may have. */
    tiedAlready: (documentId: number): number[] => [
      ...relatedAlready.all(documentId, documentId),
      ...made.all(documentId),
    ],

    /** Documents whose creation stands stalled, or an event of theirs, ascending. */
    stalledDocuments: (): number[] => stalledDocuments.all(),

    /** Of these events, the ones whose request has not been settled. */
    sending: (ids: readonly number[]): { id: number }[] =>
      ids.filter((id) => stateOf.get(id) === "sending").map((id) => ({ id })),

    /** Takes a document off the list of open work, unless something of it still waits for an answer or a person. */
    closeIfResting: (documentId: number): void => void close.run({ id: documentId }),

    /** The other document of this ledger that the service knows by this id, as `kind key`; null: there is none. */
    otherOfId: (documentId: number, serviceId: string): string | null => otherOfId.get(serviceId, documentId) ?? null,

    countOpenDocuments: (): number => countOpenDocuments.get() ?? 0,

    countOpenEvents: (): number => countOpenEvents.get() ?? 0,
  };
}

export type WorkStore = ReturnType<typeof createWorkStore>;
