/** What persons chose, as a journal tells of it: dismissals, replacements, and keys of changed mappings. */
import type { Database } from "better-sqlite3";
import type { JsonObject } from "../../../model/json.js";
import { type Decision, keepDecision } from "../../decide/decisions.js";
import type { JournalDocument } from "../entries.js";
import { keyBytes } from "../../event-key.js";
import { object, objects, text, texts } from "./entry-fields.js";
import type { RegistrationReplay } from "./replay-registrations.js";
import type { WorkReplay } from "./replay-work.js";

export interface ChoiceReplay {
  dismissed(entry: JsonObject, at: number): void;
  keys(entry: JsonObject, at: number): void;
  replaced(entry: JsonObject, at: number): void;
  /** What a person said became of a document in doubt, or of these events of it. */
  decided(decision: JsonObject, events: readonly JsonObject[], at: number): void;
}

export function createChoiceReplay(database: Database, work: WorkReplay, register: RegistrationReplay): ChoiceReplay {
  const dismissCells = database.prepare<{ hash: Buffer; at: number }>(
    `INSERT INTO dismissals (cell_hash, at) SELECT @hash, @at
     WHERE NOT EXISTS (SELECT 1 FROM dismissals WHERE cell_hash = @hash)`,
  );
  const dismissEvent = database.prepare<{ document: number; key: Buffer; hash: Buffer; at: number }>(
    `INSERT INTO dismissals (document_id, deduplication_id, content_hash, at)
     SELECT @document, @key, @hash, @at WHERE NOT EXISTS (SELECT 1 FROM dismissals
       WHERE document_id = @document AND deduplication_id = @key AND content_hash = @hash)`,
  );
  const acknowledgeForeign = database.prepare<{ key: Buffer }>(
    `UPDATE event_states SET dismissed = 1 WHERE state = 'foreign'
       AND (document_id, event_id) IN (SELECT document_id, id FROM events WHERE deduplication_id = @key)`,
  );
  // It has landed with other content than its row has now: the person knows.
  const acknowledgeChange = database.prepare<{ key: Buffer; hash: Buffer }>(
    `UPDATE event_states SET state = 'changed', reason = 'changed', changed_hash = @hash, dismissed = 1
     WHERE state IN ('landed', 'landed-without-id')
       AND (document_id, event_id) IN
         (SELECT document_id, id FROM events WHERE deduplication_id = @key AND content_hash <> @hash)`,
  );
  const giveUpStalled = database.prepare<[number]>(
    "UPDATE event_states SET dismissed = 1 WHERE state = 'stalled' AND document_id = ?",
  );
  const isDecided = database
    .prepare<[number, Buffer | null, number], number>(
      "SELECT EXISTS (SELECT 1 FROM decisions WHERE document_id = ? AND deduplication_id IS ? AND at = ?)",
    )
    .pluck();
  // A backup may know of a later change.
  const setFingerprint = database.prepare<{
    namespace: string | null;
    name: string | null;
    mapping: string | null;
    fingerprint: string | null;
    at: number;
  }>(
    `INSERT INTO fingerprints (namespace, name, mapping, fingerprint, changed_at)
     VALUES (@namespace, @name, @mapping, @fingerprint, @at)
     ON CONFLICT (namespace, name, mapping) DO UPDATE SET fingerprint = @fingerprint,
       changed_at = @at WHERE changed_at < @at`,
  );
  const aliasDocument = database.prepare<[string, string, string, number]>(
    "INSERT OR IGNORE INTO document_aliases (namespace, kind, key, document_id) VALUES (?, ?, ?, ?)",
  );

  const keyOf = (entry: JsonObject, member: string): Buffer => keyBytes(text(entry[member]) ?? "");
  return {
    dismissed(entry, at) {
      for (const cells of texts(entry["cells"])) dismissCells.run({ hash: Buffer.from(cells, "hex"), at });
      for (const event of objects(entry["events"])) {
        const document = work.named(event["document"] as JournalDocument);
        const key = keyOf(event, "key");
        const hash = Buffer.from(text(event["hash"]) ?? "", "hex");
        dismissEvent.run({ document, key, hash, at });
        acknowledgeForeign.run({ key });
        acknowledgeChange.run({ key, hash });
      }
      for (const registration of objects(entry["registrations"])) register(registration, at);
    },

    keys(entry, at) {
      for (const one of objects(entry["fingerprints"])) {
        const [namespace, name, mapping] = ["namespace", "name", "mapping"].map((member) => text(one[member]) ?? "");
        if (namespace === undefined || name === undefined || mapping === undefined) continue;
        setFingerprint.run({ namespace, name, mapping, fingerprint: text(one["fingerprint"]), at });
      }
      for (const one of objects(entry["documents"])) {
        const document = work.named(one["document"] as JournalDocument);
        aliasDocument.run(text(one["namespace"]) ?? "", text(one["kind"]) ?? "", text(one["key"]) ?? "", document);
      }
    },

    replaced(entry, at) {
      const [old] = objects(entry["documents"]);
      if (old === undefined) return;
      const document = work.named(old["document"] as JournalDocument);
      if (old["reason"] === "replaced") giveUpStalled.run(document);
      const cancel = object(entry["cancel"]);
      if (cancel === null) return;
      const participant = register(object(cancel["participant"]) ?? {}, at);
      const address = register(object(cancel["address"]) ?? {}, at);
      if (participant === null || address === null) return;
      const payload = JSON.stringify(cancel["payload"]);
      work.planCancel(document, { key: keyOf(cancel, "key"), at: Number(cancel["at"]), payload, participant, address });
    },

    decided(decision, events, at) {
      const document = work.named(decision["document"] as JournalDocument);
      const said = text(decision["said"]) as Decision["said"];
      const keys = events.map((event) => keyOf(event, "key"));
      for (const key of keys.length === 0 ? [null] : keys) {
        if (isDecided.get(document, key, at) === 1) continue;
        keepDecision(database, { document, key }, { said, by: text(decision["by"]) ?? "" }, at);
      }
    },
  };
}
