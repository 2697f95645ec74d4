import type { JournalEntries } from "../ledger/journal-entries.js";
import { type Replacement, replaceDocument } from "../ledger/replace.js";
import { findDocument, type KnownDocument } from "../ledger/settle.js";
import type { Clock } from "../model/clock.js";
import type { Target } from "../model/target.js";
import { alone, journaled } from "./ledger-access.js";

export interface ReplaceResult extends Replacement {
  document: KnownDocument;
}

/** How far behind this machine's clock the CANCEL is dated: the service takes only what is past (HARD-CASES H10). */
const CANCEL_BEHIND_MS = 5000;

/**
 * Plans the cancellation of a document and its next generation; sends nothing (HARD-CASES H26).
 * @throws RowferryError `document-unknown`, `document-not-replaceable`, `ledger-locked`
 */
export function replaceNamed(
  target: Target,
  request: { document: string; reason: string },
  options: { clock: Clock; waitForLock: boolean; signal?: AbortSignal; journal?: string | null },
): Promise<ReplaceResult> {
  return alone(target, options, (database) => {
    const document = findDocument(database, request.document);
    const now = options.clock.now();
    const replace = () => replaceDocument(database, document, request.reason, now - CANCEL_BEHIND_MS, now);
    const entryOf = (entries: JournalEntries, { replacement, cancellation }: ReturnType<typeof replace>) =>
      entries.replaced(document.id, replacement.next, cancellation, now);
    return { document, ...journaled(target, database, options.journal, now, replace, entryOf).replacement };
  });
}
