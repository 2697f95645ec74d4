/** Rows to records: one row, or one group of rows, at a time; whole, or not at all with every problem named. */
import type { Code } from "../../model/codes.js";
import { quoteCell } from "../convert/refuse.js";
import type { MappedRow, Placement } from "../../model/mapped-row.js";
import type { Problem } from "../../model/problem.js";
import type { Records } from "../../model/records.js";
import type { Row } from "../../model/row.js";
import type { RowMapper } from "../mapping.js";
import type { RowRecords } from "../record/entity.js";
import type { BuiltEvent } from "../record/event-binding.js";
import type { Cells } from "../value/cells.js";
import type { BoundColumns } from "../value/columns.js";
import { newRowView, type RowView } from "../value/row-view.js";
import type { InputParts } from "./compile-input.js";
import { mergeRows } from "./group.js";
import { noEvent } from "./no-event.js";

type BoundEvent = BuiltEvent & { eachRow: boolean };

const NO_WARNINGS: Problem[] = [];
const NO_PROBLEMS: readonly Problem[] = [];
const NO_ROWS: number[] = [];
/** What readers say of rows whose cells may stand under the wrong headers. */
const SHAPELESS: ReadonlySet<Code> = new Set<Code>(["row-short", "row-long", "quote-stray", "line-cut"]);

export function bindRowMapper(
  parts: InputParts,
  columns: BoundColumns,
  header: readonly string[],
  cells: Cells,
): Omit<RowMapper, "unmapped"> {
  const skips = parts.skip?.bind(columns);
  const skipReason = parts.skip?.description ?? "";
  const readRowId = parts.rowId?.bind(columns);
  const readGroup = parts.group?.bind(columns);
  const participants = parts.participants.map((part) => part.bind(columns));
  const addresses = parts.addresses.map((part) => part.bind(columns));
  const documents = parts.documents.map((part) => ({
    build: part.bind(columns),
    readKey: part.bindKey(columns),
    kind: part.kind,
  }));
  const events: BoundEvent[] = parts.events.map((part) => ({ ...part.bind(columns), eachRow: part.eachRow }));
  const sumsUp = parts.events.some(({ eachRow, byContent }) => byContent && !eachRow);
  const eventless = noEvent(parts.events);
  const view = newRowView(header);
  let open: { key: string; rows: Row[]; problems: readonly Problem[] } | null = null;
  /** What is wrong with a group that begins here: the row right before it may belong to it. */
  let beside: readonly Problem[] = NO_PROBLEMS;

  const made: RowRecords = { participants: [], addresses: [], documents: [] };

  const look = (rows: readonly Row[] | null, first: Row): void => {
    if (view.problems.length > 0) view.problems = [];
    if (rows !== null) {
      const merged = mergeRows(rows, cells);
      view.cells = merged.cells;
      view.kinds = merged.kinds;
      view.conflicts = merged.conflicts;
      view.members = rows;
    } else {
      view.cells = first.cells;
      view.kinds = first.kinds;
      view.conflicts = null;
      view.members = null;
    }
  };

  /** `rows`: those of a group of several; null: `first` alone. `problems`: what is wrong beside what the cells say. */
  const mapOne = (rows: readonly Row[] | null, first: Row, problems = NO_PROBLEMS): MappedRow => {
    if (first.leftOut !== undefined) return skippedRow(first, first.leftOut);
    look(rows, first);
    view.problems.push(...problems);
    const row = first.number;
    const alsoRows = rows === null ? NO_ROWS : rows.slice(1).map((member) => member.number);
    if (rows !== null) for (const member of rows) view.problems.push(...(member.problems ?? []));
    else if (first.problems !== null) view.problems.push(...first.problems);
    if (skips !== undefined && view.problems.length === 0 && skips(view) === true) {
      return { row, alsoRows, rowId: null, outcome: { fate: "skipped", reason: skipReason } };
    }
    const rowId = readRowId?.(view);
    made.participants.length = 0;
    made.addresses.length = 0;
    made.documents.length = 0;
    const records: Records = { participants: [], addresses: [], documents: [], events: [] };
    for (const build of participants) {
      const participant = build(view, made);
      made.participants.push(participant);
      if (participant != null) records.participants.push(participant.record);
    }
    for (const build of addresses) {
      const address = build(view, made);
      made.addresses.push(address);
      if (address != null) records.addresses.push(address.record);
    }
    for (const { build } of documents) {
      const document = build(view, made);
      made.documents.push(document);
      if (document != null) records.documents.push(document);
    }
    let happens = parts.rowsWithoutEvents || events.length === 0;
    const own = new Set<number>();
    for (const event of events) {
      if (event.eachRow && view.members !== null) {
        eachMember(view, (member, number) => {
          if (addEvent(event.build, member, made, records)) own.add(number);
        });
      } else if (addEvent(event.build, view, made, records)) happens = true;
    }
    if (!happens) reportEventless(view, own);
    const id = rowId == null ? null : String(rowId);
    if (view.problems.length === 0)
      return {
        row,
        alsoRows,
        rowId: id,
        outcome: { fate: "valid", records, warnings: replaced(rows ?? [first], header) },
      };
    const found = withoutRepeats(view.problems);
    return { row, alsoRows, rowId: id, outcome: { fate: "invalid", problems: found, placements: placements(found) } };
  };

  /** `own`: the rows of a group that have events of their own. A row whose cells may be misplaced has been reported for that. */
  const reportEventless = (shown: RowView, own: ReadonlySet<number>): void => {
    if (own.size === 0 && !shown.problems.some(({ code }) => SHAPELESS.has(code))) shown.problems.push(eventless);
    if (own.size === 0 || shown.members === null) return;
    eachMember(shown, (member, number) => {
      if (!own.has(number)) member.problems.push(eventless);
    });
  };

  const placements = (problems: readonly Problem[]): Placement[] => {
    view.problems = [];
    // Cells of a row of the wrong shape may stand under the wrong headers: only its documents are believed.
    const shapeless = view.members === null && problems.some((problem) => SHAPELESS.has(problem.code));
    const found: Placement[] = [];
    for (const event of events) {
      const add = (placement: Placement | null) => {
        if (placement !== null)
          found.push(shapeless ? { ...placement, event: null, keyParts: null, at: null } : placement);
      };
      if (event.eachRow && view.members !== null) eachMember(view, (member) => add(event.place(member, made)));
      else add(event.place(view, made));
    }
    for (const [position, document] of documents.entries()) {
      const record = made.documents[position];
      if (record === undefined) continue;
      const key = record === null ? document.readKey(view) : record.key;
      const placed = found.some(
        (placement) => placement.document.kind === document.kind && placement.document.key === key,
      );
      if (key !== null && !placed)
        found.push({ document: { kind: document.kind, key }, event: null, keyParts: null, at: null });
    }
    return found;
  };

  const close = (after = NO_PROBLEMS): MappedRow[] => {
    const { rows, problems, key } = open ?? { rows: [], problems: NO_PROBLEMS, key: null };
    const [first] = rows;
    open = null;
    if (first === undefined) return [];
    const mapped = mapOne(rows.length > 1 ? rows : null, first, [...problems, ...after]);
    return [sumsUp ? { ...mapped, group: key } : mapped];
  };

  /**
   * A row whose group cannot be told stands alone, and is invalid for that. So are the groups beside it: it may belong to
   * either, and what they say without it would land as if it were whole (P3).
   */
  const mapGrouped = (rows: readonly Row[], read: NonNullable<typeof readGroup>): MappedRow[] => {
    const mapped: MappedRow[] = [];
    for (const row of rows) {
      if (row.leftOut !== undefined) {
        mapped.push(skippedRow(row, row.leftOut));
        continue;
      }
      look(null, row);
      if (row.problems === null && skips !== undefined && skips(view) === true) {
        beside = NO_PROBLEMS;
        mapped.push(...close(), skippedRow(row, skipReason));
        continue;
      }
      const key = read(view)?.join("\u0000") ?? null;
      if (key === null) {
        const { problems } = view;
        beside = [groupUnclear(row.number)];
        mapped.push(...close(beside), mapOne(null, row, problems));
      } else if (open !== null && open.key === key) {
        open.rows.push(row);
      } else {
        mapped.push(...close());
        open = { key, rows: [row], problems: beside };
        beside = NO_PROBLEMS;
      }
    }
    return mapped;
  };

  return {
    map: (rows) => (readGroup === undefined ? rows.map((row) => mapOne(null, row)) : mapGrouped(rows, readGroup)),
    end() {
      beside = NO_PROBLEMS;
      return close();
    },
  };
}

function skippedRow({ number }: Row, reason: string): MappedRow {
  return { row: number, alsoRows: NO_ROWS, rowId: null, outcome: { fate: "skipped", reason } };
}

/** What the file itself holds in the place of letters that some program could not read. */
function replaced(rows: readonly Row[], header: readonly string[]): Problem[] {
  let warnings = NO_WARNINGS;
  for (const { cells } of rows) {
    for (const [index, cell] of cells.entries()) {
      if (!cell.includes("\uFFFD")) continue;
      const message = `${quoteCell(cell)} holds the character that stands for letters which some program could not read`;
      const hint = "Correct the cell where the file comes from; it is sent as it stands.";
      warnings = [...warnings, { code: "text-replaced", message, hint, column: header[index] ?? null }];
    }
  }
  return warnings;
}

function groupUnclear(row: number): Problem {
  const message = `row ${row} beside it may belong to the same group, which cannot be told of that row`;
  return { code: "group-unclear", message, hint: null, column: null };
}

/** Whether it happens in this row, be it with mistakes. */
function addEvent(build: BuiltEvent["build"], view: RowView, made: RowRecords, records: Records): boolean {
  const event = build(view, made);
  if (event != null) records.events.push(event);
  return event !== undefined;
}

/** Looks at each row of a group by itself; problems then name the row. */
function eachMember(view: RowView, visit: (view: RowView, row: number) => void): void {
  const { cells, kinds, conflicts, members, problems } = view;
  for (const member of members ?? []) {
    Object.assign(view, { cells: member.cells, kinds: member.kinds, conflicts: null, members: null, problems: [] });
    visit(view, member.number);
    problems.push(
      ...view.problems.map((problem) => ({ ...problem, message: `row ${member.number}: ${problem.message}` })),
    );
  }
  Object.assign(view, { cells, kinds, conflicts, members, problems });
}

/** One mistake in a cell is said once, although several records may read the cell. */
function withoutRepeats(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter((problem) => {
    const name = `${problem.code}\u0000${problem.column ?? ""}\u0000${problem.message}`;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}
