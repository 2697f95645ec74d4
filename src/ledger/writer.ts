/**
 * The one writer of states: a function for each permitted outcome (model/states.ts), for runs, persons and the journal's
 * replay. Each runs inside its caller's transaction; SQL refuses any move that the state tables do not list.
 */
import type { Code } from "../model/codes.js";
import { COPIED_TO, OF_EVENT } from "./event-key.js";
import type { LedgerDatabase } from "./ledger-database.js";
import { anyUnderWay, sendingDocuments, sendingEvents, unanswered } from "./in-flight.js";

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

/** What landed before is known by its hash alone: its time from above, and its link where there is only one it can be. */
interface EarlierContent {
  at: number;
  related_document: number | null;
}

interface Landed extends EarlierContent {
  document_id: number;
  name: string;
  mirrored: number;
  related_id: string | null;
  target_document: number | null;
}

export interface RegistrationReceipt {
  serviceId: string;
  snapshotId: string | null;
  origin: "created" | "found";
  geography?: unknown;
}

export type Subject = "participant" | "address" | "document" | "event";

export class Writer {
  readonly #database: LedgerDatabase;

  constructor(database: LedgerDatabase) {
    this.#database = database;
  }

  // Events

  /** `ids`: a JSON array, as the request keeps it. */
  sendingEvents(ids: string, now: number): void {
    this.#database.run(
      `INSERT INTO event_states (document_id, event_id, state, attempted_hash, changed_at)
       SELECT e.document_id, e.id, 'sending', e.content_hash, @now FROM json_each(@ids) sent CROSS JOIN events e ON e.id = sent.value
       WHERE true ON CONFLICT (document_id, event_id) DO UPDATE SET state = 'sending', reason = NULL, waits_for = NULL,
         attempted_at = iif(attempted_hash IS NULL, NULL, attempted_at),
         attempted_hash = coalesce(attempted_hash, excluded.attempted_hash), changed_at = @now`,
      { ids, now },
    );
  }

  /** What `landed` says of each, for events of one document that concern no other, and neither close nor cancel it. */
  landedTogether(document: number, events: readonly PlainLanding[], now: number): void {
    let at = Number.NEGATIVE_INFINITY;
    for (const landed of events) {
      const changes = this.#database.run(
        `UPDATE event_states SET state = 'landed', reason = NULL, waits_for = NULL, service_event_id = @serviceId,
           target_document_id = coalesce(@targetId, target_document_id), doubt = 0, changed_at = @now
         WHERE document_id = @document AND event_id = @id`,
        { ...landed, document, now },
      );
      if (changes !== 1) throw new Error("an event vanished while it was sent");
      at = Math.max(at, landed.at);
    }
    this.#advance(document, at);
  }

  /** `mirrorAt`: when its back-reference took place, in ms; null: at the event's own time. */
  landed(id: number, serviceId: string, targetId: string | null, mirrorAt: number | null, now: number): void {
    this.#event(id, "landed", now, { serviceId, targetId });
    this.#afterLanding(id, targetId, mirrorAt, now);
  }

  /** Accepted, but the answer named no id for it (HARD-CASES H6). */
  acceptedWithoutId(id: number, targetId: string | null, mirrorAt: number | null, now: number): void {
    this.#event(id, "landed-without-id", now, { reason: "answer-without-id", targetId });
    this.#afterLanding(id, targetId, mirrorAt, now);
  }

  /** A duplicate of our own attempt: landed, or landed with the earlier content (HARD-CASES H3, H9). */
  landedWithoutId(
    id: number,
    mirrorAt: number | null,
    now: number,
    evidence: "duplicate-of-own-attempt" | "resolved" = "duplicate-of-own-attempt",
  ): "landed-without-id" | "changed" {
    const isChanged = this.#database.has("SELECT 1 FROM events_now WHERE id = @id AND attempted_hash <> content_hash", {
      id,
    });
    const state = isChanged ? "changed" : "landed-without-id";
    this.#event(id, state, now, { reason: isChanged ? "changed" : evidence });
    if (isChanged) this.#rememberChange(id);
    // What landed is known by its hash alone: believed is what it has in common, for certain, with what its row says now (P2).
    const earlier = this.#database.row<EarlierContent>(
      `SELECT min(attempted_at, at) AS at,
         iif(attempted_link = related_document AND mirrored = 1, related_document, NULL) AS related_document
       FROM events_now WHERE id = @id AND attempted_at IS NOT NULL`,
      { id },
    );
    this.#afterLanding(id, null, mirrorAt, now, false, earlier);
    return state;
  }

  foreign(id: number, now: number): void {
    this.#event(id, "foreign", now, { reason: "foreign-collision" });
  }

  rejected(id: number, note: RefusalNote, now: number): void {
    this.#event(id, "rejected", now, { reason: note.code });
    this.problem("event", id, note, now);
  }

  /** Sent, and nothing proves what became of it. */
  stalled(id: number, reason: Code, now: number): void {
    this.#event(id, "stalled", now, { reason, doubt: 1 });
  }

  /** In doubt still, and asking again will not tell: a person must (HARD-CASES H1). */
  unsettled(id: number, message: string, now: number): void {
    this.#event(id, "stalled", now, { reason: "doubt-unsettled", doubt: 1 });
    this.problem("event", id, { code: "doubt-unsettled", message }, now);
  }

  /** Retries spent without doubt (429, a background process, no connection): it has not landed, and can go again. */
  unanswered(id: number, now: number): void {
    this.#event(id, "stalled", now, { reason: "service-unanswered" });
  }

  /** Intended but never sent, or refused for a reason that is not its own. */
  unsent(id: number, now: number): void {
    this.#event(id, "planned", now);
  }

  held(id: number, reason: Code, waitsFor: string, now: number): void {
    if (!this.#isGivenUp(id)) this.#event(id, "held", now, { reason, waitsFor });
  }

  deferred(id: number, now: number): void {
    if (!this.#isGivenUp(id)) this.#event(id, "deferred", now, { reason: "not-yet-past" });
  }

  released(id: number, now: number): void {
    if (!this.#isGivenUp(id)) this.#event(id, "planned", now);
  }

  /** A person gives it up; `held`: also what only waits. @returns whether it was in a state to be given up */
  dismissed(id: number, held: boolean, now: number): boolean {
    return (
      this.#database.run(
        `UPDATE event_states SET dismissed = 1, changed_at = @now, reason = iif(state = 'held', 'dismissed', reason),
           state = iif(state = 'held', 'rejected', state)
         WHERE ${OF_EVENT} AND (state IN ('rejected', 'foreign', 'changed') OR @held AND state = 'held')`,
        { id, now, held: held ? 1 : 0 },
      ) > 0
    );
  }

  /** Content that a person has given up before has come back (HARD-CASES H23). */
  dismissedBefore(id: number, now: number): void {
    this.#event(id, "rejected", now, { reason: "dismissed" });
    this.#database.run(`UPDATE event_states SET dismissed = 1 WHERE ${OF_EVENT}`, { id });
  }

  /** Its file has come again without its row (HARD-CASES H27). */
  rowGone(id: number, row: number, message: string, run: number, now: number): void {
    this.#database.run(
      `INSERT INTO event_states (document_id, event_id, state, reason, changed_at)
       SELECT document_id, id, 'rejected', 'row-gone', @now FROM events WHERE id = @id
       ON CONFLICT (document_id, event_id) DO UPDATE SET state = 'rejected', reason = 'row-gone', waits_for = NULL, changed_at = @now`,
      { id, now },
    );
    this.#database.run(
      `INSERT INTO problems (run_id, row_id, subject, subject_id, stage, severity, code, message, at)
       VALUES (@run, @row, 'event', @id, 'staging', 'error', 'row-gone', @message, @now)`,
      { id, row, message, run, now },
    );
  }

  /** Refused work goes again; what the plan itself refused for good stays. @returns whether it does */
  retried(id: number, gone: boolean, now: number): boolean {
    // What is planned again was never sent as far as evidence goes: a duplicate answer is no receipt (HARD-CASES H3).
    return (
      this.#database.run(
        `UPDATE event_states SET state = 'planned', reason = NULL, waits_for = NULL, attempted_hash = NULL, changed_at = @now
         WHERE ${OF_EVENT} AND (state = 'foreign' OR state = 'rejected'
           AND reason NOT IN ('late', 'after-close', 'after-cancel', 'dismissed', iif(@gone, '', 'row-gone')))`,
        { id, gone: gone ? 1 : 0, now },
      ) > 0
    );
  }

  /** What only a person could settle is asked about once more. @returns whether it was such */
  askedAgain(subject: "event" | "document", id: number, now: number): boolean {
    const [table, which] =
      subject === "event" ? (["event_states", OF_EVENT] as const) : (["document_states", "document_id = @id"] as const);
    return (
      this.#database.run(
        `UPDATE ${table} SET reason = 'refused-in-doubt', changed_at = @now
         WHERE ${which} AND state = 'stalled' AND reason = 'doubt-unsettled'`,
        { id, now },
      ) > 0
    );
  }

  /** A person says that it has not landed. A duplicate answer to its key would still be about our own attempt (P5). */
  notLanded(id: number, now: number): void {
    this.#database.run(
      `UPDATE event_states SET state = 'planned', reason = NULL, waits_for = NULL, doubt = 0, changed_at = @now WHERE ${OF_EVENT}`,
      { id, now },
    );
  }

  /** Its row says something else now, or comes back after it was refused. What was attempted stays known. */
  corrected(id: number, now: number): void {
    this.#database.run(
      `UPDATE event_states SET state = 'planned', reason = NULL, changed_hash = NULL, dismissed = 0, waits_for = NULL, changed_at = @now
       WHERE ${OF_EVENT} AND state = 'rejected'`,
      { id, now },
    );
  }

  /** It has landed, and its row has come back with `content`: JSON of what the row says now; null: not known. */
  changed(id: number, hash: Buffer, content: string | null, now: number): void {
    this.#database.run(
      `UPDATE event_states SET state = 'changed', reason = 'changed', changed_hash = @hash, changed_content = @content,
         dismissed = 0, waits_for = NULL, changed_at = @now WHERE ${OF_EVENT}`,
      { id, hash, content, now },
    );
  }

  /** Its row has come back as it landed. */
  unchanged(id: number, now: number): void {
    this.#database.run(
      `UPDATE event_states SET state = 'landed', reason = NULL, changed_hash = NULL, changed_content = NULL, dismissed = 0,
         waits_for = NULL, changed_at = @now WHERE ${OF_EVENT}`,
      { id, now },
    );
  }

  /**
   * Its row is about to say something else. Of two contents sent in doubt, which one landed will never be known. Kept is what
   * no timeline is behind, whichever it was: the earliest time, and the document that each of them links to and back.
   */
  keepAttempted(id: number): void {
    this.#database.run(
      `UPDATE event_states SET
         attempted_at = iif(attempted_hash = e.content_hash, e.at, min(attempted_at, e.at)),
         attempted_link = iif(attempted_hash = e.content_hash OR attempted_link = e.related_document AND e.mirrored = 1,
           iif(e.mirrored = 1, e.related_document, NULL), NULL),
         attempted_hash = iif(state = 'stalled' AND doubt = 1 AND attempted_hash <> e.content_hash, zeroblob(16), attempted_hash)
       FROM events e WHERE e.id = @id AND event_states.document_id = e.document_id AND event_id = e.id AND attempted_hash IS NOT NULL`,
      { id },
    );
  }

  /** As a journal tells of it; nothing that was known of it before. */
  restored(
    id: number,
    found: { state: string; reason: string | null; serviceId: string | null; targetId: string | null },
    now: number,
  ): void {
    this.asStaged(id);
    this.#database.run(
      `INSERT INTO event_states (document_id, event_id, state, reason, service_event_id, target_document_id, attempted_hash, doubt, changed_at)
       SELECT document_id, id, @state, @reason, @serviceId, @targetId, content_hash, @state = 'stalled', @now FROM events WHERE id = @id`,
      { ...found, id, now },
    );
  }

  /** Planned, as if nothing had ever been tried. */
  asStaged(id: number): void {
    this.#database.run(`DELETE FROM event_states WHERE ${OF_EVENT}`, { id });
  }

  // Documents

  sendingDocument(id: number, now: number): void {
    this.#document(id, "sending", now);
  }

  /**
   * Created just now: of what was sent to it before, and does not ride with this create (`riding`, ids), nothing has
   * landed (HARD-CASES H4). It is planned again; @returns how many events that are.
   */
  opened(id: number, serviceId: string, riding: readonly number[], now: number): number {
    this.#document(id, "open", now, { serviceId });
    return this.#database.run(
      `UPDATE event_states SET state = 'planned', reason = NULL, doubt = 0, attempted_hash = NULL, changed_at = @now
       WHERE document_id = @id AND (state = 'sending' OR state = 'stalled' AND doubt = 1) AND dismissed = 0
         AND event_id NOT IN (SELECT value FROM json_each(@riding))`,
      { id, riding: JSON.stringify(riding), now },
    );
  }

  documentRejected(id: number, note: RefusalNote, now: number): void {
    this.#document(id, "rejected", now, { reason: note.code });
    this.problem("document", id, note, now);
  }

  documentStalled(id: number, reason: Code, now: number): void {
    this.#document(id, "stalled", now, { reason });
  }

  documentUnsettled(id: number, message: string, now: number): void {
    this.#document(id, "stalled", now, { reason: "doubt-unsettled" });
    this.problem("document", id, { code: "doubt-unsettled", message }, now);
  }

  /** What is in doubt on it waits with it for a person (HARD-CASES H4). */
  stranded(id: number, reason: Code, message: string, now: number): void {
    this.#document(id, "stranded", now, { reason });
    this.#database.run(
      "UPDATE event_states SET reason = 'document-stranded', changed_at = @now WHERE document_id = @id AND state = 'stalled'",
      { id, now },
    );
    this.problem("document", id, { code: reason, message }, now);
  }

  documentUnsent(id: number, now: number): void {
    this.#document(id, "planned", now);
  }

  /** Refused before; its rows say something else now, or a person tries again. @returns whether it was refused */
  documentReplanned(id: number, now: number): boolean {
    return (
      this.#database.run(
        "UPDATE document_states SET state = 'planned', reason = NULL, changed_at = @now WHERE document_id = @id AND state = 'rejected'",
        { id, now },
      ) > 0
    );
  }

  /** A row names it by the id that the service gave it. */
  documentGiven(id: number, serviceId: string, now: number): void {
    this.#database.run(
      `INSERT INTO document_states (document_id, state, reason, service_id, changed_at) VALUES (@id, 'open', 'given', @serviceId, @now)
       ON CONFLICT (document_id) DO NOTHING`,
      { id, serviceId, now },
    );
  }

  /** A person has found its id at the service. */
  documentResolved(id: number, serviceId: string, now: number): void {
    this.#document(id, "open", now, { reason: "resolved", serviceId });
  }

  documentDismissed(id: number, now: number): boolean {
    return (
      this.#database.run(
        "UPDATE document_states SET reason = 'dismissed', changed_at = @now WHERE document_id = @id AND state = 'rejected'",
        { id, now },
      ) > 0
    );
  }

  /** Stranded, and its next generation is sent instead: what was in doubt on it matters no more. */
  strandedReplaced(id: number, now: number): void {
    this.#database.run("UPDATE document_states SET reason = 'replaced', changed_at = @now WHERE document_id = @id", {
      id,
      now,
    });
    this.doubtsGivenUp(id, now);
  }

  doubtsGivenUp(document: number, now: number): void {
    this.#database.run(
      "UPDATE event_states SET dismissed = 1, changed_at = @now WHERE document_id = @document AND state = 'stalled'",
      { document, now },
    );
  }

  /** As a journal tells of it; planned: nothing is known. */
  documentRestored(
    id: number,
    found: { state: string; reason: string | null; serviceId: string | null; lastAt: number | null },
    now: number,
  ): void {
    this.#database.run("DELETE FROM document_states WHERE document_id = @id", { id });
    if (found.state === "planned") return;
    this.#database.run(
      `INSERT INTO document_states (document_id, state, reason, service_id, last_at, changed_at)
       VALUES (@id, @state, @reason, @serviceId, @lastAt, @now)`,
      { ...found, id, now },
    );
  }

  // Participants and addresses

  sendingRegistration(id: number, now: number): void {
    this.#database.run("UPDATE registrations SET state = 'sending', attempted = 1, changed_at = @now WHERE id = @id", {
      id,
      now,
    });
  }

  registered(id: number, receipt: RegistrationReceipt, now: number): void {
    const geography = receipt.geography === undefined ? null : JSON.stringify(receipt.geography);
    this.#database.run(
      `UPDATE registrations SET state = 'registered', reason = NULL, origin = @origin, service_id = @serviceId,
         snapshot_id = @snapshotId, geography = coalesce(@geography, geography), changed_at = @now WHERE id = @id`,
      { ...receipt, geography, id, now },
    );
  }

  registrationRejected(kind: "participant" | "address", id: number, note: RefusalNote, now: number): void {
    this.#registration(id, "rejected", note.code, now);
    this.problem(kind, id, note, now);
  }

  registrationStalled(id: number, reason: Code, now: number): void {
    this.#registration(id, "stalled", reason, now);
  }

  registrationUnsent(id: number, now: number): void {
    this.#registration(id, "planned", null, now);
  }

  /** As `documentReplanned`. */
  registrationReplanned(id: number, now: number): boolean {
    return (
      this.#database.run(
        "UPDATE registrations SET state = 'planned', reason = NULL, changed_at = @now WHERE id = @id AND state = 'rejected'",
        { id, now },
      ) > 0
    );
  }

  /** As a journal tells of one that was dismissed. */
  registrationGivenUp(id: number, now: number): void {
    this.#registration(id, "rejected", "dismissed", now);
  }

  registrationDismissed(id: number, now: number): boolean {
    return (
      this.#database.run(
        "UPDATE registrations SET reason = 'dismissed', changed_at = @now WHERE id = @id AND state = 'rejected'",
        { id, now },
      ) > 0
    );
  }

  // All of them

  /** What an earlier process left between intent and outcome is in doubt (P4). The caller holds the lock: nothing is being sent. */
  interrupted(now: number): void {
    const database = this.#database;
    const sending = "FROM registrations WHERE state <> 'registered' AND state = 'sending'";
    if (!database.has(`SELECT 1 WHERE ${anyUnderWay} OR EXISTS (SELECT 1 ${sending})`)) return;
    const stalled = "state = 'stalled', reason = 'interrupted-in-doubt', changed_at = @now";
    database.atomic(() => {
      database.run(
        `UPDATE event_states SET ${stalled}, doubt = 1 WHERE (document_id, event_id) IN (${sendingEvents})`,
        { now },
      );
      database.run(`UPDATE document_states SET ${stalled} WHERE document_id IN (${sendingDocuments})`, { now });
      database.run(`UPDATE registrations SET ${stalled} WHERE id IN (SELECT id ${sending})`, { now });
      database.run(`UPDATE requests SET result = 'unanswered', finished_at = @now WHERE ${unanswered}`, { now });
    });
  }

  problem(
    subject: Subject,
    id: number,
    { code, message }: RefusalNote,
    now: number,
    severity: "error" | "warning" = "error",
  ): void {
    this.#database.run(
      `INSERT INTO problems (subject, subject_id, stage, severity, code, message, at)
       VALUES (@subject, @id, 'submitting', @severity, @code, @message, @now)`,
      { subject, id, code, message, now, severity },
    );
  }

  #event(
    id: number,
    state: string,
    now: number,
    more: { reason?: string; waitsFor?: string; serviceId?: string; targetId?: string | null; doubt?: 1 } = {},
  ): void {
    const { reason = null, waitsFor = null, serviceId = null, targetId = null, doubt = 0 } = more;
    // What is planned again or rejected is known not to have landed: no duplicate is a receipt for it (HARD-CASES H3).
    this.#database.run(
      `INSERT INTO event_states (document_id, event_id, state, reason, waits_for, service_event_id, target_document_id, doubt, changed_at)
       SELECT document_id, id, @state, @reason, @waitsFor, @serviceId, @targetId, @doubt, @now FROM events WHERE id = @id
       ON CONFLICT (document_id, event_id) DO UPDATE SET state = @state, reason = @reason, waits_for = @waitsFor,
         service_event_id = coalesce(@serviceId, service_event_id),
         target_document_id = coalesce(@targetId, target_document_id), doubt = @doubt, changed_at = @now,
         attempted_hash = iif(@state IN ('planned', 'rejected') OR @state = 'stalled' AND @doubt = 0, NULL, attempted_hash)`,
      { id, state, now, reason, waitsFor, serviceId, targetId, doubt },
    );
  }

  /** Dismissed beside this run, since its plan was made. */
  #isGivenUp(id: number): boolean {
    return this.#database.has(`SELECT 1 FROM event_states WHERE ${OF_EVENT} AND state = 'rejected' AND dismissed = 1`, {
      id,
    });
  }

  /** The event's row holds what the file says now. */
  #rememberChange(id: number): void {
    this.#database.run(
      `UPDATE event_states SET changed_hash = e.content_hash, changed_content = json_object('name', e.name, 'at', e.at,
         'rank', e.rank, 'participant', e.participant_ref, 'address', e.address_ref, 'relatedDocument', e.related_document,
         'relatedId', e.related_id, 'mirrored', e.mirrored, 'target', e.target_document, 'payload', e.payload,
         'hash', lower(hex(e.content_hash)))
       FROM events e WHERE e.id = @id AND event_states.document_id = e.document_id AND event_id = e.id`,
      { id },
    );
    this.#database.run(
      `UPDATE events SET content_hash = s.attempted_hash FROM event_states s
       WHERE s.document_id = events.document_id AND s.event_id = id AND id = @id`,
      { id },
    );
  }

  #document(id: number, state: string, now: number, more: { reason?: string; serviceId?: string } = {}): void {
    const { reason = null, serviceId = null } = more;
    const change = { id, state, now, reason, serviceId };
    // Two statements: CHECKs see an upsert's insert even where its update would keep the id.
    const changes = this.#database.run(
      `UPDATE document_states SET state = @state, reason = @reason, service_id = coalesce(@serviceId, service_id),
         changed_at = @now WHERE document_id = @id`,
      change,
    );
    if (changes > 0) return;
    this.#database.run(
      `INSERT INTO document_states (document_id, state, reason, service_id, changed_at)
       VALUES (@id, @state, @reason, @serviceId, @now)`,
      change,
    );
  }

  #documentState(id: number): string | undefined {
    return this.#database.value("SELECT state FROM document_states WHERE document_id = @id", { id });
  }

  #registration(id: number, state: string, reason: string | null, now: number): void {
    this.#database.run(
      `UPDATE registrations SET state = @state, reason = @reason, origin = NULL, service_id = NULL, snapshot_id = NULL,
         changed_at = @now WHERE id = @id`,
      { id, state, reason, now },
    );
  }

  #advance(document: number, at: number): void {
    this.#database.run(
      "UPDATE document_states SET last_at = max(coalesce(last_at, @at), @at) WHERE document_id = @document",
      { document, at },
    );
  }

  /** What follows from an event being on the timeline: its document's time and state, its target, its mirror. */
  #afterLanding(
    id: number,
    targetId: string | null,
    mirrorAt: number | null,
    now: number,
    isJustNow = true,
    earlier?: EarlierContent,
  ): void {
    const found = this.#database.row<Landed>(
      "SELECT document_id, name, at, mirrored, related_document, related_id, target_document FROM events WHERE id = @id",
      { id },
    );
    if (found === undefined) throw new Error("an event vanished while it was sent");
    const landed = { ...found, ...earlier };
    const { document_id: document, related_document: related, target_document: target } = landed;
    this.#advance(document, landed.at);
    if (landed.name === "CLOSE" && this.#documentState(document) === "open") this.#document(document, "closed", now);
    if (landed.name === "CANCEL") this.#document(document, "cancelled", now);
    const linkAt = mirrorAt ?? landed.at;
    if (landed.mirrored === 1 && related !== null) this.#advance(related, linkAt);
    // When an earlier attempt landed, and to what its document was related by then, a duplicate does not say.
    else if (isJustNow && landed.mirrored === 1 && landed.related_id === null)
      this.#database.run(
        `UPDATE document_states SET last_at = max(coalesce(last_at, @linkAt), @linkAt)
         WHERE state = 'open' AND document_id <> @id AND document_id IN (${COPIED_TO})`,
        { linkAt, id: document },
      );
    if (target === null) return;
    if (targetId !== null) this.#document(target, "open", now, { reason: "target", serviceId: targetId });
    else if ((this.#documentState(target) ?? "planned") === "planned")
      this.#document(target, "stranded", now, { reason: "target-id-unknown" });
    this.#advance(target, linkAt);
  }
}
