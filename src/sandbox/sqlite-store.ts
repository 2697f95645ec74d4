/**
 * Everything in an SQLite file. Requests that arrive close together share one commit: each is a savepoint of its own in
 * one open transaction, which is committed before any of their answers leaves.
 */
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import type { AddressRecord, DocumentRecord, EventRecord, ParticipantRecord, TokenRecord } from "./records.js";
import { naturalKey, placeOf } from "./records.js";
import { SCHEMA, SCHEMA_VERSION } from "./sqlite-schema.js";
import type { Store } from "./store.js";

/** A document with its last event, if it has one. */
interface DocumentRow {
  record: string;
  sequence: number | null;
  at: number | null;
  state_after: DocumentRecord["state"] | null;
}

const SELECT_DOCUMENTS =
  "SELECT d.record, e.sequence, e.at, e.state_after FROM documents d LEFT JOIN events e ON e.document_id = d.id " +
  "AND e.sequence = (SELECT max(sequence) FROM events WHERE document_id = d.id)";

/** How long another holder of the file is waited for; everything stands still meanwhile. */
const BUSY_MS = 250;

/** Records read or written last, by id. */
const MOST_CACHED = 20_000;

export class SqliteStore implements Store {
  readonly #db: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  readonly #cache = new Map<string, ParticipantRecord | AddressRecord | DocumentRecord>();
  #pending: Promise<void> | null = null;

  /** `file` is made when it is not there. @throws Error for a file that is no sandbox's or of another version. */
  constructor(file: string) {
    if (file !== ":memory:") {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      // Names and tax ids are nobody else's business; SQLite gives its side files the same mode.
      closeSync(openSync(file, "a", 0o600));
    }
    this.#db = new Database(file, { timeout: BUSY_MS });
    this.#db.pragma("journal_mode = WAL");
    this.#db.pragma("synchronous = FULL");
    this.#db.pragma("cache_size = -65536");
    // Scattered keys dirty many pages; rewriting each into the file after every few commits is what would cost most.
    this.#db.pragma("wal_autocheckpoint = 16384");
    const version = this.#db.pragma("user_version", { simple: true });
    const empty = this.#db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() === 0;
    if (version === 0 && empty) {
      this.#db.transaction(() => {
        this.#db.exec(SCHEMA);
        this.#db.pragma(`user_version = ${SCHEMA_VERSION}`);
      })();
    } else if (version !== SCHEMA_VERSION) {
      this.#db.close();
      throw new Error(`${file} is not a sandbox store of version ${SCHEMA_VERSION}.`);
    }
  }

  transaction<T>(work: () => T): T {
    this.#begin();
    this.#run("SAVEPOINT part");
    try {
      const result = work();
      this.#run("RELEASE part");
      return result;
    } catch (error) {
      this.#cache.clear();
      if (this.#db.inTransaction) {
        this.#run("ROLLBACK TO part");
        this.#run("RELEASE part");
      }
      throw error;
    }
  }

  settled(): Promise<void> | null {
    return this.#pending;
  }

  close(): void {
    if (!this.#db.open) return;
    if (this.#db.inTransaction) this.#db.exec("COMMIT");
    this.#db.close();
  }

  participant(id: string): ParticipantRecord | undefined {
    const sql = "SELECT record FROM participants WHERE id = ?";
    return this.#cached(`participant ${id}`, () => this.#list<ParticipantRecord>(sql, id)[0]);
  }

  participantsByKey(key: string): ParticipantRecord[] {
    return this.#list("SELECT record FROM participants WHERE natural_key = ? ORDER BY seq", key);
  }

  addParticipant(record: ParticipantRecord): void {
    this.#write(
      "INSERT INTO participants (id, natural_key, record) VALUES (?, ?, ?)",
      record.id,
      naturalKey(record),
      JSON.stringify(record),
    );
  }

  participants(): ParticipantRecord[] {
    return this.#list("SELECT record FROM participants ORDER BY seq");
  }

  address(id: string): AddressRecord | undefined {
    const sql = "SELECT record FROM addresses WHERE id = ?";
    return this.#cached(`address ${id}`, () => this.#list<AddressRecord>(sql, id)[0]);
  }

  addressesOf(participantId: string): AddressRecord[] {
    return this.#list("SELECT record FROM addresses WHERE participant_id = ? ORDER BY seq", participantId);
  }

  addressAt(participantId: string, dataset: string, place: string): AddressRecord | undefined {
    const sql =
      "SELECT record FROM addresses WHERE participant_id = ? AND place = ? AND dataset = ? ORDER BY seq LIMIT 1";
    return this.#list<AddressRecord>(sql, participantId, place, dataset)[0];
  }

  addAddress(record: AddressRecord): void {
    this.#write(
      "INSERT INTO addresses (id, participant_id, dataset, place, record) VALUES (?, ?, ?, ?, ?)",
      record.id,
      record.participantId,
      record.dataset,
      placeOf(record),
      JSON.stringify(record),
    );
  }

  addresses(): AddressRecord[] {
    return this.#list("SELECT record FROM addresses ORDER BY seq");
  }

  document(id: string): DocumentRecord | undefined {
    return this.#cached(`document ${id}`, () => {
      const row = this.#prepared(`${SELECT_DOCUMENTS} WHERE d.id = ?`).get(id);
      return row === undefined ? undefined : documentOf(row as DocumentRow);
    });
  }

  hasExternalId(dataset: string, externalId: string): boolean {
    return (
      this.#prepared("SELECT 1 FROM documents WHERE dataset = ? AND external_id = ?").get(dataset, externalId) !==
      undefined
    );
  }

  addDocument(record: DocumentRecord): void {
    this.#remember(`document ${record.id}`, record);
    this.#write(
      "INSERT INTO documents (id, dataset, external_id, record) VALUES (?, ?, ?, ?)",
      record.id,
      record.dataset,
      record.externalId,
      JSON.stringify(record),
    );
  }

  documents(): DocumentRecord[] {
    const rows = this.#prepared(`${SELECT_DOCUMENTS} ORDER BY d.seq`).all();
    return (rows as DocumentRow[]).map(documentOf);
  }

  eventsOf(documentId: string): EventRecord[] {
    return this.#list("SELECT record FROM events WHERE document_id = ? ORDER BY sequence", documentId);
  }

  append(document: DocumentRecord, event: EventRecord): void {
    this.#remember(`document ${document.id}`, document);
    const sql = "INSERT INTO events (document_id, sequence, at, state_after, record) VALUES (?, ?, ?, ?, ?)";
    this.#write(sql, document.id, event.sequence, event.at, document.state, JSON.stringify(event));
  }

  claimKey(scope: string, key: string): boolean {
    return this.#write("INSERT INTO keys (scope, key) VALUES (?, ?) ON CONFLICT DO NOTHING", scope, key) === 1;
  }

  relate(from: string, to: string): void {
    this.#write("INSERT INTO relations (from_id, to_id) VALUES (?, ?) ON CONFLICT DO NOTHING", from, to);
  }

  relatedTo(documentId: string): string[] {
    const rows = this.#prepared("SELECT to_id FROM relations WHERE from_id = ? ORDER BY seq").all(documentId);
    return (rows as { to_id: string }[]).map((row) => row.to_id);
  }

  tokens(): TokenRecord[] {
    const sql = "SELECT token, client_id AS clientId, expires_at AS expiresAt FROM tokens";
    return this.#prepared(sql).all() as TokenRecord[];
  }

  saveToken({ token, clientId, expiresAt }: TokenRecord): void {
    this.#write(
      "INSERT OR REPLACE INTO tokens (token, client_id, expires_at) VALUES (?, ?, ?)",
      token,
      clientId,
      expiresAt,
    );
  }

  /** Opens the shared transaction, and has it committed once this turn of the event loop is over. */
  #begin(): void {
    if (this.#db.inTransaction) return;
    this.#run("BEGIN IMMEDIATE");
    this.#pending = new Promise<void>((resolve, reject) => {
      setImmediate(() => {
        this.#pending = null;
        try {
          if (this.#db.open && this.#db.inTransaction) this.#run("COMMIT");
          resolve();
        } catch (error) {
          this.#cache.clear();
          if (this.#db.open && this.#db.inTransaction) this.#run("ROLLBACK");
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
    // Those who wait see the rejection; nobody waiting must not end the process.
    this.#pending.catch(() => undefined);
  }

  #prepared(sql: string): Database.Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #run(sql: string): void {
    this.#prepared(sql).run();
  }

  /** The number of rows written. */
  #write(sql: string, ...values: (string | number | null)[]): number {
    this.#begin();
    return this.#prepared(sql).run(...values).changes;
  }

  #cached<Item extends ParticipantRecord | AddressRecord | DocumentRecord>(
    key: string,
    read: () => Item | undefined,
  ): Item | undefined {
    const known = this.#cache.get(key);
    if (known !== undefined) return known as Item;
    const record = read();
    if (record !== undefined) this.#remember(key, record);
    return record;
  }

  #remember(key: string, record: ParticipantRecord | AddressRecord | DocumentRecord): void {
    if (this.#cache.size >= MOST_CACHED) this.#cache.clear();
    this.#cache.set(key, record);
  }

  #list<Item>(sql: string, ...values: string[]): Item[] {
    const rows = this.#prepared(sql).all(...values) as { record: string }[];
    return rows.map((row) => JSON.parse(row.record) as Item);
  }
}

function documentOf({ record, sequence, at, state_after }: DocumentRow): DocumentRecord {
  const document = JSON.parse(record) as DocumentRecord;
  return { ...document, state: state_after ?? document.state, lastAt: at, eventCount: sequence ?? 0 };
}
