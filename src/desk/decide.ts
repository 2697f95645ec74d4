/** A person's decisions about the ledger's work: dismiss, withdraw, retry, replace, settle doubt. */
import {
  checkWord,
  type Decision as Word,
  type Doubt,
  findDoubt,
  type Settled,
  settleDoubt,
} from "../ledger/decide/resolve.js";
import { dismiss, type Dismissed, eventsGoing, retry, type Retried, undismiss } from "../ledger/decide/dismiss.js";
import { type Replacement, replaceDocument } from "../ledger/decide/replace.js";
import {
  type Selectors,
  replaceable,
  rowsNamed,
  rowsOf,
  type Selection,
  selectOpen,
  type Size,
  sizeOf,
  withoutHeld,
} from "../ledger/decide/selection.js";
import { plannedReplacements, takeBackReplacement } from "../ledger/decide/take-back-replacement.js";
import { releaseUnneeded, withdraw, type Withdrawn } from "../ledger/decide/withdraw.js";
import { findDocument, generationsNamed, type KnownDocument } from "../ledger/documents-named.js";
import { rowsOnTheirWay } from "../ledger/drafts.js";
import type { LedgerDatabase } from "../ledger/open-ledger.js";
import { describeRow, parseRowReference } from "../ledger/rows.js";
import { createRunStore } from "../ledger/runs.js";
import { Writer } from "../ledger/writer.js";
import type { Code } from "../model/codes.js";
import { RowferryError } from "../model/error.js";
import type { Summary } from "../model/summary.js";
import type { Target } from "../model/target.js";
import { counted, countedKinds } from "../report/figures.js";
import { type ResumeOptions, run } from "../run/import.js";
import { beside, type Decision, reading } from "./access.js";
import { requireKnown, selected } from "./selected.js";

/** Rows, in the list of runs. */
const MOST_NAMED = 3;

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
 * A command that was stopped just after its decision is typed again. `isThis`: whether the decision is what that command
 * does. @throws RowferryError `already-done`
 */
function refuseDone(database: LedgerDatabase, command: string, isThis: (did: string) => boolean, hint?: string): void {
  const newest = createRunStore(database).newest();
  if (newest?.command !== command || newest.did === null || !isThis(newest.did)) return;
  throw new RowferryError("already-done", `The last decision was this: ${newest.did}.`, { hint });
}

/** For a decision that leaves nothing of what it selects. */
function unlessDone<Found>(
  database: LedgerDatabase,
  command: string,
  isThis: (did: string) => boolean,
  select: () => Found,
): Found {
  try {
    return select();
  } catch (error) {
    if (error instanceof RowferryError && error.code === "usage") refuseDone(database, command, isThis);
    throw error;
  }
}

/** @throws RowferryError `usage` if a console is importing one of these rows: it would be sent all the same */
function requireUnsent(target: Target, database: LedgerDatabase, selectors: Selectors): void {
  const sent = [...rowsOnTheirWay(target)].map((ref) => parseRowReference(ref)?.row ?? 0);
  if (sent.length === 0) return;
  const touched = rowsOf(database, selectOpen(database, selectors, "to give up"));
  if (!sent.some((row) => touched.has(row))) return;
  const message = "Some of these rows are being imported, as they were corrected in the console.";
  throw new RowferryError("usage", message, { hint: "Nothing was changed. Decide when that import has ended." });
}

/**
 * Gives up held work named by row or code, and planned work named by row; for a whole document, input or run, gives up
 * what is wrong and releases the rest (H13, H23). `undo`: takes dismissals back. @throws RowferryError `usage` without
 * any selector, or if nothing fits
 */
export function dismissing(target: Target, selectors: Selectors, undo = false): Decision<Dismissed> {
  requireSelectors(
    selectors,
    "dismiss needs to know what to give up.",
    "Name it with --row, --document, --code, --input or --run; `rowferry rejects` lists what there is.",
  );
  return (database, now) => {
    if (!undo) requireUnsent(target, database, selectors);
    const selection = dismissable(database, selectors, undo);
    const done = undo
      ? { ...undismiss(database, selection, now), left: 0, stranded: 0 }
      : dismiss(database, selection, unsentOf(selectors), now, strandedBy(selectors));
    const { left: _, stranded: __, ...counts } = done;
    const did = `${dismissalOf(undo)}: ${countedKinds(counts)} (${asked(database, selectors)})`;
    createRunStore(database).decided("dismiss", did, now);
    return { done };
  };
}

const dismissalOf = (undo: boolean): string => (undo ? "open again" : "dismissed");

const dismissable = (database: LedgerDatabase, selectors: Selectors, undo = false): Selection =>
  unlessDone(
    database,
    "dismiss",
    (did) => did.startsWith(dismissalOf(undo)) && did.endsWith(`(${asked(database, selectors)})`),
    () => selected(database, selectors, undo ? "given up" : "to give up"),
  );

/** Which stranded documents are meant: a code may be that of events, and a row does not mean all of its own document. */
function strandedBy({ row, document, code }: Selectors): "none" | "foreign" | "any" {
  if (code !== undefined) return "none";
  if (row !== undefined) return "foreign";
  return document === undefined ? "none" : "any";
}

const unsentOf = ({ row, code }: Selectors): "give up" | "release" =>
  row !== undefined || code !== undefined ? "give up" : "release";

/** What a dismissal gives up. Beside a running import. @throws as `dismissing`, also `ledger-locked` */
export function sizeOfDismissal(target: Target, selectors: Selectors): Size {
  const size = (database: LedgerDatabase) => {
    const selection = dismissable(database, selectors);
    const going = eventsGoing(database, selection.documents, strandedBy(selectors));
    const given = unsentOf(selectors) === "release" ? withoutHeld(database, selection) : selection;
    return sizeOf(database, { ...given, events: [...given.events, ...going] });
  };
  return beside(target, (database) => database.transaction(() => size(database)).immediate());
}

/**
 * Takes back unsent work (H39): of a named document its planned replacement, if it has one, and else its rows. @throws
 * RowferryError `usage` without any selector, or if nothing fits
 */
export function withdrawing(target: Target, selectors: Selectors): Decision<Withdrawn> {
  requireSelectors(
    selectors,
    "withdraw needs to know what to take back.",
    "Name it with --input, --run, --row or --document.",
  );
  return (database, now) => {
    requireKnown(database, selectors);
    requireUnsent(target, database, selectors);
    const replacements = plannedReplacements(database, documentsAlone(database, selectors));
    const about = `(${asked(database, selectors)})`;
    if (replacements.length === 0)
      refuseDone(
        database,
        "withdraw",
        (did) => did.endsWith(about) && did.slice(0, -about.length).includes("replacement"),
        "Nothing was changed. To take back unsent rows of this document too, name them with --row or --input.",
      );
    for (const planned of replacements) takeBackReplacement(database, planned, now);
    const taken = unlessDone(
      database,
      "withdraw",
      (did) => did.endsWith(about),
      () => (replacements.length > 0 ? releaseUnneeded(database, now) : withdraw(database, selectors, now)),
    );
    const done: Withdrawn = { rows: 0, events: 0, ...taken, replacements: replacements.length };
    const did = `taken back: ${countedKinds({ ...done })} ${about}`;
    createRunStore(database).decided("withdraw", did, now);
    return { done, entries: (entries) => replacements.map(({ old }) => entries.unreplaced(old, now)) };
  };
}

/** All generations of the named document, if nothing else is named. */
const documentsAlone = (database: LedgerDatabase, { document, ...others }: Selectors): number[] =>
  document === undefined || Object.values(others).some((selector) => selector !== undefined)
    ? []
    : generationsNamed(database, document);

/** Plans rejected work again, selected or all. */
export function retrying(selectors: Selectors): Decision<Retried> {
  return (database, now) => ({
    done: retry(database, selected(database, selectors), now, selectors.code === "row-gone"),
  });
}

/**
 * Plans rejected work again, then sends all open work. @throws RowferryError `usage` if selectors fit nothing; then no
 * run begins
 */
export async function runRetry({ selectors, ...options }: ResumeOptions & { selectors: Selectors }): Promise<Summary> {
  reading(options.target, (database) => selected(database, selectors));
  return run("retry", null, options, async ({ database, clock, tell }) => {
    const { refused, foreign, doubtful, gone, waiting } = retrying(selectors)(database, clock.now()).done;
    const again = {
      "refused records": refused,
      "foreign records": foreign,
      "doubtful records": doubtful,
      "deleted rows": gone,
    };
    const waits = waiting === 0 ? "" : `; ${counted(waiting, "event waits", "events wait")} for others`;
    tell(`Trying again: ${countedKinds(again)}${waits}.`);
    return [];
  });
}

/** The CANCEL is dated this far back at the service, which takes only past events (H10). */
const CANCEL_BEHIND_MS = 5000;

/** `left`: why others cannot be replaced. */
export interface Replaced {
  replaced: (Replacement & { document: KnownDocument })[];
  left: RowferryError[];
}

/**
 * Plans the CANCEL and the next generation of each document that can be replaced (H26). @throws RowferryError
 * `document-unknown`; `document-not-replaceable`, `document-has-made-others` if none can
 */
export function replacing(names: readonly string[], reason: string): Decision<Replaced> {
  return (database, now) => {
    const cancelAt = now + createRunStore(database).serviceAheadMs() - CANCEL_BEHIND_MS;
    const left: RowferryError[] = [];
    const made = names.flatMap((name) => {
      const document = findDocument(database, name);
      try {
        const one = replaceDocument(database, document, reason, cancelAt, now);
        const did = `${document.kind} ${document.key}: generation ${one.replacement.generation} planned (${reason})`;
        createRunStore(database).decided("replace", did, now);
        return [{ document, ...one }];
      } catch (error) {
        if (!(error instanceof RowferryError) || !notReplaceable.has(error.code)) throw error;
        left.push(error);
        return [];
      }
    });
    const [first] = left;
    if (made.length === 0 && first !== undefined) throw first;
    return {
      done: { replaced: made.map(({ document, replacement }) => ({ document, ...replacement })), left },
      entries: (entries) =>
        made.map((one) => entries.replaced(one.document.id, one.replacement.next, one.cancellation, now)),
    };
  };
}

const notReplaceable: ReadonlySet<Code> = new Set([
  "document-not-replaceable",
  "document-has-made-others",
  "already-done",
]);

/** By name: those that only a next generation brings on. @throws RowferryError `usage` if there are none; `already-done` */
export function documentsToReplace(target: Target, selectors: Selectors, reason: string): string[] {
  requireSelectors(
    selectors,
    "replace needs to know which document.",
    "Name it, or select changed documents with --input, --run, --row or --code.",
  );
  const select = (database: LedgerDatabase) => {
    const found = replaceable(database, selected(database, selectors), selectors.code);
    if (found.length > 0) return found;
    throw new RowferryError("usage", "Nothing that these selectors match needs its document to be replaced.", {
      hint: "A replacement sends rows that changed after they had landed or came too late; `rowferry status` says what to do about the rest.",
    });
  };
  const isThis = (did: string) => did.endsWith(`(${reason})`);
  return reading(target, (database) => unlessDone(database, "replace", isThis, () => select(database)));
}

/** What the decision would be about. @throws RowferryError `document-unknown`, `not-in-doubt`, `already-done` */
export function checkDoubt(target: Target, name: string, said: Word["said"]): Doubt {
  return reading(target, (database) => {
    const doubt = findDoubt(database, name, said);
    checkWord(doubt, said);
    return doubt;
  });
}

/** Only about what was confirmed, by the names it was asked for. @throws as `checkDoubt` */
export function settling(confirmed: readonly (readonly [name: string, Doubt])[], word: Word): Decision<Settled[]> {
  return (database, now) => {
    // Requests of a killed run are in doubt too.
    new Writer(database).interrupted(now);
    const settled = confirmed.map(([name, { events }]) => {
      const ids = new Set(events.map(({ id }) => id));
      const found = findDoubt(database, name, word.said);
      const doubt = { ...found, events: found.events.filter(({ id }) => ids.has(id)) };
      const { kind, key } = doubt.document;
      const did = `${kind} ${key}: ${doubt.events.length} in doubt said to be ${word.said === "landed" ? "landed" : "not landed"}`;
      createRunStore(database).decided("resolve", did, now, word.by);
      return { doubt, done: settleDoubt(database, doubt, word, now) };
    });
    return {
      done: settled.map(({ done }) => done),
      entries: (entries) =>
        settled.map(({ doubt: { document, events } }) =>
          entries.decision(
            document.id,
            events.map(({ id }) => id),
            word,
            now,
          ),
        ),
    };
  };
}
