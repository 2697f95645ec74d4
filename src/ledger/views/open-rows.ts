/** Rows that a person may correct, as in their files, with all their problems. */
import { type Code, codes } from "../../model/codes.js";
import { columnName, columnPosition, originalColumns } from "../../model/own-columns.js";
import { memberOf, type Problem, problem, rowsWithText } from "../../model/problem.js";
import type { Row } from "../../model/row.js";
import { missing } from "../../model/solution.js";
import { createInputStore, type StoredInput } from "../inputs.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { type CauseName, isOfCause, rowsOfRefused } from "./causes.js";
import { inputOf, latestOf, leadOf, groupOf, rowId, rowNumberOf, rowReference, rowsOfInput } from "../rows.js";
import { createFirstPlaces } from "../stage/corrections.js";
import { describeWait } from "./describe-wait.js";
import { createCells, type KeptCells } from "../stage/row-cells.js";
import { problemsOfRow } from "../stage/take-back.js";

export interface OpenRow extends KeptCells {
  /** Also used in rejected files. */
  ref: string;
  input: number;
  row: number;
  /** The first row of its group; without one, the row itself. */
  lead: string;
  /** Where the row was that it corrects; undefined: it corrects none. */
  corrects: Row["corrects"];
  /** From staging or the service's refusal. */
  problems: Problem[];
}

/** Refusals of records declared by row @row or of its events; changes are described with their row. */
const refusedRecords = `SELECT row_id AS "row", code, message FROM failures
  WHERE subject NOT IN ('row', 'event') AND state = 'rejected' AND row_id IS NOT NULL`;
const openEvents =
  "FROM row_events re JOIN events e ON e.id = re.event_id JOIN open_events o ON o.document_id = e.document_id AND o.id = e.id";
const refusedEvents = `SELECT o.code, (SELECT message FROM problems p
    WHERE p.subject = 'event' AND p.subject_id = o.id ORDER BY p.id DESC LIMIT 1) AS message
  ${openEvents} WHERE re.row_id = @row AND o.state IN ('rejected', 'foreign')`;

const idWaitedFor = "CAST(substr(o.waits_for, instr(o.waits_for, ':') + 1) AS INTEGER)";
const waits = `SELECT DISTINCT o.reason AS code, o.waits_for AS waitsFor, coalesce(d.key, a.key) AS key ${openEvents}
  LEFT JOIN documents d ON o.waits_for GLOB 'document:*' AND d.id = ${idWaitedFor}
  LEFT JOIN aliases a ON o.waits_for GLOB '*:-*' AND a.id = -${idWaitedFor}
  WHERE re.row_id = @row AND o.state = 'held' AND o.reason IN @missing`;

/** `message`: null where the code says it all, such as of a foreign key. */
type Refusal = Pick<Problem, "code"> & { message: string | null };

const problemOf = ({ code, message }: Refusal) => problem(code, message ?? codes[code].meaning);

/** What an invalid row contradicts waits for it, and may be what is wrong: its newest row. */
const contradictedBy = `SELECT max(re.row_id) FROM rows r JOIN placements p ON p.row_id = r.id AND p.event IS NOT NULL
  JOIN events_now e ON e.document_id = p.document_id AND e.deduplication_id = p.deduplication_id AND NOT e.landed
  JOIN row_events re ON re.event_id = e.id WHERE r.settled IS NULL AND r.reason = 'event-key-twice'`;
const contradicted = `${contradictedBy} GROUP BY e.id`;
/** Leaves out rows whose cells are gone because everything landed. */
export function createOpenRowReader(database: LedgerDatabase) {
  const inputs = createInputStore(database);
  const known = new Map<number, StoredInput | null>();
  const places = new Map<number, ReturnType<typeof createFirstPlaces>>();
  const cells = createCells(database);
  const refused = database.rows<Refusal & { row: number }>(refusedRecords);
  const own = new Set(refused.map(({ row }) => row));
  const waiting = rowsOfRefused(database).filter(({ row }) => !own.has(row));
  const ofRecords = Map.groupBy([...refused, ...waiting], ({ row }) => row);
  const input = (id: number): StoredInput | null => {
    if (!known.has(id)) known.set(id, inputs.get(id));
    return known.get(id) ?? null;
  };
  const ref = (id: number) => {
    const from = input(inputOf(id));
    return from === null ? null : rowReference(from.contentHash, id);
  };
  const firstPlace = (id: number, row: Pick<Row, "cells">) => {
    const of = inputOf(id);
    if (!places.has(of)) places.set(of, createFirstPlaces(database, input(of)?.header ?? []));
    return places.get(of)?.(row);
  };
  const typedCell = (id: number, column: string) => {
    const kept = cells.of(id);
    const at = columnPosition(input(inputOf(id))?.header ?? [], column);
    const cell = kept?.cells[at];
    return cell === undefined ? null : { cell, kind: kept?.kinds?.[at] ?? "text", look: kept?.looks?.[at] ?? null };
  };
  const problemsOf = (id: number): Problem[] => {
    const refusals = [...(ofRecords.get(id) ?? []), ...database.rows<Refusal>(refusedEvents, { row: id })];
    return [...problemsOfRow(database, id), ...refusals.map(problemOf)];
  };
  const read = (id: number): OpenRow[] => {
    const kept = cells.of(id);
    const reference = ref(id);
    if (reference === null || kept === null) return [];
    const lead = ref(leadOf(database, id)) ?? reference;
    const [corrects, problems] = [firstPlace(id, kept), problemsOf(id)];
    return [{ ref: reference, input: inputOf(id), row: rowNumberOf(id), lead, ...kept, corrects, problems }];
  };
  return {
    input,
    problemsOf,
    isKept: (id: number) => cells.of(id) !== null,
    /** Null: unknown, or no longer kept. */
    cell: (id: number, column: string) => typedCell(id, column)?.cell ?? null,
    typedCell,
    /** Null: its input is unknown, or no longer kept. */
    ref,
    lead: (id: number) => leadOf(database, id),
    /** Its newest version: itself, where none has come instead. */
    latest: (id: number) =>
      database.has("SELECT 1 FROM rows WHERE id = @id AND settled_by IS NOT NULL", { id })
        ? latestOf(database, id)
        : id,
    /** Of each of these groups, given by their first rows: how many rows they have, and those with a cell at fault. */
    *atFault(
      { code, column, mistake }: CauseName,
      leads: readonly number[],
    ): Generator<{ size: number; rows: number[] }> {
      const found = database.rows<{ lead: number; code: string; column: string | null; message: string }>(
        `SELECT row_id AS lead, code, column_name AS "column", message FROM problems
         WHERE code = @code AND severity = 'error' AND message GLOB 'row [0-9]*'`,
        { code },
      );
      const rows = found.filter(isOfCause({ code, column, mistake })).flatMap(({ lead, message }) => {
        const member = memberOf(message);
        return member === null ? [] : [{ lead, row: rowId(inputOf(lead), member) }];
      });
      const named = Map.groupBy(rows, ({ lead }) => lead);
      const textIn = (name: string) => (id: number) => typedCell(id, name)?.cell ?? "";
      for (const lead of leads) {
        const group = groupOf(database, lead);
        const ofMessage = named.get(lead)?.map(({ row }) => row);
        yield { size: group.length, rows: column === null ? [] : (ofMessage ?? rowsWithText(group, textIn(column))) };
      }
    },
    /** Includes the rest of a group that it begins. */
    withGroup: (id: number): OpenRow[] => groupOf(database, id).flatMap(read),
    /** How the cells of the row that it contradicts differ, `Peso "1000"`; blank: one of them is of a group, or not kept. */
    otherwise: ({ input: of, row, cells: texts }: OpenRow): string => {
      const id = rowId(of, row);
      const other = database.value<number>(`${contradictedBy} AND r.id = @id`, { id });
      if (other === null || [id, other].some((one) => groupOf(database, one).length > 1)) return "";
      const header = input(of)?.header ?? [];
      return originalColumns(header)
        .map((at) => columnName(header, at))
        .flatMap((name, at) => {
          const cell = typedCell(other, name)?.cell ?? texts[at];
          return cell === texts[at] ? [] : [`${name} ${JSON.stringify(cell)}`];
        })
        .join(", ");
    },
    /** What it refers to and no row has brought, with the column that has its key. */
    waits: ({ input: of, row, cells: texts }: OpenRow): Problem[] =>
      database
        .rows<{ code: Code; waitsFor: string; key: string | null }>(waits, { row: rowId(of, row), missing })
        .map((wait) => {
          const position = texts.findIndex((text) => text.trim() === wait.key);
          return {
            code: wait.code,
            message: `waits for ${describeWait(database, wait.waitsFor)}`,
            hint: "Correct its key, if that is mistyped; or import the rows that describe it.",
            column: position === -1 ? null : columnName(input(of)?.header ?? [], position),
          };
        }),
  };
}

const contradiction = problem(
  "event-key-twice",
  "Another row gives the same event with different content.",
  "Keep the row that is right, and delete the other one.",
);

/**
 * Rows of failed events, and rows that are invalid or declared refused records. Of an event that came again every night,
 * the newest row alone: it corrects them all. For a changed event, only the rows that differ, not those that landed or
 * came from a rejected file.
 */
const rejected = `SELECT max(row_id) AS row_id FROM row_fates f WHERE code IS NOT 'row-gone' AND (state IN ('invalid', 'rejected', 'foreign')
  OR state = 'changed' AND EXISTS (SELECT 1 FROM problems p WHERE p.row_id = f.row_id AND p.severity = 'error'))
  GROUP BY subject, id UNION ${contradicted}`;

export interface RejectedLedgerRow extends Pick<OpenRow, "row" | "ref" | "cells" | "kinds" | "looks" | "problems"> {
  /** The first row of its group; without one, the row itself. */
  lead: number;
  /** Nothing is wrong with it but what another row says, which is counted. */
  isBeside: boolean;
}

export function createRejects(database: LedgerDatabase) {
  const reader = createOpenRowReader(database);
  return {
    inputs: () =>
      database
        .values<number>(`SELECT DISTINCT row_id >> 32 FROM (${rejected}) ORDER BY 1`)
        .flatMap((id) => reader.input(id) ?? []),

    /** Its cells went when it landed; then its document was replaced, and the next generation refused. */
    forgotten: () =>
      database
        .values<number>(`SELECT DISTINCT row_id FROM (${rejected}) WHERE row_id IS NOT NULL ORDER BY 1`)
        .filter((id) => !reader.isKept(id))
        .map((id) => ({ id, input: reader.input(inputOf(id)), problems: reader.problemsOf(id) })),

    /** In row order, with complete groups, because only complete groups can be imported again. */
    *rows(input: { id: number }): Generator<RejectedLedgerRow> {
      const ids = database.values<number>(
        `SELECT DISTINCT row_id FROM (${rejected}) WHERE row_id BETWEEN @first AND @last ORDER BY 1`,
        rowsOfInput(input.id),
      );
      for (const id of ids) {
        const lead = rowNumberOf(id);
        const [first, ...members] = reader.withGroup(id);
        if (first?.row !== lead) continue;
        const isBeside = first.problems.length === 0;
        if (isBeside) first.problems.push(contradiction);
        yield { ...first, lead, isBeside };
        const message = `belongs to the group that begins in row ${lead}, and stays with it`;
        const shared = first.problems.slice(0, 1).map(({ code }) => problemOf({ code, message }));
        for (const member of members) yield { ...member, lead, isBeside, problems: shared };
      }
    },
  };
}
