/**
 * Keeps the records in SQLite, in memory or in a file; knows no rule of the service. What was answered survives the end
 * of the process, but perhaps not a power failure.
 */
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { parseJson } from "./json.js";
import type { AddressRecord, DocumentRecord, EventRecord, ParticipantRecord, TokenRecord } from "./records.js";
import { naturalKey, placeOf } from "./records.js";

/** In `PRAGMA user_version`; other versions are refused. */
const VERSION = 2;

const SCHEMA = `
CREATE TABLE participants (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, natural_key TEXT NOT NULL, record TEXT NOT NULL
) STRICT;
CREATE INDEX participants_by_key ON participants (natural_key);
CREATE TABLE addresses (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, participant_id TEXT NOT NULL, dataset TEXT NOT NULL,
  place TEXT NOT NULL, record TEXT NOT NULL
) STRICT;
CREATE INDEX addresses_by_participant ON addresses (participant_id, place);
CREATE TABLE documents (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, dataset TEXT NOT NULL, external_id TEXT, record TEXT NOT NULL
) STRICT;
CREATE INDEX documents_by_external_id ON documents (dataset, external_id) WHERE external_id IS NOT NULL;
CREATE TABLE events (
  document_id TEXT NOT NULL, sequence INTEGER NOT NULL, record TEXT NOT NULL, PRIMARY KEY (document_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE TABLE keys (scope TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (scope, key)) STRICT, WITHOUT ROWID;
CREATE TABLE relations (
  seq INTEGER PRIMARY KEY, from_id TEXT NOT NULL, to_id TEXT NOT NULL, UNIQUE (from_id, to_id)
) STRICT;
CREATE TABLE tokens (token TEXT PRIMARY KEY, client_id TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

/** How long to wait for another holder of the file; everything stops meanwhile. */
const BUSY_MS = 250;

/**
 * `file`: made if missing; null: in memory. @throws Error for a file that is not a sandbox's, or of another version.
 */
export function openStore(file: string | null) {
  if (file !== null) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Names and tax ids are confidential; SQLite gives its side files the same mode.
    closeSync(openSync(file, "a", 0o600));
  }
  const db = new Database(file ?? ":memory:", { timeout: BUSY_MS });
  const statements = new Map<string, Database.Statement>();
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = NORMAL");
  db.pragma("cache_size = -65536");
  // Scattered keys dirty many pages, and rewriting each one after every few commits would cost most.
  db.pragma("wal_autocheckpoint = 16384");
  const version = db.pragma("user_version", { simple: true });
  const isEmpty = db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() === 0;
  if (version === 0 && isEmpty) {
    db.transaction(() => {
      db.exec(SCHEMA);
      db.pragma(`user_version = ${VERSION}`);
    })();
  } else if (version !== VERSION) {
    db.close();
    throw new Error(`${file} is not a sandbox store of version ${VERSION}.`);
  }

  function prepared(sql: string): Database.Statement {
    const statement = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  /** @returns the number of rows */
  function write(sql: string, ...values: (string | number | null)[]): number {
    return prepared(sql).run(...values).changes;
  }

  function list<Item>(sql: string, ...values: string[]): Item[] {
    const rows = prepared(sql).all(...values) as { record: string }[];
    return rows.map(({ record }) => parseJson(record) as Item);
  }

  return {
    /** All or nothing. May be nested: an inner failure undoes only the inner part. */
    transaction: <T>(work: () => T): T => db.transaction(work)(),

    /** Safe to call twice. */
    close: (): void => void db.close(),

    participant(id: string): ParticipantRecord | undefined {
      return list<ParticipantRecord>("SELECT record FROM participants WHERE id = ?", id)[0];
    },

    /** In all datasets, oldest first. */
    participantsByKey(key: string): ParticipantRecord[] {
      return list("SELECT record FROM participants WHERE natural_key = ? ORDER BY seq", key);
    },

    addParticipant(record: ParticipantRecord): void {
      const sql = "INSERT INTO participants (id, natural_key, record) VALUES (?, ?, ?)";
      write(sql, record.id, naturalKey(record), JSON.stringify(record));
    },

    participants(): ParticipantRecord[] {
      return list("SELECT record FROM participants ORDER BY seq");
    },

    address(id: string): AddressRecord | undefined {
      return list<AddressRecord>("SELECT record FROM addresses WHERE id = ?", id)[0];
    },

    addressesOf(participantId: string): AddressRecord[] {
      return list("SELECT record FROM addresses WHERE participant_id = ? ORDER BY seq", participantId);
    },

    /** The dataset's oldest address at that place (see `placeOf`). */
    addressAt(participantId: string, dataset: string, place: string): AddressRecord | undefined {
      const sql = "SELECT record FROM addresses WHERE participant_id = ? AND place = ? AND dataset = ? ORDER BY seq";
      return list<AddressRecord>(sql, participantId, place, dataset)[0];
    },

    addAddress(record: AddressRecord): void {
      const sql = "INSERT INTO addresses (id, participant_id, dataset, place, record) VALUES (?, ?, ?, ?, ?)";
      write(sql, record.id, record.participantId, record.dataset, placeOf(record), JSON.stringify(record));
    },

    addresses(): AddressRecord[] {
      return list("SELECT record FROM addresses ORDER BY seq");
    },

    document(id: string): DocumentRecord | undefined {
      return list<DocumentRecord>("SELECT record FROM documents WHERE id = ?", id)[0];
    },

    hasExternalId(dataset: string, externalId: string): boolean {
      const sql = "SELECT record FROM documents WHERE dataset = ? AND external_id = ? LIMIT 1";
      return list(sql, dataset, externalId).length > 0;
    },

    addDocument(record: DocumentRecord): void {
      const sql = "INSERT INTO documents (id, dataset, external_id, record) VALUES (?, ?, ?, ?)";
      write(sql, record.id, record.dataset, record.externalId, JSON.stringify(record));
    },

    documents(): DocumentRecord[] {
      return list("SELECT record FROM documents ORDER BY seq");
    },

    /** In timeline order. */
    eventsOf(documentId: string): EventRecord[] {
      return list("SELECT record FROM events WHERE document_id = ? ORDER BY sequence", documentId);
    },

    /** `document`: its state afterwards. */
    append(document: DocumentRecord, event: EventRecord): void {
      write("UPDATE documents SET record = ? WHERE id = ?", JSON.stringify(document), document.id);
      const sql = "INSERT INTO events (document_id, sequence, record) VALUES (?, ?, ?)";
      write(sql, document.id, event.sequence, JSON.stringify(event));
    },

    /** False: the key is taken in that scope. */
    claimKey(scope: string, key: string): boolean {
      return write("INSERT INTO keys (scope, key) VALUES (?, ?) ON CONFLICT DO NOTHING", scope, key) === 1;
    },

    /** One direction; may be repeated. */
    relate(from: string, to: string): void {
      write("INSERT INTO relations (from_id, to_id) VALUES (?, ?) ON CONFLICT DO NOTHING", from, to);
    },

    /** In order of relation. */
    relatedTo(documentId: string): string[] {
      const ids = prepared("SELECT to_id FROM relations WHERE from_id = ? ORDER BY seq").pluck();
      return ids.all(documentId) as string[];
    },

    token(token: string): TokenRecord | undefined {
      const sql = "SELECT token, client_id AS clientId, expires_at AS expiresAt FROM tokens WHERE token = ?";
      return prepared(sql).get(token) as TokenRecord | undefined;
    },

    addToken({ token, clientId, expiresAt }: TokenRecord): void {
      write("INSERT INTO tokens (token, client_id, expires_at) VALUES (?, ?, ?)", token, clientId, expiresAt);
    },

    /** One token, or all that are good at `now`; @returns how many */
    expireTokens(now: number, only: string | null): number {
      const sql = "UPDATE tokens SET expires_at = ? WHERE expires_at > ? AND token = coalesce(?, token)";
      return write(sql, now, now, only);
    },
  };
}

export type Store = ReturnType<typeof openStore>;
