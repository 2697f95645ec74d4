/**
 * The drafts kept next to a ledger, together with their rows: reads them, changes them, and keeps them while they have
 * a row.
 */
import { reading } from "../desk/access.js";
import { draftPath, hasDrafts, openDrafts } from "../ledger/drafts.js";
import type { LedgerDatabase } from "../ledger/open-ledger.js";
import { describeRow, parseRowReference, rowId, sizeOfGroups } from "../ledger/rows.js";
import { type CauseName, isOfCause, rowsOfCause, rowsToCorrect } from "../ledger/views/causes.js";
import { createOpenRowReader } from "../ledger/views/open-rows.js";
import { rowProblems } from "../ledger/views/problems.js";
import { RowferryError } from "../model/error.js";
import { ownColumns } from "../model/own-columns.js";
import { missing } from "../model/solution.js";
import type { Target } from "../model/target.js";

/** What was typed, by row reference and header. */
export type Drafts = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** `ok` in it: the row is meant as it is. */
export const [, CODE] = ownColumns;

export const idOf = (ref: string): number => parseRowReference(ref)?.row ?? rowId(0, 0);

/** @throws RowferryError if the file can be neither read nor written */
export function changing<Result>(target: Target, work: (drafts: ReturnType<typeof openDrafts>) => Result): Result {
  try {
    const drafts = openDrafts(draftPath(target));
    try {
      return work(drafts);
    } finally {
      drafts.close();
    }
  } catch (cause) {
    if (cause instanceof RowferryError) throw cause;
    const why = `The drafts in ${draftPath(target)} cannot be read or written: ${(cause as Error).message}.`;
    throw new RowferryError("output-unwritable", why, {
      cause,
      hint: "Nothing was changed. Make room, or restore the permission. If the file is damaged, you can only move it away, with the corrections in it.",
    });
  }
}

export interface Open {
  database: LedgerDatabase;
  reader: ReturnType<typeof createOpenRowReader>;
  drafts: Drafts;
  /** Rows that are being imported. */
  sent: ReadonlySet<string>;
  /** The step that `undo` takes back; null: none. */
  last: { id: number; label: string; at: number; refs: string[] } | null;
}

/** The ledger's open rows with their drafts, which follow their rows. Looking creates no file. */
export function looking<Result>(target: Target, work: (open: Open) => Result): Result {
  const kept = () =>
    hasDrafts(target)
      ? changing(target, (drafts) => ({ drafts: drafts.cells(), sent: drafts.sent(), last: drafts.last() }))
      : { drafts: new Map(), sent: new Set<string>(), last: null };
  const found = kept();
  return reading(target, (database) => {
    const reader = createOpenRowReader(database);
    const moves = movesOf(reader, found);
    const hasMoved = moves.length > 0 && changing(target, (drafts) => drafts.follow(moves));
    return work({ ...(hasMoved ? kept() : found), database, reader });
  });
}

/**
 * Where drafts that are not being imported must move, because their row has been imported again elsewhere and may still
 * be open.
 */
function movesOf(reader: Open["reader"], { drafts, sent }: Pick<Open, "drafts" | "sent">) {
  return [...drafts].flatMap(([from, columns]) => {
    const id = idOf(from);
    const latest = sent.has(from) || reader.ref(id) !== from ? id : reader.latest(id);
    const to = reader.ref(latest);
    if (latest === id || to === null) return [];
    return [...columns.keys()].flatMap((column) => {
      const text = reader.cell(latest, column);
      return text === null ? [] : [{ from, to, column, text }];
    });
  });
}

/** Not imported from here, of a row that is no longer open and does not have this text. */
export interface Lost {
  ref: string;
  /** `march.csv, row 17`. */
  place: string;
  column: string;
  value: string;
}

/**
 * Removes drafts whose rows have their texts, or were imported from here.
 * @returns the others, without those that are being imported, and how many rows of each cause have one; null: none
 */
export function keepOpenDrafts(
  target: Target,
  causes: readonly CauseName[] = [],
): { rows: number; at: number; lost: Lost[]; edited: number[] } | null {
  if (!hasDrafts(target)) return null;
  const { everSent, restored } = changing(target, (drafts) => ({
    everSent: drafts.everSent(),
    restored: drafts.restored(),
  }));
  const { at, rows, settled, lost, edited } = looking(target, (seen) => {
    const { reader, database, drafts, last } = seen;
    const { open, settled: refs } = draftedGroups(seen);
    const left = refs.flatMap((ref): Lost[] => {
      const latest = reader.latest(idOf(ref));
      const isSettled = (column: string, value: string) =>
        column === CODE || restored.has(JSON.stringify([ref, column])) || reader.cell(latest, column) === value;
      return Array.from(drafts.get(ref) ?? [])
        .filter(([column, value]) => !everSent.has(ref) && !isSettled(column, value))
        .map(([column, value]) => ({ ref, place: describeRow(database, idOf(ref)), column, value }));
    });
    const counts = {
      rows: [...open.values()].flat().filter((ref) => !seen.sent.has(ref)).length,
      edited: editedOf(seen, open, causes),
    };
    return { at: last?.at ?? 0, ...counts, settled: refs, lost: left };
  });
  const gone = settled.filter((one) => lost.every(({ ref }) => ref !== one));
  if (gone.length > 0) changing(target, (drafts) => drafts.forget(gone));
  return rows + lost.length === 0 ? null : { rows, at, lost, edited };
}

/** Of each cause, how many rows have an edit; of groups, all of them. */
function editedOf(
  { database, drafts }: Open,
  open: ReadonlyMap<number, readonly string[]>,
  causes: readonly CauseName[],
) {
  const problems = database
    .rows<{ lead: number; code: string; column: string | null; message: string }>(
      `SELECT row_id AS lead, code, "column", message FROM (${rowProblems} AND p.row_id IN @leads)`,
      { leads: [...open.keys()] },
    )
    .filter(({ lead, column }) =>
      open.get(lead)?.some((ref) => column === null || drafts.get(ref)?.has(column) || drafts.get(ref)?.has(CODE)),
    );
  const byCode = Map.groupBy(problems, ({ code }) => code);
  return causes.map((cause) => {
    const found = (byCode.get(cause.code) ?? []).filter(isOfCause(cause)).map(({ lead }) => lead);
    return sizeOfGroups(database, [...new Set(found)]);
  });
}

export const forgetLost = (target: Target): void => {
  const lost = keepOpenDrafts(target)?.lost ?? [];
  if (lost.length > 0) changing(target, (drafts) => drafts.forget(lost.map(({ ref }) => ref)));
};

/** Whether a row's reference is one of this ledger, and the row can still be corrected. */
export function openRows({ database, reader }: Open) {
  // They wait, and may only have a typing mistake in what they refer to.
  const waiting = missing.flatMap((code) => rowsOfCause(database, { code, column: null, mistake: null }));
  const toCorrect = new Set([...rowsToCorrect(database), ...waiting]);
  return (ref: string) => reader.ref(idOf(ref)) === ref && toCorrect.has(reader.lead(idOf(ref)));
}

/**
 * Edited rows that can still be corrected, by the first one of their group. Rows of another ledger, or of files that one
 * put back from before does not know, are neither open nor settled.
 */
export function draftedGroups(from: Open) {
  const { reader, drafts } = from;
  const isOpen = openRows(from);
  const known = [...drafts.keys()].filter((ref) => reader.ref(idOf(ref)) === ref);
  const isEdited = (ref: string) =>
    [...(drafts.get(ref) ?? [])].some(([column, value]) => reader.cell(idOf(ref), column) !== value);
  return {
    open: Map.groupBy(
      known.filter((ref) => isOpen(ref) && isEdited(ref)),
      (ref) => reader.lead(idOf(ref)),
    ),
    settled: known.filter((ref) => !isOpen(ref)),
  };
}
