/**
 * What is chosen without a request, and no file brings back: dismissals, and keys of a changed mapping. Temporary triggers
 * note each as it is written, whoever writes it; the journal takes them before the transaction commits.
 */
import type { JsonObject, JsonValue } from "../../model/json.js";
import type { LedgerDatabase } from "../ledger-database.js";
import type { JournalEntries } from "./entries.js";
import type { Journal, JournalEntry } from "./journal.js";

const documentOf = (id: string) =>
  `json((SELECT json_array(namespace, kind, key, generation) FROM main.documents WHERE id = ${id}))`;
const fingerprint = `json_object('namespace', NEW.namespace, 'name', NEW.name, 'mapping', NEW.mapping, 'fingerprint', NEW.fingerprint)`;

const trigger = (name: string, when: string, what: string, json: string) =>
  `CREATE TEMP TRIGGER IF NOT EXISTS ${name} AFTER ${when} BEGIN
     INSERT INTO unjournaled (what, json) VALUES ('${what}', ${json});
   END;`;

const isDismissed = "WHEN NEW.reason = 'dismissed' AND OLD.reason IS NOT 'dismissed'";

const triggers = [
  "CREATE TEMP TABLE IF NOT EXISTS unjournaled (id INTEGER PRIMARY KEY, what TEXT NOT NULL, json TEXT NOT NULL);",
  trigger(
    "note_cells",
    "INSERT ON main.dismissals WHEN NEW.cell_hash IS NOT NULL",
    "cells",
    "json_quote(lower(hex(NEW.cell_hash)))",
  ),
  trigger(
    "note_event",
    "INSERT ON main.dismissals WHEN NEW.document_id IS NOT NULL",
    "events",
    `json_object('document', ${documentOf("NEW.document_id")}, 'key', 'rf1-' || lower(hex(NEW.deduplication_id)), 'hash', lower(hex(NEW.content_hash)))`,
  ),
  trigger("note_document", `UPDATE OF reason ON main.document_states ${isDismissed}`, "documents", "NEW.document_id"),
  trigger(
    "note_registration",
    `UPDATE OF reason ON main.registrations ${isDismissed}`,
    "registrations",
    "json_array(NEW.kind, NEW.id)",
  ),
  trigger("note_key", "INSERT ON main.fingerprints", "fingerprints", fingerprint),
  trigger(
    "note_new_key",
    "UPDATE ON main.fingerprints WHEN NEW.fingerprint <> OLD.fingerprint",
    "fingerprints",
    fingerprint,
  ),
  trigger(
    "note_name",
    "INSERT ON main.document_aliases",
    "names",
    `json_object('namespace', NEW.namespace, 'kind', NEW.kind, 'key', NEW.key, 'document', ${documentOf("NEW.document_id")})`,
  ),
].join("\n");

export interface ChoiceLog {
  /** Into the journal, durably; inside the transaction that chose. */
  record(now: number): void;
}

/** Of one connection, from now on. */
export function createChoiceLog(database: LedgerDatabase, journal: Journal, entries: JournalEntries): ChoiceLog {
  database.exec(triggers);

  const linesOf = (noted: readonly { what: string; json: string }[], at: number): JournalEntry[] => {
    const of = (kind: string) =>
      noted.flatMap(({ what, json }): JsonValue[] => (what === kind ? [JSON.parse(json) as JsonValue] : []));
    const dismissed = {
      cells: of("cells"),
      events: of("events"),
      documents: of("documents").flatMap((id): JsonObject[] => entries.stateOf(Number(id))),
      registrations: of("registrations").map((one) =>
        entries.registration(...(one as ["participant" | "address", number])),
      ),
    };
    const keys = { fingerprints: of("fingerprints"), documents: of("names") };
    const isAny = (lists: { [name: string]: JsonValue[] }) => Object.values(lists).some(({ length }) => length > 0);
    return [
      ...(isAny(dismissed) ? [{ entry: "dismissed", at, ...dismissed } as const] : []),
      ...(isAny(keys) ? [{ entry: "keys", at, ...keys } as const] : []),
    ];
  };

  return {
    record(now) {
      const lines: JournalEntry[] = [];
      for (;;) {
        const noted = database.rows<{ id: number; what: string; json: string }>(
          "SELECT id, what, json FROM temp.unjournaled ORDER BY id LIMIT 500",
        );
        const last = noted.at(-1);
        if (last === undefined) break;
        lines.push(...linesOf(noted, now));
        database.run("DELETE FROM temp.unjournaled WHERE id <= @id", { id: last.id });
      }
      if (lines.length > 0) journal.write(...lines);
    },
  };
}
