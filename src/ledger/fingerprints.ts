/**
 * What made the keys of each kind of event and document, as stored, against what a mapping makes of them now: an edit that
 * would give landed events new keys is found before anything is staged (HARD-CASES H25).
 */
import type { Database } from "better-sqlite3";

export interface KeyChange {
  /** `manifest` (document) or `manifest/pickup` (event). */
  name: string;
  /** Events of that kind that were sent; of a document's kind, documents. */
  sent: number;
  /** One of them, in words. */
  example: string;
}

const sentState = "s.state IN ('landed', 'landed-without-id', 'changed', 'sending', 'stalled')";

/** The namespace that the same mapping file had before; null: the same, or it was never used. */
export function formerNamespace(database: Database, mappingPath: string, namespace: string): string | null {
  const last = database
    .prepare<[string], string>(
      "SELECT namespace FROM inputs WHERE mapping = ? ORDER BY staged_at DESC, id DESC LIMIT 1",
    )
    .pluck()
    .get(mappingPath);
  return last === undefined || last === namespace ? null : last;
}

/**
 * Kinds whose keys would change although something of them was sent. Empty: nothing would be doubled. A mapping is
 * compared with what it was itself: another one may read the same documents from columns of other names.
 */
export function changedKeys(
  database: Database,
  mapping: string,
  namespace: string,
  fingerprints: ReadonlyMap<string, string>,
): KeyChange[] {
  const stored = database
    .prepare<[string, string, string], string>(
      "SELECT fingerprint FROM fingerprints WHERE namespace = ? AND name = ? AND mapping = ?",
    )
    .pluck();
  const events = database.prepare<[string, string, string], { sent: number; example: string | null }>(
    `SELECT count(*) AS sent, min(d.kind || ' ' || d.key) AS example FROM documents d
     JOIN events e ON e.document_id = d.id JOIN event_states s ON s.document_id = e.document_id AND s.event_id = e.id
     WHERE d.namespace = ? AND d.kind = ? AND e.event = ? AND ${sentState}`,
  );
  const documents = database.prepare<[string, string], { sent: number; example: string | null }>(
    `SELECT count(*) AS sent, min(d.kind || ' ' || d.key) AS example FROM documents d
     JOIN document_states s ON s.document_id = d.id
     WHERE d.namespace = ? AND d.kind = ? AND s.state NOT IN ('planned', 'rejected')`,
  );
  const changes: KeyChange[] = [];
  for (const [name, fingerprint] of fingerprints) {
    const before = stored.get(namespace, name, mapping);
    if (before === undefined || before === fingerprint) continue;
    const slash = name.indexOf("/");
    const found =
      slash < 0 ? documents.get(namespace, name) : events.get(namespace, name.slice(0, slash), name.slice(slash + 1));
    if (found !== undefined && found.sent > 0) changes.push({ name, sent: found.sent, example: found.example ?? "" });
  }
  return changes;
}

/** `rekeyed`: kinds whose events, as far as they are there now, go on under the new keys. */
export function saveFingerprints(
  database: Database,
  mapping: string,
  namespace: string,
  fingerprints: ReadonlyMap<string, string>,
  rekeyed: ReadonlySet<string>,
  now: number,
): void {
  const newest = database.prepare<[], number | null>("SELECT max(id) FROM events").pluck().get() ?? 0;
  const save = database.prepare<
    Record<"namespace" | "name" | "mapping" | "fingerprint", string> & { to: number; now: number }
  >(
    `INSERT INTO fingerprints (namespace, name, mapping, fingerprint, rekeyed_to, changed_at)
     VALUES (@namespace, @name, @mapping, @fingerprint, @to, @now)
     ON CONFLICT (namespace, name, mapping) DO UPDATE SET fingerprint = @fingerprint, rekeyed_to = max(rekeyed_to, @to),
       changed_at = @now WHERE fingerprint <> @fingerprint OR rekeyed_to < @to`,
  );
  for (const [name, fingerprint] of fingerprints) {
    save.run({ namespace, name, mapping, fingerprint, to: rekeyed.has(name) ? newest : 0, now });
  }
}

/** A mapping's new namespace goes on with the documents of the old one. */
export function aliasNamespace(database: Database, former: string, namespace: string): void {
  database
    .prepare<[string, string]>(
      `INSERT OR IGNORE INTO document_aliases (namespace, kind, key, document_id)
       SELECT ?, kind, key, min(id) FROM documents WHERE namespace = ? GROUP BY kind, key`,
    )
    .run(namespace, former);
}
