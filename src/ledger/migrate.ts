/** Brings a ledger's schema up to this program's, one numbered migration a transaction. Migrations are never edited. */
import type { Database } from "better-sqlite3";
import { RowferryError } from "../model/error.js";
import { schema } from "./schema.js";

const migrations = [schema];

export const SCHEMA_VERSION = migrations.length;

/** @throws RowferryError `ledger-newer` when a newer program has written this ledger. */
export function assertNotNewer(database: Database, path: string): number {
  const version = database.pragma("user_version", { simple: true }) as number;
  if (version > SCHEMA_VERSION) {
    throw new RowferryError(
      "ledger-newer",
      `The ledger has schema ${version}; this program knows schemas up to ${SCHEMA_VERSION}.`,
      { place: { file: path } },
    );
  }
  return version;
}

export function migrate(database: Database, path: string): void {
  const from = assertNotNewer(database, path);
  for (let version = from; version < SCHEMA_VERSION; version += 1) {
    database.transaction(() => {
      database.exec(migrations[version] ?? "");
      database.pragma(`user_version = ${version + 1}`);
    })();
  }
}
