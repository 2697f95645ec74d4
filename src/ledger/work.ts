/** Open work, document by document in the ledger's total order; the planner's only view of the ledger. */
import type { DocumentKey } from "../model/keys.js";
import { refusedByPlan } from "../model/solution.js";
import type { DocumentState, EventState } from "../model/states.js";
import { keyText, OF_EVENT } from "./event-key.js";
import { sendingDocuments, sendingEvents } from "./in-flight.js";
import type { LedgerDatabase } from "./ledger-database.js";

export interface WorkEvent {
  id: number;
  document: number;
  deduplicationId: string;
  event: string;
  name: string;
  /** In ms. */
  at: number;
  rank: number;
  participant: number;
  address: number;
  relatedDocument: number | null;
  relatedId: string | null;
  /** It also appears on another timeline (bidirectional RELATED, propagation). */
  mirrored: boolean;
  target: number | null;
  /** JSON of the parts that need no returned id. */
  payload: string;
  state: EventState;
  reason: string | null;
  waitsFor: string | null;
  /** In doubt: why it waits; null: it does not. */
  hold: string | null;
  dismissed: boolean;
  doubt: boolean;
  /** This ledger has an earlier attempt of it (H3). */
  attempted: boolean;
  /** That attempt had the present content (H9). */
  sentAsIs: boolean;
  /** The input of its content, if `--max-errors` refused it. */
  refusedInput: number | null;
}

export interface WorkDocument extends DocumentKey {
  id: number;
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
  /** The newest event known on its timeline, ms; null: none. */
  lastAt: number | null;
  /** The input of the row that declares it, if `--max-errors` refused that. */
  refusedInput: number | null;
  /** The rank of a CLOSE (1) or CANCEL (2) that landed as its row says; 0: none. */
  shutBy: number;
}

/** An invalid row that holds later events of its document. */
export interface Hold {
  row: number;
  /** In ms; null: it holds everything. */
  at: number | null;
  /** The only event it holds, a later one of its input or its own; null: by place on the document. */
  event: number | null;
  /** It would create the document. */
  makes: boolean;
}

/** SQLite's booleans are 0 or 1. */
type Stored<Record> = { [Key in keyof Record]: Record[Key] extends boolean ? number | null : Record[Key] };

type StoredEvent = Stored<Omit<WorkEvent, "deduplicationId">> & { key: Buffer };

const workEvent = ({ key, mirrored, dismissed, doubt, attempted, sentAsIs, ...event }: StoredEvent): WorkEvent => ({
  ...event,
  deduplicationId: keyText(key),
  mirrored: mirrored === 1,
  dismissed: dismissed === 1,
  doubt: doubt === 1,
  attempted: attempted === 1,
  sentAsIs: sentAsIs === 1,
});

const refused = (input: string) => `(SELECT id FROM inputs WHERE id = ${input} AND refused = 1)`;

const eventColumns = `e.id, e.document_id AS document, e.deduplication_id AS "key", e.event, e.name, e.at, e.rank,
  e.participant_ref AS participant, e.address_ref AS address, e.related_document AS relatedDocument, e.related_id AS relatedId,
  e.mirrored, e.target_document AS target, e.payload, e.state, e.reason, e.waits_for AS waitsFor, e.hold, e.dismissed, e.doubt,
  e.attempted_hash IS NOT NULL AS attempted, e.attempted_hash = e.content_hash AS sentAsIs, ${refused("e.input_id")} AS refusedInput`;
const openEvents = "FROM events_now e WHERE NOT e.landed";
const inOrder = "ORDER BY e.at, e.rank, e.id";

const ofInputs = "EXISTS (SELECT 1 FROM events e WHERE e.document_id = o.document_id AND e.input_id IN @inputs)";

// By name through partial indexes: with an ORDER BY over a UNION, SQLite would read every event of the ledger, twice.
const openFrom = (tables: string) =>
  `FROM ${tables} LEFT JOIN event_states s ON s.document_id = e.document_id AND s.event_id = e.id
     WHERE coalesce(s.state, 'planned') NOT IN ('landed', 'landed-without-id', 'changed')`;
// Documents, because one may have thousands of propagated events.
const propagating = `SELECT DISTINCT e.document_id ${openFrom("events e INDEXED BY events_propagated")}
  AND e.mirrored = 1 AND e.related_document IS NULL`;
const links = `SELECT e.document_id AS document, e.related_document AS other
    ${openFrom("events e INDEXED BY events_by_related")} AND e.related_document IS NOT NULL
  UNION ALL SELECT e.document_id, e.target_document
    ${openFrom("events e INDEXED BY events_by_target")} AND e.target_document IS NOT NULL
  UNION ALL SELECT e.document_id, iif(r.document_id = e.document_id, r.related_document, r.document_id)
    FROM (${propagating}) e JOIN events r ON r.related_document IS NOT NULL
      AND (r.document_id = e.document_id OR r.related_document = e.document_id)
  UNION ALL SELECT e.document_id, r.target_document
    FROM (${propagating}) e JOIN events r ON r.document_id = e.document_id AND r.target_document IS NOT NULL
  UNION ALL SELECT e.document_id, n.id FROM documents n INDEXED BY documents_replacing
    JOIN generations d ON d.of_id = n.id AND d.generation = n.generation - 1
    JOIN events_now e ON e.document_id = d.id AND e.event = '#replaced'
    WHERE n.generation > 1 AND NOT e.landed`;

const related = (which: string) =>
  `SELECT related_document FROM events_now WHERE document_id = @id AND related_document IS NOT NULL AND ${which}
   UNION SELECT document_id FROM events_now WHERE related_document = @id AND ${which}`;

export function createWorkStore(database: LedgerDatabase) {
  const events = (which: string, values: object) =>
    database
      .rows<StoredEvent>(`SELECT ${eventColumns} ${openEvents} AND ${which} ${inOrder} LIMIT @most`, values)
      .map(workEvent);

  return {
    /** Holds no cursor open. Documents of the `first` inputs come first, each part ascending. */
    *openDocuments(first: readonly number[] = []): Generator<number> {
      for (const which of first.length === 0 ? ["true"] : [ofInputs, `NOT ${ofInputs}`]) {
        let after: number | undefined = 0;
        while (after !== undefined) {
          const page: number[] = database.values<number>(
            `SELECT document_id FROM open_documents o WHERE document_id > @after AND ${which} ORDER BY document_id LIMIT 1000`,
            { after, inputs: first },
          );
          yield* page;
          after = page.at(-1);
        }
      }
    },

    /** The input of the row that declares the document; null: none does. */
    declaredBy: (document: number) =>
      database.value<number>("SELECT row_id >> 32 FROM documents WHERE id = @document", { document }),

    document(id: number): WorkDocument | null {
      const found = database.row<Stored<WorkDocument>>(
        `SELECT d.id, d.namespace, d.kind, d.key, d.generation, d.declared, d.mode, d.participant_ref AS participant,
           d.address_ref AS address, d.external_id AS externalId, d.fields, d.create_empty AS createEmpty,
           d.settings_id AS settings, d.state, d.reason, d.service_id AS serviceId, d.last_at AS lastAt,
           ${refused("d.row_id >> 32")} AS refusedInput,
           coalesce(iif(d.state IN ('closed', 'cancelled'), (SELECT max(e.rank) FROM events_now e
             WHERE e.document_id = d.id AND e.rank > 0 AND e.known), 0), 0) AS shutBy
         FROM documents_now d WHERE d.id = @id`,
        { id },
      );
      if (found === null) return null;
      return { ...found, declared: found.declared === 1, createEmpty: found.createEmpty === 1 };
    },

    /** Events that have not landed, by time, rank and staging sequence. Up to `most`. */
    events: (document: number, most = -1) => events("e.document_id = @document", { document, most }),

    /** The ids of all of them, for a document too long to be held in memory. */
    eventIds: (document: number) =>
      database.values<number>(`SELECT e.id ${openEvents} AND e.document_id = @document ${inOrder}`, { document }),

    /** Those that have not landed, in total order. */
    eventsById: (ids: readonly number[]) => events("e.id IN @ids", { ids, most: -1 }),

    /** Rows that are not settled and whose event has not landed (H14, H15). */
    holds(document: number): Hold[] {
      // Which content its own event should have, is open also where the timeline has passed the row.
      const placed = database.rows<Stored<Hold>>(
        `WITH placed AS (SELECT p.row_id AS row, p.at, e.id AS event, p.makes, e.landed FROM holds p LEFT JOIN events_now e
             ON e.document_id = p.document_id AND e.deduplication_id = p.deduplication_id WHERE p.document_id = @document)
         SELECT row, at, NULL AS event, makes FROM placed WHERE landed IS NOT 1
         UNION ALL SELECT row, NULL, event, 0 FROM placed WHERE landed = 0`,
        { document },
      );
      const byInput = database.has("SELECT 1 FROM input_holds")
        ? database.rows<Stored<Hold>>(
            `SELECT min((SELECT h.row_id FROM input_holds h CROSS JOIN rows r ON r.id = h.row_id AND r.settled IS NULL
                WHERE h.behind < re.row_id AND h.behind >= (re.row_id >> 32) << 32 ORDER BY h.behind LIMIT 1)) AS row,
               NULL AS at, e.id AS event, 0 AS makes FROM events e JOIN row_events re ON re.event_id = e.id
             WHERE e.document_id = @document GROUP BY e.id HAVING row IS NOT NULL`,
            { document },
          )
        : [];
      return [...placed, ...byInput].map((hold) => ({ ...hold, makes: hold.makes === 1 }));
    },

    /** Pairs of documents tied by open events, some repeated. Read to the end at once. */
    links: () => database.each<{ document: number; other: number }>(links),

    /** In either direction. */
    relatedTo: (id: number) => database.values<number>(related("true"), { id }),

    /** Those whose relation has landed, or may have; and documents that its events created, or may have created. */
    tiedAlready: (id: number) => [
      ...database.values<number>(related("sent"), { id }),
      ...database.values<number>(
        "SELECT target_document FROM events_now WHERE document_id = @id AND target_document IS NOT NULL AND sent",
        { id },
      ),
    ],

    /** Documents with a stalled creation or event, ascending. */
    stalledDocuments: () =>
      database.values<number>(
        `SELECT id FROM failed_documents WHERE state = 'stalled'
         UNION SELECT document_id FROM open_events WHERE state = 'stalled'
         UNION SELECT document_id FROM (${sendingDocuments})
         UNION SELECT document_id FROM (${sendingEvents}) ORDER BY 1`,
      ),

    /** Whether a person has accepted the foreign event just before it on its document. */
    followsAccepted: ({ document, at, rank, id }: Pick<WorkEvent, "document" | "at" | "rank" | "id">) =>
      database.value<number>(
        `SELECT state = 'foreign' AND dismissed FROM events_now WHERE document_id = @document AND (at, rank, id) < (@at, @rank, @id)
         ORDER BY at DESC, rank DESC, id DESC LIMIT 1`,
        { document, at, rank, id },
      ) === 1,

    /** Those of these events whose intent is recorded, but no outcome. */
    sending: (ids: readonly number[]): number[] =>
      ids.filter((id) => database.has(`SELECT 1 FROM event_states WHERE ${OF_EVENT} AND state = 'sending'`, { id })),

    /** Keeps the document while something waits for an answer or a person. */
    closeIfResting(id: number) {
      database.run(
        `DELETE FROM open_documents WHERE document_id = @id AND NOT EXISTS (
           SELECT 1 ${openEvents} AND e.document_id = @id
             AND NOT (e.dismissed OR e.state = 'rejected' AND e.reason IN @refusedByPlan))
         AND NOT EXISTS (SELECT 1 FROM documents_now d
           WHERE d.id = @id AND d.create_empty = 1 AND d.state IN ('planned', 'sending', 'stalled'))`,
        { id, refusedByPlan },
      );
    },

    /** `kind key` of another document with this service id; null: none. */
    otherOfId: (document: number, serviceId: string) =>
      database.value<string>(
        `SELECT d.name FROM document_states s JOIN documents d ON d.id = s.document_id
         WHERE s.service_id = @serviceId AND s.document_id <> @document LIMIT 1`,
        { document, serviceId },
      ),

    countOpenDocuments: () => database.number("SELECT count(*) FROM open_documents"),
  };
}

export type WorkStore = ReturnType<typeof createWorkStore>;

/** In the caller's transaction. */
export function markOpen(database: LedgerDatabase, document: number): void {
  database.run("INSERT OR IGNORE INTO open_documents (document_id) VALUES (@document)", { document });
}

export const idsOf = (of: readonly { id: number }[]): number[] => of.map(({ id }) => id);
