/** What the service is said to have, by this ledger: for looking it up there. Reads only, page by page. */
import type { Database } from "better-sqlite3";
import { keyText } from "../event-key.js";
import type { JsonObject } from "../../model/json.js";

export interface RegisteredParticipant {
  id: number;
  serviceId: string;
  origin: string;
  /** Empty for one that was only given by its id. */
  data: JsonObject;
  addresses: { id: number; serviceId: string; data: JsonObject }[];
}

export interface RegisteredDocument {
  id: number;
  kind: string;
  key: string;
  generation: number;
  serviceId: string;
  state: string;
  /** Events that landed; `eventId` null: known only by a duplicate answer. */
  events: { event: string; deduplicationId: string; eventId: string | null }[];
}

const participantOfAddress = `CASE WHEN a.participant_ref > 0 THEN a.participant_ref
  ELSE (SELECT participant_id FROM participant_aliases WHERE id = -a.participant_ref) END`;

export function createRegisteredView(database: Database) {
  const participants = database.prepare<
    [number, number],
    { id: number; service_id: string; origin: string; payload: string }
  >(
    "SELECT id, service_id, origin, payload FROM participants WHERE state = 'registered' AND id > ? ORDER BY id LIMIT ?",
  );
  const addresses = database.prepare<[number], { id: number; service_id: string; payload: string }>(
    `SELECT a.id, a.service_id, a.payload FROM addresses a WHERE a.state = 'registered' AND ${participantOfAddress} = ? ORDER BY a.id`,
  );
  const documents = database.prepare<
    [number, number],
    Omit<RegisteredDocument, "events" | "serviceId"> & { service_id: string }
  >(
    `SELECT d.id, d.kind, d.key, d.generation, s.service_id, s.state FROM document_states s JOIN documents d ON d.id = s.document_id
     WHERE s.service_id IS NOT NULL AND d.id > ? ORDER BY d.id LIMIT ?`,
  );
  const events = database.prepare<
    [number],
    { event: string; deduplication_id: Buffer; service_event_id: string | null }
  >(
    `SELECT e.event, e.deduplication_id, e.service_event_id FROM events_now e
     WHERE e.document_id = ? AND e.landed ORDER BY e.at, e.rank, e.id`,
  );
  const stranded = database
    .prepare<[], number>("SELECT count(*) FROM document_states WHERE state IN ('stranded', 'stalled', 'sending')")
    .pluck();
  return {
    participantsAfter: (after: number, limit: number): RegisteredParticipant[] =>
      participants.all(after, limit).map((row) => ({
        id: row.id,
        serviceId: row.service_id,
        origin: row.origin,
        data: JSON.parse(row.payload) as JsonObject,
        addresses: addresses.all(row.id).map((address) => ({
          id: address.id,
          serviceId: address.service_id,
          data: JSON.parse(address.payload) as JsonObject,
        })),
      })),
    documentsAfter: (after: number, limit: number): RegisteredDocument[] =>
      documents.all(after, limit).map(({ service_id: serviceId, ...row }) => ({
        ...row,
        serviceId,
        events: events.all(row.id).map((event) => ({
          event: event.event,
          deduplicationId: keyText(event.deduplication_id),
          eventId: event.service_event_id,
        })),
      })),
    /** Documents that cannot be read, because their id is not known. */
    countWithoutId: (): number => stranded.get() ?? 0,
  };
}
