/**
 * Finds out whether a journal knows more than its ledger: then the ledger is an older copy, or a new one. It would take
 * its own earlier events for somebody else's.
 */
import { statSync } from "node:fs";
import type { JsonObject } from "../../model/json.js";
import { keyBytes } from "../event-key.js";
import { readAt } from "./durable-file.js";
import type { JournalEntry } from "./journal.js";
import type { LedgerDatabase } from "../ledger-database.js";
import type { JournalDocument } from "./entries.js";

/** Far more than one entry. */
const TAIL_BYTES = 1024 * 1024;

/** Looks at the last landed event: a ledger that is up to date has at least its intent, even after a kill. */
export function isBehindJournal(database: LedgerDatabase, path: string): boolean {
  const last = lastLanding(path);
  if (last === null) return false;
  const wasSent = ([namespace, kind, name, generation]: JournalDocument, key: string) =>
    database.has(
      `SELECT 1 FROM documents d JOIN events_now e ON e.document_id = d.id
       WHERE d.namespace = @namespace AND d.kind = @kind AND d.key = @name AND d.generation = @generation
         AND e.deduplication_id = @key AND e.sent`,
      { namespace, kind, name, generation, key: keyBytes(key) },
    );
  return !last.keys.every((key) => last.documents.some((document) => wasSent(document, key)));
}

/** Null: none near the journal's end. */
function lastLanding(path: string): { documents: JournalDocument[]; keys: string[] } | null {
  for (const line of tailOf(path).split("\n").toReversed()) {
    const entry = parsed(line);
    if (entry?.entry !== "end") continue;
    const keys = listOf(entry["events"]).flatMap(({ state, key }) =>
      state === "landed" && typeof key === "string" ? [key] : [],
    );
    if (keys.length === 0) continue;
    return { keys, documents: listOf(entry["documents"]).map(({ document }) => document as JournalDocument) };
  }
  return null;
}

const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? (value as JsonObject[]) : []);

/** Null: torn by a power loss, or cut at the beginning. */
function parsed(line: string): JournalEntry | null {
  try {
    return JSON.parse(line) as JournalEntry;
  } catch {
    return null;
  }
}

function tailOf(path: string): string {
  const size = statSync(path).size;
  return readAt(path, Math.max(0, size - TAIL_BYTES), Math.min(size, TAIL_BYTES)).toString("utf8");
}
