/**
 * Rebuilds a ledger from its journal, over nothing or over a backup: registrations, documents with ids, landed events, and
 * what was intended and not answered as in doubt; and what persons decided. Bodies come back when the files are imported
 * again.
 */
import type { Database } from "better-sqlite3";
import { RowferryError } from "../../../model/error.js";
import { ExitCode } from "../../../model/exit-code.js";
import type { JournalDocument } from "../entries.js";
import type { JournalEntry } from "../journal.js";
import { createRunStore } from "../../runs.js";
import { object, objects, text } from "./entry-fields.js";
import { createChoiceReplay } from "./replay-choices.js";
import { createRegistrationReplay } from "./replay-registrations.js";
import { createWorkReplay } from "./replay-work.js";

export interface Rebuilt {
  entries: number;
  participants: number;
  addresses: number;
  documents: number;
  landed: number;
  inDoubt: number;
}

/** The caller holds the lock and an open transaction. Applying a journal twice changes nothing. */
export async function rebuildFrom(database: Database, lines: AsyncIterable<string>, now: number): Promise<Rebuilt> {
  const runs = createRunStore(database);
  const run = runs.begin("rebuild", null, now);
  runs.finish(run.id, ExitCode.ok, null, now);
  const apply = createReplay(database, run.id);
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
    landed: count("SELECT count(*) FROM events_now WHERE landed"),
    inDoubt: count("SELECT count(*) FROM event_states WHERE state IN ('sending', 'stalled')"),
  };
}

function createReplay(database: Database, runId: number): (entry: JournalEntry) => void {
  const register = createRegistrationReplay(database);
  const work = createWorkReplay(database, runId);
  const choose = createChoiceReplay(database, work, register);

  return (entry) => {
    const at = Number(entry["at"] ?? 0);
    const record = text(entry["record"]);
    if (record === "participant" || record === "address") {
      register(entry, at);
      return;
    }
    for (const document of objects(entry["documents"])) if ("state" in document) work.setDocument(document, at);
    if (entry.entry === "intent") {
      const document = work.named(entry["document"] as JournalDocument, text(entry["mode"]) ?? "create");
      const creates = (text(entry["kind"]) ?? "").startsWith("create-");
      work.setDocument(creates ? { ...entry, state: "stalled", reason: "interrupted-in-doubt" } : entry, at);
      for (const event of objects(entry["events"])) work.intendEvent(document, event, at);
    } else if (entry.entry === "dismissed") choose.dismissed(entry, at);
    else if (entry.entry === "keys") choose.keys(entry, at);
    else if (entry.entry === "replaced") choose.replaced(entry, at);
    else for (const event of objects(entry["events"])) work.endEvent(event, at);
    const decision = object(entry["decision"]);
    if (decision !== null) choose.decided(decision, objects(entry["events"]), at);
  };
}
