/**
 * The only writer of states: a function for each permitted outcome (model/states.ts), used by runs, commands and the
 * journal's replay. Each runs inside its caller's transaction; SQL refuses moves that the state tables do not list.
 */
import type { Code } from "../model/codes.js";
import { refusedByPlan } from "../model/solution.js";
import { CONTENT, COPIED_TO, type EventContent, OF_EVENT, type RegistrationKind } from "./event-key.js";
import type { LedgerDatabase } from "./ledger-database.js";
import { anyUnderWay, sendingDocuments, sendingEvents, unanswered, unansweredEvents } from "./in-flight.js";

export interface RefusalNote {
  code: Code;
  message: string;
  hint?: string;
}

/**
 * Content that landed earlier is known only by its hash: an upper bound of its time, and its link if there is only one
 * candidate.
 */
type EarlierContent = Pick<EventContent, "at" | "related_document">;

type Landed = EventContent & { document_id: number };

export interface RegistrationReceipt {
  serviceId: string;
  snapshotId: string | null;
  origin: "created" | "found";
  geography?: unknown;
}

export type Subject = RegistrationKind | "document" | "event";

type Unsent = Exclude<Subject, "event">;

type Table = "event_states" | "document_states" | "registrations";

type Columns = Readonly<Record<string, unknown>>;

const TABLES = {
  participant: "registrations",
  address: "registrations",
  document: "document_states",
  event: "event_states",
} as const satisfies Record<Subject, Table>;

/** Finds one row by @id. */
const ONE: Record<Table, string> = {
  event_states: OF_EVENT,
  document_states: "document_id = @id",
  registrations: "id = @id",
};

/** The hash of no content: one of several, nobody knows which. */
const UNKNOWN = "zeroblob(16)";

/** Joins events to the states that are updated. */
const FROM_EVENT = "FROM events e WHERE e.id = @id AND event_states.document_id = e.document_id AND event_id = e.id";

export class Writer {
  readonly #database: LedgerDatabase;

  constructor(database: LedgerDatabase) {
    this.#database = database;
  }

  /** `ids`: a JSON array, as the request keeps it. */
  sendingEvents(ids: string, now: number) {
    this.#database.run(
      `INSERT INTO event_states (document_id, event_id, state, attempted_hash, changed_at)
       SELECT e.document_id, e.id, 'sending', e.content_hash, @now FROM json_each(@ids) sent CROSS JOIN events e ON e.id = sent.value
       WHERE true ON CONFLICT (document_id, event_id) DO UPDATE SET state = 'sending', reason = NULL, waits_for = NULL, hold = NULL,
         attempted_at = iif(attempted_hash IS NULL, NULL, attempted_at),
         attempted_hash = iif(event_states.state = 'sending' AND attempted_hash <> excluded.attempted_hash, ${UNKNOWN},
           coalesce(attempted_hash, excluded.attempted_hash)), changed_at = @now`,
      { ids, now },
    );
  }

  /**
   * What the event went out with last may have landed, too: if that was corrected, nobody can tell which content did (H9).
   * `which`: only in such a state.
   */
  sentInDoubt(id: number, which = "true") {
    this.#database.run(
      `UPDATE event_states SET attempted_hash = ${UNKNOWN} ${FROM_EVENT} AND attempted_hash <> e.content_hash AND ${which}`,
      { id },
    );
  }

  /**
   * `serviceId` null: accepted, but without an id in the answer (H6). `mirrorAt`: the back-reference's time, in ms; null:
   * the event's own.
   */
  landed(id: number, serviceId: string | null, targetId: string | null, mirrorAt: number | null, now: number) {
    const ids = { service_event_id: serviceId, ...(targetId === null ? {} : { target_document_id: targetId }) };
    const lost = { state: "landed-without-id", reason: "answer-without-id" };
    this.#event(id, { ...ids, ...(serviceId === null ? lost : { state: "landed" }) }, now);
    this.#afterLanding(id, targetId, mirrorAt, now);
  }

  /** A duplicate of our own attempt: it landed, perhaps with earlier content (H3, H9). */
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
    this.#event(id, { state, reason: isChanged ? "changed" : evidence }, now);
    if (isChanged) this.#rememberChange(id);
    // Only the hash of the landed content is known, so only facts certain for both contents are believed (P2).
    const earlier = this.#database.row<EarlierContent>(
      `SELECT min(attempted_at, at) AS at,
         iif(attempted_link = related_document AND mirrored = 1, related_document, NULL) AS related_document
       FROM events_now WHERE id = @id AND attempted_at IS NOT NULL`,
      { id },
    );
    this.#afterLanding(id, null, mirrorAt, now, false, earlier);
    return state;
  }

  foreign(id: number, now: number) {
    this.#event(id, { state: "foreign", reason: "foreign-collision" }, now);
  }

  /** Accepted together with the event just before it, about which a person has decided. */
  foreignToo(id: number, message: string, now: number) {
    this.foreign(id, now);
    this.dismissedFor(id, false, now);
    this.problem("event", id, { code: "foreign-collision", message }, now, "warning");
  }

  rejected(subject: Subject, id: number, note: RefusalNote, now: number) {
    this.#move(subject, id, { state: "rejected", reason: note.code }, now);
    this.problem(subject, id, note, now);
  }

  /** Sent, outcome unknown. */
  stalled(subject: Subject, id: number, reason: Code, now: number) {
    if (subject === "event") this.sentInDoubt(id, "state = 'sending'");
    this.#move(subject, id, { state: "stalled", reason }, now);
  }

  /** Still in doubt, and asking again will not help: a person must settle it (H1). */
  unsettled(subject: Subject, id: number, told: Omit<RefusalNote, "code">, now: number) {
    this.stalled(subject, id, "doubt-unsettled", now);
    this.problem(subject, id, { code: "doubt-unsettled", ...told }, now);
  }

  /**
   * Retries spent without doubt (429, a background process, no connection): it has not landed, and can be sent again.
   */
  unanswered(id: number, now: number) {
    this.#event(id, { ...NOT_TRIED, state: "stalled", reason: "service-unanswered" }, now);
  }

  /** Never sent, or refused because of another event. */
  unsent(subject: Subject, id: number, now: number) {
    this.#move(subject, id, { state: "planned" }, now);
  }

  /** Refused before; its rows changed, or a person retries. @returns whether it was refused */
  replanned(subject: Unsent, id: number, now: number) {
    return this.#set(TABLES[subject], id, { state: "planned", reason: null }, now, "state = 'rejected'");
  }

  /** @returns whether it was refused */
  givenUp(subject: Unsent, id: number, now: number) {
    return this.#set(TABLES[subject], id, { reason: "dismissed" }, now, "state = 'rejected'");
  }

  /** Leaves such a document as it is; a person can undo this. `which`: another system's only, or any. @returns whether it was one */
  strandedGivenUp(id: number, which: "foreign" | "any", now: number) {
    const any = which === "any" ? "" : "AND reason IN ('foreign-collision', 'dismissed')";
    const isGiven = this.#set("document_states", id, { reason: "dismissed" }, now, `state = 'stranded' ${any}`);
    if (isGiven) this.doubtsGivenUp(id, true, now);
    return isGiven;
  }

  /** For the reason that was written down when it was stranded; a ledger made from a journal has none. */
  strandedTakenUp(id: number, now: number) {
    const reason =
      this.#database.value<string>(
        `SELECT code FROM problems WHERE subject = 'document' AND subject_id = @id AND stage = 'submitting'
           AND severity = 'error' ORDER BY id DESC LIMIT 1`,
        { id },
      ) ?? "document-stranded";
    const isTaken = this.#set(
      "document_states",
      id,
      { reason },
      now,
      "state = 'stranded' AND reason IN ('dismissed', 'replaced')",
    );
    if (isTaken) this.doubtsGivenUp(id, false, now);
  }

  held(id: number, reason: Code, waitsFor: string, now: number) {
    this.#waiting(id, { state: "held", reason, waits_for: waitsFor }, now);
  }

  /** In doubt, and asked about only when what it waits for is over; null: by the next run. */
  heldInDoubt(id: number, why: { reason: Code; waitsFor: string } | null, now: number) {
    const hold = { hold: why?.reason ?? null, waits_for: why?.waitsFor ?? null };
    this.#set("event_states", id, hold, now, "state = 'stalled'");
  }

  deferred(id: number, now: number) {
    this.#waiting(id, { state: "deferred", reason: "not-yet-past" }, now);
  }

  released(id: number, now: number) {
    this.#waiting(id, { ...NOT_TRIED, state: "planned" }, now);
  }

  /**
   * A person has settled these causes, as `waits_for` names them: the next run plans again what waited for them. The
   * query repeats what `held` already implies, because the partial index needs it.
   */
  waitsSettled(causes: readonly string[], now: number) {
    this.#database.run(
      `UPDATE event_states SET state = iif(hold IS NULL, 'planned', state), reason = iif(hold IS NULL, NULL, reason),
         waits_for = NULL, hold = NULL, changed_at = @now
       WHERE (state = 'held' OR state = 'stalled') AND state <> 'landed' AND state <> 'sending' AND waits_for IN @causes`,
      { causes, now },
    );
  }

  /** `unsent`: includes events that only wait. @returns whether its state allowed it */
  dismissed(id: number, unsent: boolean, now: number) {
    if (this.#set("event_states", id, { dismissed: 1 }, now, "state IN ('rejected', 'foreign', 'changed')")) {
      this.#shutByAccepted(id, now);
      return true;
    }
    if (!unsent || !this.#database.has("SELECT 1 FROM events_now WHERE id = @id AND unsent", { id })) return false;
    this.dismissedBefore(id, now);
    return true;
  }

  /** Also dismisses its content, whenever that comes back (H23). */
  dismissedFor(id: number, unsent: boolean, now: number) {
    if (!this.dismissed(id, unsent, now)) return false;
    this.#database.run(
      `INSERT INTO dismissals (document_id, deduplication_id, content_hash, at)
       SELECT document_id, deduplication_id, coalesce(changed_hash, content_hash), @now FROM events_now WHERE id = @id`,
      { id, now },
    );
    return true;
  }

  /** Dismissed content has come back (H23). */
  dismissedBefore(id: number, now: number) {
    this.#event(id, { state: "rejected", reason: "dismissed", dismissed: 1 }, now);
  }

  /** Events that only waited are planned again; others are open as before. */
  undismissed(id: number, now: number) {
    this.#set("event_states", id, { dismissed: 0 }, now);
    this.#set("event_states", id, PLANNED, now, "state = 'rejected' AND reason = 'dismissed'");
    this.#shutByAccepted(id, now);
  }

  /** Its file came again without its row (H27). */
  rowGone(id: number, row: number, message: string, now: number) {
    this.#event(id, { state: "rejected", reason: "row-gone" }, now);
    const problem = { code: "row-gone", message, severity: "error", stage: "staging" };
    this.#database.add("problems", { ...problem, row_id: row, subject: "event", subject_id: id, at: now });
  }

  /** Except what the plan refused permanently. @returns whether it is planned again */
  retried(id: number, gone: boolean, now: number) {
    const permanent = [...refusedByPlan, "dismissed", ...(gone ? [] : ["row-gone"])].join("', '");
    // There is no evidence of an attempt any more, so a duplicate answer will not be a receipt (H3).
    const planned = { ...PLANNED, attempted_hash: null };
    const which = `(state = 'foreign' OR state = 'rejected' AND reason NOT IN ('${permanent}'))`;
    return this.#set("event_states", id, planned, now, which);
  }

  /** Lets the next run ask once more about doubt that was left to a person. @returns whether it was such doubt */
  askedAgain(subject: "event" | "document", id: number, now: number) {
    const which = "state = 'stalled' AND reason = 'doubt-unsettled'";
    return this.#set(TABLES[subject], id, { reason: "refused-in-doubt" }, now, which);
  }

  /** Plans it again. A duplicate answer to its key would still be about our own attempt (P5). */
  notLanded(id: number, now: number) {
    this.#set("event_states", id, { ...PLANNED, doubt: 0 }, now);
  }

  /** Its row now has other content, or comes back after a refusal. Attempts stay known. */
  corrected(id: number, now: number) {
    const planned = { ...PLANNED, changed_hash: null, dismissed: 0 };
    this.#set("event_states", id, planned, now, "state = 'rejected'");
  }

  /** It landed, and its row now has `content` (JSON; null: unknown). */
  changed(id: number, hash: Buffer, content: string | null, now: number) {
    const changed = { state: "changed", reason: "changed", changed_hash: hash, changed_content: content };
    this.#set("event_states", id, { ...changed, ...NO_WAIT, dismissed: 0 }, now);
  }

  /** Its row came back as it landed, and `events` has that content again, so its effect on the document is known. */
  unchanged(id: number, now: number) {
    const isLost = this.#database.has("SELECT 1 FROM events_now WHERE id = @id AND service_event_id IS NULL", { id });
    const state = isLost ? "landed-without-id" : "landed";
    const settled = {
      dismissed: 0,
      changed_hash: null,
      changed_content: null,
      attempted_at: null,
      attempted_link: null,
    };
    this.#event(id, { state, ...settled }, now);
    this.#afterLanding(id, null, null, now, false);
  }

  /**
   * Called before a sent event's content changes. Which of two contents in doubt landed can never be known, so the
   * bounds that hold for both are kept: the earliest time, and the document that both link to.
   */
  keepAttempted(id: number) {
    this.#database.run(
      `UPDATE event_states SET
         attempted_at = iif(attempted_hash = e.content_hash, e.at, min(attempted_at, e.at)),
         attempted_link = iif(attempted_hash = e.content_hash OR attempted_link = e.related_document AND e.mirrored = 1,
           iif(e.mirrored = 1, e.related_document, NULL), NULL),
         attempted_hash = iif(state = 'stalled' AND doubt = 1 AND attempted_hash <> e.content_hash, ${UNKNOWN}, attempted_hash)
       ${FROM_EVENT} AND attempted_hash IS NOT NULL`,
      { id },
    );
  }

  /** From a journal. `hash`: of the only content that may have landed; null: as earlier entries said. */
  restored(
    id: number,
    found: {
      state: string;
      reason: string | null;
      serviceId: string | null;
      targetId: string | null;
      hash: Buffer | null;
    },
    now: number,
  ) {
    const attempted =
      "SELECT attempted_hash AS hash, attempted_at AS sentAt, attempted_link AS link FROM events_now WHERE id = @id";
    const before = found.hash === null ? this.#database.row<object>(attempted, { id }) : null;
    this.asStaged(id);
    this.#database.run(
      `INSERT INTO event_states (document_id, event_id, state, reason, service_event_id, target_document_id, attempted_hash,
         attempted_at, attempted_link, doubt, changed_at)
       SELECT document_id, id, @state, @reason, @serviceId, @targetId, coalesce(@hash, content_hash), @sentAt, @link,
         @state = 'stalled', @now FROM events WHERE id = @id`,
      { sentAt: null, link: null, ...found, ...before, id, now },
    );
    // What landed is not what its row says.
    const isChanged = this.#database.has(
      "SELECT 1 FROM events_now WHERE id = @id AND landed AND attempted_hash <> content_hash",
      { id },
    );
    if (!isChanged) return;
    this.#event(id, { state: "changed", reason: "changed" }, now);
    this.#rememberChange(id);
  }

  asStaged(id: number) {
    this.#database.run(`DELETE FROM event_states WHERE ${OF_EVENT}`, { id });
  }

  /** Deletes events; `events` selects ids. */
  eventsGone(events: string, values: object) {
    this.#database.run(
      `DELETE FROM event_states WHERE (document_id, event_id) IN (SELECT document_id, id FROM events WHERE id IN (${events}))`,
      values,
    );
  }

  sendingDocument(id: number, now: number) {
    this.#document(id, { state: "sending" }, now);
  }

  /**
   * Just created, so events sent earlier and not with this create (`riding`, ids) have not landed (H4). @returns how
   * many events are planned again
   */
  opened(id: number, serviceId: string, riding: readonly number[], now: number) {
    this.#document(id, { state: "open", service_id: serviceId }, now);
    return this.#database.run(
      `UPDATE event_states SET state = 'planned', reason = NULL, waits_for = NULL, hold = NULL, doubt = 0, attempted_hash = NULL, changed_at = @now
       WHERE document_id = @id AND (state = 'sending' OR state = 'stalled' AND doubt = 1) AND dismissed = 0
         AND event_id NOT IN @riding`,
      { id, riding, now },
    );
  }

  /** Its events in doubt wait for a person too (H4). */
  stranded(id: number, reason: Code, message: string, now: number) {
    this.#document(id, { state: "stranded", reason }, now);
    this.#database.run(
      `UPDATE event_states SET reason = 'document-stranded', waits_for = NULL, hold = NULL, changed_at = @now
       WHERE document_id = @id AND state = 'stalled'`,
      { id, now },
    );
    this.problem("document", id, { code: reason, message }, now);
  }

  /** A row names it by its service id. */
  documentGiven(id: number, serviceId: string, now: number) {
    if (this.#documentNow(id) === null)
      this.#document(id, { state: "open", reason: "given", service_id: serviceId }, now);
  }

  /** A person found its id, so its events in doubt can be asked about. */
  documentResolved(id: number, serviceId: string, now: number) {
    this.#document(id, { state: "open", reason: "resolved", service_id: serviceId }, now);
    this.#database.run(
      `UPDATE event_states SET reason = 'refused-in-doubt', changed_at = @now
       WHERE document_id = @id AND state = 'stalled' AND reason = 'document-stranded'`,
      { id, now },
    );
    this.doubtsGivenUp(id, false, now);
    this.waitsSettled([`document:${id}`], now);
  }

  /** Stranded; its next generation is sent in its place. */
  strandedReplaced(id: number, now: number) {
    this.#set("document_states", id, { reason: "replaced" }, now);
    this.doubtsGivenUp(id, true, now);
  }

  /** Events in doubt go with their stranded document. `isGiven`: or are taken up again with it. */
  doubtsGivenUp(document: number, isGiven: boolean, now: number) {
    this.#database.run(
      "UPDATE event_states SET dismissed = @given, changed_at = @now WHERE document_id = @document AND state = 'stalled'",
      { document, given: isGiven ? 1 : 0, now },
    );
  }

  /** Moves its state to `into`; the state rules demand closed before cancelled. */
  documentAbsorbed(from: number, into: number, now: number) {
    const { state, lastAt } = this.#documentNow(from) ?? { state: "planned", lastAt: null };
    if (lastAt !== null) this.#advance(into, lastAt);
    if (state === "closed" || state === "cancelled") this.#shut(into, state, now);
    this.#database.run("UPDATE event_states SET document_id = @into WHERE document_id = @from", { from, into });
    this.#database.run("DELETE FROM document_states WHERE document_id = @from", { from });
  }

  /** From a journal; planned: nothing is known. */
  documentRestored(
    id: number,
    found: { state: string; reason: string | null; serviceId: string | null; lastAt: number | null },
    now: number,
  ) {
    this.#database.run("DELETE FROM document_states WHERE document_id = @id", { id });
    if (found.state === "planned") return;
    const { state, reason, serviceId, lastAt } = found;
    this.#document(id, { state, reason, service_id: serviceId, last_at: lastAt }, now);
  }

  sendingRegistration(id: number, now: number) {
    this.#set("registrations", id, { state: "sending", attempted: 1 }, now);
  }

  registered(id: number, receipt: RegistrationReceipt, now: number) {
    const { serviceId, snapshotId, origin, geography } = receipt;
    const place = geography === undefined ? {} : { geography: JSON.stringify(geography) };
    const ids = { service_id: serviceId, snapshot_id: snapshotId, origin, ...place };
    this.#set("registrations", id, { state: "registered", reason: null, ...ids }, now);
  }

  /** A mapping or row names it by its service id. @returns its id in the ledger */
  registrationGiven(kind: RegistrationKind, identity: string, serviceId: string, now: number) {
    const given = { state: "registered", origin: "given", service_id: serviceId, changed_at: now };
    return this.#database.add("registrations", { kind, identity, ...given });
  }

  /** From a journal, dismissed. */
  registrationGivenUp(kind: RegistrationKind, id: number, now: number) {
    this.#move(kind, id, { state: "rejected", reason: "dismissed" }, now);
  }

  /** Requests without an outcome are in doubt (P4). The caller holds the lock, so nothing is being sent. */
  interrupted(now: number) {
    const database = this.#database;
    const sending = "FROM registrations WHERE state <> 'registered' AND state = 'sending'";
    if (!database.has(`SELECT 1 WHERE ${anyUnderWay} OR EXISTS (SELECT 1 ${sending})`)) return;
    const stalled = "state = 'stalled', reason = 'interrupted-in-doubt', changed_at = @now";
    const isLost = `doubt OR (document_id, event_id) IN (${unansweredEvents})`;
    database.atomic(() => {
      database.run(
        `UPDATE event_states SET state = 'stalled', changed_at = @now, doubt = 1,
           reason = iif(${isLost}, 'interrupted-in-doubt', 'refused-with-others'), attempted_hash = iif(attempted_hash = (SELECT content_hash FROM events
           WHERE id = event_id), attempted_hash, ${UNKNOWN}) WHERE (document_id, event_id) IN (${sendingEvents})`,
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
    { code, message, hint }: RefusalNote,
    now: number,
    severity: "error" | "warning" = "error",
  ) {
    const of = { subject, subject_id: id, stage: "submitting", severity };
    this.#database.add("problems", { ...of, code, message, hint: hint ?? null, at: now });
  }

  /**
   * Also for an event without a state row. Columns that are not named are reset, as after any outcome: no reason, no
   * doubt.
   */
  #event(id: number, columns: Columns, now: number) {
    this.#database.run(
      `INSERT OR IGNORE INTO event_states (document_id, event_id, state, changed_at)
       SELECT document_id, id, 'planned', @now FROM events WHERE id = @id`,
      { id, now },
    );
    this.#set("event_states", id, { reason: null, ...NO_WAIT, doubt: 0, ...columns }, now);
  }

  #document(id: number, columns: Columns, now: number) {
    const all = { reason: null, ...columns };
    if (!this.#set("document_states", id, all, now))
      this.#database.add("document_states", { document_id: id, ...all, changed_at: now });
  }

  /** To a state without evidence of a landing. */
  #move(subject: Subject, id: number, columns: Columns, now: number) {
    if (subject === "document") this.#document(id, columns, now);
    else if (subject === "event")
      this.#event(id, { ...columns, ...(columns["state"] === "stalled" ? { doubt: 1 } : NOT_TRIED) }, now);
    else this.#set("registrations", id, { reason: null, ...NO_IDS, ...columns }, now);
  }

  /** `which`: only in such a state. @returns whether there was one */
  #set(table: Table, id: number, columns: Columns, now: number, which = "true") {
    const assigned = Object.keys(columns).map((column) => `${column} = @${column}`);
    const text = `UPDATE ${table} SET ${assigned.join(", ")}, changed_at = @now WHERE ${ONE[table]} AND ${which}`;
    return this.#database.run(text, { ...columns, id, now }) > 0;
  }

  /** Does nothing if it was dismissed during this run, after the plan was made. */
  #waiting(id: number, columns: Columns, now: number) {
    const given = `SELECT 1 FROM event_states WHERE ${OF_EVENT} AND state = 'rejected' AND dismissed = 1`;
    if (!this.#database.has(given, { id })) this.#event(id, columns, now);
  }

  /** The row has the file's present content; of what landed, only the hash is known. */
  #rememberChange(id: number) {
    this.#database.run(
      `UPDATE event_states SET changed_hash = e.content_hash,
         changed_content = json_object(${CONTENT.map((name) => `'${name}', e.${name}`).join(", ")}) ${FROM_EVENT}`,
      { id },
    );
    this.#database.run(
      `UPDATE events SET content_hash = s.attempted_hash, payload = '' FROM event_states s
       WHERE s.document_id = events.document_id AND s.event_id = id AND id = @id`,
      { id },
    );
  }

  #documentNow(id: number) {
    const select = "SELECT state, last_at AS lastAt FROM document_states WHERE document_id = @id";
    return this.#database.row<{ state: string; lastAt: number | null }>(select, { id });
  }

  #advance(document: number, at: number) {
    this.#database.run(
      "UPDATE document_states SET last_at = max(coalesce(last_at, @at), @at) WHERE document_id = @document",
      { document, at },
    );
  }

  #shut(document: number, state: keyof typeof SHUT, now: number) {
    this.#set("document_states", document, { state, reason: null }, now, SHUT[state]);
  }

  /** A CLOSE or CANCEL that something else sent shuts its document for as long as a person accepts it. */
  #shutByAccepted(id: number, now: number) {
    const found = this.#database.row<{ document: number; serviceId: string; lastAt: number | null }>(
      `SELECT s.document_id AS document, s.service_id AS serviceId, s.last_at AS lastAt
       FROM events_now e JOIN document_states s ON s.document_id = e.document_id
       WHERE e.id = @id AND e.state = 'foreign' AND e.name IN ('CLOSE', 'CANCEL') AND s.service_id IS NOT NULL`,
      { id },
    );
    if (found === null) return;
    const { document } = found;
    // The state table has no move back to open.
    this.documentRestored(document, { ...found, state: "open", reason: null }, now);
    const names = this.#database.values<string>(
      `SELECT name FROM events_now WHERE document_id = @document AND name IN ('CLOSE', 'CANCEL')
         AND (landed OR state = 'foreign' AND dismissed = 1) ORDER BY rank`,
      { document },
    );
    for (const name of names) if (isShutting(name)) this.#shut(document, SHUTTING[name], now);
  }

  /** The consequences of a landing: the document's time and state, its target, its mirror. */
  #afterLanding(
    id: number,
    targetId: string | null,
    mirrorAt: number | null,
    now: number,
    isJustNow = true,
    earlier: EarlierContent | null = null,
  ) {
    const found = this.#database.row<Landed>("SELECT * FROM events WHERE id = @id", { id });
    if (found === null) throw new Error("an event vanished while it was sent");
    const landed = { ...found, ...earlier };
    const { document_id: document, related_document: related, target_document: target } = landed;
    this.#advance(document, landed.at);
    if (isShutting(landed.name)) this.#shut(document, SHUTTING[landed.name], now);
    const linkAt = mirrorAt ?? landed.at;
    if (landed.mirrored === 1 && related !== null) this.#advance(related, linkAt);
    // A duplicate does not say when the earlier attempt landed, or which relations its document had then.
    else if (isJustNow && landed.mirrored === 1 && landed.related_id === null)
      this.#database.run(
        `UPDATE document_states SET last_at = max(coalesce(last_at, @linkAt), @linkAt)
         WHERE state = 'open' AND document_id <> @id AND document_id IN (${COPIED_TO})`,
        { linkAt, id: document },
      );
    if (target === null) return;
    if (targetId !== null) this.#document(target, { state: "open", reason: "target", service_id: targetId }, now);
    else if ((this.#documentNow(target)?.state ?? "planned") === "planned")
      this.#document(target, { state: "stranded", reason: "target-id-unknown" }, now);
    this.#advance(target, linkAt);
  }
}

const NO_WAIT = { waits_for: null, hold: null };
const PLANNED = { state: "planned", reason: null, ...NO_WAIT };
/** It has not landed, so a duplicate will not be a receipt (H3). */
const NOT_TRIED = { attempted_hash: null };
const NO_IDS = { origin: null, service_id: null, snapshot_id: null };

const SHUTTING = { CLOSE: "closed", CANCEL: "cancelled" } as const;
const isShutting = (name: string): name is keyof typeof SHUTTING => Object.hasOwn(SHUTTING, name);
/** The states in which a document can be shut. */
const SHUT = { closed: "state = 'open'", cancelled: "state IN ('open', 'closed')" };
