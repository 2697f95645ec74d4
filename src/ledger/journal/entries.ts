/** Journal entries, read from the ledger inside the transaction that they precede. */
import type { JsonObject, JsonValue } from "../../model/json.js";
import type { Decision } from "../decide/resolve.js";
import type { Cancellation } from "../decide/replace.js";
import { COPIED_TO, type EventNow, keyText, type RegistrationKind, resolved } from "../event-key.js";
import type { LedgerDatabase } from "../ledger-database.js";
import type { JournalEntry } from "./journal.js";

/** `[namespace, kind, key, generation]`, without ids of the ledger. */
export type JournalDocument = [string, string, string, number];

interface RequestRow {
  kind: string;
  subject: RegistrationKind | "document";
  id: number;
  /** JSON. */
  events: string;
}

export function createJournalEntries(database: LedgerDatabase) {
  const nameOf = (id: number | null) => {
    const name = "SELECT json_array(namespace, kind, key, generation) FROM documents WHERE id = @id";
    return JSON.parse(database.value<string>(name, { id }) ?? "null") as JournalDocument | null;
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
        ? "SELECT identity AS natural_key, payload, state, reason, origin, service_id, snapshot_id FROM registrations WHERE id = @id"
        : `SELECT p.identity AS natural_key, a.identity, a.payload, a.extended, a.state, a.reason, a.origin, a.service_id,
             a.snapshot_id, a.geography
           FROM registrations a LEFT JOIN registrations p ON p.id = ${resolved("a.owner")} WHERE a.id = @id`,
      { id },
    ),
  });

  const eventsOf = (ids: readonly number[]) =>
    ids.flatMap((id) => database.rows<EventNow>("SELECT * FROM events_now WHERE id = @id", { id }));

  const requestOf = (request: number): RequestRow => {
    const select =
      "SELECT kind, subject, subject_id AS id, coalesce(events, '[]') AS events FROM requests WHERE id = @request";
    const found = database.row<RequestRow>(select, { request });
    if (found === null) throw new Error("a request is journalled before it is recorded");
    return found;
  };

  /** The outcome of these events, and of every document they touch. */
  const outcomeOf = (document: number, ids: readonly number[]): JsonObject => {
    const events = eventsOf(ids);
    const touched = new Set([document]);
    for (const { mirrored, related_document: related, related_id: relatedId, target_document: target } of events) {
      if (mirrored === 1 && related !== null) touched.add(related);
      if (mirrored === 1 && related === null && relatedId === null)
        for (const other of database.values<number>(COPIED_TO, { id: document })) touched.add(other);
      if (target !== null) touched.add(target);
    }
    return {
      documents: [...touched].flatMap(stateOf),
      events: events.map((event) => ({
        key: keyText(event.deduplication_id),
        state: event.state,
        reason: event.reason,
        id: event.service_event_id,
        targetId: event.target_document_id,
      })),
    };
  };

  return {
    nameOf,

    eventsOfRow: (row: number): JsonObject[] =>
      database
        .rows<{ document: number; key: Buffer }>(
          `SELECT e.document_id AS document, e.deduplication_id AS "key" FROM row_events re JOIN events e ON e.id = re.event_id
           WHERE re.row_id = @row`,
          { row },
        )
        .map(({ document, key }) => ({ document: nameOf(document), key: keyText(key) })),

    stateOf,
    registration,

    /** Before the call. */
    intent(request: number, now: number): JournalEntry {
      const { kind, subject, id, events: carried } = requestOf(request);
      if (subject !== "document") return { entry: "intent", at: now, kind, ...registration(subject, id) };
      const events = eventsOf(JSON.parse(carried) as number[]).map(
        (event): JsonValue => ({
          key: keyText(event.deduplication_id),
          hash: event.content_hash.toString("hex"),
          event: event.event,
          parts: JSON.parse(event.key_parts) as string[],
          name: event.name,
          at: event.at,
          rank: event.rank,
          mirrored: event.mirrored,
          related: nameOf(event.related_document),
          relatedId: event.related_id,
          target: nameOf(event.target_document),
        }),
      );
      return { entry: "intent", at: now, kind, record: "document", ...stateOf(id)[0], events };
    },

    /** After the answer. */
    end(request: number, now: number): JournalEntry {
      const { kind, subject, id, events } = requestOf(request);
      if (subject !== "document") return { entry: "end", at: now, kind, ...registration(subject, id) };
      return { entry: "end", at: now, kind, record: "document", ...outcomeOf(id, JSON.parse(events) as number[]) };
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
      const partyOf = (kind: RegistrationKind, ref: number) =>
        registration(kind, database.number(`SELECT ${resolved("@ref")}`, { ref }));
      const cancel = found && {
        key: keyText(found.key),
        at: found.at,
        payload: JSON.parse(found.payload) as JsonObject,
        participant: partyOf("participant", found.participant_ref),
        address: partyOf("address", found.address_ref),
      };
      return { entry: "replaced", at: now, documents: [...stateOf(id), ...stateOf(next)], cancel };
    },

    /** A replacement of this document that was planned and taken back. */
    unreplaced: (id: number, now: number): JournalEntry => ({ entry: "unreplaced", at: now, documents: stateOf(id) }),
  };
}

export type JournalEntries = ReturnType<typeof createJournalEntries>;
