/**
 * Whether a journal tells of more than its ledger knows: then the ledger is an older copy, or a new one in place of a lost
 * one. What it sent next would be taken for somebody else's, and could name no document.
 */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import type { JsonObject } from "../../model/json.js";
import { keyBytes } from "../event-key.js";
import type { JournalEntry } from "./journal.js";
import type { LedgerDatabase } from "../ledger-database.js";
import type { JournalDocument } from "./entries.js";

/** Far more than one entry. */
const TAIL_BYTES = 1024 * 1024;

/**
 * Looks at the last entry with a landed event: the ledger has written down the intent of what has ended, whatever a kill
 * kept from it.
 */
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

/** Null: none in the journal's last part. */
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

/** Null: torn by a power loss, or cut off in front. */
function parsed(line: string): JournalEntry | null {
  try {
    return JSON.parse(line) as JournalEntry;
  } catch {
    return null;
  }
}

function tailOf(path: string): string {
  const size = statSync(path).size;
  const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
  const file = openSync(path, "r");
  try {
    return buffer.toString("utf8", 0, readSync(file, buffer, 0, buffer.length, size - buffer.length));
  } finally {
    closeSync(file);
  }
}
