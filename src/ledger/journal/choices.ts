/**
 * What is chosen without a request, and no file brings back: dismissals, and keys of a changed mapping. Temporary triggers
 * note each as it is written, whoever writes it; the journal takes them before the transaction commits.
 */
import type { Database } from "better-sqlite3";
import type { JsonObject } from "../../model/json.js";
import type { Journal, JournalEntry } from "./journal.js";
import type { JournalEntries } from "./entries.js";
import { keyText } from "../event-key.js";

const dismissedRecord = (table: string, id: string) => `
CREATE TEMP TRIGGER IF NOT EXISTS note_dismissed_${table} AFTER UPDATE OF reason ON main.${table}
  WHEN NEW.reason = 'dismissed' AND OLD.reason IS NOT 'dismissed'
  BEGIN INSERT INTO unjournaled (what, a) VALUES ('${table}', NEW.${id}); END;`;

const triggers = `
CREATE TEMP TABLE IF NOT EXISTS unjournaled (id INTEGER PRIMARY KEY, what TEXT NOT NULL, a, b, c);
CREATE TEMP TRIGGER IF NOT EXISTS note_dismissal AFTER INSERT ON main.dismissals
  BEGIN INSERT INTO unjournaled (what, a) VALUES ('dismissals', NEW.id); END;
CREATE TEMP TRIGGER IF NOT EXISTS note_document_alias AFTER INSERT ON main.document_aliases
  BEGIN INSERT INTO unjournaled (what, a, b, c) VALUES ('document_aliases', NEW.namespace, NEW.kind, NEW.key); END;
CREATE TEMP TRIGGER IF NOT EXISTS note_fingerprint AFTER INSERT ON main.fingerprints
  BEGIN INSERT INTO unjournaled (what, a, b, c) VALUES ('fingerprints', NEW.namespace, NEW.name, NEW.mapping); END;
CREATE TEMP TRIGGER IF NOT EXISTS note_new_fingerprint AFTER UPDATE ON main.fingerprints
  WHEN NEW.fingerprint <> OLD.fingerprint
  BEGIN INSERT INTO unjournaled (what, a, b, c) VALUES ('fingerprints', NEW.namespace, NEW.name, NEW.mapping); END;
${dismissedRecord("document_states", "document_id")}
${dismissedRecord("participants", "id")}
${dismissedRecord("addresses", "id")}`;

export interface ChoiceLog {
  /** Into the journal, durably; inside the transaction that chose. */
  record(now: number): void;
}

interface Noted {
  id: number;
  what: string;
  a: number | string;
  b: string | null;
  c: string | null;
}

/** Of one connection, from now on. */
export function createChoiceLog(database: Database, journal: Journal, entries: JournalEntries): ChoiceLog {
  database.exec(triggers);
  const noted = database.prepare<[], Noted>("SELECT id, what, a, b, c FROM temp.unjournaled ORDER BY id LIMIT 500");
  const forget = database.prepare<[number]>("DELETE FROM temp.unjournaled WHERE id <= ?");
  const read = createChoiceReader(database, entries);
  return {
    record(now) {
      const lines: JournalEntry[] = [];
      for (;;) {
        const some = noted.all();
        const last = some.at(-1);
        if (last === undefined) break;
        lines.push(...read(some, now));
        forget.run(last.id);
      }
      if (lines.length > 0) journal.write(...lines);
    },
  };
}

/** At most two entries for what was noted: dismissals, and keys. */
function createChoiceReader(database: Database, entries: JournalEntries) {
  const dismissal = database.prepare<
    [number],
    { document_id: number | null; deduplication_id: Buffer; content_hash: Buffer | null; cell_hash: Buffer | null }
  >("SELECT document_id, deduplication_id, content_hash, cell_hash FROM dismissals WHERE id = ?");
  const fingerprint = database.prepare<[string, string, string], JsonObject>(
    `SELECT namespace, name, mapping, fingerprint FROM fingerprints
     WHERE namespace = ? AND name = ? AND mapping = ?`,
  );
  const documentAlias = database
    .prepare<[string, string, string], number>(
      "SELECT document_id FROM document_aliases WHERE namespace = ? AND kind = ? AND key = ?",
    )
    .pluck();
  const hex = (bytes: Buffer | null): string | null => bytes && bytes.toString("hex");

  return (some: readonly Noted[], now: number): JournalEntry[] => {
    const cells: string[] = [];
    const events: JsonObject[] = [];
    const records: JsonObject[] = [];
    const documents: JsonObject[] = [];
    const fingerprints: JsonObject[] = [];
    const documentNames: JsonObject[] = [];
    for (const { what, a, b, c } of some) {
      if (what === "dismissals") {
        const found = dismissal.get(Number(a));
        const cellHash = hex(found?.cell_hash ?? null);
        if (cellHash !== null) cells.push(cellHash);
        const document = entries.nameOf(found?.document_id ?? null);
        if (found !== undefined && document !== null)
          events.push({ document, key: keyText(found.deduplication_id), hash: hex(found.content_hash) });
      } else if (what === "document_states") documents.push(...entries.stateOf(Number(a)));
      else if (what === "participants") records.push(entries.registration("participant", Number(a)));
      else if (what === "addresses") records.push(entries.registration("address", Number(a)));
      else if (what === "fingerprints") {
        const found = fingerprint.get(String(a), String(b), String(c));
        if (found !== undefined) fingerprints.push(found);
      } else {
        const name: JsonObject = { namespace: String(a), kind: String(b), key: String(c) };
        const document = entries.nameOf(documentAlias.get(String(a), String(b), String(c)) ?? null);
        documentNames.push({ ...name, document });
      }
    }
    const written: JournalEntry[] = [];
    if (cells.length + events.length + records.length + documents.length > 0)
      written.push({ entry: "dismissed", at: now, cells, events, documents, registrations: records });
    if (fingerprints.length + documentNames.length > 0)
      written.push({ entry: "keys", at: now, fingerprints, documents: documentNames });
    return written;
  };
}
