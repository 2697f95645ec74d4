/** A full disk or a read-only file in words, where SQLite has only a code (HARD-CASES H33). */
import Database from "better-sqlite3";
import { RowferryError } from "../model/error.js";

/** The error as it is, or `ledger-not-written` where the ledger's file could not be written. */
export function asWriteFailure(error: unknown, path: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const { code } = error;
  if (!/^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/.test(code)) return error;
  return new RowferryError("ledger-not-written", `The ledger could not be written: ${error.message}.`, {
    place: { file: path },
    cause: error,
  });
}
