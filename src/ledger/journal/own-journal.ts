/** Remembers the journal's path and length in the ledger, because a journal that lost entries cannot rebuild it. */
import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { RowferryError } from "../../model/error.js";
import { fact, type LedgerDatabase, setFact } from "../ledger-database.js";
import { readAt } from "./durable-file.js";
import { endOfLastLine } from "./journal.js";

interface OwnJournal {
  path: string;
  /** In bytes, up to a line's end. */
  length: number;
  /** Of the last bytes. */
  hash: string;
}

const HASHED_BYTES = 4096;

/** In a transaction, after the journal was written. */
export function rememberJournal(database: LedgerDatabase, path: string): void {
  const length = endOfLastLine(path, statSync(path).size);
  const own: OwnJournal = { path, length, hash: hashBefore(path, length) };
  setFact(database, "journal", JSON.stringify(own));
}

/** @returns its path; null: none */
export function forgetJournal(database: LedgerDatabase): string | null {
  const text = database.value<string>("DELETE FROM facts WHERE name = 'journal' RETURNING value");
  return text === undefined ? null : (JSON.parse(text) as OwnJournal).path;
}

/**
 * The journal to write to. Without a named one, the remembered one continues. Null: none. @throws RowferryError
 * `journal-gap`
 */
export function journalOf(database: LedgerDatabase, named: string | null): string | null {
  const text = fact(database, "journal");
  if (text === null) return named;
  const own = JSON.parse(text) as OwnJournal;
  const path = named ?? own.path;
  // Opening it reports a missing folder.
  if (!existsSync(dirname(path)) || goesOn(path, own)) return path;
  const its = path === own.path ? "its journal" : `its journal ${own.path}`;
  const cause = `The ledger has written ${own.length} bytes into ${its}, and this file does not hold them: it is missing, empty, another journal, or has lost entries.`;
  const right = path === own.path ? "Mount its disk or put the file back" : `Add \`--journal ${own.path}\``;
  throw new RowferryError("journal-gap", cause, {
    place: { file: path },
    hint: `${right}, and type the command again. If that journal is lost or no longer wanted: \`rowferry ledger backup <file> --forget-journal\` copies the ledger, and the next run may begin a new journal; \`ledger rebuild\` then takes both.`,
  });
}

function goesOn(path: string, { length, hash }: OwnJournal): boolean {
  return existsSync(path) && statSync(path).size >= length && hashBefore(path, length) === hash;
}

function hashBefore(path: string, end: number): string {
  const length = Math.min(end, HASHED_BYTES);
  return createHash("sha256")
    .update(readAt(path, end - length, length))
    .digest("hex");
}
