/** Open problems: counted by code with one example each for summaries and `status`, or with several for the report. */
import { type CauseOfRows, tallyCauses } from "../../model/causes.js";
import { type Code, codes } from "../../model/codes.js";
import { memberOf, withoutMember } from "../../model/problem.js";
import type { ToldProblem, ToldWaiting } from "../../model/summary.js";
import { createInputStore } from "../inputs.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { describeRow, groupOf, inputOf, rowId, rowName } from "../rows.js";
import { isHelped, MAKERS } from "../decide/replace.js";
import { helpedByReplacement } from "../decide/selection.js";
import { inputsToWithdraw } from "../decide/withdraw.js";
import { fieldsIn } from "./changes.js";
import { describeWait } from "./describe-wait.js";
import { originalCellsBeside } from "../stage/corrections.js";
import { createCells } from "../stage/row-cells.js";
import { creationsThatWait, unsettledEvents } from "./tally.js";

/** From the view `failures`, or a warning. */
interface Failure {
  subject: "row" | "event" | "document" | "participant" | "address" | "warning";
  code: Code;
  row_id: number | null;
  column_name: string | null;
  message: string | null;
  hint: string | null;
  name: string | null;
}

interface Group extends Failure {
  count: number;
  /** How many of them are in no file of the command. */
  earlier: number;
}

/**
 * Most frequent first: rows' problems by column and mistake, others by code. `cells`: show cells in examples (terminal)
 * or hide them (collected output, P9). `files`: names of inputs; what is in none of them is counted as `earlier`, and
 * is an example only if there is no other. None: nothing is told apart.
 */
export function tallyProblems(database: LedgerDatabase, cells = false, files: readonly string[] = []): ToldProblem[] {
  const named = "SELECT id FROM inputs WHERE name IN @files";
  const inputs = files.length === 0 ? null : database.values<number>(named, { files });
  const others = tally(database, `SELECT * FROM (${openFailures}) WHERE subject <> 'row'`, cells, { inputs });
  const here = inputs && new Set(inputs);
  const conceal = concealing(database, cells);
  const ofRows = causesOfRows(database, { isHere: (row) => here === null || here.has(inputOf(row)) }).map(
    ({ found, count, earlier }) =>
      told(database, conceal, {
        ...found,
        column_name: found.column,
        subject: "row",
        name: null,
        hint: null,
        count,
        earlier,
      }),
  );
  return [...ofRows, ...others].toSorted((a, b) => b.count - a.count);
}

/** A cause of open rows; `earlier` counts those that are not in the files asked for. */
export interface RowCause extends CauseOfRows<RowProblem> {
  /** Since when the first of them has been open, ms. */
  since: number;
  /** Different messages, without rows of groups; empty unless they are asked for. */
  messages: Set<string>;
}

interface RowProblem {
  row_id: number;
  code: Code;
  column: string | null;
  message: string;
  at: number;
}

export function causesOfRows(
  database: LedgerDatabase,
  { isHere = () => true, withMessages = false }: { isHere?: (row: number) => boolean; withMessages?: boolean } = {},
): RowCause[] {
  const more = new Map<CauseOfRows<RowProblem>, Pick<RowCause, "since" | "messages">>();
  const causes = tallyCauses<RowProblem>((cause, { at, message }) => {
    const { since, messages } = more.get(cause) ?? { since: at, messages: new Set<string>() };
    if (withMessages) messages.add(withoutMember(message));
    more.set(cause, { since: Math.min(since, at), messages });
  });
  const others = new Map(
    database
      .rows<{ lead: number; count: number }>(
        "SELECT lead, count(*) AS count FROM invalid_rows WHERE lead IS NOT NULL GROUP BY lead",
      )
      .map(({ lead, count }) => [lead, count]),
  );
  for (const found of database.each<RowProblem>(`${rowProblems} ORDER BY p.row_id`)) {
    const row = found.row_id;
    causes.add(found, row, { isHere: isHere(row), size: 1 + (others.get(row) ?? 0) });
  }
  return causes.all().map((cause) => ({
    ...cause,
    found: inItsRow(cause.found),
    ...(more.get(cause) ?? { since: 0, messages: new Set() }),
  }));
}

/** The row of its group that the message names, instead of the first one. */
function inItsRow(found: RowProblem): RowProblem {
  const row = memberOf(found.message);
  if (row === null) return found;
  return { ...found, row_id: rowId(inputOf(found.row_id), row), message: withoutMember(found.message) };
}

/** Problems of a group are those of its first row. */
export const rowProblems = `SELECT p.row_id, p.code, p.column_name AS "column", p.message, p.at
  FROM problems p CROSS JOIN invalid_rows r ON r.id = p.row_id WHERE p.row_id IS NOT NULL AND p.severity = 'error' AND r.lead IS NULL`;

const shownWhole: Conceal = (_code, message) => message;

const concealing = (database: LedgerDatabase, cells: boolean): Conceal =>
  cells ? shownWhole : createConceal(database);

/**
 * A tax id or a street is personal; the row says whose it is. A key of the mapping stays, as a document's does, unless
 * it may be a tax id.
 */
function withoutParty(text: string): string {
  const [, kind, name = ""] = /^(participant|address) ([^ ]+ )?/.exec(text) ?? [];
  if (kind === undefined) return text;
  const unbrought = ", which no row has brought yet";
  if (!text.endsWith(unbrought)) return `${kind} "…"${/ \(\w+\)$/.exec(text)?.[0] ?? ""}`;
  return /\d{8}/.test(text.replaceAll(/[./-]/g, "")) ? `${kind} ${name}"…"${unbrought}` : text;
}

/**
 * Doubt behind doubt that only a person can settle is a part of it. Events of a stranded document wait for its id, and a
 * creation for its first event: neither is a problem of its own.
 */
export const openFailures = `WITH unsettled AS MATERIALIZED (${unsettledEvents}),
  waiting AS MATERIALIZED (${creationsThatWait})
  SELECT subject, f.id, iif(u.id IS NULL, f.code, 'doubt-unsettled') AS code, f.code AS reason, row_id, column_name, message, hint, name
  FROM failures f LEFT JOIN unsettled u ON subject = 'event' AND u.id = f.id
    LEFT JOIN waiting w ON subject = 'document' AND w.id = f.id
  WHERE w.id IS NULL AND NOT (subject = 'event' AND f.code = 'document-stranded')`;

const warnings = `SELECT 'warning' AS subject, id, code, code AS reason, row_id, column_name, message, hint, NULL AS name
  FROM problems WHERE severity = 'warning' AND at >= @since`;

/** `since`: ms; most frequent first. */
export const tallyWarnings = (database: LedgerDatabase, since: number): ToldProblem[] =>
  tally(database, warnings, false, { inputs: null, since });

/** With more kinds of changes, or more events than are looked at in a moment, they are one cause. */
const MOST_CHANGES = 5;
const MOST_CHANGED = 20_000;

function tally(
  database: LedgerDatabase,
  failures: string,
  cells: boolean,
  values: { inputs: readonly number[] | null; since?: number },
): ToldProblem[] {
  type Counted = Pick<Group, "subject" | "code" | "count" | "earlier"> & { id: number; helped: 0 | 1 | null };
  const conceal = concealing(database, cells);
  const isHere = values.inputs === null ? "TRUE" : "(subject, id) IN here";
  // Materialized, because SQLite would otherwise compile the subqueries of these columns wherever a column is used.
  const beside = `WITH here AS (SELECT subject, id FROM row_fates WHERE row_id >> 32 IN @inputs),
      found AS MATERIALIZED (SELECT subject, id, code, reason, message, ${isHere} AS isHere, iif(subject = 'event' AND ${helpedByReplacement},
        ${isHelped("f.id", "f.code")}, NULL) AS helped FROM (${failures}) f)`;
  const counted = `${beside} SELECT subject, code, count(DISTINCT id) AS count, count(DISTINCT iif(isHere, NULL, id)) AS earlier,
      coalesce(min(iif(isHere AND reason = code, id, NULL)), min(iif(isHere, id, NULL)), min(id)) AS id, helped
    FROM found GROUP BY subject, code, helped ORDER BY count DESC`;
  const alike = `${beside} SELECT id, message, max(isHere) AS isHere FROM found
    WHERE subject = @subject AND code = @code AND helped IS @helped GROUP BY id ORDER BY isHere DESC, id`;
  /** What changed otherwise is another cause: a corrected result among rows that got a new column. */
  const byFields = (whole: Counted): Counted[] => {
    const groups = new Map<string, Counted>();
    for (const { id, message, isHere: here } of database.each<{ id: number; message: string | null; isHere: 0 | 1 }>(
      alike,
      { ...values, ...whole },
    )) {
      const fields = fieldsIn(message ?? "");
      const group = groups.get(fields) ?? { ...whole, id, count: 0, earlier: 0 };
      groups.set(fields, group);
      group.count += 1;
      group.earlier += 1 - here;
      if (groups.size > MOST_CHANGES) return [whole];
    }
    return [...groups.values()];
  };
  const causes = database
    .rows<Counted>(counted, values)
    .flatMap((whole) => (whole.code === "changed" && whole.count <= MOST_CHANGED ? byFields(whole) : whole));
  return causes.flatMap((found) => {
    const first = `SELECT * FROM (${failures}) WHERE subject = @subject AND id = @id LIMIT 1`;
    const failure = database.row<Failure>(first, { ...values, ...found });
    if (failure === null) return [];
    const one = told(database, conceal, { ...failure, count: found.count, earlier: found.earlier });
    return [{ ...one, ...documentOf(database, found) }];
  });
}

/** The stranded document of an event may be the one that it makes. */
const documentsWith: { [subject: string]: string } = {
  event:
    "SELECT document_id AS document, id AS event FROM open_events WHERE code = @code AND state <> 'held' AND code <> 'document-stranded'",
  document: "SELECT id AS document, NULL AS event FROM failed_documents WHERE reason = @code",
};

/** `helped`: whether a replacement would help; null: none is called for. */
function documentOf(
  database: LedgerDatabase,
  { subject, code, helped }: Pick<Failure, "subject" | "code"> & { helped: 0 | 1 | null },
) {
  const which = documentsWith[subject];
  if (which === undefined) return {};
  const [document, second] = database.values<string>(
    `SELECT DISTINCT kind || '/' || key FROM documents_now
     WHERE id IN (SELECT document FROM (${which}) WHERE @helped IS NULL OR (${isHelped("event", "@code")}) = @helped)
       AND NOT replaced LIMIT 2`,
    { code, helped },
  );
  return {
    ...(helped === 0 ? { replaceable: false as const } : {}),
    ...(document === undefined || second !== undefined ? {} : { document }),
  };
}

/** A placeholder while cells are hidden. */
const NAME = "\u0001";

function told(database: LedgerDatabase, conceal: Conceal, found: Group): ToldProblem {
  const { code, count, earlier, row_id: row, column_name: column, name, hint } = found;
  // States that nothing was said of, such as a foreign key.
  const message = found.message ?? codes[code].meaning;
  const isCancel = code === "cancel-refused";
  const what = isCancel
    ? `the CANCEL of ${name?.slice("#replaced of ".length)}, which is to be replaced`
    : conceal === shownWhole || name === null
      ? name
      : withoutParty(name);
  const isNamed = what !== null && message.includes(what);
  // A document's key stays visible even though it is from a cell: nobody could look further without it.
  const parts = [
    isNamed ? null : what,
    isNamed ? conceal(code, message.replace(what, NAME), row).replace(NAME, what) : conceal(code, message, row),
  ];
  const example = parts.filter((part) => part !== null && part !== "").join(": ");
  const place = isCancel || (row === null && found.subject !== "event") ? null : describeRow(database, row);
  // The command of a record names its document, which stays visible.
  const remedy = hint === null || found.subject === "warning" ? {} : { remedy: hint };
  return { code, count, ...(earlier === 0 ? {} : { earlier }), place, column, example, ...remedy };
}

/** Held events by what they wait for, most frequent first, with the first one as an example. */
export function tallyHeld(database: LedgerDatabase, cells = false): ToldWaiting[] {
  return database
    .rows<
      Pick<ToldWaiting, "code" | "count" | "place" | "row"> & {
        name: string;
        waits_for: string | null;
        document: string | null;
        isMaker: 0 | 1 | null;
        /** The input that has what is missing. */
        from: number | null;
      }
    >(
      `SELECT h.code, h.count, e.event || ' of ' || e.document AS name, ${rowName("e.first_row")} AS place,
         e.waits_for,
         (SELECT i.name || ':' || (e.first_row & 4294967295) FROM inputs i WHERE i.id = e.first_row >> 32) AS "row",
         (SELECT kind || '/' || key FROM documents WHERE h.waited = 1 AND e.waits_for = 'document:' || id) AS document,
         (SELECT id IN (${MAKERS}) FROM documents WHERE h.waited = 1 AND e.waits_for = 'document:' || id) AS isMaker,
         iif(h.code = 'content-missing', (SELECT first_row >> 32 FROM events_now
           WHERE id = iif(e.waits_for GLOB 'event:*', substr(e.waits_for, 7) + 0, e.id)), NULL) AS "from"
       FROM (SELECT reason AS code, count(*) AS count, count(DISTINCT waits_for) AS waited, coalesce(min(iif(
           EXISTS (SELECT 1 FROM row_events r WHERE r.event_id = o.id), id, NULL)), min(id)) AS id
         FROM open_events o WHERE state = 'held' GROUP BY reason) h
       JOIN events_now e ON e.id = h.id ORDER BY h.count DESC, h.code`,
    )
    .map(({ name, waits_for, document, isMaker, from, ...held }) => {
      const refused = Number(/^input:(\d+)$/.exec(waits_for ?? "")?.[1] ?? 0);
      const input = createInputStore(database).get(from ?? refused);
      const what = describeWait(database, waits_for);
      const example = `${name} waits for ${cells ? what : withoutParty(what)}`;
      return {
        ...held,
        column: null,
        example,
        ...(document === null ? {} : { document }),
        ...(isMaker === 1 && held.code === "related-cancelled" ? { replaceable: false } : {}),
        ...(input && { file: { path: input.path, mapping: input.mapping } }),
        ...(input && refused > 0 && inputsToWithdraw(database).includes(refused) ? { input: input.name } : {}),
      };
    });
}

/** What went wrong while a run was under way and is still open, newest first, with its place; it may hold cells. */
export function newestProblems(database: LedgerDatabase, run: string, limit: number): { code: Code; text: string }[] {
  return database.rows(
    `WITH failed AS MATERIALIZED (SELECT subject, id, row_id FROM failures WHERE subject <> 'row')
     SELECT code, concat_ws(': ', ${rowName("row")}, column_name, message) AS text FROM (
       SELECT p.code, p.column_name, p.message, coalesce(p.row_id, f.row_id) AS row
       FROM problems p JOIN runs u ON u.name = @run AND p.at BETWEEN u.started_at AND coalesce(u.finished_at, p.at)
       LEFT JOIN failed f ON f.subject = p.subject AND f.id = p.subject_id
       WHERE p.severity = 'error' AND (f.id IS NOT NULL
         OR p.subject IS NULL AND NOT EXISTS (SELECT 1 FROM rows r WHERE r.id = p.row_id AND r.settled IS NOT NULL))
       ORDER BY p.id DESC LIMIT @limit)`,
    { run, limit },
  );
}

export interface ProblemExample {
  code: Code;
  /** `an earlier import` if the row is unknown. */
  file: string;
  sheet: string | null;
  row: number | null;
  column: string | null;
  message: string;
  hint: string | null;
}

/** At most `each` per code, in row order. */
export const problemExamples = (database: LedgerDatabase, each: number): ProblemExample[] =>
  examples(database, openFailures, { each });

/** `since`: ms; at most `each` per code. */
export const warningExamples = (database: LedgerDatabase, since: number, each: number): ProblemExample[] =>
  examples(database, warnings, { each, since });

function examples(
  database: LedgerDatabase,
  failures: string,
  values: { each: number; since?: number },
): ProblemExample[] {
  const found = database.rows<Omit<ProblemExample, "message"> & { message: string | null }>(
    `SELECT f.code, coalesce(i.name, 'an earlier import') AS file, i.sheet, iif(i.id IS NULL, NULL, f.row_id & 4294967295) AS "row",
       f.column_name AS "column", nullif(concat_ws(': ', f.name, f.message), '') AS message, f.hint
     FROM (SELECT *, row_number() OVER (PARTITION BY subject, code ORDER BY id) AS nth FROM (${failures})) f
     LEFT JOIN inputs i ON i.id = f.row_id >> 32 WHERE f.nth <= @each ORDER BY f.subject, f.code, f.nth`,
    values,
  );
  return found.map((one) => ({ ...one, message: one.message ?? codes[one.code].meaning }));
}

type Conceal = (code: Code, message: string, row: number | null) => string;

/** Their messages repeat unquoted text from the file. */
const bare: ReadonlySet<Code> = new Set(["row-long", "quote-stray"]);
/** Quoted words after these are names of the mapping or file. */
const names = /(?:participant|address|document|event|attribute|column|field|member|input|sheet|function|conversion) $/;
const SHORTEST = 4;

function createConceal(database: LedgerDatabase): Conceal {
  const reader = createCells(database);
  return (code, message, row) => {
    if (bare.has(code)) return codes[code].meaning;
    const kept = row === null ? [] : groupOf(database, row).map((one) => reader.of(one)?.cells ?? []);
    const cells = row === null ? [] : kept.flatMap(originalCellsBeside(database, row)).map((cell) => cell.trim());
    const quoted = message.replace(/"(?:[^"\\]|\\.)*(?:"|\\?$)/gs, (segment, at: number) => {
      const isName = names.test(message.slice(Math.max(0, at - 20), at)) && !cells.includes(segment.slice(1, -1));
      return isName ? segment : '"…"';
    });
    return cells.flatMap(spellings).reduce((text, spelling) => text.replaceAll(spelling, "…"), quoted);
  };
}

/** The cell's text, and its spelling as a tax id or number without punctuation; longest first. */
function spellings(cell: string) {
  const unmarked = cell.replaceAll(/[^\p{L}\p{N}]/gu, "");
  return [cell, cell.slice(0, 60), ...(unmarked.length >= 8 ? [unmarked] : [])].filter(
    ({ length }) => length >= SHORTEST,
  );
}
