/** What stands open and why: counted by code, each with one example for summaries and `status`, or with some for the report. */
import type { Database } from "better-sqlite3";
import type { Code } from "../model/codes.js";
import { createConceal } from "./conceal-cells.js";
import { describeRow } from "./describe-row.js";
import { describeWait } from "./describe-wait.js";
import { inputOf, rowNumberOf } from "./row-id.js";

export interface ProblemCount {
  code: Code;
  count: number;
  example: string;
}

/** A line of the view `failures`, or a warning. */
interface Failure {
  subject: "row" | "event" | "document" | "participant" | "address" | "warning";
  code: Code;
  row_id: number | null;
  column_name: string | null;
  message: string | null;
  hint: string | null;
  name: string | null;
}

/** Problems of what stands open, most first. */
export function tallyProblems(database: Database): ProblemCount[] {
  return tally(
    database,
    `SELECT subject, code, count(DISTINCT id) AS count, min(id) AS id FROM failures GROUP BY subject, code`,
    "SELECT * FROM failures WHERE subject = @subject AND id = @id AND code = @code LIMIT 1",
  );
}

/** Warnings told since `since` (ms), most first. */
export function tallyWarnings(database: Database, since: number): ProblemCount[] {
  return tally(
    database,
    `SELECT 'warning' AS subject, code, count(*) AS count, min(id) AS id FROM problems
     WHERE severity = 'warning' AND at >= ${since} GROUP BY code`,
    "SELECT @subject AS subject, code, row_id, NULL AS column_name, message FROM problems WHERE id = @id",
  );
}

function tally(database: Database, counted: string, first: string): ProblemCount[] {
  type Counted = Pick<Failure, "subject" | "code"> & { count: number; id: number };
  const conceal = createConceal(database);
  const example = database.prepare<[Counted], Failure>(first);
  return database
    .prepare<[], Counted>(`${counted} ORDER BY count DESC`)
    .all()
    .map((found) => {
      const { code, count } = found;
      const failure = example.get(found);
      if (failure === undefined) return { code, count, example: "" };
      const message = failure.message === null ? null : conceal(code, failure.message, failure.row_id);
      const told = [placeOf(database, failure), message].filter((part) => part !== null && part !== "");
      return { code, count, example: told.join(": ") };
    });
}

function placeOf(database: Database, { subject, code, row_id: row, column_name: column, name }: Failure): string {
  const place = describeRow(database, row);
  if (subject === "document") return name ?? "";
  if (subject === "warning") return row === null ? "" : place;
  if (subject !== "event") return column === null ? place : `${place}, column "${column}"`;
  return code === "cancel-refused"
    ? `the CANCEL of ${name?.slice("#replaced of ".length)}, which is to be replaced`
    : `${place}, ${name}`;
}

export interface WaitingCount extends ProblemCount {
  /** The example's row, as `--row` takes it; null: it has none. */
  row: string | null;
}

/** What is held, by what it waits for, most first. The example is the first event of its kind in the ledger. */
export function tallyHeld(database: Database): WaitingCount[] {
  interface Held {
    code: Code;
    count: number;
    name: string;
    row_id: number | null;
    row: string | null;
    waits_for: string | null;
  }
  return database
    .prepare<[], Held>(
      `SELECT h.code, h.count, e.event || ' of ' || d.kind || ' ' || d.key AS name, e.waits_for,
         (SELECT min(row_id) FROM row_events WHERE event_id = e.id) AS row_id,
         (SELECT i.name || ':' || (min(r.row_id) & 4294967295) FROM row_events r JOIN inputs i ON i.id = r.row_id >> 32
          WHERE r.event_id = e.id) AS row
       FROM (SELECT reason AS code, count(*) AS count, min(id) AS id FROM open_events WHERE state = 'held' GROUP BY reason) h
       JOIN events_now e ON e.id = h.id JOIN documents d ON d.id = e.document_id ORDER BY h.count DESC, h.code`,
    )
    .all()
    .map(({ code, count, name, row_id, row, waits_for }) => {
      const place = `${describeRow(database, row_id)}, ${name}`;
      return { code, count, example: `${place}: waits for ${describeWait(database, waits_for)}`, row };
    });
}

export interface ProblemExample {
  code: Code;
  /** `an earlier import` where the row is not known. */
  file: string;
  sheet: string | null;
  row: number | null;
  column: string | null;
  message: string;
  hint: string | null;
}

/** At most `each` of every code, in row order. */
export function problemExamples(database: Database, each: number): ProblemExample[] {
  return examples(database, "SELECT *, id AS place FROM failures", each);
}

/** Warnings told since `since` (ms), at most `each` of every code. */
export function warningExamples(database: Database, since: number, each: number): ProblemExample[] {
  const warnings = `SELECT 'warning' AS subject, code, row_id, column_name, message, hint, NULL AS name, id AS place
    FROM problems WHERE severity = 'warning' AND at >= ${since}`;
  return examples(database, warnings, each);
}

function examples(database: Database, failures: string, each: number): ProblemExample[] {
  const inputName = database.prepare<[number], { name: string; sheet: string | null }>(
    "SELECT name, sheet FROM inputs WHERE id = ?",
  );
  return database
    .prepare<[number], Failure>(
      `SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY subject, code ORDER BY place) AS nth FROM (${failures}))
       WHERE nth <= ?`,
    )
    .all(each)
    .map(({ code, row_id, column_name, message, hint, name }) => {
      const input = row_id === null ? undefined : inputName.get(inputOf(row_id));
      const text = [name, message].filter((part) => part !== null).join(": ");
      return {
        code,
        file: input?.name ?? "an earlier import",
        sheet: input?.sheet ?? null,
        row: input === undefined || row_id === null ? null : rowNumberOf(row_id),
        column: column_name,
        message: text === "" ? code : text,
        hint,
      };
    });
}
