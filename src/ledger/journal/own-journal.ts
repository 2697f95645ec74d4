/** Remembers the journal's path and length in the ledger, because a journal that lost entries cannot rebuild it. */
import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { keyBytes } from "../event-key.js";
import { readAt, refuseMissingFolder } from "./durable-file.js";
import type { JournalDocument } from "./entries.js";
import { journaledDocument, objects } from "./replay.js";
import { CHOICES, endOfLastLine, entryOf, type Journal, type JournalEntry, refuseAnothers } from "./journal.js";
import type { LedgerOwner } from "../open-ledger.js";
import { fact, type LedgerDatabase, setFact } from "../ledger-database.js";
import { RowferryError } from "../../model/error.js";
import { shellQuoted } from "../../model/shell-quoted.js";

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

const ownJournal = (database: LedgerDatabase) => JSON.parse(fact(database, "journal") ?? "null") as OwnJournal | null;

/** Its path; null: none. */
export const rememberedJournal = (database: LedgerDatabase): string | null => ownJournal(database)?.path ?? null;

/** How many bytes of this journal the ledger has committed; infinite where it remembers another one. */
export function committedLength(database: LedgerDatabase, path: string): number {
  const own = ownJournal(database);
  return own?.path === path ? own.length : Number.POSITIVE_INFINITY;
}

/** @returns its path; null: none */
export function forgetJournal(database: LedgerDatabase): string | null {
  const path = rememberedJournal(database);
  database.run("DELETE FROM facts WHERE name = 'journal'");
  return path;
}

/**
 * The journal to write to. Without a named one, the remembered one continues. Null: none. @throws RowferryError
 * `journal-gap`
 */
export function journalOf(database: LedgerDatabase, named: string | null): string | null {
  const own = ownJournal(database);
  if (own === null) return named;
  const path = named ?? own.path;
  // Opening it reports a missing folder.
  if (!existsSync(dirname(path)) || goesOn(path, own)) return path;
  const its = path === own.path ? "its journal" : `its journal ${own.path}`;
  const cause = `The ledger has written ${own.length} bytes to ${its}, but this file does not hold them: it is missing, empty, a different journal, or has lost entries.`;
  const right = path === own.path ? "Mount its disk or put the file back" : `Add \`--journal ${own.path}\``;
  throw new RowferryError("journal-gap", cause, {
    place: { file: path },
    hint: `${right}, and type the command again. If that journal is lost or no longer wanted, make a backup that replaces it: after \`rowferry ledger backup <file> --forget-journal\`, the next run may begin a new journal, and \`ledger rebuild\` takes both.`,
  });
}

/** What a run would refuse, without opening it for writing. Null: no journal. @throws RowferryError */
export function requireJournal(
  database: LedgerDatabase | null,
  named: string | null,
  owner: LedgerOwner,
): string | null {
  const path = database === null ? named : journalOf(database, named);
  if (path === null) return null;
  refuseMissingFolder(path);
  refuseAnothers(path, owner);
  if (existsSync(path) && (database === null ? lastLanding(path) !== null : isBehindJournal(database, path)))
    throw database === null ? withoutLedger({}, path) : behind(database.name, path);
  return path;
}

/** Whether the journal holds all that the ledger has written into one. */
export function holdsAllOf(database: LedgerDatabase, path: string): boolean {
  const own = ownJournal(database);
  return own === null || goesOn(path, own);
}

function goesOn(path: string, { length, hash }: OwnJournal) {
  return existsSync(path) && statSync(path).size >= length && hashBefore(path, length) === hash;
}

function hashBefore(path: string, end: number) {
  const length = Math.min(end, HASHED_BYTES);
  return createHash("sha256")
    .update(readAt(path, end - length, length))
    .digest("hex");
}

/** Far more than all requests that are under way at once. */
const TAIL_BYTES = 4 * 1024 * 1024;

/**
 * Whether a journal knows more than its ledger: then the ledger is an older copy, or a new one, and would take its own
 * earlier events for somebody else's. Looks at the last landed event: a ledger that is up to date has at least its
 * intent, even after a kill.
 */
function isBehindJournal(database: LedgerDatabase, path: string): boolean {
  const last = lastLanding(path);
  if (last === null) return false;
  const wasSent = (document: JournalDocument, key: string) =>
    database.has("SELECT 1 FROM events_now WHERE document_id = @id AND deduplication_id = @key AND sent", {
      id: journaledDocument(database, document),
      key: keyBytes(key),
    });
  return !last.keys.every((key) => last.documents.some((document) => wasSent(document, key)));
}

/**
 * Takes out a choice that a kill kept from the ledger, because a rebuilt one would carry it out. A ledger commits each
 * choice together with the journal's length, and a command makes its choices at one time. In a writing transaction.
 * @returns whether there was one. @throws RowferryError `ledger-behind-journal`
 */
export function dropUncommitted(database: LedgerDatabase, path: string, journal: Journal, isNew = false): boolean {
  if (isBehindJournal(database, path))
    throw isNew ? withoutLedger({ file: database.name }, path) : behind(database.name, path);
  const own = ownJournal(database);
  if (own === null) return false;
  const times = new Set<unknown>();
  let end = statSync(path).size;
  // An open journal ends with a whole line.
  for (const line of linesFromEnd(path, own.length).slice(1)) {
    const entry = entryOf(line);
    if (entry === null || !CHOICES.some((choice) => choice === entry.entry)) break;
    times.add(entry["at"]);
    end -= Buffer.byteLength(line) + 1;
  }
  if (times.size > 1) throw behind(database.name, path, "decisions that this ledger does not have");
  if (times.size === 1) journal.cut(end);
  return times.size === 1;
}

function behind(file: string, path: string, what = "events that this ledger never sent") {
  const message = `The journal ${path} holds ${what}: another ledger was used last.`;
  const hint = `Run \`rowferry ledger restore ${shellQuoted(file)} --journal ${shellQuoted(path)}\`, or name a newer backup instead; the former ledger is kept next to the new one. To start over, name another journal.`;
  return new RowferryError("ledger-behind-journal", message, { place: { file }, hint });
}

function withoutLedger(place: { file?: string }, path: string) {
  const journal = shellQuoted(path);
  const message = `There is no ledger here, but the journal ${path} holds events that a ledger has sent.`;
  const hint = `Run \`rowferry ledger rebuild ${journal}\`, or \`rowferry ledger restore <backup> --journal ${journal}\` if there is a backup, then this command again. To start over, name another journal.`;
  return new RowferryError("ledger-behind-journal", message, { place, hint });
}

/** Null: none near the journal's end. */
function lastLanding(path: string): { documents: JournalDocument[]; keys: string[] } | null {
  // Almost always it is among the last entries: `status` and the console ask for hundreds of ledgers.
  for (const bytes of [TAIL_BYTES / 64, TAIL_BYTES])
    for (const entry of entriesFromEnd(path, bytes)) {
      if (entry.entry !== "end") continue;
      const keys = objects(entry["events"]).flatMap(({ state, key }) =>
        state === "landed" && typeof key === "string" ? [key] : [],
      );
      if (keys.length === 0) continue;
      return { keys, documents: objects(entry["documents"]).map(({ document }) => document as JournalDocument) };
    }
  return null;
}

/** Whole ones near the journal's end, newest first. */
export function* entriesFromEnd(path: string, bytes = TAIL_BYTES): Generator<JournalEntry> {
  for (const line of linesFromEnd(path, 0, bytes)) {
    const entry = entryOf(line);
    if (entry !== null) yield entry;
  }
}

/** Lines after `from`, if they are near the journal's end, newest first; before them, what follows the last line end. */
function linesFromEnd(path: string, from: number, bytes = TAIL_BYTES): string[] {
  const size = statSync(path).size;
  const start = Math.max(from, size - bytes);
  return readAt(path, start, size - start)
    .toString("utf8")
    .split("\n")
    .toReversed();
}
