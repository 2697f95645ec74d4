/**
 * Compares how the keys of each kind are made with how they used to be made: an edit that would give landed events new
 * keys is found before anything is staged (H25).
 */
import type { LedgerDatabase } from "./ledger-database.js";

export interface KeyChange {
  /** `manifest` (document) or `manifest/pickup` (event). */
  name: string;
  /** Events sent, or for a kind of document, documents. */
  sent: number;
  example: string;
  /** Its probable new label; null: unchanged. */
  renamedTo: string | null;
}

/** As map/fingerprints.ts makes them. */
export interface MadeKeys {
  fingerprints: ReadonlyMap<string, string>;
  kin: ReadonlyMap<string, string>;
  declaredNew: ReadonlySet<string>;
  tables: readonly {
    kind: string;
    table: string;
    entries: ReadonlyMap<string, string>;
    fallback: boolean;
    keeps: boolean;
    isUsed(entry: string): boolean;
  }[];
  /** Fingerprints without the lists among `tables`, which may grow. */
  lean(): ReadonlyMap<string, string>;
}

/** The earlier namespace of this mapping file; null: the same, or none. */
export function formerNamespace(database: LedgerDatabase, mappingPath: string, namespace: string): string | null {
  const last = database.value<string>(
    "SELECT namespace FROM inputs WHERE mapping = @mappingPath ORDER BY staged_at DESC, id DESC LIMIT 1",
    { mappingPath },
  );
  return last === null || last === namespace ? null : last;
}

/**
 * Kinds whose keys would change although some were sent. Empty: nothing would be sent twice. Compares a mapping with
 * itself, because another one may read the same documents from other columns; a new one also with its probable
 * original.
 */
export function changedKeys(database: LedgerDatabase, mapping: string, namespace: string, made: MadeKeys): KeyChange[] {
  const own = database.rows<StoredKey>(
    "SELECT name, fingerprint, kin FROM fingerprints WHERE namespace = @namespace AND mapping = @mapping",
    { namespace, mapping },
  );
  const stored = own.length > 0 ? own : ofOriginal(database, namespace, made);
  const known = new Set(stored.map(({ name }) => name));
  const fresh = [...made.fingerprints.keys()].filter((name) => !known.has(name) && !isDeclaredNew(made, name));
  const others = otherTables(database, mapping, namespace, made);
  const hasGrown = (kind: string) =>
    entriesOf(database, { namespace, kind, mapping, table: LEAN })?.[LEAN] === made.lean().get(kind);
  return stored.flatMap(({ name, fingerprint, kin }): KeyChange[] => {
    const now = made.fingerprints.get(name);
    // A missing label and a similar new one: the same rows would be sent again (F73).
    const renamedTo =
      now === undefined
        ? (fresh.find((one) => isDocument(one) === isDocument(name) && made.kin.get(one) === kin) ?? null)
        : null;
    if (now === undefined ? renamedTo === null : (now === fingerprint || hasGrown(name)) && !others.has(name))
      return [];
    const { sent, example } = sentOf(database, namespace, name);
    return sent > 0 ? [{ name, sent, example: example ?? "", renamedTo }] : [];
  });
}

/** Whether a mapping is used for the first time, after others, and does not declare all of its names new. */
export function isFresh(database: LedgerDatabase, mapping: string, namespace: string, made: MadeKeys): boolean {
  if ([...made.fingerprints.keys()].every((name) => isDeclaredNew(made, name))) return false;
  const others = database.values<number>(
    "SELECT DISTINCT (namespace, mapping) <> (@namespace, @mapping) FROM fingerprints",
    { namespace, mapping },
  );
  return others.length > 0 && !others.includes(0);
}

/** The event, or its document. */
const isDeclaredNew = ({ declaredNew }: MadeKeys, name: string): boolean =>
  declaredNew.has(name) || declaredNew.has(name.split("/")[0] ?? "");

/**
 * What another mapping has sent of an input that a fresh one has just staged: of a file with the same bytes, or equal events
 * on a document of the same key, or on others if that is most of the file. It may be a copy with other labels, keys, or
 * another namespace. Null: nothing.
 */
export function sentByOther(
  database: LedgerDatabase,
  mapping: string,
  input: number,
  { declaredNew }: MadeKeys,
): { mapping: string; namespace: string; sent: number; labels: string[] } | null {
  const found = database.rows<{ mapping: string; namespace: string; label: string; sent: number; isSure: number }>(
    `WITH mine AS MATERIALIZED (
       SELECT e.*, d.key, d.kind, i.content_hash AS bytes, i.sheet FROM inputs i
       JOIN row_events re ON re.row_id BETWEEN i.id << 32 AND i.id << 32 | 4294967295
       JOIN events e ON e.id = re.event_id JOIN documents d ON d.id = e.document_id
       WHERE i.id = @input AND d.kind NOT IN @declaredNew
         AND d.kind || '/' || e.event NOT IN @declaredNew)
     SELECT f.mapping, d.namespace, d.kind || '/' || e.event AS label, count(DISTINCT e.id) AS sent,
       max(d.key = mine.key OR i.content_hash = mine.bytes AND i.sheet IS mine.sheet) OR
         2 * count(DISTINCT mine.id) > (SELECT count(*) FROM mine) AS isSure
     FROM mine JOIN events e ON e.at = mine.at AND e.name = mine.name AND e.id NOT IN (SELECT id FROM mine)
       AND e.payload = mine.payload AND max(e.participant_ref, -1) = max(mine.participant_ref, -1)
       AND max(e.address_ref, -1) = max(mine.address_ref, -1)
     JOIN events_now s ON s.id = e.id AND s.sent JOIN documents d ON d.id = e.document_id
     JOIN inputs i ON i.id = e.input_id
     JOIN fingerprints f ON f.namespace = d.namespace AND f.name = d.kind || '/' || e.event AND f.mapping <> @mapping
     GROUP BY f.mapping, d.namespace, label`,
    { input, mapping, declaredNew: [...declaredNew] },
  );
  const [first] = found.filter(({ isSure }) => isSure === 1);
  if (first === undefined) return null;
  const sent = found.reduce((sum, one) => sum + one.sent, 0);
  return { ...first, sent, labels: [...new Set(found.map(({ label }) => label))] };
}

interface StoredKey {
  name: string;
  fingerprint: string;
  kin: string;
}

/** Events of documents that another mapping keys as this new one does: it may be a copy, edited under another name. */
function ofOriginal(database: LedgerDatabase, namespace: string, made: MadeKeys): StoredKey[] {
  const theirs = database.rows<StoredKey>(
    `SELECT e.name, e.fingerprint, '' AS kin FROM fingerprints e
     JOIN fingerprints d ON d.namespace = e.namespace AND d.mapping = e.mapping AND d.name = substr(e.name, 1, instr(e.name, '/') - 1)
     JOIN json_each(@made) now ON now.key = d.name AND now.value = d.fingerprint
     WHERE e.namespace = @namespace GROUP BY e.name, e.fingerprint`,
    { namespace, made: JSON.stringify(Object.fromEntries(made.fingerprints)) },
  );
  const agreed = theirs.filter(({ name, fingerprint }) => made.fingerprints.get(name) === fingerprint);
  const open = new Map(theirs.map((one) => [one.name, one]));
  for (const name of [...made.declaredNew, ...agreed.map((one) => one.name)]) open.delete(name);
  return [...open.values()];
}

const isDocument = (name: string) => !name.includes("/");

function sentOf(database: LedgerDatabase, namespace: string, name: string): { sent: number; example: string | null } {
  const [kind, event] = isDocument(name)
    ? [name]
    : [name.slice(0, name.indexOf("/")), name.slice(name.indexOf("/") + 1)];
  const from =
    event === undefined
      ? "documents_now d WHERE d.state NOT IN ('planned', 'rejected')"
      : "documents d JOIN events_now e ON e.document_id = d.id WHERE e.event = @event AND e.sent";
  return (
    database.row<{ sent: number; example: string | null }>(
      `SELECT count(*) AS sent, min(d.name) AS example FROM ${from}
         AND d.namespace = @namespace AND d.kind = @kind`,
      { namespace, kind, event },
    ) ?? { sent: 0, example: null }
  );
}

/**
 * Kinds with keys from a table whose answers changed. A new entry changes no key, unless rows without an entry have
 * keys too.
 */
function otherTables(database: LedgerDatabase, mapping: string, namespace: string, { tables }: MadeKeys): Set<string> {
  const changed = tables.filter(({ kind, table, entries, fallback, keeps }) => {
    const before = entriesOf(database, { namespace, kind, mapping, table });
    if (before === null) return false;
    const old = Object.entries(before);
    // A row whose entry is missing has no key, which is reported with the row.
    const differs = old.some(([text, says]) => (entries.get(text) ?? (fallback || keeps ? null : says)) !== says);
    return differs || (fallback && entries.size !== old.length);
  });
  return new Set(changed.map(({ kind }) => kind));
}

/** In place of a table's name, and of its only entry. */
const LEAN = "";

function entriesOf(database: LedgerDatabase, of: { [name: string]: string }): { [text: string]: string } | null {
  const entries = database.value<string>(
    `SELECT entries FROM key_tables
     WHERE namespace = @namespace AND name = @kind AND mapping = @mapping AND source = @table`,
    of,
  );
  return entries === null ? null : (JSON.parse(entries) as { [text: string]: string });
}

export function saveFingerprints(
  database: LedgerDatabase,
  mapping: string,
  namespace: string,
  { fingerprints, kin, tables, lean }: MadeKeys,
  now: number,
): void {
  for (const [name, fingerprint] of fingerprints)
    database.run(
      `INSERT INTO fingerprints (namespace, name, mapping, fingerprint, kin, changed_at)
       VALUES (@namespace, @name, @mapping, @fingerprint, @kin, @now)
       ON CONFLICT (namespace, name, mapping) DO UPDATE SET fingerprint = @fingerprint, kin = @kin, changed_at = @now
         WHERE fingerprint <> @fingerprint OR kin <> @kin`,
      { namespace, name, mapping, fingerprint, kin: kin.get(name) ?? "", now },
    );
  const prints = [...lean()].map(([kind, print]) => ({
    kind,
    table: LEAN,
    entries: new Map([[LEAN, print]]),
    fallback: true,
    keeps: false,
    isUsed: () => true,
  }));
  for (const { kind, table, entries, fallback, keeps, isUsed } of [...tables, ...prints]) {
    // An entry that comes back must say what it said.
    const used = [...entries].filter(([entry]) => isUsed(entry));
    const all = fallback || keeps ? "excluded.entries" : "json_patch(entries, excluded.entries)";
    database.run(
      `INSERT INTO key_tables (namespace, name, mapping, source, entries) VALUES (@namespace, @kind, @mapping, @table, @json)
       ON CONFLICT (namespace, name, mapping, source) DO UPDATE SET entries = ${all} WHERE entries <> excluded.entries`,
      { namespace, kind, mapping, table, json: JSON.stringify(Object.fromEntries(used)) },
    );
  }
}
