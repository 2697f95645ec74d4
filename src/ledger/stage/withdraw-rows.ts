/**
 * Takes back what a row had yielded and was not yet sent, when the row comes again: corrected, superseded by its
 * rowId, or with its whole input (HARD-CASES H23, H27). What was sent stays.
 */
import type { Database } from "better-sqlite3";
import { readCodes } from "../../model/codes/read.js";
import type { Problem } from "../../model/problem.js";
import { createGroupMembers } from "./group-members.js";
import type { KnownRows } from "./known-rows.js";
import { withoutOwnColumns } from "./own-columns.js";
import { cellHash as hashOfCells, createCellReader } from "./row-cells.js";
import { inputOf } from "../row-id.js";
import { OF_EVENT } from "../event-key.js";

export interface RowWithdrawal {
  /** The row a `rowferry_row` cell names; null when this ledger has no such row. */
  rowReferredTo(reference: { hashPrefix: string; row: number }): number | null;
  /** The earlier row of the same mapping input with this rowId; null: none. */
  rowWithKey(key: string): number | null;
  /** The group that the row belongs to, as the id of its first row; without one, the row itself. */
  leadOf(row: number): number;
  /** The row that has come instead of this one, as far as it is of another input than the one staged now; else itself. */
  latestOf(row: number): number;
  /**
   * The open row with just these cells that an earlier import of the same mapping's input has left: it has come again.
   * Equal rows of one import are twins. Null: none.
   */
  sameRow(inputsOfImport: ReadonlySet<number>, cellHash: Buffer): number | null;
  /**
   * What was wrong with reading a row, or a group, whose cells have all come back unchanged: a rejected file writes a short
   * row out in full, and that alone corrects nothing. Empty when a person has changed a cell.
   */
  readProblems(lead: number, rows: readonly CorrectedRow[]): Problem[];
  /** Whether each of these first rows was refused for a group that others interrupt: its beginning is not among them. */
  areParts(leads: readonly number[]): boolean;
  /** First rows of parts of groups, refused for that, that held one of the documents and whose rows are all among these cells. */
  partsOf(documents: readonly number[], rows: readonly (readonly string[])[]): number[];
  /** `before` has come again as `after`, a valid row that yielded `events`. */
  replace(before: number, after: number, events: readonly number[]): void;
  /** The same of a row whose source was mended: should its cells come back, they are judged like any others. */
  mend(before: number, after: number, events: readonly number[]): void;
  /** The same of a row that a person has corrected: what its cells say is no longer to be believed (HARD-CASES H37). */
  correct(before: number, after: number, events: readonly number[]): void;
  /** `before` has come again as `after`, a row that is left out: it yields nothing. What has landed stays as it is. */
  leaveOut(before: number, after: number): void;
  /** `before` has come again as row `after`, which is invalid too, and holds what it held when it could not be placed. */
  supersede(before: number, after: number, takeHolds: boolean): void;
}

/** A row that has come back: the id of the one it corrects, and its cells now. */
export interface CorrectedRow {
  before: number;
  cells: readonly string[];
}

/** Cells without the blanks at their end, as one text to compare. */
function trimmedEnd(cells: readonly string[]): string {
  return JSON.stringify(cells.slice(0, cells.findLastIndex((cell) => cell !== "") + 1));
}

/** @param input the one that is staged now. */
export function createRowWithdrawal(
  database: Database,
  knownRows: KnownRows,
  input: number,
  now: number,
): RowWithdrawal {
  const inputIs = database
    .prepare<[number, string], number>(
      "SELECT EXISTS (SELECT 1 FROM inputs WHERE id = ? AND substr(content_hash, 1, 8) = ?)",
    )
    .pluck();
  const isThere = database
    .prepare<[number, number, number], number>(
      `SELECT EXISTS (SELECT 1 FROM row_events WHERE row_id = ?) OR EXISTS (SELECT 1 FROM rows WHERE id = ?)
         OR EXISTS (SELECT 1 FROM row_records WHERE row_id = ?)`,
    )
    .pluck();
  const withKey = database
    .prepare<[number, string], number>(
      `SELECT r.id FROM rows r JOIN inputs i ON i.id = r.id >> 32
       JOIN inputs mine ON mine.id = ? AND mine.namespace = i.namespace AND mine.mapping_input = i.mapping_input
       WHERE r.row_key = ? AND r.settled IS NULL ORDER BY r.id DESC LIMIT 1`,
    )
    .pluck();
  const eventsOf = database
    .prepare<[number], number>(
      `SELECT re.event_id FROM row_events re JOIN events_now e ON e.id = re.event_id
       WHERE re.row_id = ? AND e.unsent`,
    )
    .pluck();
  const otherRows = database
    .prepare<[number, number], number>("SELECT EXISTS (SELECT 1 FROM row_events WHERE event_id = ? AND row_id <> ?)")
    .pluck();
  const unlink = database.prepare<[number, number]>("DELETE FROM row_events WHERE row_id = ? AND event_id = ?");
  const dropState = database.prepare<[number]>(`DELETE FROM event_states WHERE ${OF_EVENT}`);
  const dropEvent = database.prepare<[number]>("DELETE FROM events WHERE id = ?");
  const settle = database.prepare<[number, string, number]>(
    `INSERT INTO rows (id, fate, settled, settled_by) VALUES (?, 'staged', ?, ?)
     ON CONFLICT (id) DO UPDATE SET settled = excluded.settled, settled_by = excluded.settled_by`,
  );
  // Copies: when the file of `after` is staged again, what it had yielded goes, and the row before is asked again.
  const takePlacements = database.prepare<[number, number]>(
    `INSERT INTO placements (row_id, document_id, event, deduplication_id, key_parts, at)
     SELECT ?, document_id, event, deduplication_id, key_parts, at FROM placements WHERE row_id = ?`,
  );
  const takeInputHolds = database.prepare<[number, number]>(
    "INSERT OR IGNORE INTO input_holds (row_id, behind) SELECT ?, behind FROM input_holds WHERE row_id = ?",
  );
  const settledBy = database.prepare<[number], number | null>("SELECT settled_by FROM rows WHERE id = ?").pluck();
  const isOpen = database
    .prepare<[number], number>(
      "SELECT EXISTS (SELECT 1 FROM rows WHERE id = ? AND fate = 'invalid' AND settled IS NULL)",
    )
    .pluck();
  const sameCells = database
    .prepare<{ input: number; cellHash: Buffer; inputs: string }, number>(
      `SELECT r.id FROM rows r JOIN inputs i ON i.id = r.id >> 32
       JOIN inputs mine ON mine.id = @input AND mine.namespace = i.namespace AND mine.mapping_input = i.mapping_input
       WHERE r.cell_hash = @cellHash AND r.fate = 'invalid' AND r.settled IS NULL AND r.lead IS NULL
         AND i.id NOT IN (SELECT value FROM json_each(@inputs)) ORDER BY r.id LIMIT 1`,
    )
    .pluck();
  const cellsOf = database.prepare<[number], { cells: string; header: string }>(
    "SELECT c.cells, i.header FROM row_cells c JOIN inputs i ON i.id = c.row_id >> 32 WHERE c.row_id = ?",
  );
  const problemsOf = database.prepare<[number], Problem>(
    `SELECT code, message, hint, column_name AS "column" FROM problems WHERE row_id = ? AND severity = 'error'`,
  );
  /** A row's cells as they came, to compare; undefined: they are not kept. */
  const originalText = (row: number): string | undefined => {
    const kept = cellsOf.get(row);
    if (kept === undefined) return undefined;
    const original = withoutOwnColumns(JSON.parse(kept.header) as string[]);
    return trimmedEnd(original(JSON.parse(kept.cells) as string[]));
  };
  const partsOn = database
    .prepare<[number], number>(
      `SELECT p.row_id FROM placements p JOIN rows r ON r.id = p.row_id WHERE p.document_id = ? AND r.settled IS NULL
         AND EXISTS (SELECT 1 FROM problems WHERE row_id = p.row_id AND code = 'group-interrupted')`,
    )
    .pluck();
  const dropCells = database.prepare<[number]>("DELETE FROM row_cells WHERE row_id = ?");
  const settleProblems = database.prepare<[number, number]>(
    "DELETE FROM problems WHERE row_id = ? AND severity = 'error' AND stage = 'staging' AND at < ?",
  );

  const leadOf = database.prepare<[number], number>("SELECT coalesce(lead, id) FROM rows WHERE id = ?").pluck();
  const settleMember = database.prepare<[string, number, number]>(
    "UPDATE rows SET settled = ?, settled_by = ? WHERE id = ?",
  );
  const membersOf = createGroupMembers(database);
  /** A group comes to rest as a whole. */
  const settleGroup = (lead: number, how: "corrected" | "superseded", by: number): void => {
    settle.run(lead, how, by);
    dropCells.run(lead);
    for (const member of membersOf(lead)) {
      settleMember.run(how, by, member);
      dropCells.run(member);
    }
  };

  // The same bad row may come back in tomorrow's full export: it stays settled.
  const rememberCells = database.prepare<[number, number, number]>(
    `INSERT INTO dismissals (cell_hash, row_id, at)
     SELECT cell_hash, ?, ? FROM rows WHERE id = ? AND cell_hash IS NOT NULL`,
  );

  const cellsKept = createCellReader(database);
  const headerOf = database.prepare<[number], string>("SELECT header FROM inputs WHERE id = ?").pluck();
  const rememberHash = database.prepare<[Buffer, number, number]>(
    "INSERT INTO dismissals (cell_hash, row_id, at) VALUES (?, ?, ?)",
  );
  const hasHash = database
    .prepare<[number], number>("SELECT EXISTS (SELECT 1 FROM rows WHERE id = ? AND cell_hash IS NOT NULL)")
    .pluck();
  /** Of a valid row, which has no hash of its own; null: its cells are gone. */
  const hashOfKept = (row: number): Buffer | null => {
    if (hasHash.get(row) === 1) return null;
    const original = withoutOwnColumns(JSON.parse(headerOf.get(inputOf(row)) ?? "[]") as string[]);
    const kept = [row, ...membersOf(row)].map((one) => cellsKept.of(one)?.cells);
    return kept.includes(undefined) ? null : hashOfCells(kept.flatMap((cells) => original(cells ?? [])));
  };

  const withdraw = (row: number, keep: readonly number[]): void => {
    for (const event of eventsOf.all(row)) {
      if (keep.includes(event)) continue;
      unlink.run(row, event);
      if (otherRows.get(event, row) === 1) continue;
      dropState.run(event);
      dropEvent.run(event);
    }
  };

  const correct = (before: number, after: number, events: readonly number[]): void => {
    const hash = hashOfKept(before);
    replace(before, after, events);
    if (hash !== null) rememberHash.run(hash, after, now);
  };

  const mend = (before: number, after: number, events: readonly number[]): void => {
    withdraw(before, events);
    settleGroup(before, "corrected", after);
    settleProblems.run(before, now);
  };

  const replace = (before: number, after: number, events: readonly number[]): void => {
    mend(before, after, events);
    rememberCells.run(after, now, before);
  };

  return {
    rowReferredTo({ hashPrefix, row }) {
      if (inputIs.get(inputOf(row), hashPrefix) !== 1) return null;
      return isThere.get(row, row, row) === 1 || knownRows.eventsOf(row).length > 0 ? row : null;
    },
    rowWithKey: (key) => withKey.get(input, key) ?? null,
    leadOf: (row) => leadOf.get(row) ?? row,
    latestOf(row) {
      const seen = new Set<number>();
      for (let latest = row; ; ) {
        seen.add(latest);
        const next = settledBy.get(latest) ?? null;
        if (next === null || inputOf(next) === input || seen.has(next)) return latest;
        latest = next;
      }
    },
    sameRow(inputsOfImport, cellHash) {
      const inputs = JSON.stringify([...inputsOfImport]);
      return sameCells.get({ input, cellHash, inputs }) ?? null;
    },
    readProblems(lead, rows) {
      const unchanged = rows.every(({ before, cells }) => originalText(before) === trimmedEnd(cells));
      return unchanged ? problemsOf.all(lead).filter(({ code }) => code in readCodes) : [];
    },
    partsOf(documents, rows) {
      const parts = documents.flatMap((document) => partsOn.all(document));
      if (parts.length === 0) return [];
      const there = new Set(rows.map(trimmedEnd));
      const stands = (row: number) => there.has(originalText(row) ?? "");
      return [...new Set(parts)].filter((lead) => [lead, ...membersOf(lead)].every(stands));
    },
    areParts: (leads) => leads.every((lead) => problemsOf.all(lead).some(({ code }) => code === "group-interrupted")),
    mend,
    replace,
    correct,
    leaveOut(before, after) {
      if (isOpen.get(before) === 1 || eventsOf.all(before).length > 0) correct(before, after, []);
    },
    supersede(before, after, takeHolds) {
      withdraw(before, []);
      if (takeHolds) {
        takePlacements.run(after, before);
        takeInputHolds.run(after, before);
      }
      settleGroup(before, "superseded", after);
    },
  };
}
