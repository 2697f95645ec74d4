/** What is written into the journal, read from the ledger inside the transaction that it goes before. */
import type { Database } from "better-sqlite3";
import type { JsonObject, JsonValue } from "../../model/json.js";
import type { Decision } from "../decide/decisions.js";
import { COPIED_TO } from "../copied-to.js";
import type { JournalEntry } from "./journal.js";
import { keyText } from "../event-key.js";
import type { Cancellation } from "../decide/replace.js";

/** Names a document without ids of the ledger: `[namespace, kind, key, generation]`. */
export type JournalDocument = [string, string, string, number];

interface EventColumns {
  deduplication_id: Buffer;
  content_hash: Buffer;
  event: string;
  key_parts: string;
  name: string;
  at: number;
  rank: number;
  mirrored: number;
  related_document: number | null;
  related_id: string | null;
  target_document: number | null;
  state: string | null;
  reason: string | null;
  service_event_id: string | null;
  target_document_id: string | null;
}

interface DocumentColumns {
  namespace: string;
  kind: string;
  key: string;
  generation: number;
  mode: string;
  state: string | null;
  reason: string | null;
  service_id: string | null;
  last_at: number | null;
}

export function createJournalEntries(database: Database) {
  const document = database.prepare<[number], DocumentColumns>(
    `SELECT d.namespace, d.kind, d.key, d.generation, d.mode, d.state, d.reason, d.service_id, d.last_at
     FROM documents_now d WHERE d.id = ?`,
  );
  const event = database.prepare<[number], EventColumns>(
    `SELECT e.deduplication_id, e.content_hash, e.event, e.key_parts, e.name, e.at, e.rank, e.mirrored, e.related_document,
       e.related_id, e.target_document, e.state, e.reason, e.service_event_id, e.target_document_id
     FROM events_now e WHERE e.id = ?`,
  );
  const carried = database
    .prepare<[number], number>("SELECT event_id FROM request_events WHERE request_id = ? ORDER BY position")
    .pluck();
  const request = database.prepare<[number], { kind: string; subject: string; subject_id: number }>(
    "SELECT kind, subject, subject_id FROM requests WHERE id = ?",
  );
  const copiedTo = database.prepare<{ id: number }, number>(COPIED_TO).pluck();
  const participant = database.prepare<[number], Record<string, string | number | null>>(
    "SELECT natural_key, payload, state, reason, origin, service_id, snapshot_id FROM participants WHERE id = ?",
  );
  const address = database.prepare<[number], Record<string, string | number | null>>(
    `SELECT p.natural_key, a.identity, a.payload, a.extended, a.state, a.reason, a.origin, a.service_id, a.snapshot_id, a.geography
     FROM addresses a LEFT JOIN participants p ON p.id = CASE WHEN a.participant_ref > 0 THEN a.participant_ref
       ELSE (SELECT participant_id FROM participant_aliases WHERE id = -a.participant_ref) END
     WHERE a.id = ?`,
  );

  const nameOf = (id: number | null): JournalDocument | null => {
    const found = id === null ? undefined : document.get(id);
    return found === undefined ? null : [found.namespace, found.kind, found.key, found.generation];
  };
  const stateOf = (id: number): JsonObject[] => {
    const found = document.get(id);
    if (found === undefined) return [];
    const { state, reason, service_id, last_at, mode } = found;
    return [{ document: nameOf(id), mode, state, reason, id: service_id, lastAt: last_at }];
  };
  const registration = (subject: string, id: number): JsonObject => ({
    record: subject,
    ...(subject === "participant" ? participant : address).get(id),
  });
  const resolved = (table: string, ref: number): number =>
    ref > 0
      ? ref
      : (database
          .prepare<[number], number | null>(`SELECT ${table}_id FROM ${table}_aliases WHERE id = ?`)
          .pluck()
          .get(-ref) ?? 0);
  /** What has become of these events of a document, and of every document that they touch. */
  const outcomeOf = (id: number, eventIds: readonly number[]): JsonObject => {
    const touched = new Set([id]);
    const events = eventIds.flatMap((eventId): JsonValue[] => {
      const found = event.get(eventId);
      if (found === undefined) return [];
      if (found.mirrored === 1 && found.related_document !== null) touched.add(found.related_document);
      if (found.mirrored === 1 && found.related_document === null && found.related_id === null)
        for (const other of copiedTo.all({ id })) touched.add(other);
      if (found.target_document !== null) touched.add(found.target_document);
      return [
        {
          key: keyText(found.deduplication_id),
          state: found.state,
          reason: found.reason,
          id: found.service_event_id,
          targetId: found.target_document_id,
        },
      ];
    });
    return { documents: [...touched].flatMap(stateOf), events };
  };

  return {
    nameOf,
    stateOf,
    registration,

    /** Before the call: what is meant to be sent. */
    intent(requestId: number, now: number): JournalEntry {
      const { kind, subject, subject_id: id } = request.get(requestId) ?? { kind: "", subject: "", subject_id: 0 };
      if (subject !== "document") return { entry: "intent", at: now, kind, ...registration(subject, id) };
      const events = carried.all(requestId).flatMap((eventId): JsonValue[] => {
        const found = event.get(eventId);
        if (found === undefined) return [];
        return [
          {
            key: keyText(found.deduplication_id),
            hash: found.content_hash.toString("hex"),
            event: found.event,
            parts: JSON.parse(found.key_parts) as string[],
            name: found.name,
            at: found.at,
            rank: found.rank,
            mirrored: found.mirrored,
            related: nameOf(found.related_document),
            relatedId: found.related_id,
            target: nameOf(found.target_document),
          },
        ];
      });
      return { entry: "intent", at: now, kind, record: "document", ...stateOf(id)[0], events };
    },

    /** After the answer: what became of it, and of every document that it touched. */
    end(requestId: number, now: number): JournalEntry {
      const { kind, subject, subject_id: id } = request.get(requestId) ?? { kind: "", subject: "", subject_id: 0 };
      if (subject !== "document") return { entry: "end", at: now, kind, ...registration(subject, id) };
      return { entry: "end", at: now, kind, record: "document", ...outcomeOf(id, carried.all(requestId)) };
    },

    registered: (subject: "participant" | "address", id: number, now: number): JournalEntry => ({
      entry: "registered",
      at: now,
      ...registration(subject, id),
    }),

    /** A person's word about a document in doubt, or these events of it. */
    decision: (id: number, eventIds: readonly number[], { said, by }: Decision, now: number): JournalEntry => ({
      entry: "document",
      at: now,
      ...outcomeOf(id, eventIds),
      decision: { document: nameOf(id), said, by },
    }),

    /** A person's word: cancelled, and sent again as its next generation. No row brings the CANCEL: it stands here whole. */
    replaced(id: number, next: number, found: Cancellation | null, now: number): JournalEntry {
      const cancel = found && {
        key: keyText(found.key),
        at: found.at,
        payload: JSON.parse(found.payload) as JsonObject,
        participant: registration("participant", resolved("participant", found.participant ?? 0)),
        address: registration("address", resolved("address", found.address ?? 0)),
      };
      return { entry: "replaced", at: now, documents: [...stateOf(id), ...stateOf(next)], cancel: cancel ?? null };
    },
  };
}

export type JournalEntries = ReturnType<typeof createJournalEntries>;
