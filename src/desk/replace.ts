import type { JournalEntries } from "../ledger/journal/entries.js";
import { prunedEvents, type Replacement, replaceDocument } from "../ledger/decide/replace.js";
import { findDocument, type KnownDocument } from "../ledger/documents-named.js";
import type { Clock } from "../model/clock.js";
import type { Target } from "../model/target.js";
import { readArchive } from "../ledger/care/archive.js";
import { alone, journaled, reading } from "./ledger-access.js";
import { archiveFolder } from "./show.js";

export interface ReplaceResult extends Replacement {
  document: KnownDocument;
}

/** How far behind this machine's clock the CANCEL is dated: the service takes only what is past (HARD-CASES H10). */
const CANCEL_BEHIND_MS = 5000;

/**
 * Plans the cancellation of a document and its next generation; sends nothing (HARD-CASES H26).
 * @throws RowferryError `document-unknown`, `document-not-replaceable`, `ledger-locked`
 */
export async function replaceNamed(
  target: Target,
  request: { document: string; reason: string },
  options: { clock: Clock; waitForLock: boolean; signal?: AbortSignal; journal?: string | null },
): Promise<ReplaceResult> {
  const recalled = await recallPruned(target, request.document);
  return alone(target, options, (database) => {
    const document = findDocument(database, request.document);
    const now = options.clock.now();
    const replace = () => replaceDocument(database, document, request.reason, now - CANCEL_BEHIND_MS, now, recalled);
    const entryOf = (entries: JournalEntries, { replacement, cancellation }: ReturnType<typeof replace>) =>
      entries.replaced(document.id, replacement.next, cancellation, now);
    return { document, ...journaled(target, database, options.journal, now, replace, entryOf).replacement };
  });
}

/** Bodies of its events that were pruned, from the archive, by deduplicationId: sent again whole, it needs them all. */
async function recallPruned(target: Target, name: string): Promise<Map<string, string>> {
  const wanted = reading(target, (database) => new Set(prunedEvents(database, findDocument(database, name).id)));
  const found = new Map<string, string>();
  if (wanted.size === 0) return found;
  for await (const entry of readArchive(archiveFolder(target))) {
    const key = entry["deduplicationId"];
    if (entry.type !== "payload" || typeof key !== "string" || !wanted.has(key)) continue;
    const { text } = entry;
    found.set(key, typeof text === "string" ? text : JSON.stringify(entry["payload"]));
  }
  return found;
}
