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
  /** The label that it seems to have now; null: it has its own still. */
  renamedTo: string | null;
}

/** What a mapping makes keys of: see map/fingerprints.ts. */
export interface MadeKeys {
  fingerprints: ReadonlyMap<string, string>;
  kin: ReadonlyMap<string, string>;
  declaredNew: ReadonlySet<string>;
  tables: readonly {
    kind: string;
    table: string;
    entries: ReadonlyMap<string, string>;
    fallback: boolean;
  }[];
}

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
export function changedKeys(database: Database, mapping: string, namespace: string, made: MadeKeys): KeyChange[] {
  const stored = database
    .prepare<[string, string], { name: string; fingerprint: string; kin: string }>(
      "SELECT name, fingerprint, kin FROM fingerprints WHERE namespace = ? AND mapping = ?",
    )
    .all(namespace, mapping);
  const known = new Set(stored.map(({ name }) => name));
  const fresh = [...made.fingerprints.keys()].filter((name) => !known.has(name) && !made.declaredNew.has(name));
  const others = otherTables(database, mapping, namespace, made);
  const sentOf = createSentCounts(database, namespace);
  return stored.flatMap(({ name, fingerprint, kin }): KeyChange[] => {
    const now = made.fingerprints.get(name);
    // A label that is gone, and a new one of the same look: the same rows would be sent again (findings F73).
    const renamedTo =
      now === undefined
        ? (fresh.find((one) => isDocument(one) === isDocument(name) && made.kin.get(one) === kin) ?? null)
        : null;
    if (now === undefined ? renamedTo === null : now === fingerprint && !others.has(name)) return [];
    const { sent, example } = sentOf(name);
    return sent > 0 ? [{ name, sent, example: example ?? "", renamedTo }] : [];
  });
}

const isDocument = (name: string): boolean => !name.includes("/");

function createSentCounts(
  database: Database,
  namespace: string,
): (name: string) => { sent: number; example: string | null } {
  type Found = { sent: number; example: string | null };
  const events = database.prepare<[string, string, string], Found>(
    `SELECT count(*) AS sent, min(d.kind || ' ' || d.key) AS example FROM documents d
     JOIN events_now e ON e.document_id = d.id
     WHERE d.namespace = ? AND d.kind = ? AND e.event = ? AND e.sent`,
  );
  const documents = database.prepare<[string, string], Found>(
    `SELECT count(*) AS sent, min(d.kind || ' ' || d.key) AS example FROM documents_now d
     WHERE d.namespace = ? AND d.kind = ? AND d.state NOT IN ('planned', 'rejected')`,
  );
  return (name) => {
    const slash = name.indexOf("/");
    const found =
      slash < 0 ? documents.get(namespace, name) : events.get(namespace, name.slice(0, slash), name.slice(slash + 1));
    return found ?? { sent: 0, example: null };
  };
}

/** Kinds whose keys are read from a table that now answers otherwise; an entry more changes no key unless what is not listed gives one too. */
function otherTables(database: Database, mapping: string, namespace: string, { tables }: MadeKeys): Set<string> {
  const stored = database
    .prepare<[string, string, string, string], string>(
      "SELECT entries FROM key_tables WHERE namespace = ? AND name = ? AND mapping = ? AND source = ?",
    )
    .pluck();
  const changed = tables.filter(({ kind, table, entries, fallback }) => {
    const before = stored.get(namespace, kind, mapping, table);
    if (before === undefined) return false;
    const old = Object.entries(JSON.parse(before) as { [text: string]: string });
    // An entry that is gone gives no key at all, which is said of each row.
    const differs = old.some(([text, says]) => (entries.get(text) ?? (fallback ? null : says)) !== says);
    return differs || (fallback && entries.size !== old.length);
  });
  return new Set(changed.map(({ kind }) => kind));
}

export function saveFingerprints(
  database: Database,
  mapping: string,
  namespace: string,
  { fingerprints, kin, tables }: MadeKeys,
  now: number,
): void {
  const save = database.prepare<
    Record<"namespace" | "name" | "mapping" | "fingerprint" | "kin", string> & { now: number }
  >(
    `INSERT INTO fingerprints (namespace, name, mapping, fingerprint, kin, changed_at)
     VALUES (@namespace, @name, @mapping, @fingerprint, @kin, @now)
     ON CONFLICT (namespace, name, mapping) DO UPDATE SET fingerprint = @fingerprint, kin = @kin, changed_at = @now
       WHERE fingerprint <> @fingerprint OR kin <> @kin`,
  );
  for (const [name, fingerprint] of fingerprints)
    save.run({ namespace, name, mapping, fingerprint, kin: kin.get(name) ?? "", now });
  const saveTable = database.prepare<[string, string, string, string, string]>(
    `INSERT INTO key_tables (namespace, name, mapping, source, entries) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (namespace, name, mapping, source) DO UPDATE SET entries = excluded.entries WHERE entries <> excluded.entries`,
  );
  for (const { kind, table, entries } of tables)
    saveTable.run(namespace, kind, mapping, table, JSON.stringify(Object.fromEntries(entries)));
}
