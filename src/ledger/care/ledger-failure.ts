/** Explains SQLite's codes: a busy writer, a full disk, a read-only file, a damaged file (H33). */
import Database from "better-sqlite3";
import { RowferryError } from "../../model/error.js";

/** Returns other errors unchanged. */
export function asLedgerFailure(error: unknown, path: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const { code } = error;
  const about = { place: { file: path }, cause: error };
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    return new RowferryError(
      "ledger-locked",
      "Another rowferry process is writing a lot to this ledger, as staging does.",
      about,
    );
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code))
    return new RowferryError("ledger-damaged", `The ledger's file is damaged: ${error.message}.`, about);
  if (!/^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/.test(code)) return error;
  return new RowferryError("ledger-not-written", `The ledger could not be written: ${error.message}.`, about);
}
