/** What is wrong, by cause, and the rows behind each cause as their files have them: what a person corrects or decides. Reads only. */
import type { Database } from "better-sqlite3";
import { type Code, codes } from "../model/codes.js";
import type { Problem } from "../model/problem.js";
import type { CellKind } from "../model/row.js";
import { describeRow } from "./describe-row.js";
import { createGroupMembers } from "./group-members.js";
import { createInputStore, type StoredInput } from "./inputs.js";
import { createCellReader } from "./row-cells.js";
import { inputOf, rowNumberOf, rowReference } from "./row-id.js";
import { rowsOf } from "./rows-of.js";
import { selectOpen } from "./selection.js";
import { tallyOpen } from "./tally.js";
import { tallyProblems } from "./tally-problems.js";
import { CODE_OF_EVENT, FAILED_DOCUMENT_S, UNSETTLED_S } from "./unsettled.js";

export interface Cause {
  code: Code;
  /** The column at fault; null: the row as a whole, or the program cannot tell. */
  column: string | null;
  /** Rows, each counted under its first problem; of what no row can correct, records. */
  count: number;
  /** The first one, with its place; it may hold cells. */
  example: string;
}

export interface OpenCauses {
  /** Invalid rows and what the service refused of rows: another text in the row may be right. */
  correct: Cause[];
  /** What no correction of a row can send. */
  decide: Cause[];
  /** What the next run tries again by itself. */
  later: Cause[];
}

/** What has landed otherwise, can never be in its place again, or is in doubt. */
const forDecision: readonly Code[] = [
  "changed",
  "foreign-collision",
  "late",
  "after-close",
  "after-cancel",
  "row-gone",
  "cancel-refused",
  "doubt-unsettled",
  "document-stranded",
];

const FIRST_PROBLEM = `(SELECT min(id) FROM problems WHERE row_id = r.id AND severity = 'error')`;
const INVALID = `rows r JOIN problems p ON p.id = ${FIRST_PROBLEM} WHERE r.fate = 'invalid' AND r.settled IS NULL AND r.lead IS NULL`;

/** Most rows first. */
export function openCauses(database: Database): OpenCauses {
  const open = tallyOpen(database);
  const invalid = database
    .prepare<[], Omit<Cause, "example"> & { row: number; message: string }>(
      `SELECT p.code, p.column_name AS "column", count(*) AS count, min(r.id) AS row, p.message FROM ${INVALID} GROUP BY 1, 2`,
    )
    .all()
    .map(({ row, message, ...cause }): Cause => ({ ...cause, example: `${describeRow(database, row)}: ${message}` }));
  const refused = tallyProblems(database, { ...open, rows: 0 }).map((cause): Cause => ({ ...cause, column: null }));
  const causes = [...invalid, ...refused].toSorted((a, b) => b.count - a.count);
  const isFor = ({ code }: Cause) => {
    if (forDecision.includes(code)) return "decide";
    return codes[code].transient ? "later" : "correct";
  };
  const { correct = [], decide = [], later = [] } = Object.groupBy(causes, isFor);
  return { correct, decide, later };
}

export interface OpenRow {
  /** Names the row, also in a rejected file. */
  ref: string;
  input: number;
  row: number;
  /** The first row of its group; without one, the row itself. */
  lead: string;
  cells: string[];
  kinds: CellKind[] | null;
  /** As they were when it was staged or refused. */
  problems: Problem[];
}

/** Ids, ascending. `column` null: whatever the column. */
export function rowsOfCause(database: Database, { code, column }: { code: string; column: string | null }): number[] {
  const invalid = database
    .prepare<{ code: string; column: string | null }, number>(
      `SELECT r.id FROM ${INVALID} AND p.code = @code AND (@column IS NULL OR p.column_name = @column) ORDER BY 1`,
    )
    .pluck()
    .all({ code, column });
  if (column !== null) return invalid;
  const refused = rowsOf(database, { ...selectOpen(database, { code }), rows: [] });
  return [...new Set([...invalid, ...refused])].toSorted((a, b) => a - b);
}

/** All that a person may correct, by reference; rows whose cells are gone (all of theirs had landed) are left out. */
export function createOpenRowReader(database: Database) {
  const inputs = createInputStore(database);
  const known = new Map<number, StoredInput | null>();
  const cells = createCellReader(database);
  const members = createGroupMembers(database);
  const problems = database.prepare<[number], Problem>(
    `SELECT code, message, hint, column_name AS "column" FROM problems WHERE row_id = ? AND severity = 'error' ORDER BY id`,
  );
  const refusals = database.prepare<[number], Problem>(
    `SELECT coalesce(s.reason, s.state) AS code, NULL AS hint, NULL AS "column", coalesce((SELECT message FROM problems p
       WHERE p.subject = 'event' AND p.subject_id = s.event_id ORDER BY p.id DESC LIMIT 1), s.state) AS message
     FROM row_events re JOIN events e ON e.id = re.event_id
     JOIN event_states s ON s.document_id = e.document_id AND s.event_id = e.id
     WHERE re.row_id = ? AND s.state IN ('rejected', 'foreign', 'changed') AND s.dismissed = 0`,
  );
  const leadOf = database.prepare<[number], number | null>("SELECT lead FROM rows WHERE id = ?").pluck();
  const input = (id: number): StoredInput | null => {
    if (!known.has(id)) known.set(id, inputs.get(id));
    return known.get(id) ?? null;
  };
  const read = (id: number): OpenRow | null => {
    const from = input(inputOf(id));
    const kept = cells.of(id);
    if (from === null || kept === null) return null;
    const ref = rowReference(from.contentHash, id);
    const lead = leadOf.get(id) ?? null;
    return {
      ref,
      input: from.id,
      row: rowNumberOf(id),
      lead: lead === null ? ref : rowReference(from.contentHash, lead),
      ...kept,
      problems: [...problems.all(id), ...refusals.all(id)],
    };
  };
  return {
    input,
    /** The text of one cell; null: not known (any more). */
    cell: (id: number, header: string): string | null =>
      cells.of(id)?.cells[input(inputOf(id))?.header.indexOf(header) ?? -1] ?? null,
    /** How a rejected file names it; null: its input is not known (any more). */
    ref(id: number): string | null {
      const from = input(inputOf(id));
      return from === null ? null : rowReference(from.contentHash, id);
    },
    /** The first row of its group; without one, the row itself. */
    lead: (id: number): number => leadOf.get(id) ?? id,
    /** With the further rows of its group, if it is a group's first row. */
    withGroup: (id: number): OpenRow[] => [id, ...members(id)].map(read).filter((row) => row !== null),
  };
}

export interface OpenRecord {
  kind: string;
  key: string;
  /** Name in the mapping; null: the document as a whole. */
  event: string | null;
  /** ms; null of a document. */
  at: number | null;
  message: string | null;
  /** Null: no row is known. */
  firstRow: number | null;
  /** `march.csv:17`, as `--row` takes it. */
  row: string | null;
}

/** Events and documents that are open with this code, oldest first. */
export function recordsOfCause(database: Database, code: string, limit: number): OpenRecord[] {
  const file = (row: string) =>
    `(SELECT i.name || ':' || (${row} & 4294967295) FROM inputs i WHERE i.id = ${row} >> 32)`;
  const said = (subject: string, id: string) =>
    `(SELECT message FROM problems p WHERE p.subject = '${subject}' AND p.subject_id = ${id} ORDER BY p.id DESC LIMIT 1)`;
  return database
    .prepare<[string, string, number], OpenRecord>(
      `SELECT *, ${file("firstRow")} AS row FROM (
         SELECT d.kind, d.key, e.event, e.at, ${said("event", "e.id")} AS message,
           (SELECT min(row_id) FROM row_events WHERE event_id = e.id) AS firstRow
         FROM event_states s JOIN events e ON e.id = s.event_id JOIN documents d ON d.id = e.document_id
         WHERE ${UNSETTLED_S} AND s.state IN ('rejected', 'stalled', 'foreign', 'changed') AND s.dismissed = 0 AND ${CODE_OF_EVENT} = ?
         UNION ALL
         SELECT d.kind, d.key, NULL, NULL, ${said("document", "d.id")}, d.row_id
         FROM document_states s JOIN documents d ON d.id = s.document_id WHERE ${FAILED_DOCUMENT_S} AND s.reason = ?)
       LIMIT ?`,
    )
    .all(code, code, limit);
}
