/**
 * Choices without a request, which no file brings back: dismissals and keys of a changed mapping. Temporary triggers
 * note them, whoever writes; the journal takes them before the transaction commits.
 */
import type { JsonObject, JsonValue } from "../../model/json.js";
import type { LedgerDatabase } from "../ledger-database.js";
import type { JournalEntries } from "./entries.js";
import type { Journal, JournalEntry } from "./journal.js";
import { rememberJournal } from "./own-journal.js";

const documentOf = (id: string) =>
  `json((SELECT json_array(namespace, kind, key, generation) FROM main.documents WHERE id = ${id}))`;
const fingerprint =
  "json_object('namespace', NEW.namespace, 'name', NEW.name, 'mapping', NEW.mapping, 'fingerprint', NEW.fingerprint)";

const trigger = (name: string, when: string, what: string, json: string) =>
  `CREATE TEMP TRIGGER IF NOT EXISTS ${name} AFTER ${when} BEGIN
     INSERT INTO unjournaled (what, json) VALUES ('${what}', ${json});
   END;`;

const triggers = [
  "CREATE TEMP TABLE IF NOT EXISTS unjournaled (id INTEGER PRIMARY KEY, what TEXT NOT NULL, json TEXT NOT NULL);",
  ...(
    [
      ["dismissed", "INSERT", "NEW", "OLD"],
      ["undone", "DELETE", "OLD", "NEW"],
    ] as const
  ).flatMap(([entry, change, row, other]) => {
    const isChosen = `WHEN ${row}.reason = 'dismissed' AND ${other}.reason IS NOT 'dismissed'`;
    return [
      trigger(
        `${entry}_cells`,
        `${change} ON main.dismissals WHEN ${row}.cell_hash IS NOT NULL AND ${row}.row_id IS NULL`,
        `${entry} cells`,
        `json_quote(lower(hex(${row}.cell_hash)))`,
      ),
      trigger(
        `${entry}_event`,
        `${change} ON main.dismissals WHEN ${row}.document_id IS NOT NULL`,
        `${entry} events`,
        `json_object('document', ${documentOf(`${row}.document_id`)}, 'key', key_text(${row}.deduplication_id), 'hash', lower(hex(${row}.content_hash)))`,
      ),
      trigger(
        `${entry}_document`,
        `UPDATE OF reason ON main.document_states ${isChosen}`,
        `${entry} documents`,
        "NEW.document_id",
      ),
      trigger(
        `${entry}_registration`,
        `UPDATE OF reason ON main.registrations ${isChosen}`,
        `${entry} registrations`,
        "json_array(NEW.kind, NEW.id)",
      ),
    ];
  }),
  trigger(
    "corrected",
    "INSERT ON main.dismissals WHEN NEW.cell_hash IS NOT NULL AND NEW.row_id IS NOT NULL",
    "corrected",
    "json_array(lower(hex(NEW.cell_hash)), NEW.row_id)",
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

/** For one connection, from now on. */
export function createChoiceLog(database: LedgerDatabase, journal: Journal, entries: JournalEntries) {
  database.exec(triggers);

  const linesOf = (noted: readonly { what: string; json: string }[], at: number): JournalEntry[] => {
    const of = (kind: string) =>
      noted.flatMap(({ what, json }): JsonValue[] => (what === kind ? [JSON.parse(json) as JsonValue] : []));
    const chosen = (entry: "dismissed" | "undone") => ({
      cells: of(`${entry} cells`),
      events: of(`${entry} events`),
      documents: of(`${entry} documents`).flatMap((id): JsonObject[] => entries.stateOf(Number(id))),
      registrations: of(`${entry} registrations`).map((one) =>
        entries.registration(...(one as ["participant" | "address", number])),
      ),
    });
    const corrected = of("corrected").map((one) => one as [string, number]);
    const rows = corrected.flatMap(([cells, row]) => {
      // A correction that is wrong itself, or came too late, lets nobody forget the row.
      const isVain = database.has(
        `SELECT 1 FROM invalid_rows WHERE id = @row UNION ALL
         SELECT 1 FROM row_events re JOIN events_now e ON e.id = re.event_id WHERE re.row_id = @row AND e.state = 'changed'`,
        { row },
      );
      return isVain ? [] : [{ cells, events: entries.eventsOfRow(row) }];
    });
    const keys = { fingerprints: of("fingerprints"), documents: of("names") };
    const isAny = (lists: { [name: string]: JsonValue[] }) => Object.values(lists).some(({ length }) => length > 0);
    return [
      ...(["dismissed", "undone"] as const).flatMap((entry) => {
        const lists = chosen(entry);
        return isAny(lists) ? [{ entry, at, ...lists }] : [];
      }),
      ...(isAny({ rows }) ? [{ entry: "corrected", at, rows } as const] : []),
      ...(isAny(keys) ? [{ entry: "keys", at, ...keys } as const] : []),
    ];
  };

  return {
    /** Durable; inside the transaction that made the choices. */
    record(now: number) {
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
      if (lines.length === 0) return;
      journal.write(...lines);
      rememberJournal(database, journal.path);
    },
  };
}
