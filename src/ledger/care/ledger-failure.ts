/** Explains SQLite's codes: a busy writer, a full disk, a read-only file, a damaged file (H33). */
import Database from "better-sqlite3";
import { RowferryError } from "../../model/error.js";

const reasons = {
  SQLITE_FULL: "the disk is full",
  SQLITE_IOERR: "the disk is full or failing, or a limit on file size is reached",
  SQLITE_READONLY: "the file, the -wal or -shm next to it, or the folder is not writable",
  SQLITE_CANTOPEN: "it, its folder or a temporary file cannot be opened, or too many files are open (ulimit -n)",
  SQLITE_NOTADB: "the file is not a ledger",
};

/** In our words; null: another code. */
export const reasonOf = ({ code }: InstanceType<typeof Database.SqliteError>): string | null =>
  Object.entries(reasons).find(([kind]) => code.startsWith(kind))?.[1] ?? null;

/** Returns other errors unchanged. `hint`: where it or its journal could not be written; default: that of a run. */
export function asLedgerFailure(error: unknown, path: string, hint?: string): unknown {
  if (error instanceof RowferryError && error.code === "journal-not-written" && hint !== undefined)
    return new RowferryError(error.code, error.message, { place: error.place, cause: error.cause, hint });
  if (!(error instanceof Database.SqliteError)) return error;
  const { code } = error;
  const about = { place: { file: path }, cause: error };
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    return new RowferryError(
      "ledger-locked",
      "Another rowferry process is writing a lot to this ledger, probably staging.",
      about,
    );
  if (code === "SQLITE_READONLY_DBMOVED")
    return new RowferryError("ledger-unreadable", "The ledger's file was moved or replaced while it was in use.", {
      ...about,
      hint: "Try again once it is in its place.",
    });
  // A file that was copied over this one, or is still being copied, may have no schema.
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code) || error.message.startsWith("no such table"))
    return new RowferryError("ledger-damaged", `The ledger's file is damaged: ${error.message}.`, about);
  const why = reasonOf(error);
  if (why === null) return error;
  return new RowferryError("ledger-not-written", `The ledger could not be written: ${why} (${code}).`, {
    ...about,
    hint,
  });
}
