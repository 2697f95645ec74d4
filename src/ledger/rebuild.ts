/**
 * Rebuilds a ledger from its journal, over nothing or over a backup: registrations, documents with ids, landed events, and
 * what was intended and not answered as in doubt. Bodies come back when the files are imported again.
 */
import type { Database } from "better-sqlite3";
import { type Decision, keepDecision } from "./decisions.js";
import type { JsonObject, JsonValue } from "../model/json.js";
import { RowferryError } from "../model/error.js";
import type { JournalDocument } from "./journal-entries.js";
import type { JournalEntry } from "./journal.js";
import { createKnownRows } from "./known-rows.js";
import { restoredReference } from "./restored-reference.js";
import { keyBytes } from "./stage-events.js";
import { OF_EVENT } from "./unsettled.js";

export interface Rebuilt {
  entries: number;
  participants: number;
  addresses: number;
  documents: number;
  landed: number;
  inDoubt: number;
}

/** The caller holds the lock and an open transaction. Applying a journal twice changes nothing. */
export async function rebuildFrom(database: Database, lines: AsyncIterable<string>): Promise<Rebuilt> {
  const apply = createReplay(database);
  let entries = 0;
  let torn: number | null = null;
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line === "") continue;
    let entry: JournalEntry;
    try {
      entry = JSON.parse(line) as JournalEntry;
    } catch {
      // Torn by a power loss: what it told had not been sent, or is in doubt by its intent.
      torn = number;
      continue;
    }
    apply(entry);
    entries += 1;
  }
  // Only for finding events by key alone while the journal is read.
  database.exec("DROP INDEX events_by_key_for_rebuild");
  if (entries === 0) throw new RowferryError("journal-unreadable", `The journal holds no entry (line ${torn ?? 0}).`);
  const count = (sql: string) => database.prepare<[], number>(sql).pluck().get() ?? 0;
  return {
    entries,
    participants: count("SELECT count(*) FROM participants WHERE state = 'registered'"),
    addresses: count("SELECT count(*) FROM addresses WHERE state = 'registered'"),
    documents: count("SELECT count(*) FROM document_states WHERE service_id IS NOT NULL"),
    landed: count("SELECT count(*) FROM event_states WHERE state IN ('landed', 'landed-without-id', 'changed')"),
    inDoubt: count("SELECT count(*) FROM event_states WHERE state IN ('sending', 'stalled')"),
  };
}

const landedStates = ["landed", "landed-without-id", "changed"];

function createReplay(database: Database): (entry: JournalEntry) => void {
  const inserted = (result: { lastInsertRowid: number | bigint }) => Number(result.lastInsertRowid);
  const reference = restoredReference(database, "make") ?? { participant: 0, address: 0 };
  const inputId = journalInput(database);
  const documentId = database
    .prepare<[string, string, string, number], number>(
      "SELECT id FROM documents WHERE namespace = ? AND kind = ? AND key = ? AND generation = ?",
    )
    .pluck();
  const addDocument = database.prepare<[string, string, string, number, string]>(
    "INSERT INTO documents (namespace, kind, key, generation, declared, mode) VALUES (?, ?, ?, ?, 0, ?)",
  );
  const dropDocumentState = database.prepare<[number]>("DELETE FROM document_states WHERE document_id = ?");
  const addDocumentState = database.prepare(
    "INSERT INTO document_states (document_id, state, reason, service_id, last_at, changed_at) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const documentState = database.prepare<
    [number],
    { state: string; service_id: string | null; last_at: number | null }
  >("SELECT state, service_id, last_at FROM document_states WHERE document_id = ?");
  const eventByKey = database.prepare<
    [Buffer],
    { id: number; document_id: number; payload: string; state: string | null }
  >(
    `SELECT e.id, e.document_id, e.payload, s.state FROM events e LEFT JOIN event_states s ON s.document_id = e.document_id AND s.event_id = e.id
     WHERE e.deduplication_id = ?`,
  );
  database.exec("CREATE INDEX IF NOT EXISTS events_by_key_for_rebuild ON events (deduplication_id)");
  const addEvent = database.prepare(
    `INSERT INTO events (document_id, deduplication_id, content_hash, event, key_parts, name, at, rank, participant_ref,
       address_ref, related_document, related_id, mirrored, target_document, payload, input_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?)`,
  );
  const dropEventState = database.prepare<[number]>(`DELETE FROM event_states WHERE ${OF_EVENT}`);
  const dropEvent = database.prepare<[number]>(
    "DELETE FROM events WHERE id = ? AND payload = '' AND NOT EXISTS (SELECT 1 FROM row_events WHERE event_id = events.id)",
  );
  const knownRows = createKnownRows(database);
  const addEventState = database.prepare(
    `INSERT INTO event_states (document_id, event_id, state, reason, service_event_id, target_document_id, attempted_hash, doubt, changed_at)
     SELECT document_id, id, ?, ?, ?, ?, content_hash, ?, ? FROM events WHERE id = ?`,
  );
  const markOpen = database.prepare<[number]>("INSERT OR IGNORE INTO open_documents (document_id) VALUES (?)");

  const named = ([namespace, kind, key, generation]: JournalDocument, mode = "create"): number =>
    documentId.get(namespace, kind, key, generation) ??
    inserted(addDocument.run(namespace, kind, key, generation, mode));

  const setDocument = (entry: JsonObject, at: number): void => {
    const id = named(entry["document"] as JournalDocument, text(entry["mode"]) ?? "create");
    const before = documentState.get(id);
    const serviceId = text(entry["id"]) ?? before?.service_id ?? null;
    const state = restingState(text(entry["state"]), serviceId);
    const lastAt = Math.max(Number(entry["lastAt"] ?? 0), before?.last_at ?? 0) || null;
    dropDocumentState.run(id);
    if (state !== "planned") addDocumentState.run(id, state, text(entry["reason"]), serviceId, lastAt, at);
    if (state !== "cancelled") markOpen.run(id);
  };

  const setEvent = (id: number, state: string, entry: JsonObject, at: number): void => {
    const doubt = state === "stalled" ? 1 : 0;
    const reason = text(entry["reason"]) ?? (doubt === 1 ? "interrupted-in-doubt" : null);
    dropEventState.run(id);
    addEventState.run(state, reason, text(entry["id"]), text(entry["targetId"]), doubt, at, id);
  };

  const intendEvent = (document: number, entry: JsonObject, at: number): void => {
    const key = keyBytes(text(entry["key"]) ?? "");
    const found = eventByKey.get(key);
    if (found?.state != null && landedStates.includes(found.state)) return;
    const related = entry["related"] as JournalDocument | null;
    const target = entry["target"] as JournalDocument | null;
    const id =
      found?.id ??
      inserted(
        addEvent.run(
          document,
          key,
          Buffer.from(text(entry["hash"]) ?? "", "hex"),
          entry["event"],
          JSON.stringify(entry["parts"]),
          entry["name"],
          entry["at"],
          entry["rank"],
          reference.participant,
          reference.address,
          related === null ? null : named(related),
          entry["relatedId"],
          entry["mirrored"],
          target === null ? null : named(target, "target"),
          inputId,
        ),
      );
    setEvent(id, "stalled", {}, at);
  };

  const endEvent = (entry: JsonObject, at: number): void => {
    const found = eventByKey.get(keyBytes(text(entry["key"]) ?? ""));
    if (found === undefined) return;
    const state = text(entry["state"]) ?? "planned";
    if (landedStates.includes(state) || state === "foreign") setEvent(found.id, state, entry, at);
    else if (state === "planned" || state === "rejected") {
      // Known not to have landed: the rows bring it again.
      dropEventState.run(found.id);
      if (knownRows.rowsOf(found.id).length === 0) dropEvent.run(found.id);
    } else setEvent(found.id, "stalled", entry, at);
  };

  const isDecided = database
    .prepare<[number, Buffer | null, number], number>(
      "SELECT EXISTS (SELECT 1 FROM decisions WHERE document_id = ? AND deduplication_id IS ? AND at = ?)",
    )
    .pluck();
  const decide = (decision: JsonObject, events: readonly JsonObject[], at: number): void => {
    const document = named(decision["document"] as JournalDocument);
    const said = text(decision["said"]) as Decision["said"];
    const keys = events.map((event) => keyBytes(text(event["key"]) ?? ""));
    for (const key of keys.length === 0 ? [null] : keys) {
      if (isDecided.get(document, key, at) === 1) continue;
      keepDecision(database, { document, key }, { said, by: text(decision["by"]) ?? "" }, at);
    }
  };

  const register = createRegistrationReplay(database);

  return (entry) => {
    const at = Number(entry["at"] ?? 0);
    const record = text(entry["record"]);
    if (record === "participant" || record === "address") return register(record, entry, at);
    for (const document of objects(entry["documents"])) setDocument(document, at);
    if (entry.entry === "intent") {
      const document = named(entry["document"] as JournalDocument, text(entry["mode"]) ?? "create");
      const creates = (text(entry["kind"]) ?? "").startsWith("create-");
      setDocument(creates ? { ...entry, state: "stalled", reason: "interrupted-in-doubt" } : entry, at);
      for (const event of objects(entry["events"])) intendEvent(document, event, at);
    } else for (const event of objects(entry["events"])) endEvent(event, at);
    if (isObject(entry["decision"])) decide(entry["decision"], objects(entry["events"]), at);
  };
}

/** What a document is found in when nobody works on it. */
function restingState(state: string | null, serviceId: string | null): string {
  if (serviceId !== null) return state === "closed" || state === "cancelled" ? state : "open";
  if (state === "stranded") return state;
  return state === "sending" || state === "stalled" ? "stalled" : "planned";
}

function createRegistrationReplay(database: Database) {
  const participantByKey = database
    .prepare<[string], number>("SELECT id FROM participants WHERE natural_key = ?")
    .pluck();
  const addParticipant = database.prepare<[string, string]>(
    "INSERT INTO participants (natural_key, payload, attempted) VALUES (?, ?, 1)",
  );
  const addressByIdentity = database
    .prepare<[number, string], number>("SELECT id FROM addresses WHERE participant_ref = ? AND identity = ?")
    .pluck();
  const addAddress = database.prepare<[number, string, string, string]>(
    "INSERT INTO addresses (participant_ref, identity, payload, extended, attempted) VALUES (?, ?, ?, ?, 1)",
  );
  const setters = (table: string) => ({
    plan: database.prepare<[number]>(
      `UPDATE ${table} SET state = 'planned', reason = NULL WHERE id = ? AND state IN ('rejected', 'sending')`,
    ),
    attempt: database.prepare<[number, number]>(
      `UPDATE ${table} SET state = 'stalled', attempted = 1, reason = 'interrupted-in-doubt', changed_at = ? WHERE id = ? AND state = 'planned'`,
    ),
    register: database.prepare<[string | null, string | null, string | null, number, number]>(
      `UPDATE ${table} SET state = 'registered', reason = NULL, origin = ?, service_id = ?, snapshot_id = ?, changed_at = ?
       WHERE id = ? AND state <> 'registered'`,
    ),
  });
  const set = { participant: setters("participants"), address: setters("addresses") };
  const setGeography = database.prepare<[string, number]>("UPDATE addresses SET geography = ? WHERE id = ?");
  const inserted = (result: { lastInsertRowid: number | bigint }) => Number(result.lastInsertRowid);

  return (record: "participant" | "address", entry: JsonObject, at: number): void => {
    const natural = text(entry["natural_key"]);
    if (natural === null) return;
    const payload = text(entry["payload"]) ?? "{}";
    const owner =
      participantByKey.get(natural) ?? inserted(addParticipant.run(natural, record === "participant" ? payload : "{}"));
    let id = owner;
    if (record === "address") {
      const identity = text(entry["identity"]) ?? "";
      id =
        addressByIdentity.get(owner, identity) ??
        inserted(addAddress.run(owner, identity, payload, text(entry["extended"]) ?? "{}"));
    }
    const { plan, attempt, register } = set[record];
    plan.run(id);
    const serviceId = text(entry["service_id"]);
    if (serviceId !== null) register.run(text(entry["origin"]), serviceId, text(entry["snapshot_id"]), at, id);
    else if (entry["entry"] === "intent") attempt.run(at, id);
    const geography = text(entry["geography"]);
    if (record === "address" && geography !== null) setGeography.run(geography, id);
  };
}

/** Restored events belong to no file until one is imported again. */
function journalInput(database: Database): number {
  const known = database.prepare<[], number>("SELECT id FROM inputs WHERE content_hash = 'journal'").pluck().get();
  if (known !== undefined) return known;
  const run = database
    .prepare(
      "INSERT INTO runs (name, command, started_at, finished_at, exit_code) VALUES ('rebuild', 'rebuild', 0, 0, 0)",
    )
    .run();
  const settings = database.prepare("INSERT OR IGNORE INTO settings (json) VALUES ('{}')").run();
  const settingsId =
    settings.changes > 0
      ? Number(settings.lastInsertRowid)
      : (database.prepare<[], number>("SELECT id FROM settings WHERE json = '{}'").pluck().get() ?? 0);
  return Number(
    database
      .prepare(
        `INSERT INTO inputs (content_hash, name, path, mapping, mapping_hash, mapping_input, namespace, header, dialect,
           settings_id, run_id, staged_at) VALUES ('journal', '(journal)', '', '', '', '', '', '[]', '{}', ?, ?, 0)`,
      )
      .run(settingsId, Number(run.lastInsertRowid)).lastInsertRowid,
  );
}

const text = (value: JsonValue | undefined): string | null => (typeof value === "string" ? value : null);
const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const objects = (value: JsonValue | undefined): JsonObject[] => (Array.isArray(value) ? (value as JsonObject[]) : []);
