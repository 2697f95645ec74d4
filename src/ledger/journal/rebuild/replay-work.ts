/** Documents and events, as a journal tells of them: what landed, and what was intended and not answered. */
import type { Database } from "better-sqlite3";
import type { JsonObject } from "../../../model/json.js";
import type { JournalDocument } from "../entries.js";
import { createKnownRows } from "../../stage/known-rows.js";
import { keyBytes, OF_EVENT } from "../../event-key.js";
import { text } from "./entry-fields.js";
import { restoredReference } from "./restored-reference.js";

const landedStates = ["landed", "landed-without-id", "changed"];

/** `runId`: the run that restores it. */
export function createWorkReplay(database: Database, runId: number) {
  const inserted = (result: { lastInsertRowid: number | bigint }) => Number(result.lastInsertRowid);
  const reference = restoredReference(database, "make") ?? { participant: 0, address: 0 };
  const inputId = journalInput(database, runId);
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
    `SELECT e.id, e.document_id, e.payload, e.state FROM events_now e
     WHERE e.deduplication_id = ?`,
  );
  database.exec("CREATE INDEX IF NOT EXISTS events_by_key_for_rebuild ON events (deduplication_id)");
  const addEvent = database.prepare(
    `INSERT INTO events (document_id, deduplication_id, content_hash, event, key_parts, name, at, rank, participant_ref,
       address_ref, related_document, related_id, mirrored, target_document, payload, input_id)
     VALUES (@document, @key, @hash, @event, @parts, @name, @at, @rank, @participant, @address, @related,
       @relatedId, @mirrored, @target, @payload, @input)`,
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
    const told = restingState(text(entry["state"]), text(entry["reason"]), serviceId);
    // A ledger that a kill kept from an answer tells of an earlier state; no document goes back to it.
    const isEarlier = before?.state === "cancelled" || (before?.state === "closed" && told === "open");
    const state = isEarlier ? before.state : told;
    const lastAt = Math.max(Number(entry["lastAt"] ?? 0), before?.last_at ?? 0) || null;
    dropDocumentState.run(id);
    // Of a document whose id is known from before, what an older ledger says of a stranded one is not true.
    const reason = told === "open" && text(entry["state"]) === "stranded" ? null : text(entry["reason"]);
    if (state !== "planned") addDocumentState.run(id, state, reason, serviceId, lastAt, at);
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
        addEvent.run({
          document,
          key,
          hash: Buffer.from(text(entry["hash"]) ?? "", "hex"),
          event: entry["event"],
          parts: JSON.stringify(entry["parts"]),
          name: entry["name"],
          at: entry["at"],
          rank: entry["rank"],
          ...reference,
          related: related === null ? null : named(related),
          relatedId: entry["relatedId"],
          mirrored: entry["mirrored"],
          target: target === null ? null : named(target, "target"),
          payload: "",
          input: inputId,
        }),
      );
    setEvent(id, "stalled", {}, at);
  };

  const endEvent = (entry: JsonObject, at: number): void => {
    const found = eventByKey.get(keyBytes(text(entry["key"]) ?? ""));
    if (found === undefined) return;
    const state = text(entry["state"]) ?? "planned";
    // What the service has said stands, though a kill kept it from the ledger that was in doubt about it later, or an older
    // ledger has gone on with the same journal.
    const hasLanded = found.state !== null && landedStates.includes(found.state);
    if (hasLanded && !landedStates.includes(state)) return;
    if (landedStates.includes(state) || state === "foreign") setEvent(found.id, state, entry, at);
    else if (state === "planned" || state === "rejected") {
      // Known not to have landed: the rows bring it again.
      dropEventState.run(found.id);
      if (knownRows.rowsOf(found.id).length === 0) dropEvent.run(found.id);
    } else setEvent(found.id, "stalled", entry, at);
  };

  return {
    named,
    setDocument,
    intendEvent,
    endEvent,
    /** By its key in the service's eyes; undefined: the journal does not tell of it. */
    find: (key: Buffer) => eventByKey.get(key),
    /** A CANCEL that a person asked for: no row brings it, so it comes with its body. */
    planCancel(
      document: number,
      cancel: { key: Buffer; at: number; payload: string; participant: number; address: number },
    ) {
      const there = documentState.get(document);
      // Stranded, it has no id by which it could be cancelled.
      if (there?.service_id == null || there.state === "cancelled") return;
      if (eventByKey.get(cancel.key) !== undefined) return;
      addEvent.run({
        ...cancel,
        at: Math.max(cancel.at, there.last_at ?? 0),
        document,
        hash: Buffer.alloc(16),
        event: "#replaced",
        parts: "[]",
        name: "CANCEL",
        rank: 2,
        related: null,
        relatedId: null,
        mirrored: 0,
        target: null,
        input: inputId,
      });
      markOpen.run(document);
    },
  };
}

export type WorkReplay = ReturnType<typeof createWorkReplay>;

/** What a document is found in when nobody works on it. */
function restingState(state: string | null, reason: string | null, serviceId: string | null): string {
  if (serviceId !== null) return state === "closed" || state === "cancelled" ? state : "open";
  if (state === "stranded" || (state === "rejected" && reason === "dismissed")) return state;
  return state === "sending" || state === "stalled" ? "stalled" : "planned";
}

/** Restored events belong to no file until one is imported again. */
function journalInput(database: Database, runId: number): number {
  const known = database.prepare<[], number>("SELECT id FROM inputs WHERE content_hash = 'journal'").pluck().get();
  if (known !== undefined) return known;
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
      .run(settingsId, runId).lastInsertRowid,
  );
}
