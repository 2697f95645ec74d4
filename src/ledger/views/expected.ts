/** What the service should have according to this ledger, page by page. */
import type { JsonObject } from "../../model/json.js";
import type { DocumentName } from "../../model/keys.js";
import { findDocument, generationsNamed } from "../documents-named.js";
import { keyText, resolved } from "../event-key.js";
import type { LedgerDatabase } from "../ledger-database.js";

interface RegisteredRecord {
  id: number;
  serviceId: string;
  /** Empty: only its id was given. */
  data: JsonObject;
}

export interface RegisteredParticipant extends RegisteredRecord {
  origin: string;
  addresses: RegisteredRecord[];
}

export interface RegisteredDocument extends DocumentName {
  id: number;
  generation: number;
  serviceId: string;
  state: string;
  /** Whether a later generation has taken its place. */
  isReplaced: boolean;
  /** Events that may have landed. */
  doubtful: number;
  /** `eventId` null: known only from a duplicate answer. */
  events: { event: string; deduplicationId: string; eventId: string | null }[];
}

/** Ids; null: all. */
interface Part {
  participants: number[] | null;
  documents: number[] | null;
}

/** `since`: ms; `sample`: so many of each kind, by chance. */
export interface Chosen {
  document?: string | undefined;
  since?: number | undefined;
  sample?: number | undefined;
}

/** What a person wants to compare: a document and its participants, what was written down since, some. @throws RowferryError `document-unknown` */
export function chosenPart(database: LedgerDatabase, { document, since, sample }: Chosen): Part {
  const everything = { participants: null, documents: null };
  if (document === undefined && since === undefined && sample === undefined) return everything;
  if (document !== undefined) findDocument(database, document);
  const named = document === undefined ? null : generationsNamed(database, document);
  const ids = (text: string) =>
    database.values<number>(`${text} ORDER BY random() LIMIT @most`, {
      named,
      since: since ?? null,
      most: sample ?? -1,
    });
  const isNamed = (id: string) => `(@named IS NULL OR ${id} IN @named)`;
  return {
    participants: ids(
      `SELECT id FROM registrations WHERE kind = 'participant' AND state = 'registered' AND (@since IS NULL OR changed_at >= @since)
         AND (@named IS NULL OR id IN (SELECT ${resolved("participant_ref")} FROM documents WHERE ${isNamed("id")}
           UNION SELECT ${resolved("participant_ref")} FROM events WHERE ${isNamed("document_id")}))`,
    ),
    // A landing changes its event, not its document.
    documents: ids(
      `SELECT d.id FROM document_states s JOIN documents d ON d.id = s.document_id WHERE s.service_id IS NOT NULL AND ${isNamed("d.id")}
         AND (@since IS NULL OR s.changed_at >= @since
           OR EXISTS (SELECT 1 FROM event_states e WHERE e.document_id = d.id AND e.changed_at >= @since))`,
    ),
  };
}

type Stored = { id: number; serviceId: string; payload: string };

export function createRegisteredView(database: LedgerDatabase, part: Part = { participants: null, documents: null }) {
  const isChosen = (id: string, kind: keyof Part) => `(@${kind} IS NULL OR ${id} IN @${kind})`;
  const recordOf = <Found extends Stored>({ payload, ...found }: Found) => ({
    ...found,
    data: JSON.parse(payload) as JsonObject,
  });
  /** By participant. No index finds them, so those of a page are read at once. */
  const addressesOf = (participants: readonly number[]) =>
    Map.groupBy(
      database.rows<Stored & { participant: number }>(
        `SELECT id, service_id AS serviceId, payload, ${resolved("owner")} AS participant FROM registrations
         WHERE kind = 'address' AND state = 'registered' AND ${resolved("owner")} IN @participants
         ORDER BY id`,
        { participants },
      ),
      ({ participant }) => participant,
    );

  return {
    participantsAfter(after: number, limit: number): RegisteredParticipant[] {
      const found = database.rows<Stored & { origin: string }>(
        `SELECT id, service_id AS serviceId, origin, payload FROM registrations
         WHERE kind = 'participant' AND state = 'registered' AND id > @after AND ${isChosen("id", "participants")}
         ORDER BY id LIMIT @limit`,
        { after, limit, ...part },
      );
      const addresses = addressesOf(found.map(({ id }) => id));
      return found.map((one) => ({ ...recordOf(one), addresses: (addresses.get(one.id) ?? []).map(recordOf) }));
    },

    documentsAfter: (after: number, limit: number): RegisteredDocument[] =>
      database
        .rows<Omit<RegisteredDocument, "events" | "isReplaced"> & { isReplaced: number }>(
          `SELECT id, kind, key, generation, service_id AS serviceId, state, replaced AS isReplaced,
             (SELECT count(*) FROM events_now WHERE document_id = documents_now.id AND (doubt OR state = 'sending')) AS doubtful
           FROM documents_now
           WHERE service_id IS NOT NULL AND id > @after AND ${isChosen("id", "documents")} ORDER BY id LIMIT @limit`,
          { after, limit, ...part },
        )
        .map((document) => ({
          ...document,
          isReplaced: document.isReplaced === 1,
          events: database
            .rows<{ event: string; key: Buffer; eventId: string | null }>(
              `SELECT event, deduplication_id AS "key", service_event_id AS eventId FROM events_now
               WHERE document_id = @id AND landed ORDER BY at, rank, id`,
              { id: document.id },
            )
            .map(({ event, key, eventId }) => ({ event, deduplicationId: keyText(key), eventId })),
        })),

    /** Of documents that are not cancelled, so many each; newest first. */
    newestAndOldest(many: number): { name: string; serviceId: string }[] {
      const those = (order: string) =>
        `SELECT * FROM (SELECT id, name, service_id AS serviceId FROM documents_now
           WHERE service_id IS NOT NULL AND state <> 'cancelled' ORDER BY id ${order} LIMIT @many)`;
      return database.rows(`${those("DESC")} UNION ${those("ASC")} ORDER BY id DESC`, { many });
    },

    /** What `verify` reads, by kind. */
    countReads(): { [kind: string]: number } {
      const of = (kind: string, id: string) =>
        `FROM registrations WHERE kind = '${kind}' AND state = 'registered' AND ${isChosen(id, "participants")}`;
      const owner = resolved("owner");
      return {
        "read-participant": database.number(`SELECT count(*) ${of("participant", "id")}`, part),
        "list-addresses": database.number(`SELECT count(DISTINCT ${owner}) ${of("address", owner)}`, part),
        "read-document": database.number(
          `SELECT count(*) FROM document_states WHERE service_id IS NOT NULL AND ${isChosen("document_id", "documents")}`,
          part,
        ),
      };
    },

    countWithoutId: () =>
      database.number("SELECT count(*) FROM document_states WHERE state IN ('stranded', 'stalled', 'sending')"),
  };
}
