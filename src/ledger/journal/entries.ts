/** Journal entries, read from the ledger inside the transaction that they precede. */
import type { JsonObject, JsonValue } from "../../model/json.js";
import type { Decision } from "../decide/decisions.js";
import type { Cancellation } from "../decide/replace.js";
import { COPIED_TO, keyText } from "../event-key.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { type RegistrationKind, resolved } from "../event-key.js";
import type { JournalEntry } from "./journal.js";

/** `[namespace, kind, key, generation]`, without ids of the ledger. */
export type JournalDocument = [string, string, string, number];

interface EventRow {
  key: Buffer;
  hash: Buffer;
  event: string;
  parts: string;
  name: string;
  at: number;
  rank: number;
  mirrored: number;
  related: number | null;
  relatedId: string | null;
  target: number | null;
  state: string;
  reason: string | null;
  id: string | null;
  targetId: string | null;
}

interface RequestRow {
  kind: string;
  subject: string;
  subject_id: number;
}

export function createJournalEntries(database: LedgerDatabase) {
  const nameOf = (id: number | null): JournalDocument | null => {
    const found = database.row<{ namespace: string; kind: string; key: string; generation: number }>(
      "SELECT namespace, kind, key, generation FROM documents WHERE id = @id",
      { id },
    );
    return found === undefined ? null : [found.namespace, found.kind, found.key, found.generation];
  };

  const stateOf = (id: number): JsonObject[] =>
    database
      .rows<JsonObject>(
        "SELECT mode, state, reason, service_id AS id, last_at AS lastAt FROM documents_now WHERE id = @id",
        { id },
      )
      .map((state) => ({ document: nameOf(id), ...state }));

  const registration = (kind: RegistrationKind, id: number): JsonObject => ({
    record: kind,
    ...database.row<JsonObject>(
      kind === "participant"
        ? `SELECT identity AS natural_key, payload, state, reason, origin, service_id, snapshot_id FROM registrations WHERE id = @id`
        : `SELECT p.identity AS natural_key, a.identity, a.payload, a.extended, a.state, a.reason, a.origin, a.service_id,
             a.snapshot_id, a.geography
           FROM registrations a LEFT JOIN registrations p ON p.id = ${resolved("a.owner")} WHERE a.id = @id`,
      { id },
    ),
  });

  const eventsOf = (ids: readonly number[]): EventRow[] =>
    ids.flatMap((id) =>
      database.rows<EventRow>(
        `SELECT deduplication_id AS "key", content_hash AS hash, event, key_parts AS parts, name, at, rank, mirrored,
           related_document AS related, related_id AS relatedId, target_document AS target, state, reason,
           service_event_id AS id, target_document_id AS targetId FROM events_now WHERE id = @id`,
        { id },
      ),
    );

  const requestOf = (id: number): RequestRow =>
    database.row<RequestRow>("SELECT kind, subject, subject_id FROM requests WHERE id = @id", { id }) ?? {
      kind: "",
      subject: "",
      subject_id: 0,
    };

  const carriedBy = (request: number): number[] =>
    database.values<number>("SELECT event_id FROM request_events WHERE request_id = @request ORDER BY position", {
      request,
    });

  /** The outcome of these events, and of every document they touch. */
  const outcomeOf = (document: number, ids: readonly number[]): JsonObject => {
    const events = eventsOf(ids);
    const touched = new Set([document]);
    for (const { mirrored, related, relatedId, target } of events) {
      if (mirrored === 1 && related !== null) touched.add(related);
      if (mirrored === 1 && related === null && relatedId === null)
        for (const other of database.values<number>(COPIED_TO, { id: document })) touched.add(other);
      if (target !== null) touched.add(target);
    }
    return {
      documents: [...touched].flatMap(stateOf),
      events: events.map(({ key, state, reason, id, targetId }) => ({
        key: keyText(key),
        state,
        reason,
        id,
        targetId,
      })),
    };
  };

  return {
    nameOf,
    stateOf,
    registration,

    /** Before the call. */
    intent(request: number, now: number): JournalEntry {
      const { kind, subject, subject_id: id } = requestOf(request);
      if (subject !== "document")
        return { entry: "intent", at: now, kind, ...registration(subject as RegistrationKind, id) };
      const events = eventsOf(carriedBy(request)).map(
        ({ key, hash, event, parts, name, at, rank, mirrored, related, relatedId, target }): JsonValue => ({
          key: keyText(key),
          hash: hash.toString("hex"),
          event,
          parts: JSON.parse(parts) as string[],
          name,
          at,
          rank,
          mirrored,
          related: nameOf(related),
          relatedId,
          target: nameOf(target),
        }),
      );
      return { entry: "intent", at: now, kind, record: "document", ...stateOf(id)[0], events };
    },

    /** After the answer. */
    end(request: number, now: number): JournalEntry {
      const { kind, subject, subject_id: id } = requestOf(request);
      if (subject !== "document")
        return { entry: "end", at: now, kind, ...registration(subject as RegistrationKind, id) };
      return { entry: "end", at: now, kind, record: "document", ...outcomeOf(id, carriedBy(request)) };
    },

    registered: (kind: RegistrationKind, id: number, now: number): JournalEntry => ({
      entry: "registered",
      at: now,
      ...registration(kind, id),
    }),

    /** A person's answer about a document in doubt, or these events of it. */
    decision: (id: number, events: readonly number[], { said, by }: Decision, now: number): JournalEntry => ({
      entry: "document",
      at: now,
      ...outcomeOf(id, events),
      decision: { document: nameOf(id), said, by },
    }),

    /** A replacement, with the whole CANCEL, because no row brings it. */
    replaced(id: number, next: number, found: Cancellation | null, now: number): JournalEntry {
      const partyOf = (kind: RegistrationKind, ref: number | null) =>
        registration(kind, database.value<number>(`SELECT ${resolved("@ref")}`, { ref: ref ?? 0 }) ?? 0);
      const cancel = found && {
        key: keyText(found.key),
        at: found.at,
        payload: JSON.parse(found.payload) as JsonObject,
        participant: partyOf("participant", found.participant),
        address: partyOf("address", found.address),
      };
      return { entry: "replaced", at: now, documents: [...stateOf(id), ...stateOf(next)], cancel };
    },
  };
}

export type JournalEntries = ReturnType<typeof createJournalEntries>;
