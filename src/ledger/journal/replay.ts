/** Applies a journal's entries in order. Trusts none of them: an earlier program may have written the journal. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../model/json.js";
import { isLandedState } from "../../model/states.js";
import { type Decision, keepDecision } from "../decide/resolve.js";
import { addCancel } from "../decide/replace.js";
import { plannedReplacements, takeBackReplacement } from "../decide/take-back-replacement.js";
import { keyBytes, type RegistrationKind } from "../event-key.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { createSettingsStore } from "../inputs.js";
import { KNOWN_OF_EVENTS } from "../known-rows.js";
import { UNKNOWN_ROW } from "../rows.js";
import { absorbDocument, unknownParties } from "../stage/references.js";
import { dropUnbroughtEvents } from "../stage/take-back.js";
import { markOpen } from "../work.js";
import { Writer } from "../writer.js";
import type { JournalDocument } from "./entries.js";
import type { JournalEntry } from "./journal.js";

const text = (value: JsonValue | undefined) => (typeof value === "string" ? value : null);
const list = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);
export const objects = (value: JsonValue | undefined): JsonObject[] => list(value).filter(isJsonObject);
const keyOf = (entry: JsonObject) => keyBytes(text(entry["key"]) ?? "");
const hexBytes = (value: JsonValue | undefined) => Buffer.from(text(value) ?? "", "hex");

/** `run`: the run that restores the ledger. */
export function createReplay(database: LedgerDatabase, run: number): (entry: JournalEntry) => void {
  const writer = new Writer(database);
  const makeStandIns = () => ({ ...unknownParties(database), input_id: journalInput(database, run) });
  let made: ReturnType<typeof makeStandIns> | undefined;
  /** Stands for the parties and the file of events until their rows come again. */
  const standIns = () => (made ??= makeStandIns());

  const registrationOf = (kind: RegistrationKind, owner: number, identity: string, entry: JsonObject) =>
    database.value<number>(
      "SELECT id FROM registrations WHERE kind = @kind AND owner = @owner AND identity = @identity",
      { kind, owner, identity },
    ) ??
    database.add("registrations", {
      kind,
      owner,
      identity,
      payload: entry["record"] === kind ? (text(entry["payload"]) ?? "{}") : "{}",
      extended: text(entry["extended"]) ?? "{}",
      attempted: 1,
    });

  /** Null: the entry names none. */
  const register = (entry: JsonObject, at: number) => {
    const { record } = entry;
    const natural = text(entry["natural_key"]);
    // An address that a mapping gave by its id has no owner.
    const isGiven = record === "address" && entry["origin"] === "given";
    if ((record !== "participant" && record !== "address") || (natural === null && !isGiven)) return null;
    const owner = natural === null ? 0 : registrationOf("participant", 0, natural, entry);
    const id = record === "participant" ? owner : registrationOf(record, owner, text(entry["identity"]) ?? "", entry);
    const stateNow = () => database.value<string>("SELECT state FROM registrations WHERE id = @id", { id });
    if (stateNow() === "registered") return id;
    if (stateNow() !== "stalled") writer.unsent(record, id, at);
    const serviceId = text(entry["service_id"]);
    if (serviceId !== null) {
      const origin = text(entry["origin"]) as "created" | "found";
      const geography = text(entry["geography"]);
      const receipt = { serviceId, snapshotId: text(entry["snapshot_id"]), origin };
      writer.registered(
        id,
        geography === null ? receipt : { ...receipt, geography: JSON.parse(geography) as unknown },
        at,
      );
    } else if (stateNow() === "planned" && entry["reason"] === "dismissed") {
      writer.registrationGivenUp(record, id, at);
    } else if (stateNow() === "planned" && entry["entry"] === "intent") {
      writer.sendingRegistration(id, at);
      writer.stalled(record, id, "interrupted-in-doubt", at);
    }
    return id;
  };

  const named = (document: JournalDocument, mode = "create") => {
    const [namespace, kind, key, generation] = document;
    return (
      journaledDocument(database, document) ??
      database.add("documents", { namespace, kind, key, generation, declared: 0, mode })
    );
  };
  const documentOf = (entry: JsonObject) =>
    named(entry["document"] as JournalDocument, text(entry["mode"]) ?? "create");
  const documentNow = (id: number) =>
    database.row<{ state: string; reason: string | null; serviceId: string | null; lastAt: number | null }>(
      "SELECT state, reason, service_id AS serviceId, last_at AS lastAt FROM document_states WHERE document_id = @id",
      { id },
    );

  const setDocument = (entry: JsonObject, at: number) => {
    const id = documentOf(entry);
    const before = documentNow(id);
    const serviceId = text(entry["id"]) ?? before?.serviceId ?? null;
    const told = restingState(text(entry["state"]), text(entry["reason"]), serviceId);
    // A ledger that missed an answer has an earlier state; no document returns to it.
    const isEarlier = before?.state === "cancelled" || (before?.state === "closed" && told === "open");
    const state = isEarlier ? before.state : told;
    // A known id outweighs an older ledger's claim that the document is stranded.
    const reason = told === "open" && text(entry["state"]) === "stranded" ? null : text(entry["reason"]);
    const times = [entry["lastAt"], before?.lastAt].filter((time) => typeof time === "number");
    const lastAt = times.length === 0 ? null : Math.max(...times);
    writer.documentRestored(id, { state, reason, serviceId, lastAt }, at);
    const isGiven = state === "stranded" && reason === "dismissed";
    if (isGiven || (before?.state === "stranded" && before.reason === "dismissed"))
      writer.doubtsGivenUp(id, isGiven, at);
    if (state !== "cancelled") markOpen(database, id);
  };

  const find = (document: number, entry: JsonObject) =>
    database.row<{ id: number; state: string; content_hash: Buffer; doubt: 0 | 1 }>(
      "SELECT id, state, content_hash, doubt FROM events_now WHERE document_id = @document AND deduplication_id = @key",
      { document, key: keyOf(entry) },
    );

  const setEvent = (id: number, state: string, entry: JsonObject, at: number, hash: Buffer | null = null) => {
    const reason = text(entry["reason"]) ?? (state === "stalled" ? "interrupted-in-doubt" : null);
    writer.restored(id, { state, reason, serviceId: text(entry["id"]), targetId: text(entry["targetId"]), hash }, at);
  };

  const intendEvent = (document: number, entry: JsonObject, at: number) => {
    const found = find(document, entry);
    if (found !== null && isLandedState(found.state)) return;
    const related = entry["related"] as JournalDocument | null;
    const target = entry["target"] as JournalDocument | null;
    const hash = hexBytes(entry["hash"]);
    const content = () => ({
      content_hash: hash,
      name: entry["name"],
      at: entry["at"],
      rank: entry["rank"],
      related_document: related === null ? null : named(related),
      related_id: entry["relatedId"],
      mirrored: entry["mirrored"],
      target_document: target === null ? null : named(target, "target"),
    });
    if (found?.content_hash.equals(hash) === true) {
      if (found.doubt === 1) writer.sentInDoubt(found.id);
    } else if (found !== null) {
      // It may have landed with what went out before.
      if (found.doubt === 1) writer.keepAttempted(found.id);
      // A backup's row, or an earlier entry's, was corrected before this one.
      database.change("events", found.id, { ...content(), ...standIns(), payload: "" });
    }
    const id =
      found?.id ??
      database.add("events", {
        document_id: document,
        deduplication_id: keyOf(entry),
        event: entry["event"],
        key_parts: JSON.stringify(entry["parts"]),
        ...content(),
        ...standIns(),
        payload: "",
      });
    setEvent(id, "stalled", {}, at, found?.doubt === 1 ? null : hash);
  };

  const endEvent = (document: number, entry: JsonObject, at: number) => {
    const found = find(document, entry);
    const state = text(entry["state"]) ?? "planned";
    // The service's answer stands, even if a kill kept it from a ledger that was later in doubt, or an older ledger
    // continued the same journal.
    if (found === null || (isLandedState(found.state) && !isLandedState(state))) return;
    // It landed before a row differed; a backup knows that, and no file need say it again.
    if (found.state === "changed") return;
    const { id } = found;
    // Else, what went out earlier may have landed.
    if (state === "landed" || state === "landed-without-id") return setEvent(id, state, entry, at, found.content_hash);
    if (state === "changed" || state === "foreign") return setEvent(id, state, entry, at);
    if (state !== "planned" && state !== "rejected") {
      writer.sentInDoubt(id);
      return setEvent(id, "stalled", entry, at);
    }
    // It has not landed, so the rows bring it again.
    writer.asStaged(id);
    if (!database.has(`SELECT 1 FROM ${KNOWN_OF_EVENTS}`, { events: [id] }))
      dropUnbroughtEvents(database, "SELECT id FROM events WHERE id = @id AND payload = ''", { id });
  };

  /** By cells: how many equal rows the entries so far have given up; a ledger that has as many gets no more. */
  const givenUp = new Map<string, number>();
  const countGivenUp = (cells: JsonValue, change: 1 | -1) => {
    const count = Math.max(0, (givenUp.get(String(cells)) ?? 0) + change);
    givenUp.set(String(cells), count);
    return { hash: hexBytes(cells), count };
  };

  /** `row`: what took its place; null: nothing did. */
  const settleCells = (cells: JsonValue, row: number | null, at: number) =>
    database.run(
      `INSERT INTO dismissals (cell_hash, row_id, at) SELECT @hash, @row, @at
       WHERE (SELECT count(*) FROM dismissals WHERE cell_hash = @hash) < @count`,
      { ...countGivenUp(cells, 1), row, at },
    );

  const dismissed = (entry: JsonObject, at: number) => {
    const isUndone = entry["entry"] === "undone";
    for (const cells of list(entry["cells"]))
      if (!isUndone) settleCells(cells, null, at);
      else
        database.run(
          `DELETE FROM dismissals WHERE id = (SELECT max(id) FROM dismissals WHERE cell_hash = @hash AND row_id IS NULL)
             AND (SELECT count(*) FROM dismissals WHERE cell_hash = @hash) > @count`,
          countGivenUp(cells, -1),
        );
    for (const event of objects(entry["events"])) {
      const hash = hexBytes(event["hash"]);
      const document = named(event["document"] as JournalDocument);
      database.run(
        isUndone
          ? "DELETE FROM dismissals WHERE document_id = @document AND deduplication_id = @key"
          : `INSERT INTO dismissals (document_id, deduplication_id, content_hash, at)
             SELECT @document, @key, @hash, @at WHERE NOT EXISTS (SELECT 1 FROM dismissals
               WHERE document_id = @document AND deduplication_id = @key AND content_hash = @hash)`,
        { document, key: keyOf(event), hash, at },
      );
      const found = find(document, event);
      if (found === null) continue;
      if (isUndone) writer.undismissed(found.id, at);
      else acknowledge(document, found, hash, at);
    }
    for (const registration of objects(entry["registrations"])) register(registration, at);
  };

  /** Once everything else is replayed. Until what a correction sends has landed, the bad row must not be forgotten. */
  const corrected = (entry: JsonObject, at: number) => {
    const isLanded = (event: JsonObject) => {
      const document = journaledDocument(database, event["document"] as JournalDocument);
      return document !== null && isLandedState(find(document, event)?.state ?? "");
    };
    for (const { cells, events } of objects(entry["rows"]))
      if (objects(events).every(isLanded)) settleCells(cells ?? null, UNKNOWN_ROW, at);
  };

  const acknowledge = (document: number, { id, state }: { id: number; state: string }, hash: Buffer, at: number) => {
    const isSame = database.has("SELECT 1 FROM events WHERE id = @id AND content_hash = @hash", { id, hash });
    // It landed with other content than its row has now, and the person knows.
    const isChange = state !== "changed" && isLandedState(state) && !isSame;
    if (isChange) writer.changed(id, hash, null, at);
    if (isChange || state === "foreign") writer.dismissed(id, false, at);
    // A backup from before the decision has its row, and would send it.
    if (!isSame || !writer.dismissed(id, true, at)) return;
    writer.waitsSettled([`event:${id}`], at);
    markOpen(database, document);
  };

  const setKeys = (entry: JsonObject, at: number) => {
    // A backup may know of a later change.
    for (const one of objects(entry["fingerprints"]))
      database.run(
        `INSERT INTO fingerprints (namespace, name, mapping, fingerprint, changed_at)
         VALUES (@namespace, @name, @mapping, @fingerprint, @at)
         ON CONFLICT (namespace, name, mapping) DO UPDATE SET fingerprint = @fingerprint,
           changed_at = @at WHERE changed_at < @at`,
        { namespace: "", name: "", mapping: "", fingerprint: "", ...one, at },
      );
    for (const { namespace, kind, key, document } of objects(entry["documents"])) {
      const into = named(document as JournalDocument);
      // Rows named it so before its id was known.
      const from = ownNamed(database, [namespace, kind, key, 1] as JournalDocument);
      if (from !== null) absorbDocument(database, from, into, at);
      database.run(
        "INSERT OR IGNORE INTO document_aliases (namespace, kind, key, document_id) VALUES (@namespace, @kind, @key, @into)",
        { namespace, kind, key, into },
      );
    }
  };

  /** The CANCEL comes with its body, because no row brings it. */
  const replaced = (entry: JsonObject, at: number) => {
    const [old] = objects(entry["documents"]);
    if (old === undefined) return;
    const document = documentOf(old);
    if (old["reason"] === "replaced") writer.doubtsGivenUp(document, true, at);
    const { cancel } = entry;
    if (!isJsonObject(cancel)) return;
    const partyOf = (value: JsonValue | undefined) => register(isJsonObject(value) ? value : {}, at);
    const [participant_ref, address_ref] = [partyOf(cancel["participant"]), partyOf(cancel["address"])];
    const there = documentNow(document);
    // A stranded document has no id to cancel it by.
    if (participant_ref === null || address_ref === null || there?.serviceId == null || there.state === "cancelled")
      return;
    if (find(document, cancel) !== null) return;
    const cancelAt = Math.max(Number(cancel["at"]), there.lastAt ?? 0);
    const payload = JSON.stringify(cancel["payload"]);
    const cancelled = { key: keyOf(cancel), at: cancelAt, payload, participant_ref, address_ref };
    addCancel(database, document, cancelled, standIns().input_id);
    markOpen(database, document);
  };

  const unreplaced = (document: number, at: number) => {
    const generations = database.values<number>("SELECT id FROM generations WHERE of_id = @document", { document });
    for (const planned of plannedReplacements(database, generations)) takeBackReplacement(database, planned, at);
  };

  /** A person's answer about a document in doubt, or these events of it. */
  const decided = (decision: JsonObject, events: readonly JsonObject[], at: number) => {
    const document = documentOf(decision);
    for (const key of events.length === 0 ? [null] : events.map(keyOf)) {
      const isKnown = database.has(
        "SELECT 1 FROM decisions WHERE document_id = @document AND deduplication_id IS @key AND at = @at",
        { document, key, at },
      );
      const said = text(decision["said"]) as Decision["said"];
      if (!isKnown) keepDecision(database, { document, key }, { said, by: text(decision["by"]) ?? "" }, at);
    }
  };

  return (entry) => {
    const at = Number(entry["at"] ?? 0);
    if (entry["record"] === "participant" || entry["record"] === "address") return void register(entry, at);
    const events = objects(entry["events"]);
    const documents = objects(entry["documents"]);
    if (entry.entry === "unreplaced") for (const document of documents) unreplaced(documentOf(document), at);
    for (const document of documents) if ("state" in document) setDocument(document, at);
    if (entry.entry === "intent") {
      const creates = (text(entry["kind"]) ?? "").startsWith("create-");
      setDocument(creates ? { ...entry, state: "stalled", reason: "interrupted-in-doubt" } : entry, at);
      for (const event of events) intendEvent(documentOf(entry), event, at);
    } else if (entry.entry === "dismissed" || entry.entry === "undone") dismissed(entry, at);
    else if (entry.entry === "keys") setKeys(entry, at);
    else if (entry.entry === "corrected") corrected(entry, at);
    else if (entry.entry === "replaced") replaced(entry, at);
    else for (const event of events) endEvent(documentOf(documents[0] ?? {}), event, at);
    if (isJsonObject(entry["decision"])) decided(entry["decision"], events, at);
  };
}

const ownNamed = (database: LedgerDatabase, [namespace, kind, key, generation]: JournalDocument) =>
  database.value<number>(
    "SELECT id FROM documents WHERE namespace = @namespace AND kind = @kind AND key = @key AND generation = @generation",
    { namespace, kind, key, generation },
  );

/** Its id, also by a name that rows had for it before another document absorbed it; null: unknown. */
export function journaledDocument(database: LedgerDatabase, document: JournalDocument): number | null {
  const [namespace, kind, key] = document;
  const alias = "SELECT document_id FROM document_aliases WHERE namespace = @namespace AND kind = @kind AND key = @key";
  return ownNamed(database, document) ?? database.value<number>(alias, { namespace, kind, key });
}

/** The state of a document that nobody works on. */
function restingState(state: string | null, reason: string | null, serviceId: string | null) {
  if (serviceId !== null) return state === "closed" || state === "cancelled" ? state : "open";
  if (state === "stranded" || (state === "rejected" && reason === "dismissed")) return state;
  return state === "sending" || state === "stalled" ? "stalled" : "planned";
}

const JOURNAL_INPUT = 0;

/**
 * Restored events belong to no file until one is imported again. Its id is before those of files, so that files imported
 * again in their order have the ids that their rejected files name.
 */
function journalInput(database: LedgerDatabase, run: number) {
  const empty = {
    name: "(journal)",
    path: "",
    mapping: "",
    mapping_input: "",
    namespace: "",
    header: "[]",
    dialect: "{}",
  };
  return (
    database.value<number>("SELECT id FROM inputs WHERE content_hash = 'journal'") ??
    database.add("inputs", {
      id: JOURNAL_INPUT,
      content_hash: "journal",
      ...empty,
      settings_id: createSettingsStore(database, {}).idOf({}),
      run_id: run,
      staged_at: 0,
    })
  );
}
