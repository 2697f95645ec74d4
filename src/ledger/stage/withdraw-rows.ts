/**
 * Takes back what a row had yielded and was not yet sent, when the row comes again: corrected, mended in its source, or
 * under its rowId (HARD-CASES H23, H27). What was sent stays.
 */
import { readCodes } from "../../model/codes/read.js";
import type { Problem } from "../../model/problem.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { inputOf, membersOf } from "../rows.js";
import { withoutOwnColumns } from "./own-columns.js";
import { cellHash, createCells } from "./row-cells.js";
import { dropUnbroughtEvents } from "./withdraw-input.js";

/** A row that has come back: the id of the one it corrects, and its cells now. */
export interface CorrectedRow {
  before: number;
  cells: readonly string[];
}

type How = "corrected" | "superseded";

/** Cells without the blanks at their end, as one text to compare. */
const trimmedEnd = (cells: readonly string[]): string =>
  JSON.stringify(cells.slice(0, cells.findLastIndex((cell) => cell !== "") + 1));

const withoutOwn = (header: string, cells: readonly string[]): string[] =>
  withoutOwnColumns(JSON.parse(header) as string[])(cells);

/** @param input the one that is staged now. */
export function createRowWithdrawal(database: LedgerDatabase, input: number, now: number) {
  const cells = createCells(database);
  const headerOf = (row: number): string =>
    database.value<string>("SELECT header FROM inputs WHERE id = @input", { input: inputOf(row) }) ?? "[]";

  /** A row's cells as they came, to compare; undefined: they are not kept. */
  const originalText = (row: number): string | undefined => {
    const kept = cells.of(row);
    return kept === null ? undefined : trimmedEnd(withoutOwn(headerOf(row), kept.cells));
  };

  const unsentOf = (row: number): number[] =>
    database.values<number>(
      "SELECT e.id FROM row_events re JOIN events_now e ON e.id = re.event_id WHERE re.row_id = @row AND e.unsent",
      { row },
    );

  const withdraw = (row: number, keep: readonly number[]): void => {
    for (const id of unsentOf(row)) {
      if (keep.includes(id)) continue;
      database.run("DELETE FROM row_events WHERE row_id = @row AND event_id = @id", { row, id });
      dropUnbroughtEvents(database, "@id", { id });
    }
  };

  /** A group is settled as a whole. */
  const settleGroup = (lead: number, how: How, by: number): void => {
    for (const row of [lead, ...membersOf(database, lead)])
      database.run(
        `INSERT INTO rows (id, fate, settled, settled_by) VALUES (@row, 'staged', @how, @by)
         ON CONFLICT (id) DO UPDATE SET settled = @how, settled_by = @by`,
        { row, how, by },
      );
  };

  /** The same bad row may come back in tomorrow's full export: it stays settled. */
  const remember = (hash: Buffer | null | undefined, after: number): void => {
    if (hash == null) return;
    const add = "INSERT INTO dismissals (cell_hash, row_id, at) VALUES (@hash, @after, @now)";
    database.run(add, { hash, after, now });
  };

  const hashOf = (row: number) =>
    database.value<Buffer | null>("SELECT cell_hash FROM rows WHERE id = @row", { row }) ?? null;

  /** Of a valid row, which has no hash of its own; null: its cells are gone. */
  const hashOfCells = (row: number): Buffer | null => {
    const header = headerOf(row);
    const kept = [row, ...membersOf(database, row)].map((one) => cells.of(one)?.cells);
    return kept.includes(undefined) ? null : cellHash(kept.flatMap((one) => withoutOwn(header, one ?? [])));
  };

  /** `before`, whose source was mended, has come again as `after`, a valid row that yielded `events`. */
  const mend = (before: number, after: number, events: readonly number[]): void => {
    withdraw(before, events);
    settleGroup(before, "corrected", after);
    database.run(
      "DELETE FROM problems WHERE row_id = @before AND severity = 'error' AND stage = 'staging' AND at < @now",
      { before, now },
    );
  };

  /** The same of a row that has come again under its rowId: should its cells come back, they say nothing new. */
  const replace = (before: number, after: number, events: readonly number[]): void => {
    const hash = hashOf(before);
    mend(before, after, events);
    remember(hash, after);
  };

  /** The same of a row that a person has corrected: what its cells say is no longer to be believed (HARD-CASES H37). */
  const correct = (before: number, after: number, events: readonly number[]): void => {
    const hash = hashOf(before) ?? hashOfCells(before);
    mend(before, after, events);
    remember(hash, after);
  };

  return {
    mend,
    replace,
    correct,

    /** The earlier row of the same mapping input with this rowId; null: none. */
    rowWithKey: (key: string): number | null =>
      database.value<number>(
        `SELECT r.id FROM rows r JOIN inputs i ON i.id = r.id >> 32
         JOIN inputs mine ON mine.id = @input AND mine.namespace = i.namespace AND mine.mapping_input = i.mapping_input
         WHERE r.row_key = @key AND r.settled IS NULL ORDER BY r.id DESC LIMIT 1`,
        { input, key },
      ) ?? null,

    /**
     * The open row with just these cells that an earlier import of the same mapping's input has left: it has come again.
     * Equal rows of one import are twins. Null: none.
     */
    sameRow: (inputsOfImport: ReadonlySet<number>, hash: Buffer): number | null =>
      database.value<number>(
        `SELECT r.id FROM rows r JOIN inputs i ON i.id = r.id >> 32
         JOIN inputs mine ON mine.id = @input AND mine.namespace = i.namespace AND mine.mapping_input = i.mapping_input
         WHERE r.cell_hash = @hash AND r.fate = 'invalid' AND r.settled IS NULL AND r.lead IS NULL
           AND i.id NOT IN (SELECT value FROM json_each(@inputs)) ORDER BY r.id LIMIT 1`,
        { input, hash, inputs: JSON.stringify([...inputsOfImport]) },
      ) ?? null,

    /**
     * What was wrong with reading a row, or a group, whose cells have all come back unchanged: a rejected file writes a short
     * row out in full, and that alone corrects nothing. Empty when a person has changed a cell.
     */
    readProblems(lead: number, rows: readonly CorrectedRow[]): Problem[] {
      const isUnchanged = rows.every(({ before, cells: given }) => originalText(before) === trimmedEnd(given));
      if (!isUnchanged) return [];
      return problemsOfRow(database, lead).filter(({ code }) => code in readCodes);
    },

    /** Whether each of these first rows was refused for a group that others interrupt: its beginning is not among them. */
    areParts: (leads: readonly number[]): boolean =>
      leads.every((lead) => problemsOfRow(database, lead).some(({ code }) => code === "group-interrupted")),

    /** First rows of parts of groups, refused for that, that held one of the documents and whose rows are all among these cells. */
    partsOf(documents: readonly number[], rows: readonly (readonly string[])[]): number[] {
      const parts = documents.flatMap((document) =>
        database.values<number>(
          `SELECT p.row_id FROM placements p JOIN rows r ON r.id = p.row_id WHERE p.document_id = @document AND r.settled IS NULL
             AND EXISTS (SELECT 1 FROM problems WHERE row_id = p.row_id AND code = 'group-interrupted')`,
          { document },
        ),
      );
      const there = new Set(parts.length === 0 ? [] : rows.map(trimmedEnd));
      const stands = (row: number) => there.has(originalText(row) ?? "");
      return [...new Set(parts)].filter((lead) => [lead, ...membersOf(database, lead)].every(stands));
    },

    /** `before` has come again as `after`, a row that is left out: it yields nothing. What has landed stays as it is. */
    leaveOut(before: number, after: number): void {
      const isOpen = database.has("SELECT 1 FROM rows WHERE id = @before AND settled IS NULL", { before });
      if (isOpen || unsentOf(before).length > 0) correct(before, after, []);
    },

    /** `before` has come again as row `after`, which is invalid too, and holds what it held when it could not be placed. */
    supersede(before: number, after: number, takeHolds: boolean): void {
      withdraw(before, []);
      if (takeHolds) {
        // Copies: when the file of `after` is staged again, what it had yielded goes, and the row before is asked again.
        database.run(
          `INSERT INTO placements (row_id, document_id, event, deduplication_id, key_parts, at)
           SELECT @after, document_id, event, deduplication_id, key_parts, at FROM placements WHERE row_id = @before`,
          { before, after },
        );
        database.run(
          "INSERT OR IGNORE INTO input_holds (row_id, behind) SELECT @after, behind FROM input_holds WHERE row_id = @before",
          { before, after },
        );
      }
      settleGroup(before, "superseded", after);
    },
  };
}

/** What was wrong with a row when it was staged. */
export function problemsOfRow(database: LedgerDatabase, row: number): Problem[] {
  return database.rows<Problem>(
    `SELECT code, message, hint, column_name AS "column" FROM problems WHERE row_id = @row AND severity = 'error' ORDER BY id`,
    { row },
  );
}
