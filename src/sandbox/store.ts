/**
 * Keeps the records in SQLite, in memory or in a file; knows no rule of the service. In a file, requests that arrive
 * close together share one commit: each is a savepoint in one transaction, committed before any of their answers
 * leaves.
 */
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { parseJson } from "./json.js";
import type { AddressRecord, DocumentRecord, EventRecord, ParticipantRecord, TokenRecord } from "./records.js";

/** Each has an id of its own, and a key that it may share. */
interface Kinds {
  /** By natural key. */
  participant: ParticipantRecord;
  /** By participant. */
  address: AddressRecord;
  /** By dataset and externalId. */
  document: DocumentRecord;
  /** By document. */
  event: EventRecord;
  /** Its id alone counts: the key that is taken, in its scope. */
  deduplicationId: null;
  /** By document: the id of another one, which its propagated events reach. */
  relation: string;
  /** By client. */
  token: TokenRecord;
}

/** In `PRAGMA user_version`; other versions are refused. */
const VERSION = 3;

const SCHEMA = `
CREATE TABLE records (
  seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, key TEXT NOT NULL, record TEXT NOT NULL, UNIQUE (kind, id)
) STRICT;
CREATE INDEX records_by_key ON records (kind, key);
`;

/** How long to wait for another holder of the file; everything stops meanwhile. */
const BUSY_MS = 250;

export type Store = ReturnType<typeof openStore>;

/**
 * `file`: made if missing; null: in memory. @throws Error for a file that is not a sandbox's, or of another version.
 */
export function openStore(file: string | null) {
  const db = openDatabase(file);
  const adding = db.prepare("INSERT INTO records (kind, id, key, record) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING");
  const changing = db.prepare("UPDATE records SET record = ? WHERE kind = ? AND id = ?");
  const withId = db.prepare("SELECT record FROM records WHERE kind = ? AND id = ?").pluck();
  const withKey = db.prepare("SELECT record FROM records WHERE kind = ? AND key = ? ORDER BY seq").pluck();
  const ofKind = db.prepare("SELECT record FROM records WHERE kind = ? ORDER BY seq").pluck();
  const [begin, commit, rollback] = ["BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"].map((sql) => db.prepare(sql));
  const [save, release, undo] = ["SAVEPOINT part", "RELEASE part", "ROLLBACK TO part"].map((sql) => db.prepare(sql));
  let pending: Promise<void> | null = null;

  /** In a file: opens the shared transaction, and commits it after this turn of the event loop. */
  function open(): void {
    if (db.inTransaction || file === null) return;
    begin?.run();
    pending = new Promise<void>((resolve, reject) => {
      setImmediate(() => {
        pending = null;
        try {
          if (db.open && db.inTransaction) commit?.run();
          resolve();
        } catch (error) {
          if (db.open && db.inTransaction) rollback?.run();
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
    // Waiting requests see the rejection; an unobserved one must not end the process.
    pending.catch(() => undefined);
  }

  const read = (records: readonly unknown[]) => records.map((record) => parseJson(record as string));

  return {
    /** All or nothing. May be nested: an inner failure undoes only the inner part. */
    transaction<T>(work: () => T): T {
      open();
      save?.run();
      try {
        const result = work();
        release?.run();
        return result;
      } catch (error) {
        if (db.inTransaction) {
          undo?.run();
          release?.run();
        }
        throw error;
      }
    },

    /** Null: everything is durable; else a promise that rejects if it cannot be. */
    settled: (): Promise<void> | null => pending,

    /** Safe to call twice. */
    close(): void {
      if (!db.open) return;
      if (db.inTransaction) db.exec("COMMIT");
      db.close();
    },

    /** False: the id is taken. */
    add<Kind extends keyof Kinds>(kind: Kind, id: string, key: string, record: Kinds[Kind]): boolean {
      open();
      return adding.run(kind, id, key, JSON.stringify(record)).changes === 1;
    },

    change<Kind extends keyof Kinds>(kind: Kind, id: string, record: Kinds[Kind]): void {
      open();
      changing.run(JSON.stringify(record), kind, id);
    },

    get: <Kind extends keyof Kinds>(kind: Kind, id: string) => read(withId.all(kind, id))[0] as Kinds[Kind] | undefined,

    /** Oldest first. */
    by: <Kind extends keyof Kinds>(kind: Kind, key: string) => read(withKey.all(kind, key)) as Kinds[Kind][],

    all: <Kind extends keyof Kinds>(kind: Kind) => read(ofKind.all(kind)) as Kinds[Kind][],
  };
}

function openDatabase(file: string | null): Database.Database {
  if (file !== null) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Names and tax ids are confidential; SQLite gives its side files the same mode.
    closeSync(openSync(file, "a", 0o600));
  }
  const db = new Database(file ?? ":memory:", { timeout: BUSY_MS });
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.pragma("cache_size = -65536");
  // Scattered keys dirty many pages, and rewriting each one after every few commits would cost most.
  db.pragma("wal_autocheckpoint = 16384");
  const version = db.pragma("user_version", { simple: true });
  if (version === VERSION) return db;
  if (version !== 0 || db.prepare("SELECT 1 FROM sqlite_schema").get() !== undefined) {
    db.close();
    throw new Error(`${file} is not a sandbox store of version ${VERSION}: remove it, or rehearse with --fresh.`);
  }
  db.transaction(() => {
    db.exec(SCHEMA);
    db.pragma(`user_version = ${VERSION}`);
  })();
  return db;
}
