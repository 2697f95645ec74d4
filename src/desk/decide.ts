/** A person's decisions about the ledger's work: dismiss, withdraw, retry, replace, settle doubt. */
import { readArchive } from "../ledger/care/archive.js";
import {
  checkWord,
  type Decision,
  type Doubt,
  findDoubt,
  type Settled,
  settleDoubt,
} from "../ledger/decide/resolve.js";
import { dismiss, type Dismissed, retry, undismiss } from "../ledger/decide/dismiss.js";
import { prunedEvents, type Replacement, replaceDocument } from "../ledger/decide/replace.js";
import { type Selectors, replaceable, rowsNamed, type Size, sizeOf, withoutHeld } from "../ledger/decide/selection.js";
import { withdraw, type Withdrawn } from "../ledger/decide/withdraw.js";
import { findDocument, type KnownDocument } from "../ledger/documents-named.js";
import type { LedgerDatabase } from "../ledger/open-ledger.js";
import { describeRow } from "../ledger/rows.js";
import { createRunStore } from "../ledger/runs.js";
import { inTransaction } from "../ledger/ledger-database.js";
import { Writer } from "../ledger/writer.js";
import type { Clock } from "../model/clock.js";
import { RowferryError } from "../model/error.js";
import type { Summary } from "../model/summary.js";
import type { Target } from "../model/target.js";
import { countedKinds } from "../report/figures.js";
import { requireLedger, type ResumeOptions, run } from "../run/import.js";
import { alone, beside, type Holding, journaled, reading } from "./access.js";
import { requireKnown, selected } from "./selected.js";
import { archiveFolder } from "./show.js";

export type { Dismissed, Doubt, Settled, Withdrawn };

/** Rows, in the list of runs. */
const MOST_NAMED = 3;

/** Also used for rehearsals. */
export type Deciding<Done> = (database: LedgerDatabase, now: number) => Done;

const asked = (database: LedgerDatabase, { row, ...others }: Selectors): string => {
  const rows = (row ?? []).flatMap((text) => rowsNamed(database, text, others));
  const named = rows.slice(0, MOST_NAMED).map((id) => describeRow(database, id));
  if (rows.length > MOST_NAMED) named.push(`${rows.length - MOST_NAMED} more`);
  for (const [name, value] of Object.entries(others)) if (value !== undefined) named.push(`${name} ${value}`);
  return named.join("; ");
};

function requireSelectors(selectors: Selectors, message: string, hint: string): void {
  if (Object.values(selectors).every((selector) => selector === undefined))
    throw new RowferryError("usage", message, { hint });
}

/**
 * Gives up held work named by row or code, and planned work named by row; for a whole document, input or run, gives up
 * what is wrong and releases the rest (H13, H23). `undo`: takes dismissals back. @throws RowferryError `usage` without
 * any selector, or if nothing fits
 */
export function dismissing(selectors: Selectors, undo = false): Deciding<Dismissed> {
  requireSelectors(
    selectors,
    "dismiss needs to know what to give up.",
    "Name it with --row, --document, --code, --input or --run; `rowferry rejects` lists what there is.",
  );
  return (database, now) => {
    const done = undo
      ? { ...undismiss(database, selected(database, selectors, "given up"), now), left: 0 }
      : dismiss(database, selected(database, selectors, "to give up"), unsentOf(selectors), now);
    const { left: _, ...counts } = done;
    const did = `${undo ? "open again" : "dismissed"}: ${countedKinds(counts)} (${asked(database, selectors)})`;
    createRunStore(database).decided("dismiss", did, now);
    return done;
  };
}

const unsentOf = ({ row, code }: Selectors): "give up" | "release" =>
  row !== undefined || code !== undefined ? "give up" : "release";

/** What a dismissal gives up. Beside a running import. @throws as `dismissing`, also `ledger-locked` */
export function sizeOfDismissal(target: Target, selectors: Selectors): Size {
  dismissing(selectors);
  return beside(target, (database) =>
    database
      .transaction(() => {
        const selection = selected(database, selectors, "to give up");
        return sizeOf(database, unsentOf(selectors) === "release" ? withoutHeld(database, selection) : selection);
      })
      .immediate(),
  );
}

/** Beside a running import. @throws as `dismissing` */
export function dismissSelected(
  target: Target,
  selectors: Selectors,
  clock: Clock,
  journal: string | null = null,
  undo = false,
): Dismissed {
  const decide = dismissing(selectors, undo);
  const now = clock.now();
  return beside(target, (database) => journaled(target, database, journal, now, () => decide(database, now)));
}

/** Takes back unsent work (H39). @throws RowferryError `usage` without any selector, or if nothing fits */
export function withdrawing(selectors: Selectors): Deciding<Withdrawn> {
  requireSelectors(
    selectors,
    "withdraw needs to know what to take back.",
    "Name it with --input, --run, --row or --document.",
  );
  return (database, now) => {
    requireKnown(database, selectors);
    const done = withdraw(database, selectors);
    createRunStore(database).decided(
      "withdraw",
      `taken back: ${countedKinds({ ...done })} (${asked(database, selectors)})`,
      now,
    );
    return done;
  };
}

/**
 * Under the lock. `confirm` sees the result beforehand, and may throw. @throws RowferryError `ledger-locked`, and as
 * `withdrawing`
 */
export async function withdrawSelected(
  target: Target,
  selectors: Selectors,
  holding: Holding,
  confirm: (withdrawn: Withdrawn) => Promise<void> = () => Promise.resolve(),
): Promise<Withdrawn> {
  requireLedger(target);
  const decide = withdrawing(selectors);
  return alone(target, holding, async (database) => {
    const work = async () => decide(database, holding.clock.now());
    await confirm(await inTransaction(database, "ROLLBACK", work));
    return inTransaction(database, "COMMIT", work);
  });
}

/** Plans rejected work again, selected or all. @returns how many records */
export function retrying(selectors: Selectors): Deciding<number> {
  return (database, now) => retry(database, selected(database, selectors), now, selectors.code === "row-gone");
}

/**
 * Plans rejected work again, then sends all open work. @throws RowferryError `usage` if selectors fit nothing; then no
 * run begins
 */
export async function runRetry({ selectors, ...options }: ResumeOptions & { selectors: Selectors }): Promise<Summary> {
  requireLedger(options.target);
  reading(options.target, (database) => selected(database, selectors));
  return run("retry", null, options, async ({ database, clock, observe }) => {
    const count = retrying(selectors)(database, clock.now());
    observe({ type: "notice", level: "info", code: null, message: `${count} refused records are tried again` });
    return [];
  });
}

export interface ReplaceResult extends Replacement {
  document: KnownDocument;
}

/** The CANCEL is dated this far back, because the service takes only past events (H10). */
const CANCEL_BEHIND_MS = 5000;

interface ReplaceRequest {
  document: string;
  reason: string;
}

/**
 * Plans the CANCEL and the next generation (H26). @throws RowferryError `document-unknown`, `document-not-replaceable`
 */
async function replacing(
  target: Target,
  { document: name, reason }: ReplaceRequest,
): Promise<Deciding<ReturnType<typeof replaceDocument> & { document: KnownDocument }>> {
  const recalled = await recallPruned(target, name);
  return (database, now) => {
    const document = findDocument(database, name);
    const made = replaceDocument(database, document, reason, now - CANCEL_BEHIND_MS, now, recalled);
    const did = `${document.kind} ${document.key}: generation ${made.replacement.generation} planned (${reason})`;
    createRunStore(database).decided("replace", did, now);
    return { document, ...made };
  };
}

/** @throws as `replaceEach` */
export async function rehearseReplacing(
  target: Target,
  requests: readonly ReplaceRequest[],
): Promise<Deciding<ReplaceResult[]>> {
  const decides = await replacingEach(target, requests);
  return (database, now) =>
    decides.map((decide) => {
      const { document, replacement } = decide(database, now);
      return { document, ...replacement };
    });
}

async function replacingEach(target: Target, requests: readonly ReplaceRequest[]) {
  const decides: Awaited<ReturnType<typeof replacing>>[] = [];
  for (const request of requests) decides.push(await replacing(target, request));
  return decides;
}

/**
 * All of them, or none if one cannot be replaced. Sends nothing. `confirm` sees the number of events beforehand, and may
 * throw. @throws RowferryError `document-unknown`, `document-not-replaceable`, `ledger-locked`
 */
export async function replaceEach(
  target: Target,
  requests: readonly ReplaceRequest[],
  holding: Holding,
  confirm: (events: number) => Promise<void> = () => Promise.resolve(),
): Promise<ReplaceResult[]> {
  const decides = await replacingEach(target, requests);
  return alone(target, holding, async (database) => {
    const now = holding.clock.now();
    const rehearsed = await inTransaction(database, "ROLLBACK", async () =>
      decides.map((decide) => decide(database, now).replacement.events),
    );
    await confirm(rehearsed.reduce((sum, events) => sum + events, 0));
    const replaced = journaled(
      target,
      database,
      holding.journal,
      now,
      () => decides.map((decide) => decide(database, now)),
      (entries, all) =>
        all.map((made) => entries.replaced(made.document.id, made.replacement.next, made.cancellation, now)),
    );
    return replaced.map(({ document, replacement }) => ({ document, ...replacement }));
  });
}

/** Names of documents with selected events that only a next generation can send. @throws RowferryError `usage` if there are none */
export function documentsToReplace(target: Target, selectors: Selectors): { documents: string[]; changed: number } {
  requireSelectors(
    selectors,
    "replace needs to know which document.",
    "Name it, or those that changed with --input, --run, --row or --code.",
  );
  return reading(target, (database) => {
    const found = replaceable(database, selected(database, selectors));
    const documents = [...new Set(found.map(({ document }) => document))];
    if (documents.length === 0)
      throw new RowferryError("usage", "Nothing that these selectors fit needs a next generation of its document.", {
        hint: "A replacement sends what changed after it had landed, or came late; `rowferry status` says what helps the rest.",
      });
    return { documents, changed: found.length };
  });
}

/** Archived bodies of its events, by deduplicationId: the next generation needs all of them. */
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

/** What the decision would be about. @throws RowferryError `document-unknown`, `not-in-doubt` */
export function checkDoubt(target: Target, name: string, word: Word): Doubt {
  return reading(target, (database) => {
    const doubt = findDoubt(database, name);
    checkWord(doubt, word);
    return doubt;
  });
}

interface SettleRequest {
  name: string;
  confirmed: Doubt;
  word: Word;
  by: string;
}

/** Only about what was confirmed. @throws as `checkDoubt` */
export function settling({ name, confirmed, word, by }: SettleRequest): Deciding<Settled & { doubt: Doubt }> {
  return (database, now) => {
    // Requests of a killed run are in doubt too.
    new Writer(database).interrupted(now);
    const ids = new Set(confirmed.events.map(({ id }) => id));
    const found = findDoubt(database, name);
    const doubt = { ...found, events: found.events.filter(({ id }) => ids.has(id)) };
    const settled = settleDoubt(database, doubt, { said: word, by }, now);
    const { kind, key } = doubt.document;
    const did = `${kind} ${key}: ${doubt.events.length} in doubt said to be ${word === "landed" ? "landed" : "not landed"}`;
    createRunStore(database).decided("resolve", did, now, by);
    return { ...settled, doubt };
  };
}

/**
 * Under the lock, because a running import might ask about the same events. @throws RowferryError `ledger-locked`, and
 * as `checkDoubt`
 */
export async function settleNamed(target: Target, request: SettleRequest, holding: Holding): Promise<Settled> {
  return alone(target, holding, (database) => {
    const now = holding.clock.now();
    const { doubt: _, ...settled } = journaled(
      target,
      database,
      holding.journal,
      now,
      () => settling(request)(database, now),
      (entries, { doubt }) => {
        const events = doubt.events.map(({ id }) => id);
        return [entries.decision(doubt.document.id, events, { said: request.word, by: request.by }, now)];
      },
    );
    return settled;
  });
}
