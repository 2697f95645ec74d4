/**
 * One function per permitted outcome of a document or event (model/states.ts). Each runs inside the transaction of
 * its request; SQL refuses any move that the state tables do not list.
 */
import type { Database } from "better-sqlite3";
import type { Code } from "../model/codes.js";
import { COPIED_TO } from "./copied-to.js";
import { OF_EVENT } from "./event-key.js";

export interface RefusalNote {
  code: Code;
  message: string;
}

/** An event that was accepted with its id. `at`: ms. */
export interface PlainLanding {
  id: number;
  at: number;
  serviceId: string;
  targetId: string | null;
}

/** `at`: ms; `related_document` null: none that is known. */
interface EarlierContent {
  at: number;
  related_document: number | null;
}

export type Transitions = ReturnType<typeof createTransitions>;

export function createTransitions(database: Database) {
  const setEvent = database.prepare<{
    id: number;
    state: string;
    reason: string | null;
    waitsFor: string | null;
    serviceId: string | null;
    targetId: string | null;
    doubt: number;
    now: number;
  }>(
    `INSERT INTO event_states (document_id, event_id, state, reason, waits_for, service_event_id, target_document_id, doubt, changed_at)
     SELECT document_id, id, @state, @reason, @waitsFor, @serviceId, @targetId, @doubt, @now FROM events WHERE id = @id
     ON CONFLICT (document_id, event_id) DO UPDATE SET state = @state, reason = @reason, waits_for = @waitsFor,
       service_event_id = coalesce(@serviceId, service_event_id),
       target_document_id = coalesce(@targetId, target_document_id), doubt = @doubt, changed_at = @now,
       attempted_hash = iif(@state IN ('planned', 'rejected') OR @state = 'stalled' AND @doubt = 0, NULL, attempted_hash)`,
  );
  // What is planned again or rejected is known not to have landed: no duplicate is a receipt for it (HARD-CASES H3).
  const sendEvents = database.prepare<{ ids: string; now: number }>(
    `INSERT INTO event_states (document_id, event_id, state, attempted_hash, changed_at)
     SELECT e.document_id, e.id, 'sending', e.content_hash, @now FROM json_each(@ids) sent CROSS JOIN events e ON e.id = sent.value
     WHERE true ON CONFLICT (document_id, event_id) DO UPDATE SET state = 'sending', reason = NULL, waits_for = NULL,
       attempted_at = iif(attempted_hash IS NULL, NULL, attempted_at),
       attempted_hash = coalesce(attempted_hash, excluded.attempted_hash), changed_at = @now`,
  );
  const landEvent = database.prepare<[string, string | null, number, number, number]>(
    `UPDATE event_states SET state = 'landed', reason = NULL, waits_for = NULL, service_event_id = ?,
       target_document_id = coalesce(?, target_document_id), doubt = 0, changed_at = ? WHERE document_id = ? AND event_id = ?`,
  );
  // What landed is known by its hash alone: believed is what it has in common, for certain, with what its row says now (P2).
  const earlierContent = database.prepare<[number], EarlierContent>(
    `SELECT min(e.attempted_at, e.at) AS at,
       iif(e.attempted_link = e.related_document AND e.mirrored = 1, e.related_document, NULL) AS related_document
     FROM events_now e
     WHERE e.id = ? AND e.attempted_at IS NOT NULL`,
  );
  const isChanged = database
    .prepare<[number], number>(`SELECT e.attempted_hash <> e.content_hash FROM events_now e WHERE e.id = ?`)
    .pluck();
  // The event's row holds what the file says now; what landed is known by its hash alone.
  const rememberChange = database.prepare<[number]>(
    `UPDATE event_states SET changed_hash = e.content_hash, changed_content = json_object('name', e.name, 'at', e.at,
       'rank', e.rank, 'participant', e.participant_ref, 'address', e.address_ref, 'relatedDocument', e.related_document,
       'relatedId', e.related_id, 'mirrored', e.mirrored, 'target', e.target_document, 'payload', e.payload,
       'hash', lower(hex(e.content_hash)))
     FROM events e WHERE e.id = ? AND event_states.document_id = e.document_id AND event_id = e.id`,
  );
  const keepLandedHash = database.prepare<[number]>(
    `UPDATE events SET content_hash = s.attempted_hash FROM event_states s
     WHERE s.document_id = events.document_id AND s.event_id = id AND id = ?`,
  );
  const landing = database.prepare<
    [number],
    {
      document_id: number;
      name: string;
      at: number;
      mirrored: number;
      related_document: number | null;
      related_id: string | null;
      target_document: number | null;
    }
  >("SELECT document_id, name, at, mirrored, related_document, related_id, target_document FROM events WHERE id = ?");
  const advanceRelated = database.prepare<{ at: number; id: number }>(
    `UPDATE document_states SET last_at = max(coalesce(last_at, @at), @at)
     WHERE state = 'open' AND document_id <> @id AND document_id IN (${COPIED_TO})`,
  );
  const advance = database.prepare<{ at: number; id: number }>(
    "UPDATE document_states SET last_at = max(coalesce(last_at, @at), @at) WHERE document_id = @id",
  );
  interface DocumentChange {
    id: number;
    state: string;
    reason: string | null;
    serviceId: string | null;
    now: number;
  }
  // Two statements: CHECKs see an upsert's insert even where its update would keep the id.
  const updateDocument = database.prepare<DocumentChange>(
    `UPDATE document_states SET state = @state, reason = @reason, service_id = coalesce(@serviceId, service_id),
       changed_at = @now WHERE document_id = @id`,
  );
  const insertDocument = database.prepare<DocumentChange>(
    `INSERT INTO document_states (document_id, state, reason, service_id, changed_at)
     VALUES (@id, @state, @reason, @serviceId, @now)`,
  );
  const documentState = database
    .prepare<[number], string>("SELECT state FROM document_states WHERE document_id = ?")
    .pluck();
  const strandEvents = database.prepare<[number, number]>(
    `UPDATE event_states SET reason = 'document-stranded', changed_at = ? WHERE document_id = ? AND state = 'stalled'`,
  );
  const clearDoubts = database.prepare<[number, number, string]>(
    `UPDATE event_states SET state = 'planned', reason = NULL, doubt = 0, attempted_hash = NULL, changed_at = ?
     WHERE document_id = ? AND (state = 'sending' OR state = 'stalled' AND doubt = 1) AND dismissed = 0
       AND event_id NOT IN (SELECT value FROM json_each(?))`,
  );
  const addProblem = database.prepare<[string, number, string, string, number]>(
    `INSERT INTO problems (subject, subject_id, stage, severity, code, message, at) VALUES (?, ?, 'submitting', 'error', ?, ?, ?)`,
  );

  const event = (id: number, state: string, now: number, more: Partial<Parameters<typeof setEvent.run>[0]> = {}) =>
    setEvent.run({ id, state, now, reason: null, waitsFor: null, serviceId: null, targetId: null, doubt: 0, ...more });
  const document = (id: number, state: string, now: number, more: { reason?: string; serviceId?: string } = {}) => {
    const change = { id, state, now, reason: more.reason ?? null, serviceId: more.serviceId ?? null };
    if (updateDocument.run(change).changes === 0) insertDocument.run(change);
  };

  // Dismissed beside this run, since its plan was made.
  const givenUp = database
    .prepare<[number], number>(`SELECT dismissed FROM event_states WHERE ${OF_EVENT} AND state = 'rejected'`)
    .pluck();
  const unlessGivenUp = (id: number, write: () => unknown): void => {
    if (givenUp.get(id) !== 1) write();
  };

  /** What follows from an event being on the timeline: its document's time and state, its target, its mirror. */
  const afterLanding = (
    id: number,
    targetId: string | null,
    mirrorAt: number | null,
    now: number,
    isJustNow = true,
    earlier?: EarlierContent,
  ): void => {
    const found = landing.get(id);
    if (found === undefined) throw new Error("an event vanished while it was sent");
    const landed = earlier === undefined ? found : { ...found, ...earlier };
    advance.run({ at: landed.at, id: landed.document_id });
    if (landed.name === "CLOSE" && documentState.get(landed.document_id) === "open")
      document(landed.document_id, "closed", now);
    if (landed.name === "CANCEL") document(landed.document_id, "cancelled", now);
    const linkAt = mirrorAt ?? landed.at;
    if (landed.mirrored === 1 && landed.related_document !== null)
      advance.run({ at: linkAt, id: landed.related_document });
    // When an earlier attempt landed, and to what its document was related by then, a duplicate does not say.
    else if (isJustNow && landed.mirrored === 1 && landed.related_id === null)
      advanceRelated.run({ at: linkAt, id: landed.document_id });
    if (landed.target_document !== null) {
      if (targetId !== null) document(landed.target_document, "open", now, { reason: "target", serviceId: targetId });
      else if ((documentState.get(landed.target_document) ?? "planned") === "planned")
        document(landed.target_document, "stranded", now, { reason: "target-id-unknown" });
      advance.run({ at: linkAt, id: landed.target_document });
    }
  };

  return {
    /** `ids`: a JSON array, as the request keeps it. */
    sendingEvents: (ids: string, now: number) => void sendEvents.run({ ids, now }),
    /** What `landed` says of each, for events of one document that concern no other, and neither close nor cancel it. */
    landedTogether(of: number, events: readonly PlainLanding[], now: number): void {
      let at = Number.NEGATIVE_INFINITY;
      for (const landed of events) {
        const { changes } = landEvent.run(landed.serviceId, landed.targetId, now, of, landed.id);
        if (changes !== 1) throw new Error("an event vanished while it was sent");
        at = Math.max(at, landed.at);
      }
      advance.run({ at, id: of });
    },
    /** `mirrorAt`: when its back-reference took place, in ms; null: at the event's own time. */
    landed(id: number, serviceId: string, targetId: string | null, mirrorAt: number | null, now: number): void {
      event(id, "landed", now, { serviceId, targetId });
      afterLanding(id, targetId, mirrorAt, now);
    },
    /** A duplicate of our own attempt: landed, or landed with the earlier content (HARD-CASES H3, H9). */
    landedWithoutId(
      id: number,
      mirrorAt: number | null,
      now: number,
      evidence: "duplicate-of-own-attempt" | "resolved" = "duplicate-of-own-attempt",
    ): "landed-without-id" | "changed" {
      const state = isChanged.get(id) === 1 ? "changed" : "landed-without-id";
      event(id, state, now, { reason: state === "changed" ? "changed" : evidence });
      if (state === "changed") {
        rememberChange.run(id);
        keepLandedHash.run(id);
      }
      afterLanding(id, null, mirrorAt, now, false, earlierContent.get(id));
      return state;
    },
    /** Accepted, but the answer named no id for it (HARD-CASES H6). */
    acceptedWithoutId(id: number, targetId: string | null, mirrorAt: number | null, now: number): void {
      event(id, "landed-without-id", now, { reason: "answer-without-id", targetId });
      afterLanding(id, targetId, mirrorAt, now);
    },
    foreign: (id: number, now: number) => void event(id, "foreign", now, { reason: "foreign-collision" }),
    rejected(id: number, note: RefusalNote, now: number): void {
      event(id, "rejected", now, { reason: note.code });
      addProblem.run("event", id, note.code, note.message, now);
    },
    /** Sent, and nothing proves what became of it. */
    stalled: (id: number, reason: Code, now: number) => void event(id, "stalled", now, { reason, doubt: 1 }),
    /** In doubt still, and asking again will not tell: a person must (HARD-CASES H1). */
    unsettled(id: number, message: string, now: number): void {
      event(id, "stalled", now, { reason: "doubt-unsettled", doubt: 1 });
      addProblem.run("event", id, "doubt-unsettled", message, now);
    },
    /** Retries spent without doubt (429, a background process, no connection): it has not landed, and can go again. */
    unanswered: (id: number, now: number) => void event(id, "stalled", now, { reason: "service-unanswered" }),
    /** Intended but never sent, or refused for a reason that is not its own. */
    unsent: (id: number, now: number) => void event(id, "planned", now),
    held: (id: number, reason: Code, waitsFor: string, now: number) =>
      unlessGivenUp(id, () => event(id, "held", now, { reason, waitsFor })),
    deferred: (id: number, now: number) =>
      unlessGivenUp(id, () => event(id, "deferred", now, { reason: "not-yet-past" })),
    released: (id: number, now: number) => unlessGivenUp(id, () => event(id, "planned", now)),

    sendingDocument: (id: number, now: number) => document(id, "sending", now),
    /**
     * Created just now: of what was sent to it before, and does not ride with this create (`riding`, ids), nothing has
     * landed (HARD-CASES H4). It is planned again; @returns how many events that are.
     */
    opened(id: number, serviceId: string, riding: readonly number[], now: number): number {
      document(id, "open", now, { serviceId });
      return clearDoubts.run(now, id, JSON.stringify(riding)).changes;
    },
    documentRejected(id: number, note: RefusalNote, now: number): void {
      document(id, "rejected", now, { reason: note.code });
      addProblem.run("document", id, note.code, note.message, now);
    },
    documentStalled: (id: number, reason: Code, now: number) => document(id, "stalled", now, { reason }),
    documentUnsettled(id: number, message: string, now: number): void {
      document(id, "stalled", now, { reason: "doubt-unsettled" });
      addProblem.run("document", id, "doubt-unsettled", message, now);
    },
    /** What is in doubt on it waits with it for a person (HARD-CASES H4). */
    stranded(id: number, reason: Code, message: string, now: number): void {
      document(id, "stranded", now, { reason });
      strandEvents.run(now, id);
      addProblem.run("document", id, reason, message, now);
    },
    documentUnsent: (id: number, now: number) => document(id, "planned", now),
  };
}
