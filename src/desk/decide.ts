/** What a person decides about work in the ledger: give up, take back, try again, replace, say what is true of what is in doubt. */
import { readArchive } from "../ledger/care/archive.js";
import type { Decision } from "../ledger/decide/decisions.js";
import { dismiss, type Dismissed, retry, undismiss } from "../ledger/decide/dismiss.js";
import { prunedEvents, type Replacement, replaceDocument } from "../ledger/decide/replace.js";
import { checkWord, type Doubt, findDoubt, type Settled, settleDoubt } from "../ledger/decide/resolve.js";
import { selectNamed, type Selectors } from "../ledger/decide/selection.js";
import { withdraw, type Withdrawn } from "../ledger/decide/withdraw.js";
import { findDocument, type KnownDocument } from "../ledger/documents-named.js";
import { inTransaction } from "../ledger/transaction.js";
import { Writer } from "../ledger/writer.js";
import type { Clock } from "../model/clock.js";
import { RowferryError } from "../model/error.js";
import type { Summary } from "../model/summary.js";
import type { Target } from "../model/target.js";
import { requireLedger, type ResumeOptions, run } from "../run/import.js";
import { alone, beside, type Holding, journaled, reading } from "./access.js";
import { archiveFolder } from "./show.js";

export type { Dismissed, Doubt, Settled, Withdrawn };

function requireSelectors(selectors: Selectors, message: string, hint: string): void {
  if (Object.values(selectors).every((selector) => selector === undefined))
    throw new RowferryError("usage", message, { hint });
}

/**
 * Gives up what the selectors name, beside a running import. What is only held is given up when a row or a code names
 * it, what is planned when a row does; a whole document, input or run gives up what is wrong with it and releases the rest
 * (HARD-CASES H13, H23). `undo`: takes up again what was given up.
 * @throws RowferryError `usage` without any selector, or where nothing fits
 */
export function dismissSelected(
  target: Target,
  selectors: Selectors,
  clock: Clock,
  journal: string | null = null,
  undo = false,
): Dismissed {
  requireSelectors(
    selectors,
    "dismiss needs to be told what to give up.",
    "Name it with --row, --document, --code, --input or --run; `rowferry rejects` lists what there is.",
  );
  const unsent = selectors.row !== undefined || selectors.code !== undefined ? "give up" : "release";
  const now = clock.now();
  return beside(target, (database) => {
    const work = () =>
      undo
        ? { ...undismiss(database, selectNamed(database, selectors, "given up"), now), left: 0 }
        : dismiss(database, selectNamed(database, selectors, "to give up"), unsent, now);
    return journaled(target, database, journal, now, work);
  });
}

/**
 * Takes back what the selectors name and was never sent (HARD-CASES H39), under the lock. `confirm` is told what will go before
 * anything does, and may throw. @throws RowferryError `usage` without any selector, or where nothing fits; `ledger-locked`
 */
export async function withdrawSelected(
  target: Target,
  selectors: Selectors,
  holding: Holding,
  confirm: (withdrawn: Withdrawn) => Promise<void> = () => Promise.resolve(),
): Promise<Withdrawn> {
  requireLedger(target);
  requireSelectors(
    selectors,
    "withdraw needs to be told what to take back.",
    "Name it with --input, --run, --row or --document.",
  );
  return alone(target, holding, async (database) => {
    const work = async () => withdraw(database, selectors);
    await confirm(await inTransaction(database, "ROLLBACK", work));
    return inTransaction(database, "COMMIT", work);
  });
}

/**
 * Rejected work that the selectors name goes back to planned; then all that is open is sent, as `resume` does.
 * @throws RowferryError `usage` where selectors fit nothing: no run is begun then
 */
export async function runRetry({ selectors, ...options }: ResumeOptions & { selectors: Selectors }): Promise<Summary> {
  requireLedger(options.target);
  reading(options.target, (database) => selectNamed(database, selectors));
  return run("retry", null, options, async ({ database, clock, observe }) => {
    const count = retry(database, selectNamed(database, selectors), clock.now(), selectors.code === "row-gone");
    observe({ type: "notice", level: "info", code: null, message: `${count} refused records are tried again` });
    return [];
  });
}

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
  holding: Holding,
): Promise<ReplaceResult> {
  const recalled = await recallPruned(target, request.document);
  return alone(target, holding, (database) => {
    const document = findDocument(database, request.document);
    const now = holding.clock.now();
    const { replacement } = journaled(
      target,
      database,
      holding.journal,
      now,
      () => replaceDocument(database, document, request.reason, now - CANCEL_BEHIND_MS, now, recalled),
      (entries, made) => entries.replaced(document.id, made.replacement.next, made.cancellation, now),
    );
    return { document, ...replacement };
  });
}

/** Bodies of its events that were pruned, from the archive, by deduplicationId: sent again whole, it needs them all. */
async function recallPruned(target: Target, name: string): Promise<Map<string, string>> {
  const wanted = reading(target, (database) => new Set(prunedEvents(database, findDocument(database, name).id)));
  const found = new Map<string, string>();
  if (wanted.size === 0) return found;
  for await (const { type, deduplicationId: key, text, payload } of readArchive(archiveFolder(target))) {
    if (type !== "payload" || typeof key !== "string" || !wanted.has(key)) continue;
    found.set(key, typeof text === "string" ? text : JSON.stringify(payload));
  }
  return found;
}

export type Word = Exclude<Decision["said"], "document-id">;

/** What the word would be about, to be shown before it is confirmed. @throws RowferryError `document-unknown`, `not-in-doubt` */
export function checkDoubt(target: Target, name: string, word: Word): Doubt {
  return reading(target, (database) => {
    const doubt = findDoubt(database, name);
    checkWord(doubt, word);
    return doubt;
  });
}

/**
 * After the confirmation, about what was confirmed and nothing else. Alone: a running import might be asking about the
 * same events. @throws RowferryError `ledger-locked`, and as `checkDoubt`
 */
export function settleNamed(
  target: Target,
  request: { name: string; confirmed: Doubt; word: Word; by: string },
  holding: Holding,
): Promise<Settled> {
  return alone(target, holding, (database) => {
    const now = holding.clock.now();
    // What a killed run was sending is in doubt like the rest.
    new Writer(database).interrupted(now);
    const confirmed = new Set(request.confirmed.events.map(({ id }) => id));
    const found = findDoubt(database, request.name);
    const doubt = { ...found, events: found.events.filter(({ id }) => confirmed.has(id)) };
    const decision = { said: request.word, by: request.by };
    const events = doubt.events.map(({ id }) => id);
    return journaled(
      target,
      database,
      holding.journal,
      now,
      () => settleDoubt(database, doubt, decision, now),
      (entries) => entries.decision(doubt.document.id, events, decision, now),
    );
  });
}
