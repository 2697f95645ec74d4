/** Brings a ledger's schema up to this program's, one numbered migration a transaction. Migrations are never edited. */
import type { Database } from "better-sqlite3";
import { RowferryError } from "../model/error.js";
import { schema } from "./schema.js";

const migrations = [schema];

export const SCHEMA_VERSION = migrations.length;

/** In the header of each ledger: "Rowf". */
const APPLICATION_ID = 0x526f7766;

/**
 * @returns 0 of a file in which nothing stands yet
 * @throws RowferryError `ledger-foreign` of a file of another program, `ledger-newer` of a newer one's ledger
 */
export function assertNotNewer(database: Database, path: string): number {
  if (database.pragma("application_id", { simple: true }) !== APPLICATION_ID) {
    const isEmpty = database.prepare<[], number>("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)").pluck();
    if (isEmpty.get() === 1) return 0;
    throw new RowferryError("ledger-foreign", "This file belongs to another program: it is no ledger.", {
      place: { file: path },
    });
  }
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
      database.pragma(`application_id = ${APPLICATION_ID}`);
      database.pragma(`user_version = ${version + 1}`);
    })();
  }
}
