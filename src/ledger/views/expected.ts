/** What the service should have according to this ledger, page by page. */
import type { JsonObject } from "../../model/json.js";
import { keyText } from "../event-key.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { resolved } from "../event-key.js";

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

export interface RegisteredDocument {
  id: number;
  kind: string;
  key: string;
  generation: number;
  serviceId: string;
  state: string;
  /** Whether a later generation has taken its place. */
  isReplaced: boolean;
  /** `eventId` null: known only from a duplicate answer. */
  events: { event: string; deduplicationId: string; eventId: string | null }[];
}

type Stored = { id: number; serviceId: string; origin: string; payload: string };

export function createRegisteredView(database: LedgerDatabase) {
  const addressesOf = (participant: number): RegisteredRecord[] =>
    database
      .rows<Stored>(
        `SELECT id, service_id AS serviceId, payload FROM registrations
         WHERE kind = 'address' AND state = 'registered' AND ${resolved("owner")} = @participant ORDER BY id`,
        { participant },
      )
      .map(({ id, serviceId, payload }) => ({ id, serviceId, data: JSON.parse(payload) as JsonObject }));

  return {
    participantsAfter: (after: number, limit: number): RegisteredParticipant[] =>
      database
        .rows<Stored>(
          `SELECT id, service_id AS serviceId, origin, payload FROM registrations
           WHERE kind = 'participant' AND state = 'registered' AND id > @after ORDER BY id LIMIT @limit`,
          { after, limit },
        )
        .map(({ id, serviceId, origin, payload }) => ({
          id,
          serviceId,
          origin,
          data: JSON.parse(payload) as JsonObject,
          addresses: addressesOf(id),
        })),

    documentsAfter: (after: number, limit: number): RegisteredDocument[] =>
      database
        .rows<Omit<RegisteredDocument, "events" | "isReplaced"> & { isReplaced: number }>(
          `SELECT d.id, d.kind, d.key, d.generation, d.service_id AS serviceId, d.state, EXISTS (
             SELECT 1 FROM documents n WHERE n.key = d.key AND n.kind = d.kind AND n.namespace = d.namespace
               AND n.generation > d.generation) AS isReplaced
           FROM documents_now d WHERE d.service_id IS NOT NULL AND d.id > @after ORDER BY d.id LIMIT @limit`,
          { after, limit },
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

    /** What `verify` reads, by kind. */
    countReads(): { [kind: string]: number } {
      const count = (text: string) => database.value<number>(text) ?? 0;
      const of = (kind: string) => `FROM registrations WHERE kind = '${kind}' AND state = 'registered'`;
      return {
        "read-participant": count(`SELECT count(*) ${of("participant")}`),
        "list-addresses": count(`SELECT count(DISTINCT ${resolved("owner")}) ${of("address")}`),
        "read-document": count("SELECT count(*) FROM document_states WHERE service_id IS NOT NULL"),
      };
    },

    countWithoutId: (): number =>
      database.value<number>(
        "SELECT count(*) FROM document_states WHERE state IN ('stranded', 'stalled', 'sending')",
      ) ?? 0,
  };
}
