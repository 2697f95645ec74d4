/**
 * Takes back what a row had yielded and was not yet sent, when the row comes again: corrected, superseded by its
 * rowId, or with its whole input (HARD-CASES H23, H27). What was sent stays.
 */
import type { Database } from "better-sqlite3";
import { readCodes } from "../model/codes/read.js";
import type { Problem } from "../model/problem.js";
import { createGroupMembers } from "./group-members.js";
import type { KnownRows } from "./known-rows.js";
import { inputOf } from "./row-id.js";
import { OF_EVENT } from "./unsettled.js";

export interface RowWithdrawal {
  /** The row a `rowferry_row` cell names; null when this ledger has no such row. */
  rowReferredTo(reference: { hashPrefix: string; row: number }): number | null;
  /** The earlier row of the same mapping input with this rowId; null: none. */
  rowWithKey(inputId: number, key: string): number | null;
  /** The group that the row belongs to, as the id of its first row; without one, the row itself. */
  leadOf(row: number): number;
  /**
   * What was wrong with reading a row, or a group, whose cells have all come back unchanged: a rejected file writes a short
   * row out in full, and that alone corrects nothing. Empty when a person has changed a cell.
   */
  readProblems(lead: number, rows: readonly CorrectedRow[]): Problem[];
  /** `before` has come again as a valid row that yielded `events`. */
  replace(before: number, events: readonly number[]): void;
  /** `before` has come again as row `after`, which is invalid too; its holds move along when `after` could not be placed. */
  supersede(before: number, after: number, movePlacements: boolean): void;
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

const UNSENT = "(s.state IS NULL OR s.state IN ('planned', 'held', 'deferred', 'rejected'))";

export function createRowWithdrawal(database: Database, knownRows: KnownRows, now: number): RowWithdrawal {
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
      `SELECT re.event_id FROM row_events re JOIN events e ON e.id = re.event_id
     LEFT JOIN event_states s ON s.document_id = e.document_id AND s.event_id = e.id
       WHERE re.row_id = ? AND ${UNSENT}`,
    )
    .pluck();
  const otherRows = database
    .prepare<[number, number], number>("SELECT EXISTS (SELECT 1 FROM row_events WHERE event_id = ? AND row_id <> ?)")
    .pluck();
  const unlink = database.prepare<[number, number]>("DELETE FROM row_events WHERE row_id = ? AND event_id = ?");
  const dropState = database.prepare<[number]>(`DELETE FROM event_states WHERE ${OF_EVENT}`);
  const dropEvent = database.prepare<[number]>("DELETE FROM events WHERE id = ?");
  const settle = database.prepare<[number, string]>(
    `INSERT INTO rows (id, fate, settled) VALUES (?, 'staged', ?) ON CONFLICT (id) DO UPDATE SET settled = excluded.settled`,
  );
  const dropPlacements = database.prepare<[number]>("DELETE FROM placements WHERE row_id = ?");
  const movePlacement = database.prepare<[number, number]>("UPDATE placements SET row_id = ? WHERE row_id = ?");
  const cellsOf = database.prepare<[number], string>("SELECT cells FROM row_cells WHERE row_id = ?").pluck();
  const problemsOf = database.prepare<[number], Problem>(
    `SELECT code, message, hint, column_name AS "column" FROM problems WHERE row_id = ? AND severity = 'error'`,
  );
  const dropCells = database.prepare<[number]>("DELETE FROM row_cells WHERE row_id = ?");
  const settleProblems = database.prepare<[number, number]>(
    "DELETE FROM problems WHERE row_id = ? AND severity = 'error' AND stage = 'staging' AND at < ?",
  );

  const leadOf = database.prepare<[number], number>("SELECT coalesce(lead, id) FROM rows WHERE id = ?").pluck();
  const settleMember = database.prepare<[string, number]>("UPDATE rows SET settled = ? WHERE id = ?");
  const membersOf = createGroupMembers(database);
  /** A group comes to rest as a whole. */
  const settleGroup = (lead: number, how: "corrected" | "superseded"): void => {
    settle.run(lead, how);
    dropCells.run(lead);
    for (const member of membersOf(lead)) {
      settleMember.run(how, member);
      dropCells.run(member);
    }
  };

  // The same bad row may come back in tomorrow's full export: it stays settled.
  const rememberCells = database.prepare<[number, number]>(
    "INSERT INTO dismissals (cell_hash, at) SELECT cell_hash, ? FROM rows WHERE id = ? AND cell_hash IS NOT NULL",
  );

  const withdraw = (row: number, keep: readonly number[]): void => {
    for (const event of eventsOf.all(row)) {
      if (keep.includes(event)) continue;
      unlink.run(row, event);
      if (otherRows.get(event, row) === 1) continue;
      dropState.run(event);
      dropEvent.run(event);
    }
  };

  return {
    rowReferredTo({ hashPrefix, row }) {
      if (inputIs.get(inputOf(row), hashPrefix) !== 1) return null;
      return isThere.get(row, row, row) === 1 || knownRows.eventsOf(row).length > 0 ? row : null;
    },
    rowWithKey: (inputId, key) => withKey.get(inputId, key) ?? null,
    leadOf: (row) => leadOf.get(row) ?? row,
    readProblems(lead, rows) {
      const unchanged = rows.every(({ before, cells }) => {
        const kept = cellsOf.get(before);
        return kept !== undefined && trimmedEnd(JSON.parse(kept) as string[]) === trimmedEnd(cells);
      });
      return unchanged ? problemsOf.all(lead).filter(({ code }) => code in readCodes) : [];
    },
    replace(before, events) {
      withdraw(before, events);
      dropPlacements.run(before);
      settleGroup(before, "corrected");
      rememberCells.run(now, before);
      settleProblems.run(before, now);
    },
    supersede(before, after, movePlacements) {
      withdraw(before, []);
      if (movePlacements) movePlacement.run(after, before);
      else dropPlacements.run(before);
      settleGroup(before, "superseded");
    },
  };
}
